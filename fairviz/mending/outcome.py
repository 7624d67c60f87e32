"""What training changed: each figure before and after, for the queries trained on and for those held out, apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from fairviz.evaluation.choices import chosen_queries, missing_part
from fairviz.evaluation.scores import ask, evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES
from fairviz.mending.pairs import HELD_OUT, TRAIN, Pairs
from fairviz.models.sentence_vectors import sentence_vectors
from fairviz.rankers.grammar import Choice
from fairviz.rankers.ranking import DEPTH, rank
from fairviz.statistics.bootstrap import interval, interval_of, mean_over_queries, resampled_means
from fairviz.statistics.paired import corrected, paired_t
from fairviz.study.study import Study
from fairviz.words.counting import document_text

USUAL = ("nDCG", "CWEx", "NFaiRR", "TExFAIR")  # stand before all other measures
GAP, SPREAD, SIGNED, NEUTRAL, RATIO = (
    "score gap", "score gap in standard deviations", "{} less {}", "{} preferred", "{} first / {} first",
)  # fmt: skip
COLUMNS = ("split", "measure", "before", "before_low", "before_high", "after", "after_low", "after_high", "difference",
           "difference_low", "difference_high", "p", "p_corrected", "queries")  # fmt: skip
Array = np.ndarray
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, eq=False)
class Compared:
    """table: COLUMNS; per_query: split, query_id, measure, before and after; messages: what could not be computed."""

    table: pd.DataFrame
    per_query: pd.DataFrame
    messages: tuple[str, ...]


def compared(
    study: Study, pairs: Pairs, choices: tuple[Choice, Choice], settings: Settings, progress: Progress
) -> Compared:
    """Every figure by the ranker before and after, over the queries with pairs that the settings keep.

    Of a query's pairs: the share in which each gender's wording has the higher score, the mean size of the gap between
    the two scores, in cosine and in standard deviations of the query's scores over all documents, as a bench has it
    (which a shrinking of all scores leaves as it is), its mean with its sign, and how much a neutral wording is
    preferred to the mean of the two. Of its list, among all documents: effectiveness and every measure that has a value
    for a query, as far as the study can feed it. Intervals draw queries; p is that of a paired t test over queries,
    corrected after Holm within TRAIN or HELD_OUT.
    """
    kept = chosen_queries(study, settings, list(pairs.split))
    of_pairs = [_of_pairs(study, pairs, choice, kept, settings.cutoff, progress) for choice in choices]
    of_lists, messages = _of_lists(study, choices, kept, settings, progress)
    both = [pd.concat([one, of_lists[place]], axis=1) for place, one in enumerate(of_pairs)]
    parts, rows = [], []
    for part in (TRAIN, HELD_OUT):
        names = [name for name in kept if pairs.split[name] == part]
        before, after = (one.loc[names] for one in both)
        rows.append(rows_of(part, before, after, pairs.groups))
        parts.append(_long(before, "before").assign(after=_long(after, "after")["after"], split=part))
    per_query = pd.concat(parts, ignore_index=True)[["split", "query_id", "measure", "before", "after"]]
    return Compared(pd.concat(rows, ignore_index=True), per_query, messages)


def _long(values: pd.DataFrame, when: str) -> pd.DataFrame:
    """query_id, measure and, under the name `when`, the value."""
    return values.rename_axis("query_id").reset_index().melt("query_id", var_name="measure", value_name=when)


def _of_pairs(
    study: Study, pairs: Pairs, choice: Choice, kept: Sequence[str], cutoff: int, progress: Progress
) -> pd.DataFrame:
    """Figures of the pairs' scores, a row a query and a column each."""
    table, (one, other) = pairs.table[pairs.table["query_id"].isin(kept)], pairs.groups
    documents = [text for text in document_text(study.documents).dropna().tolist() if text.strip()]
    wordings = [text for name in ("female", "male", "neutral") for text in table[name].tolist()]
    texts = list(dict.fromkeys([*documents, *(text for text in wordings if text), *pairs.queries.values()]))
    told = "encoding with the adapter" if choice.parameters["adapter"] else "encoding as it was"
    vectors = sentence_vectors(
        texts, choice.parameters["model"], lambda *far: progress(told, *far), choice.parameters["adapter"]
    )
    place = {text: row for row, text in enumerate(texts)}
    asked = vectors[[place[pairs.queries[name]] for name in table["query_id"]]]  # (P, n)
    score = {
        name: np.array([vectors[place[text]] if text else np.full(vectors.shape[1], np.nan) for text in table[name]])
        for name in ("female", "male", "neutral")
    }
    female, male, neutral = ((asked * score[name]).sum(axis=1) for name in ("female", "male", "neutral"))
    own = vectors[[place[text] for text in documents]]  # a text counts as often as it is there
    spread = (asked @ own.T).std(axis=1)
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
    return means.reindex(list(kept))


