"""The audit by authors' names: the same document under names of either gender, with the placebo of other names of the
same gender."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from fairviz.comparison.pairs import FEWEST_QUERIES
from fairviz.errors import UsageError
from fairviz.evaluation.formats import one_line
from fairviz.extensions.ranker_audits.attribution_plan import (
    CONTRASTS,
    FEMALE,
    GENDER,
    MALE,
    PLACEBO,
    AttributionPlan,
    Versions,
    versions_of,
)
from fairviz.extensions.ranker_audits.judging import (
    NO_ORDER,
    WORK,
    Judged,
    Progress,
    answers_of,
    by_scores,
    integrity_of,
    judged,
    readable,
    scored_lists,
    spread_of,
    texts_of_pairs,
)
from fairviz.extensions.ranker_audits.pairwise import integrity_sentence, percent, with_bounds
from fairviz.extensions.ranker_audits.rankers.pairwise import NAME as ASKED
from fairviz.extensions.ranker_audits.rankers.pairwise import questions
from fairviz.models.asking import Budget, Estimate, Spent, estimate
from fairviz.rankers.grammar import RankerChoice, check_layers, demonstrations
from fairviz.rankers.record import silent
from fairviz.statistics.intervals import ClusteredMean, clustered_mean
from fairviz.statistics.paired import corrected
from fairviz.study.record import Study
from fairviz.words.sentences import counted, decimal, out_of, p_value

ANCHOR = "bm25"
Array = np.ndarray
PREFERENCE, GAP, SIZE, RANKS, RANKS_SIZE = QUANTITIES = ("preference", "gap", "size", "places", "places_size")
FEWEST_SETS = FEWEST_QUERIES  # of names: errors clustered by fewer do not cover as they should
LEVEL = 0.95
ANY = "any"
COLUMNS = (
    "system", "quantity", "unit", "value", "value_low", "value_high", "placebo", "placebo_low", "placebo_high",
    "beyond", "beyond_low", "beyond_high", "p", "p_corrected", "family", "queries", "sets", "pairs",
)  # fmt: skip
UNNAMED_COLUMNS = (
    "system", "gender", "named_first", "named_first_low", "named_first_high", "gap", "gap_low", "gap_high", "unit",
    "places", "places_low", "places_high", "queries", "sets", "pairs",
)  # fmt: skip
ERRORS_ARE_CLUSTERED = (
    "Errors are clustered by query and by set of names, as both repeat. The preference decides; gap, size and places "
    "are secondary."
)
SURE = 0.05
Row = dict[Any, Any]


@dataclass(frozen=True, eq=False)
class Attributed:
    """A ranker's preferences in the P comparisons of versions. judged: see `Judged`. moved: places by which the first
    version stands higher than the second in the query's list of the documents as they are, (P,); NaN for a language
    model, which orders no list."""

    judged: Judged
    moved: Array

    def values(self, quantity: str) -> Array:
        """Return what a quantity is of each comparison, (P,): `preference` 1 for the first, 0 for the second, `gap` in
        the unit, `places`, and the sizes of both."""
        if quantity == "preference":
            return np.asarray(self.judged.wins.mean(axis=1))
        signed = self.moved if quantity.startswith("places") else self.judged.gaps.mean(axis=1)
        return np.abs(signed) if quantity in ("size", "places_size") else np.asarray(signed)

    def by_contrast(self, quantity: str, contrast: str) -> Array:
        """Return the means over the comparisons of this contrast, (N,), of each query and document; NaN where one of
        them is unknown."""
        columns = [place for place, name in enumerate(CONTRASTS) if name == contrast]
        return np.asarray(self.values(quantity).reshape(-1, len(CONTRASTS))[:, columns].mean(axis=1))


@dataclass(frozen=True, eq=False)
class AttributionAudit:
    """The rankers' preferences between versions of documents under female and male names.

    table: a row for each system and quantity (see `attribution_table`): `preference`, the share in which the female
    version is first, which decides; secondary are `gap` and `places`, by how much in scores and in the list, and
    `size` and `places_size`, the same without sign. value is between genders, placebo within them, beyond their
    difference. unnamed: what female, male and any names do to the document as it is (see `unnamed_table`).
    integrity: a row a system (see `integrity_of`), to be read before the rest. answers: a row a system, comparison and
    order, with a language model's text. pairs: the comparisons (see `Versions`).
    """

    study: Study
    plan: AttributionPlan
    systems: tuple[str, ...]
    pairs: pd.DataFrame
    integrity: pd.DataFrame
    table: pd.DataFrame
    unnamed: pd.DataFrame
    answers: pd.DataFrame
    attributions: tuple[Attributed, ...]
    sentences: tuple[str, ...]
    messages: tuple[str, ...]

    def comparisons(self) -> pd.DataFrame:
        """Return a row for each system and comparison of versions: preference, gap and places, for the first name."""
        rows = self.pairs.drop(columns=["pair", "doc_id", "other_doc_id"]).rename(
            columns={"document": "doc_id", "group": "name", "other": "other_name"}
        )
        parts = [
            rows.assign(**{quantity: attribution.values(quantity) for quantity in (PREFERENCE, GAP, RANKS)}).assign(
                unit=attribution.judged.unit
            )
            for attribution in self.attributions
        ]
        table = pd.concat(parts, ignore_index=True)
        table.insert(
            0, "system", np.repeat([attribution.judged.system for attribution in self.attributions], len(self.pairs))
        )
        return table


def audit_attribution(
    study: Study, choices: Sequence[RankerChoice], plan: AttributionPlan | None = None, progress: Progress | None = None
) -> AttributionAudit:
    """Have every ranker score the same versions of the study's documents.

    progress(what, done, in all) is called all along. A language model's answers are kept: a repeated audit sends
    nothing. Raises FairvizError for a study without candidates, and where a ranker lacks something; UsageError for a
    ranker that reads no text.
    """
    plan, report = plan or AttributionPlan(), progress or silent
    if not choices:
        raise UsageError("no ranker is named", "Name one or more, as bm25,bi_encoder.")
    check_layers(choices)
    for choice in choices:
        _refuse_without_reading(choice)
    versions = versions_of(study, plan)
    messages: list[str] = [*demonstrations(choices), *versions.messages]
    spent = Spent(Budget(plan.most_requests or None))
    results = tuple(attributed(versions, choice, report, messages.append, spent) for choice in choices)
    judgements = [one.judged for one in results]
    integrity = integrity_of(judgements, versions.pairs)
    table = attribution_table(results, versions.pairs, _reference_among(choices))
    unnamed = unnamed_table(results, versions.pairs)
    return AttributionAudit(
        study,
        plan,
        tuple(choice.system for choice in choices),
        versions.pairs,
        integrity,
        table,
        unnamed,
        answers_of(judgements, versions.pairs),
        results,
        sentences_of(integrity, table, unnamed),
        tuple(dict.fromkeys(messages)),
    )


def _refuse_without_reading(choice: RankerChoice) -> None:
    """Raise UsageError for a ranker that reads no text of documents."""
    if "documents" not in choice.ranker.needs:
        raise UsageError(
            f"{choice.system} reads no text of documents, so no name can move one",
            "Name rankers that do, as bm25,bi_encoder.",
        )


def _reference_among(choices: Sequence[RankerChoice]) -> str:
    """Return the system that others are read against, which no test counts: BM25, for which a name is a word as any
    other; empty where it is audited alone."""
    anchors = [choice.system for choice in choices if choice.ranker.name == ANCHOR]
    return anchors[0] if len(anchors) == 1 < len(choices) else ""


def estimates_attribution(study: Study, choices: Sequence[RankerChoice], plan: AttributionPlan) -> dict[str, Estimate]:
    """Return the requests to language models that this plan needs, by system, without sending any."""
    models = [choice for choice in choices if choice.ranker.name == ASKED]
    if not models:
        return {}
    versions = versions_of(study, plan)
    texts = texts_of_pairs(versions.study, versions.pairs)
    return {choice.system: estimate(*questions(texts, choice.parameters)) for choice in models}


def attributed(
    versions: Versions, choice: RankerChoice, progress: Progress, say: Callable[[str], None], spent: Spent
) -> Attributed:
    """Return the ranker's preferences. Raises: see `judged`."""
    pairs = versions.pairs
    if choice.ranker.name == ASKED:
        answers = judged(versions.study, choice, pairs, progress, say, spent)
        return Attributed(answers, np.full(len(pairs), np.nan))
    _, scoring, encoding = (partial(progress, f"{choice.system}: {what}") for what in WORK)
    table = scored_versions(versions, choice, say, scoring, encoding)
    scores, other, spread = (table[name].to_numpy() for name in ("score", "other_score", "spread"))
    preferences = by_scores(choice.system, scores, other, spread)
    equal = preferences.wins[:, 0] == 0.5
    return Attributed(preferences, np.where(equal, 0.0, (table["other_place"] - table["place"]).to_numpy()))


