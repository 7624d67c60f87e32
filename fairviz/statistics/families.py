"""The families of differences that are tested together, and the method: the text of the setting `tests`.

`maxT` is the default: all pairs of systems within each measure, by single-step maxT. Others are written as measures
are: `holm(statistic='wilcoxon')`, `maxT(baseline='bm25')`, `bonferroni(family='measures')`.
"""

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Literal, get_args

from fairviz.errors import UsageError
from fairviz.parameters import format_call, parse_calls

Method = Literal["maxT", "holm", "bonferroni", "bh", "tukey", "none"]
Statistic = Literal["t", "wilcoxon", "randomisation"]
Family = Literal["pairs", "measures"]

METHODS: dict[str, str] = {
    "maxT": "maxT",
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini-Hochberg",
    "tukey": "randomised Tukey HSD",
    "none": "no correction",
}
STATISTICS: dict[str, str] = {"t": "paired t", "wilcoxon": "Wilcoxon signed ranks", "randomisation": "randomisation"}
FAMILIES: dict[str, str] = {
    "pairs": "all pairs in each measure",
    "measures": "all pairs in the measures of the Overview",
}
STEPWISE = ("holm", "bonferroni", "bh", "none")  # methods that correct the p of single tests
FORM = "Write it as maxT, holm(statistic='wilcoxon') or maxT(baseline='bm25')."


@dataclass(frozen=True)
class Tests:
    """The families of tests and the method.

    method: of METHODS. statistic: of STATISTICS; the simultaneous methods maxT and tukey have their own. family:
    `pairs` (a family for each measure) or `measures` (one family across the measures that are named, on pages those of
    the Overview).
    baseline: a system named beforehand, with which alone the others are compared; empty for all pairs. Raises
    UsageError for anything else.
    """

    method: Method = "maxT"
    statistic: Statistic = "t"
    family: Family = "pairs"
    baseline: str = ""

    def __post_init__(self) -> None:
        for name, allowed in (("method", Method), ("statistic", Statistic), ("family", Family)):
            value = getattr(self, name)
            if value not in get_args(allowed):
                raise UsageError(f"{name} of the tests is {value!r}", f"Use one of {', '.join(get_args(allowed))}.")
        if self.statistic != "t" and self.method not in STEPWISE:
            raise UsageError(
                f"{self.method} has a statistic of its own, not {self.statistic!r}",
                f"Use {', '.join(STEPWISE)} with statistic={self.statistic!r}.",
            )
        if self.method == "tukey" and self.family == "measures":
            raise UsageError(
                "tukey compares means on one scale, and measures have several", "Use maxT(family='measures')."
            )

    @property
    def text(self) -> str:
        """The shortest text that reads back as this record.

        >>> Tests("holm", baseline="bm25").text
        "holm(baseline='bm25')"
        """
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "method"}
        return format_call(self.method, {name: text for name, text in values.items() if text != getattr(Tests, name)})

    @property
    def simultaneous(self) -> bool:
        """True where intervals cover the whole family at once, so that they agree with the corrected p."""
        return self.method in ("maxT", "tukey") or (self.method == "bonferroni" and self.statistic == "t")


@lru_cache(maxsize=64)
def parse_tests(text: str) -> Tests:
    """Return the record that a text describes. Raises UsageError.

    >>> parse_tests("holm(statistic='wilcoxon')").statistic
    'wilcoxon'
    """
    try:
        (call,) = parse_calls(text)
        if call.others or not all(isinstance(value, str) for value in call.arguments.values()):
            raise ValueError("not names with texts")
    except ValueError as error:
        raise UsageError(f"cannot read the tests {text[:80]!r}", FORM) from error
    field_names = {field.name for field in fields(Tests)} - {"method"}
    for word in call.arguments:
        if word not in field_names:
            raise UsageError(f"the tests {text[:80]!r} have no {word!r}", f"Use {', '.join(sorted(field_names))}.")
    return Tests(call.name, **call.arguments)  # type: ignore[arg-type]


def method_text(tests: Tests) -> str:
    """Return the method as captions show it, with the statistic where it is a choice.

    >>> method_text(Tests("holm", "wilcoxon"))
    'Wilcoxon signed ranks, Holm'
    """
    single = f"{STATISTICS[tests.statistic]}, " if tests.method in STEPWISE else ""
    return f"{single}{METHODS[tests.method]}"
