"""Pairs of documents, one of each group, both relevant to a query or both not (Wang et al. 2024, section 3.1), and
pairs that are one text in two wordings, which differ in nothing but gender."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import pandas as pd

from fairviz.analyses.gender_swap.triples import triples
from fairviz.annotation.voters import counted_annotator, labels_of
from fairviz.errors import FairvizError, UsageError, expect
from fairviz.extensions.ranker_audits.declared import AUDIT
from fairviz.parameters import check_parameters
from fairviz.rankers.ranking import documents_with_text
from fairviz.study.record import Study
from fairviz.words.sentences import out_of

AUTO, SAME, DRAWN, BOTH = "auto", "same text", "drawn", "both"
SOURCES = (AUTO, SAME, DRAWN, BOTH)
RELEVANT, IRRELEVANT, UNJUDGED = "relevant", "not relevant", "not judged"
ALL = "all"  # relevant and not relevant ones together
COLUMNS = ("pair", "set", "query_id", "kind", "judged", "group", "other", "doc_id", "other_doc_id")
Array = np.ndarray


PairRow = tuple[str, str, str, dict[str, str]]  # query, kind, judged, and a document of each group


@dataclass(frozen=True)
class PairwisePlan:
    """The pairs to judge. source: `same text`, `drawn`, `both`, or `auto`: the same texts where the study has any, else
    drawn. per_query: drawn pairs of each query, relevant and irrelevant apart; queries: only the first so many (0:
    all); neutral: whether a neutral document joins each pair as a third arm; annotator: whose labels count (empty: the
    study's default); most_requests: to language models, all together (0: no limit); voters: of a consensus, as in
    `Settings.voters`. Raises UsageError."""

    source: str = AUTO
    per_query: int = AUDIT["per_query"].default
    queries: int = 0
    neutral: bool = True
    annotator: str = ""
    seed: int = 0
    most_requests: int = 0
    voters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        expect("source", self.source, str, f"Use one of {', '.join(SOURCES)}.")
        expect("neutral", self.neutral, bool, "Use True or False.")
        expect("annotator", self.annotator, str, "Use the name of an annotator.")
        if self.source not in SOURCES:
            raise UsageError(f"source is {self.source!r}", f"Use one of {', '.join(SOURCES)}.")
        check_parameters(self, AUDIT)


@dataclass(frozen=True, eq=False)
class Pairs:
    """table: COLUMNS, a row a pair of a document of `group` and one of `other`; `set` is the same for the pairs of one
    set (the protected group's document against another group's, and a neutral one against each of both). messages:
    what could not be built, and why."""

    table: pd.DataFrame
    messages: tuple[str, ...]


def pairs_of(study: Study, plan: PairwisePlan | None = None) -> Pairs:
    """Return the pairs of the study. Raises FairvizError if it lacks the inputs of pairs, or has no pair."""
    plan = plan or PairwisePlan()
    _refuse_without_inputs(study)
    same = triples(study, plan.annotator, plan.voters) if plan.source != DRAWN else pd.DataFrame()
    if plan.source == SAME and same.empty:
        raise FairvizError(
            f"{study.name} has no documents that are one text in three wordings",
            "They are documents with a column query_id, judged alike for it, with a label of each gender and neutral. "
            "Draw pairs instead.",
        )
    queries = queries_with_text(study, plan.queries)
    messages: list[str] = []
    sets = _wordings(study, same[same["query_id"].isin(queries)]) if len(same) else []
    if plan.source in (DRAWN, BOTH) or (plan.source == AUTO and same.empty):
        sets += _draw_sets(study, plan, queries, messages)
    if not sets:
        raise FairvizError(
            f"{study.name} holds no pair: no query has documents of both groups with text and the same relevance",
            "Add judgements or labels, or draw from more queries.",
        )
    return Pairs(_pair_table(study, sets, plan.neutral), tuple(messages))


def _refuse_without_inputs(study: Study) -> None:
    if study.label_kind != "gender" or not study.has("labels"):
        raise FairvizError(
            f"{study.name} has no gender labels to build pairs by",
            "Add labels.csv with the columns doc_id, annotator, label, or see fairviz annotate.",
        )
    if not study.has("queries"):
        raise FairvizError(
            f"{study.name} has no queries to ask about", "Add queries.csv with the columns query_id, text."
        )
    if not study.has("documents") or study.documents["text"].isna().all():
        raise FairvizError(
            f"{study.name} has no text of documents to compare", "Add documents.tsv with the columns doc_id and text."
        )


def queries_with_text(study: Study, most: int = 0) -> list[str]:
    """Return the queries with text, or the first `most` of them (0: all)."""
    written = study.queries.loc[study.queries["text"].str.strip() != "", "query_id"].tolist()
    return written[:most] if most else written


def _wordings(study: Study, same: pd.DataFrame) -> list[PairRow]:
    """Return a set for each text in three wordings, one for each group beside the protected one."""
    sets: list[PairRow] = []
    for row in same.to_dict("records"):
        judged = RELEVANT if row["relevance"] > 0 else IRRELEVANT
        for other in _others(study):
            documents = {group: row[group] for group in (study.protected, other, study.neutral)}
            sets.append((row["query_id"], SAME, judged, documents))
    return sets


def _others(study: Study) -> list[str]:
    return [group for group in study.groups if group != study.protected]


def _draw_sets(study: Study, plan: PairwisePlan, queries: Sequence[str], messages: list[str]) -> list[PairRow]:
    """Return the sets drawn for each query: of relevant documents, and of irrelevant ones."""
    groups = _labelled(study, plan, messages)
    if not study.has("qrels"):
        messages.append(
            f"{study.name} has no judgements: irrelevant pairs cannot be built, and pairs are drawn from what its runs "
            "list, relevant or not. Add qrels.txt to its folder."
        )
        pools = {UNJUDGED: _listed(study)}
    else:
        pools = _judged(study, queries, messages, groups)
    sets: list[PairRow] = []
    for judged, by_query in pools.items():
        sets_of_pool = [
            one for query in queries for one in _of_query(study, plan, query, judged, by_query.get(query, ()), groups)
        ]
        lacking = len(queries) - len({one[0] for one in sets_of_pool})
        if lacking:
            messages.append(f"{out_of(lacking, len(queries), 'query')} have no pair of documents that are {judged}.")
        sets += sets_of_pool
    return sets


def _listed(study: Study) -> dict[str, list[str]]:
    """Return the documents that any run lists, by query. Raises FairvizError without runs."""
    if not study.has("runs"):
        raise FairvizError(
            f"{study.name} has neither judgements nor runs, so no document belongs to a query",
            "Add qrels.txt to its folder, or rank it first.",
        )
    rows = study.runs[["query_id", "doc_id"]].astype("str").drop_duplicates()
    return {str(query): part.tolist() for query, part in rows.groupby("query_id", sort=False)["doc_id"]}


def _labelled(study: Study, plan: PairwisePlan, messages: list[str]) -> dict[str, str]:
    """Return the group of each labelled document with text. Raises FairvizError where the protected group has none, or
    no other gender group has."""
    annotator = counted_annotator(study, plan.annotator)
    labels = labels_of(study, annotator, plan.voters)
    written = {name for name, text in documents_with_text(study, labels["doc_id"]).by_name.items() if text.strip()}
    group_by_name = {
        name: label for name, label in zip(labels["doc_id"], labels["label"], strict=True) if name in written
    }
    lacking = [group for group in study.groups if group not in group_by_name.values()]
    for group in lacking:
        none = f"{study.name} has no document with text labelled {group!r} by {annotator}"
        if study.protected in lacking or len(lacking) >= len(study.groups) - 1:
            raise FairvizError(
                f"{none}, and a pair needs one of each group",
                "Label documents of that group, or choose another annotator.",
            )
        messages.append(f"{none}: no pair holds one of that group.")
    return group_by_name


def _judged(
    study: Study, queries: Sequence[str], messages: list[str], groups: Mapping[str, str]
) -> dict[str, dict[str, list[str]]]:
    """Return relevant and irrelevant documents by query. Irrelevant are those judged so; where these lack a group, also
    those that are relevant to another query and not judged relevant to this one, as in the paper."""
    rows = study.qrels[study.qrels["doc_id"].isin(list(groups))]
    good = rows["relevance"] > 0
    relevant = {str(name): part.tolist() for name, part in rows[good].groupby("query_id", sort=False)["doc_id"]}
    irrelevant = {str(name): part.tolist() for name, part in rows[~good].groupby("query_id", sort=False)["doc_id"]}
    anywhere, filled = rows[good]["doc_id"].drop_duplicates().tolist(), 0
    wanted_groups = set(study.groups) & set(groups.values())
    for query in queries:
        groups_here = {groups[name] for name in irrelevant.get(query, ())}
        if not groups_here >= wanted_groups:
            judged_names = {*relevant.get(query, ()), *irrelevant.get(query, ())}
            others = [name for name in anywhere if name not in judged_names]
            irrelevant[query] = [*irrelevant.get(query, ()), *others]
            filled += bool(others)
    if filled:
        messages.append(
            f"{out_of(filled, len(queries), 'query')} have no document of each group judged irrelevant: documents that "
            "are relevant to other queries replace them."
        )
    return {RELEVANT: relevant, IRRELEVANT: irrelevant}


def _of_query(
    study: Study, plan: PairwisePlan, query: str, judged: str, names: Sequence[str], groups: Mapping[str, str]
) -> list[PairRow]:
    """Return the sets of one query: different pairs, drawn by lot; a neutral document joins each where there is any."""
    pools: dict[str, list[str]] = {}
    for name in names:
        if name in groups:
            pools.setdefault(groups[name], []).append(name)
    generator = np.random.default_rng([plan.seed, crc32(f"{query}\0{judged}".encode())])
    protected_names, neutral = sorted(pools.get(study.protected, [])), sorted(pools.get(study.neutral, []))
    sets: list[PairRow] = []
    for other in _others(study):
        other_names = sorted(pools.get(other, []))
        count = len(protected_names) * len(other_names)
        for place in generator.choice(count, size=min(plan.per_query, count), replace=False).tolist() if count else ():
            documents = {
                study.protected: protected_names[place // len(other_names)],
                other: other_names[place % len(other_names)],
            }
            if neutral:
                documents[study.neutral] = neutral[int(generator.integers(len(neutral)))]
            sets.append((query, DRAWN, judged, documents))
    return sets


def _pair_table(study: Study, sets: Sequence[PairRow], with_neutral: bool) -> pd.DataFrame:
    rows = []
    for number, (query, kind, judged, documents) in enumerate(sets):
        other = next(group for group in documents if group not in (study.protected, study.neutral))
        sides = [(study.protected, other)]
        if with_neutral and study.neutral in documents:
            sides += [(study.neutral, study.protected), (study.neutral, other)]
        rows += [(number, query, kind, judged, one, two, documents[one], documents[two]) for one, two in sides]
    table = pd.DataFrame(rows, columns=list(COLUMNS[1:]))
    table.insert(0, "pair", np.arange(len(table)))
    return table.astype(dict.fromkeys(COLUMNS[2:], "str"))