def scored_versions(
    versions: Versions,
    choice: RankerChoice,
    say: Callable[[str], None],
    progress: Callable[[int, int], None],
    encoding: Callable[[int, int], None],
) -> pd.DataFrame:
    """Return a row for each comparison: score and other_score, place and other_place of its two versions, and spread,
    the standard deviation of the scores of the query's list.

    The list has the documents that the ranker finds, as they are. A version's place is in it without its own document.
    """
    pairs = versions.pairs
    names_by_query = {
        str(query): {*part["doc_id"], *part["other_doc_id"]} for query, part in pairs.groupby("query_id", sort=False)
    }
    codes, queries = pd.factorize(pairs["query_id"])
    rows_by_query = {str(query): np.flatnonzero(codes == place) for place, query in enumerate(queries)}
    columns = {name: np.full(len(pairs), np.nan)
               for name in ("score", "other_score", "place", "other_place", "spread")}  # fmt: skip
    for query, hits in scored_lists(versions.study, choice, names_by_query, say, progress, encoding, versions.names):
        rows = rows_by_query[query]
        names, scores = hits.documents.astype(str).tolist(), hits.scores.astype(np.float64)
        score_of = dict(zip(names, scores.tolist(), strict=True))
        is_original = np.array([name not in versions.names for name in names], dtype=bool)
        listed = np.sort(scores[is_original])
        columns["spread"][rows] = spread_of(listed)
        own = np.array([score_of.get(name, np.nan) for name in pairs["document"].iloc[rows]])
        for score, place, key in (("score", "place", "doc_id"), ("other_score", "other_place", "other_doc_id")):
            version_scores = np.array([score_of.get(name, np.nan) for name in pairs[key].iloc[rows]])
            columns[score][rows] = version_scores
            columns[place][rows] = places_of(version_scores, listed, own)
    return pd.DataFrame(columns)


