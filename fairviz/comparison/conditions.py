"""Conditions under which a gate is not passed: `CWEx falls by 0.02`, `TED worse by 0.01`, `CWEx below -0.2`, and those
on other quantities than measures, `never shown female rises by 0.05`; and what moved most by such a quantity.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from fairviz.comparison.never_shown import PoolExposure, clusters_of, pool_exposure, share_of
from fairviz.comparison.pairs import FEWEST_QUERIES, no_verdict
from fairviz.errors import FairvizError, UsageError, expect, use_one_of
from fairviz.evaluation.choices import aligned_runs, bias_to_depth
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import Settings
from fairviz.installed import Registry
from fairviz.measures import Question
from fairviz.measures.rankings import Rankings
from fairviz.measures.record import Direction
from fairviz.statistics.intervals import difference_of
from fairviz.statistics.orders import largest_first
from fairviz.study.record import Study
from fairviz.study.tables import expanded

QUERY_COLUMNS = ("condition", "query_id", "text", "cutoff", "baseline_value", "value", "difference", "share")
DOCUMENT_COLUMNS = ("condition", "query_id", "doc_id", "rank_before", "rank_after", "attention", "label", "text")
SNIPPET = 160  # characters of a document
Pair = tuple[str, str]  # baseline and candidate
Array = np.ndarray
_GROUP = re.compile(r"""'(?P<single>[^']+)'|"(?P<double>[^"]+)"|(?P<word>[^\s'"]+)""")
CHANGES = ("falls by", "rises by", "worse by", "better by")
VALUES = ("below", "above")
_WORDS = "|".join((*CHANGES, *VALUES))
_UNQUOTED_OR_QUOTED = r"""(?:[^'"]|'[^']*'|"[^"]*")*?"""  # words within quotes are none of a condition
_PARTS = re.compile(
    rf"(?P<measure>{_UNQUOTED_OR_QUOTED})\s*(?P<sign><=|>=|<|>|\b(?:{_WORDS})\b)(?P<limit>.*)", re.DOTALL
)
_SIGNS = str.maketrans({"≤": "<=", "≥": ">=", "−": "-"})


def has_one_list_each(rankings: Rankings, systems: Iterable[str]) -> bool:
    """Return whether each system has one list a query; a stochastic one has as many as draws."""
    return all(len(rankings.rows_of(name)) == 1 for name in systems)


def ranks_of(rankings: Rankings, system: str, query: str) -> dict[int, int]:
    """The rank of each document, by its place in doc_ids."""
    if query not in rankings.queries:
        return {}
    listed = rankings.documents[:, rankings.row_of(system), rankings.queries.index(query)]
    return {int(code): rank for rank, code in enumerate(listed, start=1) if code >= 0}


def attention(weights: np.ndarray, rank: int | None) -> float:
    """Return the weight of a rank, 0 beyond the last of the weights and without a rank."""
    return float(weights[rank - 1]) if rank is not None and rank <= len(weights) else 0.0


def snippet(text: object) -> str:
    """Return the beginning of a document's text, empty for what is not a text."""
    if not isinstance(text, str):
        return ""
    return text if len(text) <= SNIPPET else f"{text[: SNIPPET - 1]}…"


@dataclass(frozen=True)
class Contrast:
    """A quantity of the baseline and of the candidate, with the intervals of the candidate's value and of the
    difference, candidate minus baseline; ends are NaN where there is none.

    queries: the number that the intervals rest on. is_enough: whether these are enough for a verdict. warning: the
    reason if not.
    """

    baseline_value: float
    value: float
    value_interval: tuple[float, float]
    difference: float
    difference_interval: tuple[float, float]
    queries: int
    is_enough: bool = True
    warning: str = ""