def _of_lists(
    study: Study, choices: tuple[Choice, Choice], kept: Sequence[str], settings: Settings, progress: Progress
) -> tuple[list[pd.DataFrame], tuple[str, ...]]:
    """Measures of the two rankers' lists, a row a query and a column each; and why one cannot be computed."""
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
    each = [name for name, measure in MEASURES.items() if measure.per_query and name not in USUAL]
    asked = [ask(f"{name}@{settings.cutoff}", settings) for name in (*USUAL, *each)]
    reasons = [missing_part(study, question, settings) for question in asked]
    texts = [question.text for question, reason in zip(asked, reasons, strict=True) if not reason]
    lacking = [f"{question.name}: {reason}" for question, reason in zip(asked, reasons, strict=True) if reason]
    if not texts:
        return [pd.DataFrame(index=list(kept)) for _ in systems], tuple(lacking)
    scores = evaluate(study, texts, settings).astype({"system": "str", "query_id": "str", "measure": "str"})
    wide = scores.pivot(index=["system", "query_id"], columns="measure", values="value")[texts]
    return [wide.loc[[system]].droplevel("system").reindex(list(kept)) for system in systems], tuple(lacking)


def rows_of(split: str, before: pd.DataFrame, after: pd.DataFrame, groups: tuple[str, str]) -> pd.DataFrame:
    """COLUMNS of one part of the queries: figures of the pairs, with the ratio of first places, and of lists."""
    values = np.stack([before.to_numpy(float).T, after.to_numpy(float).T])  # (2, M, Q)
    values = np.concatenate([values, values[1:] - values[:1]])  # and the difference
    means, drawn = mean_over_queries(values), resampled_means(values) if values.size else np.zeros((1, *values.shape))
    low, high = interval_of(values, drawn) if values.size else (means, means)
    p = paired_t(values[2]) if values.shape[2] else np.full(values.shape[1], np.nan)
    counts = (~np.isnan(values[2])).sum(axis=1)
    rows = [
        (split, name, *np.stack([means, low, high])[:, :, place].T.ravel(), p[place], np.nan, counts[place])
        for place, name in enumerate(before.columns)
    ]
    rows.insert(2, (split, RATIO.format(*groups), *_ratio(values[:2, :2], drawn[:, :2, :2]), np.nan, np.nan, counts[0]))
    table = pd.DataFrame(rows, columns=list(COLUMNS)).astype({"queries": int})
    return table.assign(p_corrected=corrected(table["p"].to_numpy(dtype=float)))


def _ratio(values: Array, drawn: Array) -> tuple[float, ...]:
    """The share of the one group first over that of the other, as the paper's figure 4 b has it: before and after, and
    the difference, each with its interval. values (2, 2, Q): before and after, groups; drawn (B, 2, 2)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.divide(*np.moveaxis(mean_over_queries(values), 1, 0))  # (2,)
        each = drawn[:, :, 0] / drawn[:, :, 1]  # (B, 2)
    ratio, each = (np.where(np.isfinite(some), some, np.nan) for some in (ratio, each))
    each = np.column_stack([each, each[:, 1] - each[:, 0]])
    low, high = interval(each)
    ratio = np.append(ratio, ratio[1] - ratio[0])
    return tuple(float(value) for value in np.stack([ratio, low, high]).T.ravel())