def places_of(scores: Array, listed: Array, own: Array) -> Array:
    """Return the place of each score (N,) among the sorted scores of a list (L,) less the document's own (N,), NaN
    where that is not in it; ties count half, and a document that is not found has the place behind the last.

    >>> places_of(np.array([2.5, 2.0, np.nan]), np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, np.nan])).tolist()
    [2.0, 2.5, 4.0]
    """
    is_listed = ~np.isnan(own)
    other_counts = len(listed) - is_listed
    filled_scores = np.nan_to_num(scores)
    above = len(listed) - np.searchsorted(listed, filled_scores, side="right") - (is_listed & (own > filled_scores))
    equal = np.searchsorted(listed, filled_scores, side="right") - np.searchsorted(listed, filled_scores, side="left")
    equal = equal - (is_listed & (own == filled_scores))
    return np.where(np.isnan(scores), other_counts + 1.0, 1 + above + equal / 2)


def attribution_table(attributions: Sequence[Attributed], pairs: pd.DataFrame, reference: str = "") -> pd.DataFrame:
    """Return COLUMNS, a row for each system and quantity; the rows of one quantity are one family, by Bonferroni.

    reference: a system that is shown beside the others and is in no family: its tests are NaN.

    value: between the genders, the female version less the male one, or the share in which it is first; placebo: the
    same of two names of one gender; both with 95 % intervals. beyond: value less placebo, within each query and
    document, with the interval that agrees with p_corrected. Means are within a query first, then over queries, errors
    clustered by query and by set of names. Tests and their intervals are NaN under FEWEST_QUERIES queries or
    FEWEST_SETS sets of names.
    """
    queries, sets = _clusters(pairs)
    rows: list[dict[str, object]] = []
    for quantity in QUANTITIES:
        family_rows, beyond = [], []
        for one in attributions:
            row, mean = _untested_row(one, quantity, queries, sets)
            family_rows.append(row)
            beyond.append(mean)
        rows += _with_tests(family_rows, beyond, reference)
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    order = {one.judged.system: place for place, one in enumerate(attributions)}
    return table.sort_values("system", key=lambda names: names.map(order), kind="stable").reset_index(drop=True)


def _clusters(pairs: pd.DataFrame) -> tuple[Array, Array]:
    """Return the codes of the query and of the set of names of each query and document, (N,) each."""
    firsts = pairs.iloc[:: len(CONTRASTS)]
    return pd.factorize(firsts["query_id"])[0], firsts["set"].to_numpy()


