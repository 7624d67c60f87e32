"""The plan of an audit of lists: the lists, their first order, and the templates and windows of requests."""

import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
import pandas as pd

from fairviz.annotation.voters import counted_annotator, labels_of
from fairviz.errors import FairvizError, UsageError
from fairviz.extensions.ranker_audits.declared import AUDIT, AUDIT_LISTS
from fairviz.extensions.ranker_audits.rankers.listwise import NAME as LLM
from fairviz.extensions.ranker_audits.rankers.listwise import (
    NEUTRAL,
    SENSITIVE,
    STEP,
    WINDOW,
    Listing,
    Sliding,
    Sorted,
    SortingTask,
    cut_windows,
    estimate_lists,
    prompt,
    sort_lists,
)
from fairviz.models.asking import Budget, Estimate, Spent
from fairviz.models.language_model import chosen_model
from fairviz.parameters import check_parameters
from fairviz.rankers.grammar import RankerChoice
from fairviz.rankers.ranking import documents_with_text, queries_of
from fairviz.rankers.record import Collection, Found, silent
from fairviz.study.record import Study
from fairviz.study.tables import RUNS, conform
from fairviz.words.sentences import counted, out_of, with_article

WORDING = "{attribute} {query}"  # of a sensitive query to a ranker that takes no prompt
COLUMNS = ("query_id", "doc_id", "group", "protected", "relevant", "before")
_LACKING = {
    "queries": ("has no queries", "Add queries.csv with the columns query_id, text."),
    "documents": ("has no documents", "Add documents.tsv with the columns doc_id and text."),
    "qrels": ("has no relevance judgements", "Add qrels.txt (TREC format: query 0 document relevance)."),
    "labels": ("has no gender labels", "Add labels.csv with the columns doc_id, annotator, label."),
}
CANDIDATES = "candidates"  # the run of the shuffled lists, for rankers that order another run anew
Progress = Callable[[str, int, int], None]
Say = Callable[[str], None]


@dataclass(frozen=True)
class ListwisePlan:
    """window and step: of a language model's sliding window. per_list: the longest candidate list. seed: what
    documents are drawn and shuffled by. template: the neutral and the sensitive one, names or paths. attributes: those
    that sensitive queries name; None for every gender group of the study, () for neutral queries alone. windows: other
    (window, step) that neutral lists are sorted with as well. queries: how many of the study's are drawn; None for all.
    annotator: whose labels count; empty for the study's default. most_requests: to language models, all together; 0 for
    no limit. voters: of a consensus, as in `Settings.voters`. Raises UsageError for what cannot be."""

    window: int = WINDOW
    step: int = STEP
    per_list: int = AUDIT_LISTS["per_list"].default
    seed: int = 0
    template: tuple[str, str] = (NEUTRAL, SENSITIVE)
    attributes: tuple[str, ...] | None = None
    windows: tuple[tuple[int, int], ...] = ()
    queries: int | None = None
    annotator: str = ""
    most_requests: int = 0
    voters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_parameters(self, AUDIT, "seed", "most_requests")
        AUDIT_LISTS["per_list"].check(self.per_list)
        for window, step in ((self.window, self.step), *self.windows):
            check_parameters({"window": window, "step": step}, AUDIT_LISTS, "window", "step")
            Sliding(window, step)
        if self.queries is not None and self.queries < 1:
            raise UsageError(f"queries is {self.queries}", "Use a whole number of 1 or more, or None for all.")


@dataclass(frozen=True, eq=False)
class CandidateLists:
    """table: a row a document of a list, with its gender group, whether that is the protected one, whether it is
    relevant, and its rank in the shuffled list. messages: notes for the reader."""

    table: pd.DataFrame
    messages: tuple[str, ...]


@dataclass
class _Pools:
    """Documents with text and a gender, by group: judged relevant to each query, judged irrelevant to it, and
    relevant to any."""

    groups: dict[str, str]
    relevant: dict[str, list[str]] = field(default_factory=dict)
    irrelevant: dict[str, list[str]] = field(default_factory=dict)

    def divide(self, names: Sequence[str], protected: str) -> tuple[list[str], list[str]]:
        """Return the documents of the protected group, and those of the others."""
        ours = [name for name in names if self.groups[name] == protected]
        return ours, [name for name in names if self.groups[name] != protected]


