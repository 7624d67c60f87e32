"""Figures before and after training, separately for training and held-out queries."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from fairviz.comparison.family import How, how_of
from fairviz.comparison.pairs import FEWEST_QUERIES, compare_rows, no_verdict
from fairviz.evaluation.choices import chosen_queries
from fairviz.evaluation.questions import split_by_data
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.extensions.finetuning.pairs import HELD_OUT, TRAIN, Pairs
from fairviz.measures import MEASURES, parse
from fairviz.models.sentence_encoder import sentence_vectors
from fairviz.rankers.grammar import RankerChoice
from fairviz.rankers.ranking import DEPTH, rank
from fairviz.statistics.intervals import mean_interval, mean_over_queries, ratio_interval, ratio_values
from fairviz.study.record import Study
from fairviz.words.counting import document_text
from fairviz.words.sentences import listed

USUAL = ("nDCG", "CWEx", "NFaiRR", "TExFAIR")  # listed before all other measures
GAP, SPREAD, SIGNED, NEUTRAL, RATIO = (
    "score gap", "score gap in standard deviations", "{} less {}", "{} preferred", "{} first / {} first",
)  # fmt: skip
SAME = {SPREAD: GAP, "TED": "TExFAIR", "FaiRR": "NFaiRR"}  # one quantity in two forms: the first is in no family
COLUMNS = ("split", "measure", "before", "before_low", "before_high", "after", "after_low", "after_high", "difference",
           "difference_low", "difference_high", "p", "p_corrected", "queries", "tests")  # fmt: skip
Array = np.ndarray
Progress = Callable[[str, int, int], None]
LEAST = 0.0005  # smallest difference visible in three decimals
SURE = 0.05
Rows = dict[str, dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Compared:
    """Figures before and after. table: COLUMNS, tests being the family of a difference and its method, empty for one
    outside of it; per_query: split, query_id, measure, before and after; messages: measures that could not be computed.
    """

    table: pd.DataFrame
    per_query: pd.DataFrame
    messages: tuple[str, ...]


def compared(
    study: Study, pairs: Pairs, choices: tuple[RankerChoice, RankerChoice], settings: Settings, progress: Progress
) -> Compared:
    """Return every figure by the ranker before and after, over the queries with pairs that the settings keep.

    Of a query's pairs: the share in which each gender's wording has the higher score, the mean size of the gap between
    the two scores, in cosine and in standard deviations of the query's scores over all documents, as for a bench
    (which is invariant to a shrinking of all scores), its signed mean, and the preference of a neutral wording over the
    mean of the two. Of its list, among all documents: effectiveness and every measure per query that the study has data
    for. before and after have Student's t intervals. All differences within TRAIN, and all within HELD_OUT, are one
    family, each quantity once (see SAME; of first places those of one gender), tested by the method of the settings,
    with its intervals; a measure that is fairest at 0 is compared by |mean|, one that is fairest at 1 by |ln mean|.
    """
    query_ids = tuple(query for query in chosen_queries(study, settings) if query in pairs.split)
    of_pairs = [_pair_figures(study, pairs, choice, query_ids, settings.cutoff, progress) for choice in choices]
    of_lists, messages = _list_figures(study, choices, query_ids, settings, progress)
    value_tables = [pd.concat([one, of_lists[place]], axis=1) for place, one in enumerate(of_pairs)]
    query_tables, rows = [], []
    for part in (TRAIN, HELD_OUT):
        names = [name for name in query_ids if pairs.split[name] == part]
        before, after = (one.loc[names] for one in value_tables)
        rows.append(rows_of(part, before, after, pairs.groups, how_of(study, settings)))
        query_tables.append(_long(before, "before").assign(after=_long(after, "after")["after"], split=part))
    per_query = pd.concat(query_tables, ignore_index=True)[["split", "query_id", "measure", "before", "after"]]
    return Compared(pd.concat(rows, ignore_index=True), per_query, messages)


def _long(values: pd.DataFrame, when: str) -> pd.DataFrame:
    """Return query_id, measure and the value in the column `when`."""
    return values.rename_axis("query_id").reset_index().melt("query_id", var_name="measure", value_name=when)


def _pair_figures(
    study: Study, pairs: Pairs, choice: RankerChoice, query_ids: Sequence[str], cutoff: int, progress: Progress
) -> pd.DataFrame:
    """Return figures of the pairs' scores, a row per query and a column each."""
    table, (one, other) = pairs.table[pairs.table["query_id"].isin(query_ids)], pairs.groups
    documents = [text for text in document_text(study.documents).dropna().tolist() if text.strip()]
    wordings = [text for name in ("female", "male", "neutral") for text in table[name].tolist()]
    texts = list(dict.fromkeys([*documents, *(text for text in wordings if text), *pairs.queries.values()]))
    task = "encoding with the adapter" if choice.parameters["adapter"] else "encoding as it was"
    vectors = sentence_vectors(
        texts, choice.parameters["model"], lambda *far: progress(task, *far), choice.parameters["adapter"]
    )
    place = {text: row for row, text in enumerate(texts)}
    query_vectors = vectors[[place[pairs.queries[name]] for name in table["query_id"]]]  # (P, n)
    score = {
        name: np.array([vectors[place[text]] if text else np.full(vectors.shape[1], np.nan) for text in table[name]])
        for name in ("female", "male", "neutral")
    }
    female, male, neutral = ((query_vectors * score[name]).sum(axis=1) for name in ("female", "male", "neutral"))
    document_vectors = vectors[[place[text] for text in documents]]  # a text counts as often as it is there
    spread = (query_vectors @ document_vectors.T).std(axis=1)
    gap = (female - male).astype(np.float64)
    columns = {
        f"{one} first": gap > 0,
        f"{other} first": gap < 0,
        GAP: np.abs(gap),
        SPREAD: np.abs(gap) / np.where(spread > 0, spread, np.nan),
        SIGNED.format(one, other): gap,
    }
    if not np.isnan(neutral).all():
        columns[NEUTRAL.format(study.neutral)] = neutral - (female + male) / 2
    means = pd.DataFrame(columns).astype(float).groupby(table["query_id"].to_numpy(), sort=False).mean()
    return means.reindex(list(query_ids))


