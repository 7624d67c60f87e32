"""The pairwise audit: the group whose document comes first, how often and by how much, and the integrity of the
answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.analyses.audit.integrity import integrity_of
from fairviz.analyses.audit.judging import Judged, Progress, answers_of, judged
from fairviz.analyses.audit.pairs import ALL, DRAWN, SAME, PairwisePlan, pairs_of
from fairviz.analyses.audit.pairwise_sentences import sentences_of
from fairviz.analyses.audit.preferences import GAPS, PREFERRED, with_tests
from fairviz.analyses.audit.shares import estimate, means_by_query, pair_shares, preferred, ratio, twice_first
from fairviz.errors import UsageError, use_one_of
from fairviz.models.asking import Budget, Spent
from fairviz.rankers.grammar import Choice, check_layers, demonstrations
from fairviz.rankers.record import silent
from fairviz.statistics.contrasts import is_equal
from fairviz.study.record import Study

NONE, MOST_VALUES = "(none)", 40
COLUMNS = (
    "system", "kind", "judged", "group", "other", "preferred", "preferred_low", "preferred_high", "ratio", "ratio_low",
    "ratio_high", "p_shares", "p_shares_corrected", "queries_first", "queries_other", "first", "first_low",
    "first_high", "other_first", "other_first_low", "other_first_high", "lead", "tied", "pair_ratio", "first_twice",
    "first_twice_low", "first_twice_high", "other_twice", "other_twice_low", "other_twice_high", "ratio_twice", "gap",
    "gap_low", "gap_high", "size", "size_low", "size_high", "unit", "p_gap", "p_gap_corrected", "p_by_pair", "queries",
    "pairs", "judged_pairs", "tied_pairs", "family",
)  # fmt: skip
Array = np.ndarray


@dataclass(frozen=True, eq=False)
class PairwiseAudit:
    """The rankers' preferences in pairs.

    pairs: see `fairviz.analyses.audit.pairs.Pairs`. integrity: a row a system (see `integrity_of`), to be read before
    the rest. table: COLUMNS, a row for each system, kind of pair, relevance (`all`: both) and comparison. preferred: of
    the queries whose pairs put one of the two first more often, the share in which it is the group's; ratio: these
    queries over the others. This is the one statistic that decides which is preferred, by the exact sign test:
    p_shares, and p_shares_corrected after Bonferroni over the `family` of rows of one kind and relevance; both
    intervals invert that test at the corrected level. NaN under ten queries. first, other_first and tied: shares of
    pairs, over both orders, lead: first less other_first, pair_ratio: first / other_first; first_twice, other_twice and
    ratio_twice: the same of pairs that one document wins in both orders; gap: the preference for the group's document,
    size: its absolute value, both in `unit`. All are means within a query first, then over queries, with t intervals.
    p_gap and p_gap_corrected are secondary: whether the gap is 0, the same rows being a family tested by maxT, whose
    intervals are the gap's. p_by_pair: the binomial test over pairs as if they were independent, which those of one
    query are not. answers: a row a system, pair and order.
    """

    study: Study
    plan: PairwisePlan
    systems: tuple[str, ...]
    pairs: pd.DataFrame
    integrity: pd.DataFrame
    table: pd.DataFrame
    answers: pd.DataFrame
    judgements: tuple[Judged, ...]
    sentences: tuple[str, ...]
    messages: tuple[str, ...]

    def by(self, column: str) -> pd.DataFrame:
        """Return the table for each value of a column of the queries or documents, such as stereotype. Raises
        UsageError."""
        values = values_of(self.study, self.pairs, column)
        parts = []
        for value in sorted(values.unique()):
            rows = np.flatnonzero((values == value).to_numpy())
            part = table_of(self.judgements, self.pairs, rows)
            part.insert(1, column, value)
            parts.append(part)
        return with_tests(pd.concat(parts, ignore_index=True))

    def preferences(self) -> pd.DataFrame:
        """Return a row for each system and pair: the pair's columns, the outcome in both orders, and the gap averaged
        over them."""
        parts = []
        for judgement in self.judgements:
            columns = {"first_order": judgement.outcomes[:, 0], "second_order": judgement.outcomes[:, 1]}
            columns |= {"preference": judgement.wins.mean(axis=1), "gap": judgement.gaps.mean(axis=1)}
            parts.append(self.pairs.assign(system=judgement.system, **columns))
        return pd.concat(parts, ignore_index=True)


def audit_pairwise(
    study: Study, choices: Sequence[Choice], plan: PairwisePlan | None = None, progress: Progress | None = None
) -> PairwiseAudit:
    """Build the study's pairs and have each ranker judge them. progress(what, done, in all).

    A language model's answers are cached: repeating an audit sends nothing, and a killed one is resumed. Raises
    FairvizError if the study lacks the inputs of pairs or of a ranker.
    """
    if not choices:
        raise UsageError("no ranker is named", "Name one: bm25,bi_encoder.")
    check_layers(choices)
    plan = plan or PairwisePlan()
    study_pairs = pairs_of(study, plan)
    messages = list(study_pairs.messages)
    messages += demonstrations(choices)
    spent = Spent(Budget(requests=plan.most_requests or None))
    judgements = tuple(
        judged(study, choice, study_pairs.table, progress or silent, messages.append, spent) for choice in choices
    )
    table = with_tests(table_of(judgements, study_pairs.table, np.arange(len(study_pairs.table))))
    integrity = integrity_of(judgements, study_pairs.table)
    return PairwiseAudit(
        study,
        plan,
        tuple(choice.system for choice in choices),
        study_pairs.table,
        integrity,
        table,
        answers_of(judgements, study_pairs.table),
        judgements,
        sentences_of(study, integrity, table),
        tuple(dict.fromkeys(messages)),
    )


def table_of(judgements: Sequence[Judged], pairs: pd.DataFrame, rows: Array) -> pd.DataFrame:
    """Return the table of these rows of the pairs before its tests."""
    chosen_pairs = pairs.iloc[rows].reset_index(drop=True)
    parts = [_rows_of(one, chosen_pairs, rows) for one in judgements]
    return pd.DataFrame([row for part in parts for row in part], columns=[*COLUMNS, PREFERRED, GAPS])


def _rows_of(judgement: Judged, pairs: pd.DataFrame, rows: Array) -> list[dict]:
    """Return a row for each kind, relevance and comparison that there are pairs of."""
    table_rows = []
    for kind in (SAME, DRAWN):
        is_of_kind = (pairs["kind"] == kind).to_numpy()
        relevances = pairs["judged"][is_of_kind].unique().tolist()
        for relevance in ([ALL] if len(relevances) > 1 else []) + relevances:
            is_relevant_to = is_of_kind & ((pairs["judged"] == relevance).to_numpy() | (relevance == ALL))
            for (group, other), _ in pairs[is_relevant_to].groupby(["group", "other"], sort=False):
                chosen = np.flatnonzero(
                    is_relevant_to & (pairs["group"] == group).to_numpy() & (pairs["other"] == other).to_numpy()
                )
                head = {"system": judgement.system, "kind": kind, "judged": relevance, "group": group, "other": other}
                table_rows.append(head | numbers_of(judgement, rows[chosen], pairs["query_id"].iloc[chosen]))
    return table_rows


def numbers_of(judgement: Judged, rows: Array, queries: pd.Series) -> dict[str, object]:
    """Return shares, ratio and gap of these pairs, whose queries these are; under GAPS the gap of each query."""
    wins, gaps = judgement.wins[rows], judgement.gaps[rows].mean(axis=1)
    codes, names = pd.factorize(queries)
    per_pair = np.vstack([pair_shares(wins), gaps, np.abs(gaps), wins.mean(axis=1), twice_first(wins)])
    first, other_first, tied, gap, size, preference, twice, other_twice = means_by_query(per_pair, codes)
    is_complete = ~np.isnan(per_pair[5])
    return {
        PREFERRED: preferred(preference),
        GAPS: pd.Series(gap, index=names),
        **estimate(first, share=True).named("first"),
        **estimate(other_first, share=True).named("other_first"),
        "lead": estimate(first - other_first).value,
        "tied": estimate(tied).value,
        "pair_ratio": ratio(first, other_first),
        **estimate(twice, share=True).named("first_twice"),
        **estimate(other_twice, share=True).named("other_twice"),
        "ratio_twice": ratio(twice, other_twice),
        **estimate(size).named("size"),
        "unit": judgement.unit,
        "p_by_pair": preferred(per_pair[5]).p,
        "queries": int((~np.isnan(first)).sum()),
        "pairs": len(rows),
        "judged_pairs": int(is_complete.sum()),
        "tied_pairs": int(is_equal(per_pair[2], 1).sum()),
    }


def values_of(study: Study, pairs: pd.DataFrame, column: str) -> pd.Series:
    """Return the value of a column for each pair: of its group's document if the documents have it, else of its query.

    Raises UsageError where neither has it, or it has too many values.
    """
    check_column(study, column)
    table, key, name = (
        (study.documents, "doc_id", "doc_id") if column in study.documents else (study.queries, "query_id", "query_id")
    )
    value_by_name = table.set_index(key)[column].astype("str").replace("", NONE)
    values = pairs[name].map(value_by_name).fillna(NONE).astype("str")
    if values.nunique() > MOST_VALUES:
        raise UsageError(
            f"the column {column!r} has {values.nunique():,} values over these pairs, more than {MOST_VALUES}",
            "Use a column with fewer distinct values.",
        )
    return values


def check_column(study: Study, column: str) -> None:
    """Raise UsageError where neither queries nor documents have the column."""
    names = columns_of(study)
    if column not in names:
        raise UsageError(
            f"neither queries nor documents of {study.name} have a column {column!r}",
            use_one_of(names, column) if names else "Add one to queries.csv or documents.csv, as stereotype.",
        )


def columns_of(study: Study) -> list[str]:
    """Return the columns by which pairs can be divided, beside the tables' own."""
    own = {"query_id", "text", "doc_id", "title"}
    names = [str(name) for table in (study.documents, study.queries) for name in table]
    return [name for name in dict.fromkeys(names) if name not in own]
