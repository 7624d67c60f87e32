"""Rows of the ledger: what is printed, what comes out here, and whether the two agree."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

AGREES, DIFFERS, CANNOT = "agrees", "differs", "not available"
VERDICTS = (AGREES, DIFFERS, CANNOT)
NOTHING = "–"
_WHOLE = re.compile(r"[−+-]?[\d,]+")
_NUMBER = re.compile(r"[−+-]?\d[\d,]*(?:\.\d+)?(?:e[−+-]?\d+)?")


@dataclass(frozen=True)
class Row:
    """A line of the ledger: what it is about, its cells (the paper's first), and the verdict with its reason."""

    what: str
    cells: tuple[str, ...]
    verdict: str

    def __post_init__(self) -> None:
        if not self.verdict.startswith(VERDICTS):
            raise ValueError(f"{self.what}: a row agrees, differs or is not available, not {self.verdict!r}")

    @property
    def kind(self) -> str:
        """The verdict without its reason."""
        return next(verdict for verdict in VERDICTS if self.verdict.startswith(verdict))


def judged(what: str, printed: str, ours: str, why: str = "", *others: str) -> Row:
    """A row that agrees where every printed number is met within one unit of its last printed digit; else it differs,
    and why has to be said. others: cells behind ours. Raises ValueError where it differs without a reason."""
    if same(printed, ours):
        return Row(what, (printed, ours, *others), AGREES)
    if not why:
        raise ValueError(f"{what}: {printed} is printed and {ours} comes out, and nobody says why")
    return Row(what, (printed, ours, *others), f"{DIFFERS}: {why}")


def absent(what: str, printed: str, why: str, ours: str = NOTHING, *others: str) -> Row:
    """A row whose number not available; ours: what comes nearest, if anything does."""
    return Row(what, (printed, ours, *others), f"{CANNOT}: {why}")


def agrees(what: str, printed: str, ours: str, *others: str, but: str = "") -> Row:
    """A row that agrees in what its words say, as `near 0`; but: in how far."""
    return Row(what, (printed, ours, *others), AGREES + (f", {but}" if but else ""))


def differs(what: str, printed: str, ours: str, why: str, *others: str) -> Row:
    """A row that differs in what its words say."""
    return Row(what, (printed, ours, *others), f"{DIFFERS}: {why}")


def counted(what: str, found: int, asked: int, why: str = "") -> Row:
    """A row of a count, as `9 of 12`; it agrees where all are found. Raises ValueError where they are not and nobody
    says why."""
    every = f"{asked} of {asked}"
    if found == asked:
        return agrees(what, every, every)
    if not why:
        raise ValueError(f"{what}: {found} of {asked}, and nobody says why")
    return differs(what, every, f"{found} of {asked}", why)


def same(printed: str, ours: str) -> bool:
    """Whether every number of the one text is within one unit of the last digit of its neighbour in the other, a count
    the same; what stands in brackets behind does not count."""
    wanted, found = (_NUMBER.findall(text.partition(" (")[0]) for text in (printed, ours))
    counts = "%" not in printed
    return len(wanted) == len(found) > 0 and all(
        abs(value(one) - value(other)) <= (0 if counts and _WHOLE.fullmatch(one) else 1.001 * last_digit(one))
        for one, other in zip(wanted, found, strict=True)
    )


def value(text: str) -> float:
    """The number that is written with a minus sign and thousands' commas."""
    return float(text.replace("−", "-").replace(",", ""))


def last_digit(text: str) -> float:
    """What one unit of the last written digit is worth: 0.01 for 0.31, 1e-4 for 3.8e−3."""
    digits, _, power = text.replace("−", "-").partition("e")
    return float(10.0 ** (int(power or 0) - len(digits.partition(".")[2])))


def number(found: float, digits: int = 2) -> str:
    """The number with so many digits behind the point, and no minus before a 0."""
    return f"{round(float(found), digits) + 0.0:.{digits}f}".replace("-", "−")


def numbers(found: Sequence[float], digits: int = 4) -> str:
    return ", ".join(number(each, digits) for each in found)


def percent(share: float, digits: int = 0, sign: str = "") -> str:
    return f"{round(100 * float(share), digits) + 0.0:{sign}.{digits}f} %".replace("-", "−")


def over(relative: float) -> str:
    """By how much more than 1, in per cent."""
    return percent(relative - 1, sign="+")


def science(found: float) -> str:
    digits, _, power = f"{float(found):.1e}".partition("e")
    return f"{digits}e{int(power)}".replace("-", "−")


def below(difference: float) -> str:
    """The power of ten that it is below, no finer than 1e−14: which of the last digits are noise, processors decide."""
    power = -14 if difference < 1e-14 else math.floor(math.log10(difference)) + 1
    return f"below 1e−{-power}"


@dataclass(frozen=True)
class Table:
    """Rows below one another, and the heads of their cells."""

    heads: tuple[str, ...]
    rows: tuple[Row, ...]

    def text(self) -> str:
        """The table in Markdown."""
        titles = ("", *self.heads, "verdict")
        lines = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
        return "\n".join([*lines, *(f"| {' | '.join((row.what, *row.cells, row.verdict))} |" for row in self.rows)])


@dataclass(frozen=True)
class Chapter:
    """What the template of a chapter is filled with: tables and single words, by name."""

    tables: dict[str, Table]
    words: dict[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> list[Row]:
        return [row for table in self.tables.values() for row in table.rows]
