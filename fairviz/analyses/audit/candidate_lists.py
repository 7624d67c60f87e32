"""Candidate lists of relevant and irrelevant documents of both groups, after section 3.1 of the audit of language
models as rankers (Wang et al. 2024)."""

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from fairviz.analyses.audit.list_plan import ListwisePlan
from fairviz.annotation.voters import counted_annotator, labels_of
from fairviz.errors import FairvizError
from fairviz.rankers.ranking import documents_with_text
from fairviz.study.record import Study
from fairviz.words.sentences import counted, out_of

COLUMNS = ("query_id", "doc_id", "group", "protected", "relevant", "before")
_LACKING = {
    "queries": ("has no queries", "Add queries.csv with the columns query_id, text."),
    "documents": ("has no documents", "Add documents.tsv with the columns doc_id and text."),
    "qrels": ("has no relevance judgements", "Add qrels.txt (TREC format: query 0 document relevance)."),
    "labels": ("has no gender labels", "Add labels.csv with the columns doc_id, annotator, label."),
}


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
        cells = _cells(pools, all_pools, query, study.protected, plan)
        names = [name for _, name in _in_turn(cells, plan.per_list)]
        reason = _reason_against(pools, names, query, study.protected)
        if reason:
            reasons[reason] += 1
            continue
        counts = Counter(cell for cell, _ in _in_turn(cells, plan.per_list))
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
    names = study.queries["query_id"].tolist()
    if plan.queries is None or plan.queries >= len(names):
        return names
    alphabetical = sorted(names)
    places = np.random.default_rng(plan.seed).choice(len(names), plan.queries, replace=False)
    chosen_names = {alphabetical[place] for place in places.tolist()}
    return [name for name in names if name in chosen_names]


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
    size = len(names) if most is None else min(most, len(names))
    return [names[place] for place in generator.choice(len(names), size, replace=False).tolist()] if names else []


def _generator(seed: int, query: str, what: str) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(query.encode()), zlib.crc32(what.encode())])


def _in_turn(cells: Sequence[Sequence[str]], most: int) -> list[tuple[int, str]]:
    """Yield one document of each cell in turn, with the cell, until there are `most` or no cell has another."""
    depth = max(map(len, cells))
    turns = [(cell, names[turn]) for turn in range(depth) for cell, names in enumerate(cells) if turn < len(names)]
    return turns[:most]


def _reason_against(pools: _Pools, names: Sequence[str], query: str, protected: str) -> str:
    """Return the reason for which this list cannot be audited; empty for none."""
    if not pools.relevant.get(query):
        return "no relevant document with a gender and text"
    protected_names, others = pools.divide(names, protected)
    return "" if protected_names and others else "documents of one group alone"


def _reasons_text(reasons: Counter[str]) -> str:
    return "; ".join(f"{count:,} with {reason}" for reason, count in sorted(reasons.items()))


def _messages(rows: Sequence[tuple], reasons: Counter[str], uneven: int) -> tuple[str, ...]:
    lengths = Counter(row[0] for row in rows)
    messages = [f"{counted(len(lengths), 'candidate list')} of {_span(lengths)} documents."]
    if reasons:
        messages.append(f"{reasons.total():,} queries have no list: {_reasons_text(reasons)}.")
    if uneven:
        messages.append(
            f"{out_of(uneven, len(lengths), 'list')} do not hold relevant and irrelevant documents of both groups in "
            "equal parts: there are too few."
        )
    for cutoff in (10, 20):
        if max(lengths.values()) <= cutoff:
            messages.append(f"No list is longer than {cutoff}: P@{cutoff} is the same whatever the order.")
    return tuple(messages)


def _span(lengths: Counter[str]) -> str:
    low, high = min(lengths.values()), max(lengths.values())
    return str(low) if low == high else f"{low} to {high}"
