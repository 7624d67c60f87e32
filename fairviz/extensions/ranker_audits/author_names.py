"""Names of authors of either gender, for versions of a document that differ in nothing else: the packaged lists, and
lists as text or in files."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from fairviz.errors import BadLines, FairvizError, UsageError, problem
from fairviz.study.loaders.labels import group_of
from fairviz.study.loaders.lines import numbered_cells, read_text
from fairviz.study.loaders.word_files import with_quotes
from fairviz.words.counterparts import LONGEST, packaged
from fairviz.words.counting import escaped
from fairviz.words.sentences import counted

GENDERS = ("female", "male")
HEADER = ("gender", "name")
FEWEST_NAMES, MOST_NAMES = 2, 5_000  # of either gender; the placebo compares two names of one gender
FEWEST_REMEDY = "Give two or more names of either gender: the placebo compares two of one."
LINE_REMEDY = "Write a line as: gender,name, such as: female,Mary; a name in one gender alone."
REMEDY = f"Write it as female:Mary|Linda;male:James|John. {FEWEST_REMEDY}"


@dataclass(frozen=True)
class AuthorNames:
    """Names of either gender, each once. Raises FairvizError for fewer than two or too many of a gender."""

    female: tuple[str, ...]
    male: tuple[str, ...]

    def __post_init__(self) -> None:
        for gender in GENDERS:
            count = len(getattr(self, gender))
            if count < FEWEST_NAMES:
                raise FairvizError(f"the list has {counted(count, f'{gender} name')}", FEWEST_REMEDY)
            if count > MOST_NAMES:
                raise FairvizError(f"the list has {count:,} {gender} names", f"Give {MOST_NAMES:,} or fewer.")

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """Gender and name of each, female names first."""
        return tuple((gender, name) for gender in GENDERS for name in getattr(self, gender))

    @property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """Two female and two male names each, in the order of the lists; what is left of the longer list is not used.

        >>> AuthorNames(("Mary", "Linda", "Ruth"), ("James", "John")).sets
        (('Mary', 'Linda', 'James', 'John'),)
        """
        count = min(len(self.female), len(self.male)) // 2
        return tuple(
            (*self.female[2 * place : 2 * place + 2], *self.male[2 * place : 2 * place + 2]) for place in range(count)
        )


@lru_cache(maxsize=1)
def packaged_names() -> AuthorNames:
    """Return the packaged names: the first names of `words/pairs/names.csv`, most frequent first."""
    pairs = packaged().names
    return AuthorNames(tuple(female for female, _ in pairs), tuple(male for _, male in pairs))


def check_name(name: str) -> str:
    """Return the defect of a name, empty if it has none."""
    if not name:
        return "the name is empty"
    if len(name) > LONGEST:
        return f"the name has more than {LONGEST} characters"
    return "" if re.search(r"[^\W\d_]", name) else "there is no letter in the name"


def names_of(rows: Iterable[Sequence[object]]) -> AuthorNames:
    """Return rows of a table (gender, name) as names, each once, without empty rows.

    Raises FairvizError for a row that is not a gender and a name, and for a name of both genders.
    """
    genders: dict[str, tuple[str, str]] = {}
    for gender, raw in rows:
        name = " ".join(raw.split()) if isinstance(raw, str) else ""
        if not name and not isinstance(gender, str):
            continue
        if gender not in GENDERS:
            raise FairvizError(f"the name {name[:60]!r} has the gender {gender!r}", f"Use {' or '.join(GENDERS)}.")
        if defect := check_name(name):
            raise FairvizError(f"the {gender} name {name[:60]!r} cannot be: {defect}", "Give a name a row.")
        earlier, _ = genders.setdefault(name.casefold(), (str(gender), name))
        if earlier != gender:
            raise FairvizError(f"the name {name[:60]!r} is of both genders", "Keep it in one of them.")
    return AuthorNames(*(tuple(name for each, name in genders.values() if each == gender) for gender in GENDERS))


def parse_names(text: str) -> AuthorNames:
    """Return `female:Mary|Linda;male:James|John` as names; separators inside a name as `%7C`. Raises UsageError.

    >>> parse_names("female:Mary|Ann%3B;male:James|John").female
    ('Mary', 'Ann;')
    """
    rows: list[tuple[str, str]] = []
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        gender, colon, names = part.partition(":")
        if not colon:
            raise UsageError(f"the part {part[:60]!r} of the list of names has no gender", REMEDY)
        rows += [(gender.strip(), unquote(name)) for name in names.split("|") if name.strip()]
    try:
        return names_of(rows)
    except FairvizError as error:
        raise UsageError(error.message, REMEDY) from error


def format_names(names: AuthorNames) -> str:
    """Return the names as one line for `parse_names`."""
    return ";".join(f"{gender}:{'|'.join(map(escaped, getattr(names, gender)))}" for gender in GENDERS)


def read_names(path: str | Path, root: str | Path | None = None) -> AuthorNames:
    """Return the names of a file of `gender,name` lines, each once.

    Raises DataError that names every bad line: not two columns, an unknown gender, a name of both genders; and for a
    file with fewer than two names of either gender.
    """
    file, text = read_text(path, root)
    names: dict[str, tuple[str, str, int]] = {}  # gender, name and line, by the name in one case
    bad_lines = BadLines(file, lambda bad: with_quotes(bad, LINE_REMEDY))
    for number, line, cells in numbered_cells(text, bad_lines, [list(HEADER)]):
        if len(cells) != 2:
            bad_lines.add(number, f"expected 2 columns, found {len(cells)}", line)
            continue
        gender, name = group_of(cells[0], GENDERS), " ".join(cells[1].split())
        if gender is None:
            bad_lines.add(number, "unknown gender", line)
        elif defect := check_name(name):
            bad_lines.add(number, defect, line)
        else:
            earlier, _, first = names.setdefault(name.casefold(), (gender, name, number))
            if earlier != gender:
                bad_lines.add(number, f"{name!r} is {earlier} in line {first}", line)
    bad_lines.raise_collected()
    by_gender = [tuple(name for each, name, _ in names.values() if each == gender) for gender in GENDERS]
    for gender, listed in zip(GENDERS, by_gender, strict=True):
        if len(listed) < FEWEST_NAMES:
            raise problem(file, f"the list holds {counted(len(listed), f'{gender} name')}", FEWEST_REMEDY)
        if len(listed) > MOST_NAMES:
            raise problem(file, f"the list holds {len(listed):,} {gender} names", f"Give {MOST_NAMES:,} or fewer.")
    return AuthorNames(*by_gender)
