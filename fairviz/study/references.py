"""Names of systems that are no contenders: references, and lists edited by hand."""

from functools import cache

REFERENCES = ("perfect", "random", "oracle")
EDITED = ", edited"  # in the name of a run with a list changed by hand


@cache
def is_reference(system: str) -> bool:
    """Return whether the system is not a contender: the relevant documents themselves, chance, or a reordering that
    sees the judgements, with or without parameters, edited by hand or not."""
    system = system.partition(EDITED)[0]
    name = system.partition("-")[0]
    return name in REFERENCES and (system == name or "=" in system)


def is_contender(system: str) -> bool:
    """Return whether the system is tested by default: neither a reference nor a list edited by hand."""
    return not is_reference(system) and EDITED not in system