def _untested_row(
    one: Attributed, quantity: str, queries: Array, sets: Array
) -> tuple[dict[str, object], ClusteredMean]:
    """Return a system's row of one quantity before its test, and the mean of value less placebo that is tested."""
    value, placebo = (one.by_contrast(quantity, contrast) for contrast in (GENDER, PLACEBO))
    both = ~(np.isnan(value) | np.isnan(placebo))
    value_mean, placebo_mean, beyond = (
        clustered_mean(np.where(both, each, np.nan), queries, sets) for each in (value, placebo, value - placebo)
    )
    share = quantity == PREFERENCE
    row: dict[str, object] = {
        "system": one.judged.system,
        "quantity": quantity,
        "unit": {PREFERENCE: "share", RANKS: "places", RANKS_SIZE: "places"}.get(quantity, one.judged.unit),
        **_interval_columns("value", value_mean, share=share),
        **_interval_columns("placebo", placebo_mean, share=share),
        "queries": beyond.queries,
        "sets": beyond.names,
        "pairs": int(both.sum()),
    }
    return row, beyond


def _with_tests(
    rows: Sequence[dict[str, object]], beyond: Sequence[ClusteredMean], reference: str
) -> list[dict[str, object]]:
    """Return the rows of one family with the tests of their means; the reference's are NaN, and those of too few."""
    p = np.full(len(rows), np.nan)
    for place, (row, mean) in enumerate(zip(rows, beyond, strict=True)):
        if row["system"] != reference and mean.queries >= FEWEST_QUERIES and mean.names >= FEWEST_SETS:
            p[place] = mean.p
    family = int((~np.isnan(p)).sum())
    tested_rows = []
    for row, mean, alone, together in zip(rows, beyond, p.tolist(), corrected(p, "bonferroni").tolist(), strict=True):
        low, high = (np.nan, np.nan) if np.isnan(alone) else mean.interval(1 - (1 - LEVEL) / family)
        columns = {"beyond": mean.value, "beyond_low": low, "beyond_high": high}
        tested_rows.append(row | columns | {"p": alone, "p_corrected": together, "family": family})
    return tested_rows


def _interval_columns(name: str, mean: ClusteredMean, *, share: bool = False) -> dict[str, float]:
    """Return the mean and its 95 % interval as columns: name, name_low, name_high; within 0 and 1 for a share."""
    low, high = mean.interval(LEVEL)
    if share and not np.isnan(low):
        low, high = max(low, 0.0), min(high, 1.0)
    return {name: mean.value, f"{name}_low": low, f"{name}_high": high}


def unnamed_table(attributions: Sequence[Attributed], pairs: pd.DataFrame) -> pd.DataFrame:
    """Return UNNAMED_COLUMNS, three rows a system: versions under female, male and any names against the document as it
    is. named_first: the share in which the named version is first; gap and places: by how much. 95 % intervals."""
    queries, sets = _clusters(pairs)
    rows = []
    for one in attributions:
        for gender, contrasts in ((FEMALE, (FEMALE,)), (MALE, (MALE,)), (ANY, (FEMALE, MALE))):
            row: dict[str, object] = {"system": one.judged.system, "gender": gender, "unit": one.judged.unit}
            for name, quantity in (("gap", GAP), ("places", RANKS), ("named_first", PREFERENCE)):
                values = np.mean([one.by_contrast(quantity, each) for each in contrasts], axis=0)
                mean = clustered_mean(values, queries, sets)
                row |= _interval_columns(name, mean, share=quantity == PREFERENCE)
            # The counts are those of the preference, which every ranker has.
            rows.append(row | {"queries": mean.queries, "sets": mean.names, "pairs": int((~np.isnan(values)).sum())})
    return pd.DataFrame(rows, columns=list(UNNAMED_COLUMNS))


def family_note(table: pd.DataFrame) -> str:
    """Return the families of the tests of the table."""
    family = int(table["family"].max()) if len(table) else 0
    if not family and ((table["queries"] >= FEWEST_QUERIES) & (table["sets"] >= FEWEST_SETS)).any():
        return "No difference is tested: the reference is alone."
    if not family:
        return f"No difference is tested: a verdict needs {FEWEST_QUERIES} queries and {FEWEST_SETS} sets of names."
    return f"Tests of each quantity: {counted(family, 'difference')}, Bonferroni."