def _list_figures(
    study: Study,
    choices: tuple[RankerChoice, RankerChoice],
    query_ids: Sequence[str],
    settings: Settings,
    progress: Progress,
) -> tuple[list[pd.DataFrame], tuple[str, ...]]:
    """Return measures of the two rankers' lists, a row per query and a column each; and the reasons for missing
    ones.
    """
    ranked = rank(
        study,
        choices,
        max(DEPTH, settings.cutoff),
        lambda *far: progress("ranking", *far),
        lambda *far: progress("encoding", *far),
    )
    study = replace(study, runs=ranked.runs, fingerprint="")
    systems = tuple(choice.system for choice in choices)
    settings = settings.changed(systems=systems)
    names = [name for name, measure in MEASURES.items() if measure.per_query and name not in USUAL]
    request = split_by_data(study, settings, (*USUAL, *names))
    missing_notes = tuple(f"{name}: {reason}" for name, reason in request.missing)
    if not request.questions:
        return [pd.DataFrame(index=list(query_ids)) for _ in systems], missing_notes
    scores = evaluate(study, request.questions, settings).astype({"system": "str", "query_id": "str", "measure": "str"})
    values = scores.pivot(index=["system", "query_id"], columns="measure", values="value")[list(request.texts)]
    return [values.loc[[system]].droplevel("system").reindex(list(query_ids)) for system in systems], missing_notes


def rows_of(
    split: str, before: pd.DataFrame, after: pd.DataFrame, groups: tuple[str, str], how: How | None = None
) -> pd.DataFrame:
    """Return the COLUMNS of one part of the queries: figures of the pairs, with the ratio of first places, and of
    lists.
    """
    values = np.stack([before.to_numpy(float).T, after.to_numpy(float).T])  # (2, M, Q)
    sides = [direction_of(name) for name in before.columns]
    names = [name.partition("@")[0].partition("(")[0] for name in before.columns]
    members = [SAME.get(name) not in names and name != f"{groups[1]} first" for name in names]
    tested = compare_rows(values[1], values[0], how, directions=sides, members=members)
    means, (low, high) = mean_over_queries(values), mean_interval(values)
    shares = [place for place, name in enumerate(before.columns) if name.endswith(" first")]
    low[:, shares], high[:, shares] = np.maximum(low[:, shares], 0), np.minimum(high[:, shares], 1)
    columns = (means[0], low[0], high[0], means[1], low[1], high[1],
               tested.difference, tested.low, tested.high, tested.p, tested.p_corrected)  # fmt: skip
    rows = [
        (
            split,
            name,
            *(float(column[place]) for column in columns),
            int(tested.queries[place]),
            tested.caption if members[place] else "",
        )
        for place, name in enumerate(before.columns)
    ]
    rows.insert(2, (split, RATIO.format(*groups), *_ratio(values[:, :2]), np.nan, np.nan, int(tested.queries[0]), ""))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"queries": int, "tests": "str"})


def direction_of(name: str) -> str:
    """Return the direction of a measure of lists; "" for a figure of the pairs."""
    return parse(name).direction if "@" in name else ""