@dataclass(frozen=True)
class QuantityKind:
    """A kind of quantity.

    package: that of others from which it comes, with its version, set when it is loaded. name: the words in front of
    its argument in a condition, `never shown`. argument: the noun for the argument in messages. example: a condition.
    direction: the fairer one, as of a measure. read(argument, settings) returns the argument as `contrast` takes it and
    the canonical text of the quantity; it raises ValueError, with the reason or without one, for what cannot be read.
    contrast(study, settings, pair, argument, level) returns a Contrast, over the queries that both systems answer.
    movers(study, settings, pair, argument, below, most) returns QUERY_COLUMNS and DOCUMENT_COLUMNS without `condition`:
    the `most` queries that move the difference most, below or above 0, and of each at most `most` documents.
    """

    name: str
    argument: str
    example: str
    direction: Direction
    read: Callable[[str, Settings], tuple[Any, str]]
    contrast: Callable[[Study, Settings, Pair, Any, float], Contrast]
    movers: Callable[[Study, Settings, Pair, Any, bool, int], tuple[pd.DataFrame, pd.DataFrame]] = lambda *_: (
        pd.DataFrame(columns=list(QUERY_COLUMNS)),  # no rows, for what is not a sum over queries and documents
        pd.DataFrame(columns=list(DOCUMENT_COLUMNS)),
    )
    package: str = ""

    @property
    def form(self) -> str:
        """The remedy for a condition on this quantity that cannot be read."""
        name = f"{self.name} {self.argument}".rstrip()
        return f"Write '{name} rises by X', or 'falls by', 'worse by', 'better by', 'below', 'above': {self.example!r}."


@dataclass(frozen=True)
class Quantity:
    """A quantity as a condition names it. text: canonical, for the column `measure`."""

    kind: QuantityKind = field(compare=False)
    argument: Any
    text: str

    @property
    def name(self) -> str:
        return self.kind.name

    @property
    def direction(self) -> Direction:
        return self.kind.direction

    @property
    def parameters(self) -> Mapping[str, Any]:
        """No parameters: those of measures."""
        return {}


def read_group(text: str) -> str:
    """Return the group of `female` or `'non binary'`. Raises ValueError without a group, and for one with blanks
    without quotes."""
    match = _GROUP.fullmatch(text)
    if match is None:
        raise ValueError("a group of several words needs quotes" if text else "it names no group")
    return match["single"] or match["double"] or match["word"]


def _read_never_shown(text: str, settings: Settings) -> tuple[str, str]:
    group = read_group(text)
    return group, f"never shown {group}@{settings.cutoff}"


def never_shown_contrast(study: Study, settings: Settings, pair: Pair, group: str, level: float) -> Contrast:
    """Return the shares of the group's relevant documents that the two systems never show, over the queries that both
    answer. Raises UsageError for a group that the study lacks, FairvizError without judgements or labels."""
    pool = _pool(study, settings, pair, group)
    clusters, is_in_group = clusters_of(pool), pool.is_in(group)
    before, after = (share_of(clusters, pool.never(name), is_in_group) for name in pair)
    difference, low, high = difference_of(after, before, level)
    is_enough, warning = after.clusters >= FEWEST_QUERIES, ""
    if not after.total:
        warning = f"no relevant document is labelled {group}"
    elif not is_enough:
        warning = f"{no_verdict(after.clusters)}: only these have relevant documents labelled {group}"
    ends = after.interval(level)
    return Contrast(before.value, after.value, ends, difference, (low, high), after.clusters, is_enough, warning)


def _pool(study: Study, settings: Settings, pair: Pair, group: str) -> PoolExposure:
    """Return where the two systems show the relevant documents of the queries that both answer."""
    names = (study.neutral, *study.groups)
    if group not in names:
        raise UsageError(f"{study.name} has no group {group!r}", use_one_of(names, group))
    runs = [expanded((name,), study.run_names) for name in pair]
    answered = [set(study.runs.loc[study.runs["system"].isin(names), "query_id"].astype("str")) for names in runs]
    common = answered[0] & answered[1]
    if not common:
        raise FairvizError(f"{pair[0]} and {pair[1]} answer no query in common", "Name two runs of the same queries.")
    return pool_exposure(study, settings.changed(systems=pair), "relevant", common)


