"""The pairwise audit: the group whose document comes first, how often and by how much, and the integrity of the
answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.comparison.pairs import FEWEST_QUERIES, no_verdict, rows_text
from fairviz.errors import UsageError, use_one_of
from fairviz.evaluation.formats import one_line
from fairviz.extensions.ranker_audits.judging import (
    ALWAYS_FIRST,
    ALWAYS_SECOND,
    HALF,
    NO_ORDER,
    NOTHING,
    Judged,
    Progress,
    answers_of,
    integrity_of,
    judged,
    readable,
)
from fairviz.extensions.ranker_audits.pairs import ALL, DRAWN, SAME, PairwisePlan, pairs_of
from fairviz.extensions.ranker_audits.shares import (
    GAPS,
    PREFERRED,
    estimate,
    means_by_query,
    pair_shares,
    preferred,
    ratio,
    twice_first,
    with_tests,
)
from fairviz.models.asking import Budget, Spent
from fairviz.rankers.grammar import RankerChoice, check_layers, demonstrations
from fairviz.rankers.record import silent
from fairviz.statistics.contrasts import is_equal
from fairviz.statistics.families import Tests
from fairviz.study.record import Study
from fairviz.words.sentences import counted, out_of, p_value

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
UNIT_IS_THE_QUERY = (
    "The unit is the query, as pairs of one query are not independent. The exact sign test over queries decides; the "
    "test of the gap is secondary."
)
_SURE = 0.05


@dataclass(frozen=True, eq=False)
class PairwiseAudit:
    """The rankers' preferences in pairs.

    pairs: see `fairviz.extensions.ranker_audits.pairs.Pairs`. integrity: a row a system (see `integrity_of`), to be
    read before the rest. table: COLUMNS, a row for each system, kind of pair, relevance (`all`: both) and comparison.
    preferred: of the queries whose pairs put one of the two first more often, the share in which it is the group's;
    ratio: these queries over the others. This is the one statistic that decides which is preferred, by the exact sign
    test: p_shares, and p_shares_corrected after Bonferroni over the `family` of rows of one kind and relevance; both
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
    study: Study, choices: Sequence[RankerChoice], plan: PairwisePlan | None = None, progress: Progress | None = None
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
    """Return the table of these rows of the pairs before its tests: a row for each system, kind, relevance and
    comparison that there are pairs of."""
    chosen_pairs = pairs.iloc[rows].reset_index(drop=True)
    kinds, relevance_of = (chosen_pairs[name].to_numpy() for name in ("kind", "judged"))
    groups, others = (chosen_pairs[name].to_numpy() for name in ("group", "other"))
    table_rows = []
    for judgement in judgements:
        for kind in (SAME, DRAWN):
            relevances = chosen_pairs["judged"][kinds == kind].unique().tolist()
            for relevance in ([ALL] if len(relevances) > 1 else []) + relevances:
                is_meant = (kinds == kind) & ((relevance_of == relevance) | (relevance == ALL))
                for (group, other), _ in chosen_pairs[is_meant].groupby(["group", "other"], sort=False):
                    chosen = np.flatnonzero(is_meant & (groups == group) & (others == other))
                    numbers = numbers_of(judgement, rows[chosen], chosen_pairs["query_id"].iloc[chosen])
                    head = {"system": judgement.system, "kind": kind, "judged": relevance}
                    table_rows.append(head | {"group": group, "other": other} | numbers)
    return pd.DataFrame(table_rows, columns=[*COLUMNS, PREFERRED, GAPS])


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


def family_note(table: pd.DataFrame) -> str:
    """Return the families of the tests of these rows, which are of one kind and relevance."""
    family, gaps = (int(table[name].notna().sum()) for name in ("p_shares_corrected", "p_gap_corrected"))
    if not int(table["family"].max()):
        return f"No preference is tested: a verdict needs {FEWEST_QUERIES} queries."
    tests = f"{counted(family, 'sign test')}, Bonferroni"
    return f"Preferred: {tests}. Gap, secondary: {rows_text(gaps, Tests())}."


def sentences_of(study: Study, integrity: pd.DataFrame, table: pd.DataFrame) -> tuple[str, ...]:
    """Return the sentences, in the order of the systems."""
    sentences = []
    for row in integrity.to_dict("records"):
        rows = table[table["system"] == row["system"]]
        sentences += [integrity_sentence(row), *_preferences(study, row, rows)]
    return tuple(filter(None, sentences))