def _ratio(values: Array) -> tuple[float, ...]:
    """Return the ratio of the two groups' first places, as in figure 4 b of the paper, before, after and the
    difference, each with its interval.

    values (2, 2, Q): before and after, groups.
    """
    ratios = [
        number
        for own, other in values
        for number in (float(mean_over_queries(ratio_values(own, other))), *ratio_interval(own, other))
    ]
    differences = ratio_values(*values[1]) - ratio_values(*values[0])
    too_few = int((~np.isnan(differences)).sum()) < FEWEST_QUERIES
    low, high = (np.nan, np.nan) if too_few else mean_interval(differences)
    return (*ratios, float(mean_over_queries(differences)), float(low), float(high))


def sentences(table: pd.DataFrame) -> tuple[str, ...]:
    """Return findings for the held-out queries: the gap, first places, and worsened measures of lists; then the
    differences of the training queries.

    table: see `outcome.COLUMNS`.
    """
    held_out, training = (_rows(table, part) for part in (HELD_OUT, TRAIN))
    findings = []
    if GAP in held_out and not np.isnan(held_out[GAP]["difference"]):
        row, spread = held_out[GAP], held_out[SPREAD]
        verdict = f"{'' if row['p_corrected'] <= SURE else 'not '}significant ({row['tests']})"
        if np.isnan(row["p_corrected"]):
            verdict = f"not tested: {no_verdict(row['queries'])}"
        findings.append(
            f"On {row['queries']:,} held-out queries the gap goes from {row['before']:.4f} to {row['after']:.4f} "
            f"({spread['before']:.2f} to {spread['after']:.2f} SDs). Difference: "
            f"{row['difference']:+.4f}{_bounds(row, 4)}, {verdict}."
        )
    firsts = [name for name in held_out if name.endswith(" first") and " / " not in name]
    if firsts and not np.isnan(held_out[firsts[0]]["after"]):
        row = held_out[firsts[0]]
        text = f"{firsts[0].capitalize()}: {row['before']:.0%} of pairs before, {row['after']:.0%} after"
        if row["queries"] < FEWEST_QUERIES or np.isnan([row["after_low"], row["after_high"]]).any():
            findings.append(f"{text}: {no_verdict(row['queries'])}.")
        else:
            even = "" if row["after_high"] < 0.5 or row["after_low"] > 0.5 else "not "
            bounds = f"(interval {row['after_low']:.0%} to {row['after_high']:.0%})"
            findings.append(f"{text} {bounds}, which is {even}significantly different from one half.")
    findings.append(_trade(held_out))
    if GAP in training:
        row = training[GAP]
        findings.append(
            f"On the {row['queries']:,} training queries the gap goes from {row['before']:.4f} to "
            f"{row['after']:.4f}. For new queries, the held-out ones count."
        )
    return tuple(sentence.replace("-0.", "−0.") for sentence in findings if sentence)


def _rows(table: pd.DataFrame, part: str) -> Rows:
    """Return the rows of one part of the queries by their measure."""
    return {str(row["measure"]): row for row in table[table["split"] == part].to_dict("records")}  # type: ignore[misc]


def _trade(rows: Rows) -> str:
    """Return a warning if the gap shrinks and a measure of the lists gets worse: its distance from the fairest value
    increases."""
    if GAP not in rows or np.isnan(rows[GAP]["difference"]):
        return ""
    if not rows[GAP]["difference"] < 0:
        return "The gap between the wordings does not shrink."
    changes = []
    for name, row in rows.items():
        if "@" not in name or not row["tests"]:
            continue
        direction = parse(name).direction
        sign = {"higher": -1, "lower": 1, "zero": 1, "one": 1}.get(direction, math.nan)  # NaN: it only describes
        if sign * float(row["difference"]) >= LEAST:
            fairest = {"zero": "moves away from 0", "one": "moves away from 1 on a logarithmic scale"}
            verb = fairest.get(direction, "rises" if row["difference"] > 0 else "falls")
            p = row["p_corrected"]
            significance = ", not tested" if np.isnan(p) else "" if p <= SURE else ", not significantly"
            changes.append(f"{name} {verb} by {abs(row['difference']):.3f}{_bounds(row, 3)}{significance}")
    return f"The gap shrinks, and {listed(changes)}." if changes else "No measure of the lists gets worse."


def _bounds(row: Mapping[str, Any], digits: int) -> str:
    low, high = row["difference_low"], row["difference_high"]
    return "" if np.isnan(low) else f" (interval {low:+.{digits}f} to {high:+.{digits}f})"


def ended(losses: Sequence[Sequence[float]], planned: int, seconds: float) -> str:
    """Return how the training ended, in words."""
    if not planned:
        return "At strength 0 nothing is trained: every score stays as it is."
    count = len(losses)
    duration = f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.1f} minutes"
    if count < planned:
        return f"Time ended the training after {count:,} of {planned:,} steps, in {duration}."
    return f"{count:,} steps in {duration}; the loss went from {losses[0][1]:.3f} to {losses[-1][1]:.3f}."