def candidate_lists(study: Study, plan: ListwisePlan) -> CandidateLists:
    """Return a list for each query of the study that has relevant documents and documents of both groups, shuffled.

    A list takes in turn a relevant document of the protected group, a relevant one of another gender group, an
    irrelevant one of each, until it is full or nothing is left: equal parts, as far as there are documents. Irrelevant
    are documents relevant to other queries, drawn by lot, and behind them those judged irrelevant to this one. Neutral
    documents, and those without text, are in no list. The lists of a query depend on the seed and on the query alone.
    Raises FairvizError for a study that lacks queries, text, judgements, genders or one of the groups.
    """
    check_lists(study)
    pools = _pools(study, plan.annotator, plan.voters)
    relevant_names = sorted({name for names in pools.relevant.values() for name in names})
    all_pools = pools.divide(relevant_names, study.protected)
    rows: list[tuple] = []
    reasons: Counter[str] = Counter()
    uneven = 0
    for query in _drawn_queries(study, plan):
        turns = _in_turn(_cells(pools, all_pools, query, study.protected, plan), plan.per_list)
        names = [name for _, name in turns]
        reason = _reason_against(pools, names, query, study.protected)
        if reason:
            reasons[reason] += 1
            continue
        counts = Counter(cell for cell, _ in turns)
        uneven += len({counts[cell] for cell in range(4)}) > 1
        relevant = set(pools.relevant[query])
        shuffled = _generator(plan.seed, query, "order").permutation(len(names))
        for before, place in enumerate(shuffled.tolist(), start=1):
            group = pools.groups[names[place]]
            rows.append((query, names[place], group, group == study.protected, names[place] in relevant, before))
    if not rows:
        raise FairvizError(
            f"no query of {study.name} has a candidate list with relevant documents and both groups "
            f"({_reasons_text(reasons)})",
            f"Give labels {study.protected!r} and another gender to documents that are judged relevant.",
        )
    return CandidateLists(pd.DataFrame(rows, columns=list(COLUMNS)), _messages(rows, reasons, uneven))


def check_lists(study: Study) -> None:
    """Raise FairvizError where the study lacks a part that candidate lists are made of."""
    for part, (what, remedy) in _LACKING.items():
        if not study.has(part):
            raise FairvizError(f"{study.name} {what}, so no candidate list can be made", remedy)
    if study.label_kind != "gender":
        raise FairvizError(
            f"the labels of {study.name} are not genders (labels = 'other' in study.toml)",
            "Add labels.csv with the columns doc_id, annotator, label.",
        )


def _pools(study: Study, annotator: str, voters: Sequence[str]) -> _Pools:
    labels = labels_of(study, counted_annotator(study, annotator), voters)
    written = {name for name, text in documents_with_text(study).by_name.items() if text.strip()}
    gendered = labels[labels["label"].isin(study.groups) & labels["doc_id"].isin(written)]
    pools = _Pools(dict(zip(gendered["doc_id"], gendered["label"], strict=True)))
    judged = study.qrels[study.qrels["doc_id"].isin(pools.groups)].sort_values(["query_id", "doc_id"])
    for query, name, relevance in zip(judged["query_id"], judged["doc_id"], judged["relevance"], strict=True):
        (pools.relevant if relevance > 0 else pools.irrelevant).setdefault(query, []).append(name)
    return pools


def _drawn_queries(study: Study, plan: ListwisePlan) -> list[str]:
    """Return the queries of the audit in the study's order: all, or the plan's number of them, drawn by its seed."""
    queries = study.queries["query_id"].tolist()
    if plan.queries is None or plan.queries >= len(queries):
        return queries
    alphabetical = sorted(queries)
    places = np.random.default_rng(plan.seed).choice(len(queries), plan.queries, replace=False)
    drawn = {alphabetical[place] for place in places.tolist()}
    return [query for query in queries if query in drawn]


def _cells(
    pools: _Pools, all_pools: tuple[list[str], list[str]], query: str, protected: str, plan: ListwisePlan
) -> list[list[str]]:
    """Return relevant documents of the protected group and of the others, irrelevant ones of both: each in the order in
    which it is drawn."""
    generator = _generator(plan.seed, query, "documents")
    own_relevant = pools.relevant.get(query, [])
    relevant = [_shuffled(names, generator) for names in pools.divide(own_relevant, protected)]
    judged = pools.divide(pools.irrelevant.get(query, []), protected)
    irrelevant = []
    for pool, judged_irrelevant in zip(all_pools, judged, strict=True):
        elsewhere = _shuffled(pool, generator, plan.per_list + len(own_relevant))
        other_names = [name for name in elsewhere if name not in set(own_relevant)]
        irrelevant.append(list(dict.fromkeys([*other_names, *_shuffled(judged_irrelevant, generator)])))
    return [*relevant, *irrelevant]


def _shuffled(names: Sequence[str], generator: np.random.Generator, most: int | None = None) -> list[str]:
    """Return the names, or `most` of them, in the order in which the generator draws them."""
    if not names:
        return []
    size = len(names) if most is None else min(most, len(names))
    return [names[place] for place in generator.choice(len(names), size, replace=False).tolist()]