def short_sentences(study: Study, integrity: pd.DataFrame, table: pd.DataFrame) -> tuple[str, ...]:
    """Return a sentence or two for each system without the numbers of the table next to them. table: the rows of the
    table for one kind and relevance of pairs."""
    sentences = []
    for row in integrity.to_dict("records"):
        rows = table[table["system"] == row["system"]].to_dict("records") if readable(row) else []
        phrases = [_certainty(one) for one in rows if one["group"] != study.neutral]
        neutral = [one for one in rows if one["group"] == study.neutral]
        if neutral:
            phrases.append(_neutral_certainty(neutral, study.neutral))
        sentences += [
            integrity_sentence(row),
            f"{one_line(str(row['system']))}: {' '.join(dict.fromkeys(phrases))}" if phrases else "",
        ]
    return tuple(filter(None, sentences))


def integrity_sentence(row: dict) -> str:
    """Return a system's row of the integrity table in words; empty for a ranker that sees no order and finds every
    pair."""
    name, lost = one_line(str(row["system"])), row["not_found"]
    if row["verdict"] == NO_ORDER:
        text = f"{name} finds neither document of {out_of(lost, row['pairs'], 'pair')}; they count as ties."
        return text if lost else ""
    if row["verdict"] == NOTHING:
        return f"{name}: none of its {row['answers']:,} answers names a document: nothing can be read from them."
    read = f"{row['read']:,} of {row['answers']:,} answers can be read"
    named = with_bounds(row, "first_named", percent)
    if row["verdict"] in (ALWAYS_FIRST, ALWAYS_SECOND):
        place = "first" if row["verdict"] == ALWAYS_FIRST else "second"
        share = named if place == "first" else f"{1 - row['first_named']:.0%}"
        return (
            f"{name}: {read}; it names the {place} document in {share} of them. That is position bias, not a "
            "preference. Shares of 50 % do not show fairness."
        )
    if row["read"] < HALF * row["answers"]:
        return (
            f"{name}: {read}; it names the first document in {named} of them ({row['verdict']}). Less than half of its "
            "answers name a document: do not rely on them."
        )
    tail = "" if readable(row) else " With so few, its preferences depend on the order more than on the documents."
    consistent = (
        ""
        if np.isnan(row["consistent"])
        else f"; {with_bounds(row, 'consistent', percent)} of pairs have the same winner in both orders"
    )
    return f"{name}: {read}; it names the first document in {named} of them ({row['verdict']}){consistent}.{tail}"


def _preferences(study: Study, integrity: dict, rows: pd.DataFrame) -> list[str]:
    """Return a sentence for each kind of pairs: the groups' documents, and the neutral one against them. Random pairs
    are divided by relevance, as in table 3 of the paper; texts in several wordings are not."""
    sentences = []
    for kind, part in rows.groupby("kind", sort=False):
        relevances = part["judged"].unique().tolist()
        for relevance in [one for one in relevances if one != ALL] if kind == DRAWN else relevances[:1]:
            records = part[part["judged"] == relevance].to_dict("records")
            between_groups = [row for row in records if row["group"] != study.neutral]
            sentence_of = _pair_sentence if readable(integrity) else _leaning_sentence
            sentences += [sentence_of(row, str(kind)) for row in between_groups]
            neutral = [row for row in records if row["group"] == study.neutral]
            if neutral and readable(integrity):
                sentences.append(_neutral_sentence(neutral, str(kind)))
    return sentences


def _head(row: dict, kind: str) -> str:
    """Return the ranker and the pairs of a row: their kind and relevance."""
    pairs = kind if row["judged"] == ALL else f"{kind}, {row['judged']}"
    return f"{one_line(str(row['system']))} ({pairs})"


