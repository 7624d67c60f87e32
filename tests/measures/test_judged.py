"""Effectiveness from the places of judged documents: ir_measures is the reference, to the last digit."""

import ir_measures
import numpy as np
import pytest
from ir_measures import nDCG

from benchmarks.synthetic import made_up
from fairviz.evaluation.choices import judgements
from fairviz.evaluation.opening import open_study
from fairviz.measures import parse
from fairviz.measures.effectiveness import effectiveness
from fairviz.measures.judged import KERNELS, JudgedPlaces, by_places, judged_only, judged_places
from fairviz.measures.rankings import Rankings, align_runs
from fairviz.study.record import Study
from tests.measures.test_effectiveness import random_case, study_of

MEASURES = (
    "nDCG", "nDCG@1", "nDCG@10", "nDCG@1000", "nDCG(judged_only=True)@10", "nDCG(gains={1: 5, 2: 0, 0: 1})@7",
    "RR", "RR(rel=2)", "RR(judged_only=True)", "P@10", "P(rel=2)@3", "P(judged_only=True)@10", "R@10", "R(rel=2)@50",
    "R(judged_only=True)@10", "AP", "AP@10", "AP(rel=2)@20", "AP(judged_only=True)@10", "Success@5",
    "Success(judged_only=True)@3",
)  # fmt: skip


def cases() -> Study:
    """Graded and negative judgements, a query without judgements, and one that nobody was asked."""
    lists, judged = random_case(3)
    return study_of({**lists, "lonely": ["d1"]}, {**judged, "empty": {"d2": 1}, "zero": {"d3": 0}})


STUDIES = {
    "cases": cases,
    "newswire": lambda: open_study("newswire"),
    "football": lambda: open_study("football"),
    "made up": lambda: made_up(3, 15, 120, documents=1200, seed=1),
}


@pytest.fixture(scope="module", params=STUDIES)
def judged_lists(request: pytest.FixtureRequest) -> tuple[Rankings, dict[str, dict[str, int]]]:
    study = STUDIES[request.param]()
    return align_runs(study.runs), judgements(study)


def by_ir_measures(rankings: Rankings, judged: dict[str, dict[str, int]], text: str) -> np.ndarray:
    """(S, Q), NaN without judgements; each list goes in with falling scores, so that ties are ours."""
    measure = parse(text).parameters["measure"].measure
    out = np.full(rankings.lengths.shape, np.nan)
    for s in range(len(rankings.systems)):
        run = {
            query: {rankings.doc_ids[d]: -float(r) for r, d in enumerate(rankings.documents[:, s, q]) if d >= 0}
            for q, query in enumerate(rankings.queries)
        }
        found = ir_measures.pytrec_eval.iter_calc([measure], judged, {q: docs for q, docs in run.items() if docs})
        values = {each.query_id: each.value for each in found}
        out[s] = [values.get(q, 0.0) if judged.get(q) else np.nan for q in rankings.queries]
    return out


def test_to_the_last_digit(judged_lists: tuple) -> None:
    asked = [parse(text).parameters["measure"] for text in MEASURES]
    for text, ours in zip(MEASURES, effectiveness(*judged_lists, asked), strict=True):
        np.testing.assert_array_equal(ours, by_ir_measures(*judged_lists, text), text)


@pytest.mark.parametrize("name", KERNELS)
def test_every_cutoff_at_once_is_each_alone(judged_lists: tuple, name: str) -> None:
    held, cutoffs = judged_places(*judged_lists), np.array([7, 1, 200, 3])
    together = by_places(held, parse(f"{name}@3").parameters["measure"].measure, cutoffs)
    alone = [effectiveness(*judged_lists, [parse(f"{name}@{k}").parameters["measure"]])[0] for k in cutoffs]
    np.testing.assert_array_equal(together, np.stack(alone))


def one_list(ranks: list[int], grades: list[int], others: list[int]) -> JudgedPlaces:
    """One list of ten documents; others: the grades of judged documents that it lacks."""
    everything = -np.sort(-np.array([*grades, *others]))
    zeros = np.zeros(len(ranks), dtype=np.int64)
    return JudgedPlaces(
        (1, 1), zeros, np.array(ranks), np.array(grades), np.zeros(len(everything), dtype=np.int64), everything
    )


def test_by_hand_and_without_judgements() -> None:
    """Judged stand at the ranks 2 (grade 1), 3 (not relevant) and 5 (grade 3); one of grade 2 was not found."""
    held = one_list([2, 3, 5], [1, 0, 3], [2])
    at = np.array([1, 2, 5])

    def values(text: str) -> list[float]:
        return by_places(held, parse(text).parameters["measure"].measure, at)[:, 0, 0].tolist()

    assert values("P@5") == pytest.approx([0, 1 / 2, 2 / 5])
    assert values("R@5") == pytest.approx([0, 1 / 3, 2 / 3])
    assert values("Success@5") == [0, 1, 1]
    assert values("RR@5") == [0, 1 / 2, 1 / 2]
    assert values("AP@5") == pytest.approx([0, 1 / 2 / 3, (1 / 2 + 2 / 5) / 3])
    two, three = 1 / np.log2(3), 1 / np.log2(4)
    gains = [0, 1 * two, 1 * two + 3 / np.log2(6)]
    assert values("nDCG@5") == pytest.approx(np.divide(gains, [3, 3 + 2 * two, 3 + 2 * two + 1 * three]).tolist())
    assert judged_only(held).ranks.tolist() == [1, 2, 3]
    assert held.nbytes == sum(part.nbytes for part in (held.lists, held.ranks, held.grades, held.queries, held.judged))
    held = judged_places(align_runs(cases().runs), {})
    assert np.isnan(by_places(held, nDCG @ 10, np.array([10]))).all()