def _generator(seed: int, query: str, what: str) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(query.encode()), zlib.crc32(what.encode())])


def _in_turn(cells: Sequence[Sequence[str]], most: int) -> list[tuple[int, str]]:
    """Yield one document of each cell in turn, with the cell, until there are `most` or no cell has another."""
    depth = max(map(len, cells))
    turns = [(cell, names[turn]) for turn in range(depth) for cell, names in enumerate(cells) if turn < len(names)]
    return turns[:most]


def _reason_against(pools: _Pools, names: Sequence[str], query: str, protected: str) -> str:
    """Return the reason for which a query's list of these documents cannot be audited; empty for none."""
    if not pools.relevant.get(query):
        return "no relevant document with a gender and text"
    protected_names, others = pools.divide(names, protected)
    return "" if protected_names and others else "documents of one group alone"


def _reasons_text(reasons: Counter[str]) -> str:
    return "; ".join(f"{count:,} with {reason}" for reason, count in sorted(reasons.items()))


def _messages(rows: Sequence[tuple], reasons: Counter[str], uneven: int) -> tuple[str, ...]:
    lengths = Counter(row[0] for row in rows)
    low, high = min(lengths.values()), max(lengths.values())
    span = str(low) if low == high else f"{low} to {high}"
    messages = [f"{counted(len(lengths), 'candidate list')} of {span} documents."]
    if reasons:
        messages.append(f"{reasons.total():,} queries have no list: {_reasons_text(reasons)}.")
    if uneven:
        messages.append(
            f"{out_of(uneven, len(lengths), 'list')} do not hold relevant and irrelevant documents of both groups in "
            "equal parts: there are too few."
        )
    for cutoff in (10, 20):
        if high <= cutoff:
            messages.append(f"No list is longer than {cutoff}: P@{cutoff} is the same whatever the order.")
    return tuple(messages)


@dataclass(frozen=True)
class Arm:
    """One ranker under one condition. attribute: what the query names, or `neutral`. window, step: of a language
    model; 0 for other rankers."""

    system: str
    attribute: str
    window: int = 0
    step: int = 0

    @property
    def text(self) -> str:
        return f"{self.system}, {self.attribute} queries" + (f", {self.window}/{self.step}" if self.window else "")


@dataclass(frozen=True, eq=False)
class Ordered:
    """The lists of one arm. ranks: the candidate table with `after`, `unranked` (no rank from the ranker: last, in the
    former order) and `tied` (with another document: in the former order). answers: every window of a language model
    with the outcome of its answer; None for another ranker."""

    arm: Arm
    ranks: pd.DataFrame
    answers: Sorted | None = None


@dataclass(frozen=True, eq=False)
class Bench:
    """The inputs of every arm: the study with the audited queries alone, their lists, the receivers of progress, and
    the token budget of language models."""

    study: Study
    table: pd.DataFrame
    plan: ListwisePlan
    progress: Progress = silent
    say: Say = silent
    spent: Spent = field(default_factory=lambda: Spent(Budget()))

    @property
    def queries(self) -> dict[str, str]:
        """The text of each audited query."""
        queries = self.study.queries
        return dict(zip(queries["query_id"], queries["text"], strict=True))

    @property
    def lists(self) -> dict[str, list[str]]:
        """The documents of each list in their first order."""
        ordered = self.table.sort_values("before", kind="stable")
        return {str(query): part["doc_id"].tolist() for query, part in ordered.groupby("query_id", sort=False)}


def arms(choice: RankerChoice, study: Study, plan: ListwisePlan) -> list[Arm]:
    """Return the conditions under which a ranker is audited; neutral queries alone for a ranker that reads no text.
    Raises UsageError for a choice that names what the plan varies."""
    named = study.groups if plan.attributes is None else plan.attributes
    attributes = (NEUTRAL, *(named if "documents" in choice.ranker.needs else ()))
    if choice.ranker.name != LLM:
        return [Arm(choice.system, attribute) for attribute in attributes]
    for parameter, default in (("template", NEUTRAL), ("attribute", "")):
        if choice.parameters[parameter] != default:
            raise UsageError(
                f"{choice.system} names {with_article(parameter)}, which the audit varies itself",
                "Leave it out, and give the templates and attributes of the audit.",
            )
    choice_window = (int(choice.parameters["window"]), int(choice.parameters["step"]))
    first = choice_window if choice_window != (WINDOW, STEP) else (plan.window, plan.step)
    Sliding(*first)
    neutral_and_sensitive = [Arm(choice.system, attribute, *first) for attribute in attributes]
    others = [sliding for sliding in dict.fromkeys(plan.windows) if sliding != first]
    return neutral_and_sensitive + [Arm(choice.system, NEUTRAL, *sliding) for sliding in others]