def _pair_sentence(row: dict, kind: str) -> str:
    if not row["judged_pairs"]:
        return f"{_head(row, kind)}: no pair has a winner."
    ties = (
        f", a tie in {row['tied']:.0%} ({out_of(row['tied_pairs'], row['judged_pairs'], 'pair')})"
        if row["tied_pairs"]
        else ""
    )
    shares = (
        f"{row['group']} first in {with_bounds(row, 'first', percent)} of pairs, {row['other']} first in "
        f"{with_bounds(row, 'other_first', percent)}{ties}"
    )
    # The statistic that decides: queries that prefer either, their ratio, and the p of its test.
    counts = f"{row['queries_first']:,} queries prefer the {row['group']} one, {row['queries_other']:,} the "
    p = "" if np.isnan(row["p_shares_corrected"]) else f", {p_value(row['p_shares_corrected'])}"
    ratio_text = "undefined" if np.isnan(row["ratio"]) else with_bounds(row, "ratio", _finite)
    queries = f"{counts}{row['other']} one, ratio {ratio_text}{p}"
    size = "" if np.isnan(row["size"]) else f", size without its sign {row['size']:.2f}"
    return f"{_head(row, kind)}: {shares}; {queries}; mean gap {_gap_text(row)}{size}. {_certainty(row)}"


def _neutral_sentence(rows: list[dict], kind: str) -> str:
    """Return how often neutral documents come before those of each group, a row each."""
    shares = " and ".join(
        f"the {row['other']} one in {with_bounds(row, 'first', percent)} (gap {_gap_text(row)})" for row in rows
    )
    return f"{_head(rows[0], kind)}: {rows[0]['group']} documents come before {shares}."


def _leaning_sentence(row: dict, kind: str) -> str:
    """Return the preference left in answers that depend on the order: the log-odds averaged over both orders; empty
    without log-odds."""
    if np.isnan(row["gap"]):
        return ""
    sure = "" if row["p_gap_corrected"] <= _SURE else f", which {_unsure(row)}"
    liked = row["group"] if row["gap"] > 0 else row["other"]
    return f"{_head(row, kind)}: averaged over both orders its answers lean to the {liked} one, {_gap_text(row)}{sure}."


def _gap_text(row: dict) -> str:
    if np.isnan(row["gap"]):
        return "unknown"
    return f"{with_bounds(row, 'gap', lambda value: 'infinite' if np.isinf(value) else f'{value:+.3f}')} {row['unit']}"


def with_bounds(row: dict, name: str, form: Callable[[float], str], unit: str = "") -> str:
    """Return a number and its interval in this form, the unit behind the number."""
    value, low, high = (row[f"{name}{end}"] for end in ("", "_low", "_high"))
    return f"{form(value)}{unit}" + ("" if np.isnan(low) else f" ({form(low)} to {form(high)})")


def percent(value: float) -> str:
    return f"{value:.0%}"


def _finite(value: float) -> str:
    return "infinite" if np.isinf(value) else f"{value:.2f}"


def _certainty(row: dict) -> str:
    """Return what the sign test shows, and after it the secondary test of the gap."""
    shares = row["p_shares_corrected"]
    if np.isnan(shares):
        return f"{no_verdict(int(row['queries']))}."
    if not shares <= _SURE:
        return "Neither is significantly preferred."
    liked = row["group"] if row["preferred"] > 0.5 else row["other"]
    text = f"The {liked} one is preferred"
    if np.isnan(row["gap"]):
        return f"{text}; its answers do not show by how much."
    scored = row["group"] if row["gap"] > 0 else row["other"]
    if not row["p_gap_corrected"] <= _SURE:
        return f"{text}, by a gap that {_unsure(row)} (secondary test)."
    return f"{text}, and the {scored} one scores higher on average (secondary test)."


def _neutral_certainty(rows: list[dict], neutral: str) -> str:
    """Return whether neutral documents come before those of each group, a row each, by the sign tests."""
    sure = [row for row in rows if row["p_shares_corrected"] <= _SURE]
    above = [row["other"] for row in sure if row["preferred"] > 0.5]
    below = [row["other"] for row in sure if row["preferred"] < 0.5]
    places = []
    if above:
        places.append(f"before the {' and the '.join(above)} one")
    if below:
        places.append(f"behind the {' and the '.join(below)} one")
    if places:
        return f"A {neutral} document comes {' and '.join(places)}."
    if all(np.isnan(row["p_shares_corrected"]) for row in rows):
        return f"{no_verdict(int(rows[0]['queries']))}."
    return f"{neutral.capitalize()}: no significant preference."


def _unsure(row: dict) -> str:
    """Return what the secondary test shows of a gap that is not significant, or that there is no such test."""
    if np.isnan(row["p_gap_corrected"]):
        return "is not tested, as its differences are too few"
    return "is not significantly different from 0"