def never_shown_movers(
    study: Study, settings: Settings, pair: Pair, group: str, below: bool, most: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the queries that move the share most, and their relevant documents of the group that one of the two
    systems never shows and the other does, by their rank in the list that shows them best; see `QuantityKind`."""
    pool = _pool(study, settings, pair, group)
    clusters, is_in_group = clusters_of(pool), pool.is_in(group)
    totals, before, after = (
        clusters.sums((is_in_group & flags).astype(np.float64))
        for flags in (np.ones(len(is_in_group), dtype=bool), *(pool.never(name) for name in pair))
    )
    change = after - before
    towards = -change if below else change
    places = [place for place in largest_first(towards)[:most] if towards[place] > 1e-12]
    texts = study.queries.set_index("query_id")["text"]
    rows = []
    for place in places:
        query, count = pool.queries[place], totals[place]
        cells = (query, str(texts.get(query, "")), pool.cutoff, before[place] / count, after[place] / count)
        rows.append((*cells, change[place] / count, change[place] / totals.sum()))
    queries = pd.DataFrame(rows, columns=[name for name in QUERY_COLUMNS if name != "condition"])
    documents = _moved_documents(study, settings, pair, pool, group, below, places, most)
    return queries.astype({"cutoff": "Int64"}), documents


def _moved_documents(
    study: Study,
    settings: Settings,
    pair: Pair,
    pool: PoolExposure,
    group: str,
    below: bool,
    places: list[int],
    most: int,
) -> pd.DataFrame:
    """Return the documents of these queries that went out of sight, or came into it if `below`."""
    seen_by, unseen_by = reversed(pair) if below else pair
    is_moved = pool.is_in(group) & ~pool.never(seen_by) & pool.never(unseen_by)
    rankings = aligned_runs(study, settings)
    depth = max(rankings.depth, settings.cutoff)
    weights = bias_to_depth(settings, depth).weights(settings.cutoff)
    bodies = study.documents.set_index("doc_id")["text"]
    documents = []
    for place in places if has_one_list_each(rankings, pair) else ():
        query = pool.queries[place]
        ranks = [ranks_of(rankings, name, query) for name in pair]
        linked = pool.links[0][pool.links[1] == place]
        names = pool.doc_ids[linked[is_moved[linked]]]
        of_query = []
        for name, code in zip(names, rankings.doc_ids.get_indexer(names).tolist(), strict=True):
            rank_before, rank_after = (by_document.get(code) for by_document in ranks)
            moved = attention(weights, rank_after) - attention(weights, rank_before)
            of_query.append((query, name, rank_before, rank_after, moved, group, snippet(bodies.get(name))))
        documents += sorted(of_query, key=lambda cells: -abs(cells[4]))[:most]
    table = pd.DataFrame(documents, columns=[name for name in DOCUMENT_COLUMNS if name != "condition"])
    return table.astype({"rank_before": "Int64", "rank_after": "Int64"})


NEVER_SHOWN = QuantityKind(
    "never shown", "GROUP", "never shown female rises by 0.05", "lower", _read_never_shown, never_shown_contrast,
    never_shown_movers,
)  # fmt: skip


def _adopt(record: QuantityKind) -> QuantityKind:
    """Return the kind of a package. Raises ValueError, with the reason, for a name that no condition can have."""
    if not re.fullmatch(r"[a-z]+( [a-z]+)*", record.name):
        raise ValueError(f"its name is {record.name!r}, and not words of small letters")
    return record


QUANTITIES: Registry[QuantityKind] = Registry(
    "fairviz.quantities", QuantityKind, {NEVER_SHOWN.name: NEVER_SHOWN}, _adopt
)
"""The quantities of gate conditions other than measures, by their words. A new one is named here."""


def form() -> str:
    """Return how a condition is written."""
    others = ", ".join(repr(kind.example) for kind in QUANTITIES.values())
    return (
        "Write a measure, words, and a number: 'CWEx falls by 0.02', 'TED worse by 0.01', 'CWEx below -0.2'. Other "
        f"quantities: {others}."
    )


@dataclass(frozen=True)
class Condition:
    """A condition on which the gate fails.

    text: as it was written. question: the measure or other quantity. of: `difference` (candidate minus baseline, as a
    comparison has it: of distances for a measure that is fairest at 0 or 1) or `value` (the candidate's mean). sign: <
    or >, the side of the limit that fails. is_claim: this side is what is claimed,
    and the gate fails unless it is shown.
    """

    text: str
    question: Question | Quantity
    of: Literal["difference", "value"]
    sign: Literal["<", ">"]
    limit: float
    is_claim: bool = False

    @property
    def below(self) -> bool:
        """True if numbers below the limit fail."""
        return self.sign == "<"

    def is_exceeded_by(self, number: float) -> bool:
        """Return whether a number is beyond the limit; NaN is not."""
        return number < self.limit if self.below else number > self.limit


def read_condition(text: str, settings: Settings) -> Condition:
    """Return a condition as it is written.

    `falls by x` and `rises by x` are of the difference, as are `worse by` and `better by`, which go by the direction of
    the measure; `below x` and `above x` are of the candidate's value. Raises UsageError for what cannot be read, signs
    that could mean either, and words for a measure that only describes.
    """
    expect("a condition", text, str, form())
    match = _PARTS.fullmatch(text.translate(_SIGNS).strip())
    if match is None or not match["measure"]:
        raise UsageError(f"cannot read the condition {text!r}", form())
    question = _quantity(match["measure"], settings, text) or ask(match["measure"], settings)
    limit, words = _limit(match["limit"], text), match["sign"]
    if words in VALUES:
        return Condition(text, question, "value", "<" if words == "below" else ">", limit + 0.0)
    if words not in CHANGES:
        falls, side = ("falls by", "below") if words.startswith("<") else ("rises by", "above")
        raise UsageError(
            f"the condition {text!r} can mean a difference or a value",
            f"Write '{match['measure']} {falls} {abs(limit):g}' for the difference to the baseline, or "
            f"'{match['measure']} {side} {limit:g}' for the candidate's value.",
        )
    if limit < 0:
        raise UsageError(f"the condition {text!r} has a negative number after {words!r}", "Write it without the minus.")
    below = _means_fall(words, question, text)
    return Condition(text, question, "difference", "<" if below else ">", (-limit if below else limit) + 0.0)


def _quantity(text: str, settings: Settings, condition: str) -> Quantity | None:
    """Return the quantity of a condition, None for a measure. Raises UsageError for an argument that it does not
    take."""
    kind = next((kind for name, kind in QUANTITIES.items() if re.match(rf"{re.escape(name)}\b", text)), None)
    if kind is None:
        return None
    try:
        argument, canonical = kind.read(text.removeprefix(kind.name).lstrip(), settings)
    except ValueError as error:
        reason = f": {error}" if str(error) else ""
        raise UsageError(f"cannot read the condition {condition!r}{reason}", kind.form) from error
    return Quantity(kind, argument, canonical)


def _limit(text: str, condition: str) -> float:
    """Return the number of a condition. Raises UsageError for what is none, or not finite."""
    try:
        limit = float(text)
    except ValueError as error:
        raise UsageError(f"cannot read the number {text.strip()!r} of the condition {condition!r}", form()) from error
    if not math.isfinite(limit):
        raise UsageError(f"the number of the condition {condition!r} is {limit}", form())
    return limit


def _means_fall(words: str, question: Question | Quantity, condition: str) -> bool:
    """Return whether the words, one of CHANGES, mean a difference below 0. Raises UsageError for worse and better by a
    measure that only describes."""
    if words in ("falls by", "rises by"):
        return words == "falls by"
    if question.direction == "none":
        raise UsageError(
            f"{question.text} only describes: no value of it is worse than another (in {condition!r})",
            "Write 'falls by' or 'rises by'.",
        )
    if question.direction == "higher":
        return words == "worse by"
    return words == "better by"  # a smaller value, or a smaller distance, is fairer
