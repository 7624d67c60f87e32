"""The quantities of gate conditions other than measures, by their words. A new one is a line here."""

from fairviz.comparison.never_shown_condition import NEVER_SHOWN
from fairviz.comparison.quantity import QuantityKind

QUANTITIES: dict[str, QuantityKind] = {
    kind.name: kind
    for kind in (
        NEVER_SHOWN,
    )
}  # fmt: skip
