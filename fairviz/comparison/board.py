"""The class board: from links to settings, and from each person's settings or labels to one verdict on two systems."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd

from fairviz.comparison.pairs import AHEAD, BEHIND, Row
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import CHOICES, Settings, from_query, to_query
from fairviz.measures import Question
from fairviz.statistics.contrasts import sign_of
from fairviz.words.sentences import counted

MOST = 300  # lines that are read
LONGEST_NAME, LONGEST_LINE = 60, 20_000  # characters
MOST_LEVELS, MOST_VARIED = 6, 4  # of a choice, and choices, that the figure shows
NOT_OWN = {
    "study",
    "system",
    "systems",
    "query",
    "document",
}  # fields of settings that the board sets, or does not read
COLUMNS = ("name", "value", "low", "high", "p_corrected", "fairer", "tested", "choices", "problem")
_LINE = re.compile(r"(?:(?P<name>.*?)(?:\s*[:,;]\s+|[,;]|\s+))?(?P<link>\S*\?\S*)")


@dataclass(frozen=True)
class Entry:
    """A person on the board. problem: why the settings do not count; empty if they do."""

    name: str
    settings: Settings = field(default_factory=Settings)
    problem: str = ""


def read_links(text: str, study: str, vectors: Collection[str] = ()) -> list[Entry]:
    """Return an entry for each line `name: link`, or of a link alone, which is called by its number.

    The last line of a name counts. A link is data: nothing is opened, and what is no setting is left out. A link of
    another study, and one with an invalid setting, is an entry with its problem. vectors: names of word vectors that a
    link may give.

    >>> read_links("ann: http://localhost:8501/?study=newswire&cutoff=5", "newswire")[0].settings.cutoff
    5
    """
    entries: dict[str, Entry] = {}
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines[:MOST], start=1):
        match = _LINE.fullmatch(line) if len(line) <= LONGEST_LINE else None
        name = " ".join((match["name"] if match and match["name"] else str(number)).split())[:LONGEST_NAME]
        entries.pop(name, None)
        entries[name] = _entry(name, urlsplit_query(match["link"]), study, vectors) if match else Entry(
            name, problem="is no link of the app, which has a ? before its settings"
        )  # fmt: skip
    if len(lines) > MOST:
        entries["…"] = Entry("…", problem=f"{counted(len(lines) - MOST, 'line')} more than {MOST} are not read")
    return list(entries.values())


def urlsplit_query(link: str) -> str:
    """Return the part of a link behind its first question mark, without a fragment; empty if it is no address."""
    try:
        return urlsplit(link).query
    except ValueError:
        return ""


def entries_of(links: Iterable[tuple[str, str]], study: str, vectors: Collection[str] = ()) -> list[Entry]:
    """Return an entry for each name and query of an address."""
    return [_entry(name, query, study, vectors) for name, query in links]


def _entry(name: str, query: str, study: str, vectors: Collection[str]) -> Entry:
    try:
        values = parse_qs(query, max_num_fields=MOST)
    except ValueError:
        return Entry(name, problem="has too many settings")
    settings, ignored = from_query({key: texts for key, texts in values.items() if key in CHOICES}, vectors)
    if settings.study != study or "study" not in values:
        return Entry(name, problem=f"is of another study, and not of {study}")
    return Entry(name, settings, ignored[0] if ignored else "")


def verdicts(
    entries: Sequence[Entry], question: Question, pair: tuple[str, str], row_of: Callable[[Settings], Row | None]
) -> pd.DataFrame:
    """Return COLUMNS, a row an entry, and a column for each choice in which the entries differ and that has few levels.

    value: how much fairer the first system of the pair is, by the means of the common queries; low, high: its interval.
    fairer: the system ahead by the means; tested: by the test. choices: what differs from the defaults. row_of: from
    settings to the comparison of the first system with the second; its FairvizError becomes the entry's problem.
    """
    less_is_fairer = question.direction in ("lower", "zero", "one")  # of the last two, differences are of distances
    rows = []
    for entry in entries:
        problem, value, low, high, p, tested = entry.problem, *[np.nan] * 4, ""
        if not problem:
            try:
                row = row_of(entry.settings.changed(study=entry.settings.study, systems=pair, system="", document=""))
            except FairvizError as error:
                row, problem = None, f"{error.message}. {error.remedy}"
            if row is not None:
                value, low, high, p = row.difference, row.ci_low, row.ci_high, row.p_corrected
                if less_is_fairer:
                    value, low, high = -value, -high, -low
                tested = {AHEAD: pair[0], BEHIND: pair[1]}.get(row.verdict, "")
            problem = problem or ("" if np.isfinite(value) else "no query has a value for both systems")
        fairer = "" if np.isnan(value) else {1: pair[0], -1: pair[1]}.get(int(sign_of(value)), "neither")
        rows.append((entry.name, value, low, high, p, fairer, tested, _choices_text(entry.settings), problem))
    table = pd.DataFrame(rows, columns=list(COLUMNS)).assign(combination=range(len(rows)), chance=np.nan)
    for name, levels in varied([entry for entry in entries if not entry.problem]).items():
        table[name] = [
            _level(entry.settings, name) if _level(entry.settings, name) in levels else "" for entry in entries
        ]
    return table


def varied(entries: Sequence[Entry]) -> dict[str, list[str]]:
    """Return the levels of the choices in which entries differ, if they have few."""
    found = {}
    for name in CHOICES:
        values = dict.fromkeys(getattr(entry.settings, name) for entry in entries)
        in_order = sorted(values) if isinstance(CHOICES[name].default, int | float) else values
        levels = list(dict.fromkeys(_text(value) for value in in_order))
        if name not in NOT_OWN and 1 < len(levels) <= MOST_LEVELS:
            found[name] = levels
    return dict(list(found.items())[:MOST_VARIED])


def sentence(table: pd.DataFrame, pair: tuple[str, str]) -> str:
    """Return how many entries find which system fairer, and for how many the test supports it."""
    counting = table[table["problem"] == ""]
    if not len(counting):
        return "No entry counts yet."
    parts = []
    for name in pair:
        ahead, tested = int((counting["fairer"] == name).sum()), int((counting["tested"] == name).sum())
        parts.append(f"{name} is fairer for {ahead}, significantly for {tested}")
    return f"{counted(len(counting), 'entry')}: {'; '.join(parts)}."


def _level(settings: Settings, name: str) -> str:
    return _text(getattr(settings, name))


def _text(value: object) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    return text[:LONGEST_NAME] or "default"


def _choices_text(settings: Settings) -> str:
    changed = [name for name in to_query(settings) if name not in NOT_OWN]
    return ", ".join(f"{name} {_level(settings, name)}" for name in changed) or "the defaults"