def ordered(choice: RankerChoice, arm: Arm, bench: Bench) -> Ordered:
    """Return the lists in the order of this ranker. Raises FairvizError where it lacks something."""
    return _ordered_by_model(choice, arm, bench) if choice.ranker.name == LLM else _scored(choice, arm, bench)


def _ordered_by_model(choice: RankerChoice, arm: Arm, bench: Bench) -> Ordered:
    """Return the lists in the order of a language model's answers, whose windows slide over each list."""
    task = _task(choice, arm, bench)
    cut = cut_windows(task.sliding, [len(one.documents) for one in task.lists])
    if cut:
        bench.say(f"{arm.system}: {cut}")
    sorted_lists = sort_lists(task, partial(bench.progress, arm.text), bench.spent)
    ranks = {
        (query, name): rank for query, names in sorted_lists.orders.items() for rank, name in enumerate(names, start=1)
    }
    after = [ranks[key] for key in zip(bench.table["query_id"], bench.table["doc_id"], strict=True)]
    return Ordered(arm, bench.table.assign(after=after, unranked=False, tied=False), sorted_lists)


def _task(choice: RankerChoice, arm: Arm, bench: Bench) -> SortingTask:
    """Return the requests to a language model under one arm."""
    parameters, queries = choice.parameters, bench.queries
    neutral_template, sensitive_template = bench.plan.template
    words = int(parameters["words"])
    if arm.attribute == NEUTRAL:
        template = prompt(neutral_template, "", words)
    else:
        template = prompt(sensitive_template, arm.attribute, words)
    return SortingTask(
        chosen_model(parameters["model"], parameters["url"]),
        [Listing(query, queries[query], tuple(names)) for query, names in bench.lists.items()],
        documents_with_text(bench.study, bench.table["doc_id"].unique().tolist()).by_name,
        template,
        Sliding(arm.window, arm.step),
    )


def estimated(choice: RankerChoice, arm: Arm, bench: Bench) -> Estimate:
    """Return the requests to a language model under this arm without sending any. Raises: see `ordered`."""
    return estimate_lists(_task(choice, arm, bench))


def _scored(choice: RankerChoice, arm: Arm, bench: Bench) -> Ordered:
    """Return every document of a list by the score that the ranker gives it in its own list for the query: by falling
    score, equal ones in their former order."""
    study = _worded(bench.study, arm.attribute)
    runs, parameters = study.runs, dict(choice.parameters)
    if {"run", "n"} <= set(parameters):  # it orders the top of another run anew: here, the candidates
        runs = _candidate_run(bench.table)
        parameters |= {"run": CANDIDATES, "n": bench.plan.per_list}
    names = bench.table["doc_id"].unique().tolist() if "model" in parameters else None
    collection = Collection(
        study,
        documents_with_text(study, names),  # a model reads each document for itself: the others need not be read
        runs,
        bench.say,
        lambda done, total: bench.progress(f"{arm.text}: texts read", done, total),
    )
    find = choice.ranker.prepare(collection, parameters)
    parts = []
    queries = queries_of(study)
    rows_by_query = dict(list(bench.table.groupby("query_id", sort=False)))
    for done, query in enumerate(queries, start=1):
        parts.append(_placed(rows_by_query[query.query_id], find(query)))
        bench.progress(arm.text, done, len(queries))
    return Ordered(arm, pd.concat(parts).loc[bench.table.index])


def _worded(study: Study, attribute: str) -> Study:
    """Return the study with the attribute before each query, for rankers that take no prompt."""
    if attribute == NEUTRAL:
        return study
    texts = [WORDING.format(attribute=attribute, query=text) for text in study.queries["text"]]
    return replace(study, queries=study.queries.assign(text=pd.array(texts, dtype="str")), fingerprint="")


def _candidate_run(table: pd.DataFrame) -> pd.DataFrame:
    """Return the lists in their first order as a run."""
    rows = table[["query_id", "doc_id"]].assign(system=CANDIDATES, rank=table["before"], score=-table["before"])
    return conform(rows, RUNS)


def _placed(rows: pd.DataFrame, hits: Found) -> pd.DataFrame:
    """Return the rows of a list with their ranks by falling score; a document without one is last."""
    scores = dict(zip(hits.documents.tolist(), hits.scores.tolist(), strict=True))
    score = np.array([scores.get(name, np.nan) for name in rows["doc_id"]])
    order = np.lexsort((rows["before"].to_numpy(), -score))  # NaN stands last
    after = np.empty(len(rows), dtype=np.int64)
    after[order] = np.arange(1, len(rows) + 1)
    tied = pd.Series(score).duplicated(keep=False).to_numpy() & ~np.isnan(score)
    return rows.assign(after=after, unranked=np.isnan(score), tied=tied)
