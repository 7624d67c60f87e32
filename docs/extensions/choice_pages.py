"""The pages of settings, of address parameters and of rankers and annotators, from their records."""

from collections.abc import Iterable

from markdown import code, plain, table

from fairviz.annotation.annotators import METHODS
from fairviz.evaluation.settings import CHOICES, Settings, to_query
from fairviz.parameters import Parameter
from fairviz.rankers import RANKERS
from fairviz.ui.state.registry import REGISTRY, PageChoice

SETTINGS = """# Settings and address parameters

A field of ``fairviz.Settings`` is an option of the command line, a control of the app and a parameter of its address,
under the same name. ``fairviz.evaluate(study, "CWEx", cutoff=5)`` and ``…/tradeoff?study=newswire&cutoff=5`` set the
same field. Lists repeat their parameter: ``systems=bm25&systems=w2v_add``.

"""
ADDRESS = """## Choices of the pages

What a page lets its reader choose, and no value depends on. Each page has its name as its path:
``…/tradeoff?tradeoff_groups=on``.

"""
CALLS = """# Rankers and annotators

As ``fairviz rank --with`` and ``fairviz annotate --with`` take them: a name, or a name with parameters, such as
``bm25(k1=0.9,b=0.4)``.

"""


def pages() -> dict[str, str]:
    """Return the pages of this kind by file."""
    return {"settings.md": SETTINGS + _fields() + ADDRESS + _choices(), "rankers.md": _calls()}


def _fields() -> str:
    rows = [
        {
            "setting": code(record.name),
            "default": _written(record.default),
            "option": code(record.option) if record.option else "",
            "meaning": plain(_meaning(record.help, record.part_of)),
            "values": plain(", ".join(record.texts)),
        }
        for record in CHOICES.values()
    ]
    assert set(CHOICES) >= set(to_query(Settings()))  # noqa: S101
    return table(rows)


def _meaning(text: str, part_of: str) -> str:
    return text or (f"with {part_of}" if part_of else "the selection on screen")


def _choices() -> str:
    return "".join(
        f"### {name}\n\n" + table([_choice(choice) for choice in choices])
        for name, choices in REGISTRY.items()
        if choices
    )


def _choice(choice: PageChoice) -> dict[str, str]:
    return {
        "parameter": code(choice.key),
        "default": "the first offered" if choice.default is None else _written(choice.default),
        "name on its chip": plain(choice.label),
    }


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return code(str(value)) if value not in ((), [], "") else "empty"


def _calls() -> str:
    rankers = (_call(name, record.summary, record.parameters) for name, record in RANKERS.items())
    annotators = (_call(name, record.summary, record.parameters) for name, record in METHODS.items())
    return CALLS + "## Rankers\n\n" + "".join(rankers) + "## Annotators\n\n" + "".join(annotators)


def _call(name: str, summary: str, parameters: Iterable[Parameter]) -> str:
    listed = "".join(f"- {plain(parameter.described)}\n" for parameter in parameters)
    return f"### {name}\n\n{plain(summary)}.\n\n{listed}\n"