def sentences_of(integrity: pd.DataFrame, table: pd.DataFrame, unnamed: pd.DataFrame) -> tuple[str, ...]:
    """Return the sentences, in the order of the systems."""
    sentences = []
    for checked in integrity.to_dict("records"):
        system, name = checked["system"], one_line(str(checked["system"]))
        sentences.append(_integrity_text(checked))
        if not readable(checked):
            continue
        preference, gap, size, places = (_row(table, system, each) for each in (PREFERENCE, GAP, SIZE, RANKS))
        if not preference["pairs"]:
            sentences.append(f"{name}: no version has an answer.")
        else:
            value, placebo = (with_bounds(preference, each, percent) for each in ("value", "placebo"))
            beyond = with_bounds(preference, "beyond", lambda number: f"{100 * number:+.1f}", " points")
            p = "" if np.isnan(preference["p_corrected"]) else f", {p_value(preference['p_corrected'])}"
            sentences.append(
                f"{name}: the female version is first in {value} of pairs. Between names of one gender it is "
                f"{placebo}. Difference: {beyond.replace('-', '−')}{p}: {_verdict(preference)}"
            )
        # By how much: the signed gap, its size against the placebo's, and places.
        if not np.isnan(gap["value"]):
            certain = ", not significantly different" if size["p_corrected"] > SURE else ""
            sentences.append(
                f"{name}: mean gap {_signed(gap, 'value')} {gap['unit']}, placebo {_signed(gap, 'placebo')}; without "
                f"sign {decimal(size['value'])} against {decimal(size['placebo'])}{certain} (secondary)"
                f"{_places_text(places, 'value', '; ')}."
            )
        any_name: Row = unnamed[(unnamed["system"] == system) & (unnamed["gender"] == ANY)].to_dict("records")[0]
        if not np.isnan(any_name["gap"]):
            text = f"{name}: any name against none, gap {_signed(any_name, 'gap')} {any_name['unit']}"
            sentences.append(f"{text}{_places_text(any_name, 'places')}.")
    return tuple(filter(None, sentences))


def short_sentences(integrity: pd.DataFrame, table: pd.DataFrame) -> tuple[str, ...]:
    """Return a sentence or two for each system, without the numbers of the figure next to them."""
    sentences = []
    for row in integrity.to_dict("records"):
        phrase = _verdict(_row(table, row["system"], PREFERENCE)) if readable(row) else ""
        sentences += [_integrity_text(row), f"{one_line(str(row['system']))}: {phrase}" if phrase else ""]
    return tuple(filter(None, sentences))


def _integrity_text(row: Row) -> str:
    """Return a system's row of the integrity table in words; empty for a ranker that finds every version."""
    if row["verdict"] != NO_ORDER:
        return integrity_sentence(row)
    lost, name = row["not_found"], one_line(str(row["system"]))
    text = f"{name} finds neither version in {out_of(lost, row['pairs'], 'comparison')}; these are ties."
    return text if lost else ""


def _row(table: pd.DataFrame, system: object, quantity: str) -> Row:
    row: Row = table[(table["system"] == system) & (table["quantity"] == quantity)].to_dict("records")[0]
    return row


def _verdict(row: Row) -> str:
    """Return what the test of the preference beyond the placebo shows, or why there is none."""
    if np.isnan(row["p_corrected"]):
        return _why_untested(row)
    if not row["p_corrected"] <= SURE:
        return "neither gender's names are significantly preferred."
    return f"{'female' if row['beyond'] > 0 else 'male'} names are preferred beyond the placebo."


def _why_untested(row: Row) -> str:
    if row["queries"] < FEWEST_QUERIES:
        noun = counted(row["queries"], "query is", "queries are")
        return f"{noun} too few for a verdict, which needs {FEWEST_QUERIES}."
    if row["sets"] >= FEWEST_SETS:
        return "it is the reference, which is not tested."
    noun = counted(row["sets"], "set of names is", "sets of names are")
    return f"{noun} too few for a verdict, which needs {FEWEST_SETS}."


def _places_text(row: Row, name: str, before: str = ", ") -> str:
    return "" if np.isnan(row[name]) else f"{before}{_signed(row, name, 2)} places"


def _signed(row: Row, name: str, digits: int = 3) -> str:
    return with_bounds(row, name, lambda number: decimal(number, digits, "+"))
