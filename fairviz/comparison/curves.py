"""Measures along the cutoffs: their means with intervals, and where two of them name different systems as the best."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pandas as pd

from fairviz.evaluation.choices import aligned, selection_of
from fairviz.evaluation.questions import ask, wants_collection
from fairviz.evaluation.scores import values_at
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, parse, unfairness
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.candidates import CandidateSource, needs_collection, random_lists
from fairviz.orders.chance import Drawing, Wanted
from fairviz.statistics.contrasts import EQUAL
from fairviz.statistics.intervals import mean_interval, mean_over_queries
from fairviz.study.record import Study, is_reference
from fairviz.words.sentences import listed

Array = np.ndarray
CURVE_POINTS = 100
SPACED_POINTS = 40  # where the lists are longer than CURVE_POINTS
PAIRS_TOLD = 3  # pairs of measures that one sentence can hold


def cutoff_grid(depth: int, *also: int) -> Array:
    """Cutoffs from 1 to depth, every one where they are few, else fewer and denser at the top; and `also`."""
    depth = max(depth, 1)
    spaced = np.arange(1, depth + 1) if depth <= CURVE_POINTS else np.geomspace(1, depth, SPACED_POINTS).round()
    return np.unique([*spaced.astype(int), *(k for k in also if 1 <= k <= depth)])


def over_cutoffs(
    study: Study, measures: Sequence[str], settings: Settings, *, rankings: AlignedRankings | None = None
) -> pd.DataFrame:
    """Means over queries of fairness measures along the cutoffs, with intervals by Student's t:
    system, measure (without @k), cutoff, value, ci_low, ci_high."""
    questions = [ask(text, settings) for text in measures]
    rankings = aligned(study, settings, rankings, collection=wants_collection(questions, settings))
    selection, cutoffs = selection_of(study, settings, rankings), cutoff_grid(rankings.lists.depth, settings.cutoff)
    frames = []
    for question in questions:
        values = selection.take(values_at(rankings, question, settings, cutoffs))  # (C, S, Q)
        low, high = mean_interval(values)
        columns = {
            "system": list(selection.systems) * len(cutoffs),
            "measure": without_cutoff(question),
            "cutoff": np.repeat(cutoffs, len(selection.systems)),
            "value": mean_over_queries(values).ravel(),
            "ci_low": low.ravel(),
            "ci_high": high.ravel(),
        }
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def chance_over_cutoffs(
    study: Study, measures: Sequence[str], settings: Settings, system: str, *, candidates: CandidateSource = "study",
    rankings: AlignedRankings | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Mean and 95 % band of a system's means over queries under random orders of the candidates, along the cutoffs:
    measure (without @k), cutoff, chance, low, high. candidates: see `fairviz.chance`."""
    questions = [ask(text, settings) for text in measures]
    collection = needs_collection(questions, settings, candidates)
    rankings = aligned(study, settings, rankings, collection=collection)
    selection = replace(selection_of(study, settings, rankings), systems=(system,))
    cutoffs = cutoff_grid(rankings.lists.depth, settings.cutoff)
    drawing = Drawing(study, settings, random_lists(selection, candidates, int(cutoffs[-1])), of_lists=False)
    wanted = [Wanted(one, cutoffs, selection.take(values_at(rankings, one, settings, cutoffs))) for one in questions]
    parts = [
        pd.DataFrame(
            {
                "measure": without_cutoff(one.question),
                "cutoff": cutoffs,
                "chance": chance.means[:, 0],
                "low": chance.mean_low[:, 0],
                "high": chance.mean_high[:, 0],
            }
        )
        for one, chance in zip(wanted, drawing.chances(wanted), strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


def with_chance(curves: pd.DataFrame, bands: pd.DataFrame) -> pd.DataFrame:
    """Return the table of `over_cutoffs` with the columns chance, chance_low and chance_high of
    `chance_over_cutoffs`."""
    names = {"low": "chance_low", "high": "chance_high"}
    return curves.merge(bands.rename(columns=names), on=["measure", "cutoff"], how="left", validate="many_to_one")


def with_and_without_rbdf(measures: Sequence[str]) -> list[str]:
    """The measures, each that has the discount RBDF with and without it, as figure 2 of the TExFAIR paper sets them.

    >>> with_and_without_rbdf(["NFaiRR@10", "TExFAIR@10"])
    ['NFaiRR(tau=1)@10', 'TExFAIR@10', 'TExFAIR(rbdf=False)@10']
    """
    texts = []
    for text in measures:
        question = parse(text)
        texts.append(question.text)
        if question.measure and "rbdf" in question.parameters:
            texts.append(question.changed(rbdf=False).text)
    return list(dict.fromkeys(texts))


def without_cutoff(question: Question) -> str:
    """Return the measure's canonical text up to its cutoff, as in the column `measure` of `over_cutoffs`."""
    return question.text.rpartition("@")[0] or question.text


def best_at(curves: pd.DataFrame, question: Question) -> dict[int, frozenset[str]]:
    """The best systems by this measure at each cutoff of `over_cutoffs`, equal ones together; the references
    `perfect` and `random` are never among them, and a cutoff at which no other system has a value is left out."""
    rows = curves[(curves["measure"] == without_cutoff(question)) & ~curves["system"].map(is_reference).astype(bool)]
    wide = rows.pivot(index="cutoff", columns="system", values="value").sort_index()
    best = {}
    for cutoff, values in zip(wide.index, wide.to_numpy(dtype=np.float64), strict=True):
        if not np.isnan(values).all():
            costs = unfairness(question, values)
            first = costs <= np.nanmin(costs) + EQUAL
            best[int(cutoff)] = frozenset(str(name) for name in wide.columns[first])
    return best


def disagreeing_cutoffs(curves: pd.DataFrame, questions: Sequence[Question]) -> tuple[int, ...]:
    """Return the cutoffs at which no system is the best by all of these measures. Measures without a better end are
    left out; a cutoff counts where each other measure has a value for some system."""
    bests = [best_at(curves, question) for question in questions if question.direction != "none"]
    if not bests:
        return ()
    common = set.intersection(*(set(best) for best in bests))
    return tuple(sorted(k for k in common if not frozenset.intersection(*(best[k] for best in bests))))


def disagreement(curves: pd.DataFrame, questions: Sequence[Question]) -> str:
    """`NFaiRR and TExFAIR disagree at k = 2, 3 and from 6 on.`: where measures name different systems as the best.

    Two or three measures are named pair by pair, more of them together. It goes by the means, whatever their intervals.
    Empty for fewer than two measures that have a better end, and for fewer than two systems beside the references.
    """
    questions = [question for question in questions if question.direction != "none"]
    cutoffs = sorted(int(k) for k in curves["cutoff"].unique())
    contenders = [name for name in curves["system"].unique() if not is_reference(str(name))]
    if len(questions) < 2 or len(contenders) < 2:
        return ""
    groups = list(combinations(questions, 2))
    clauses = []
    for group in groups if len(groups) <= PAIRS_TOLD else [tuple(questions)]:
        text = disagreement_text(disagreeing_cutoffs(curves, group), cutoffs)
        clauses.append(f"{listed(_names(group, questions))} {text}")
    return f"{'; '.join(clauses)}.{_gap_text(cutoffs)}"


def _names(group: Sequence[Question], among: Sequence[Question]) -> list[str]:
    """Return the names of the measures, with their parameters where a name comes twice among all."""
    names = [question.name for question in among]
    return [question.name if names.count(question.name) == 1 else without_cutoff(question) for question in group]


def _gap_text(cutoffs: Sequence[int]) -> str:
    """Return the rank from which on cutoffs were skipped, as a sentence; empty where none was."""
    last_before_gap = next((one for one, after in pairwise(cutoffs) if after > one + 1), 0)
    return f" Beyond k = {last_before_gap} not every k is looked at." if last_before_gap else ""


def disagreement_text(disagreeing: Sequence[int], cutoffs: Sequence[int]) -> str:
    """`disagree at k = 2, 3 and from 6 on`: cutoffs in words, as runs along those that were looked at (ascending)."""
    if not disagreeing:
        return "agree on the best system at every k"
    if len(disagreeing) == len(cutoffs):
        return "disagree at every k" if len(cutoffs) > 1 else f"disagree at k = {cutoffs[0]}"
    texts: list[str] = []
    for run in consecutive_cutoffs(disagreeing, cutoffs):
        if run[-1] == cutoffs[-1] and len(run) > 1:
            texts.append(f"from {run[0]} on" if texts else f"from k = {run[0]} on")
        elif len(run) > 2:
            texts.append(f"{run[0]} to {run[-1]}")
        else:
            texts += map(str, run)
    only = texts[0].startswith("from")
    return f"disagree {listed(texts)}" if only else f"disagree at k = {listed(texts)}"


def consecutive_cutoffs(disagreeing: Sequence[int], cutoffs: Sequence[int]) -> list[list[int]]:
    """Cutoffs that follow one another among those that were looked at, in lists."""
    place = {cutoff: number for number, cutoff in enumerate(cutoffs)}
    lists: list[list[int]] = []
    for cutoff in disagreeing:
        if lists and place[cutoff] == place[lists[-1][-1]] + 1:
            lists[-1].append(cutoff)
        else:
            lists.append([cutoff])
    return lists
