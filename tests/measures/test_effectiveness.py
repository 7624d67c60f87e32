"""Effectiveness: printed values, by hand, slow references, ir_measures to the last digit, and every measure that it
registers with every parameter."""

import itertools
import math
import random
import tracemalloc
from collections.abc import Iterable, Mapping
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures.measures import registry

from benchmarks.synthetic import made_up
from fairviz.errors import UsageError
from fairviz.evaluation.choices import judgements
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate
from fairviz.measures import parse
from fairviz.measures.effectiveness import effectiveness
from fairviz.measures.judged import KERNELS, by_places, judged_places
from fairviz.measures.rankings import Rankings, align_runs
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.conftest import refused
from tests.made import qrels_of, runs_of

Judgements = Mapping[str, Mapping[str, int]]
Lists = Mapping[str, list[str]]


def study_of(lists: Lists, judged: Judgements) -> Study:
    runs = runs_of({("s", query): documents for query, documents in lists.items()})
    return make_study("cases", runs=runs, qrels=qrels_of(judged))


def by_measure(lists: Lists, judged: Judgements, measures: Iterable[str]) -> dict[str, list[float]]:
    """The values of each measure, by query."""
    texts = {measure: parse(measure, 10).text for measure in measures}
    scores = evaluate(study_of(lists, judged), [*texts.values()]).groupby("measure", observed=True)["value"]
    return {measure: scores.get_group(text).tolist() for measure, text in texts.items()}


def values(lists: Lists, judged: Judgements, measure: str) -> list[float]:
    return by_measure(lists, judged, [measure])[measure]


GDEVAL_LISTS = {"0": ["D0", "D2", "D3", "D1", "D4"], "1": ["D1", "D3", "D2", "D4"]}
GDEVAL_JUDGED = {"0": {"D0": 0, "D1": 1, "D2": 1, "D3": 2, "D4": 0}, "1": {"D0": 1, "D3": 2, "D5": 2}}
CWL_LISTS = {query: [f"D{place}" for place in range(1, 11)] for query in ("T1", "T2", "T3")}
CWL_RELEVANT = {"T1": (1, 3, 4, 7, 9), "T2": (1, 2, 5, 7, 8, 9), "T3": (6, 7, 8, 10)}
CWL_JUDGED = {query: {f"D{place}": 1 for place in places} for query, places in CWL_RELEVANT.items()}


def test_what_gdeval_and_cwl_eval_print() -> None:
    """The examples of ir_measures' own tests of both, to the five and four decimals that they print."""
    printed = {
        "nDCG(dcg='exp-log2')@20": [0.6201, 0.35099],
        "nDCG(dcg='exp-log2')@2": [0.17377, 0.38685],
        "ERR@20": [0.10175, 0.09375],
        "ERR@2": [0.03125, 0.09375],
    }
    for measure, found in by_measure(GDEVAL_LISTS, GDEVAL_JUDGED, printed).items():
        assert [round(value, 5) for value in found] == printed[measure]
    printed = {
        "RBP(p=0.9,rel=1)@10": [0.3501, 0.3996, 0.1988],
        "SDCG(max_rel=1)@10": [0.5645, 0.6531, 0.2848],
        "RR@20": [1, 1, 0.1667],
    }
    for measure, found in by_measure(CWL_LISTS, CWL_JUDGED, printed).items():
        assert [round(value, 4) for value in found] == printed[measure]


def test_by_hand() -> None:
    lists, judged = {"q": ["a", "b", "c"]}, {"q": {"a": 1, "c": 3, "d": 2}}
    first, third = 1 / 16, 7 / 16
    ideal = 7 + 3 / math.log2(3) + 1 / 2
    by_hand = {
        "ERR@3": first + (1 - first) * third / 3,
        "nDCG(dcg='exp-log2')@3": (1 + 7 / 2) / ideal,
        "Judged@2": 1 / 2,
        "RR(rel=2)@3": 1 / 3,
        "RR(rel=2,judged_only=True)@2": 1 / 2,  # b is dropped, so c stands second
        "P(judged_only=True)@2": 1,
        "NumRel(rel=2)": 2,
        "IPrec(recall=0)": 1,
        "MRR@40": 1,
    }
    found = by_measure(lists, judged, by_hand)
    assert found == {measure: [pytest.approx(expected)] for measure, expected in by_hand.items()}
    # judged stand at the ranks 2 (grade 1), 3 (not relevant) and 5 (grade 3); one of grade 2 was not found
    lists, judged = {"q": list("abcde")}, {"q": {"b": 1, "c": 0, "e": 3, "x": 2}}
    two, three, five = (1 / math.log2(1 + rank) for rank in (2, 3, 5))
    by_hand = {
        "P": [0, 1 / 2, 2 / 5],
        "R": [0, 1 / 3, 2 / 3],
        "Success": [0, 1, 1],
        "RR": [0, 1 / 2, 1 / 2],
        "AP": [0, 1 / 2 / 3, (1 / 2 + 2 / 5) / 3],
        "nDCG": [0, two / (3 + 2 * two), (two + 3 * five) / (3 + 2 * two + three)],
    }
    found = by_measure(lists, judged, [f"{name}@{cutoff}" for name in by_hand for cutoff in (1, 2, 5)])
    for name, expected in by_hand.items():
        assert [found[f"{name}@{cutoff}"][0] for cutoff in (1, 2, 5)] == pytest.approx(expected), name


def test_grades_of_any_size_are_taken_where_the_measure_has_no_scale() -> None:
    lists, judged = {"q": ["a", "b"]}, {"q": {"a": 2_000_000_000, "b": 2_000_000_000}}
    for measure in ("nDCG@2", "nDCG(dcg='exp-log2')@2", "P@2", "SetR(rel=2000000000)"):
        assert values(lists, judged, measure) == [1]
    with refused(
        "ERR takes relevance up to 4, and a document is judged 2000000000\n"
        "Use nDCG, or write the relevance on a scale from 0 to 4."
    ):
        values(lists, judged, "ERR@2")


def slow_err(docs: list[str], grades: Mapping[str, int], cutoff: int) -> float:
    reached, total = 1.0, 0.0
    for rank, doc in enumerate(docs[:cutoff], start=1):
        stops = (2 ** max(grades.get(doc, 0), 0) - 1) / 16
        total += reached * stops / rank
        reached *= 1 - stops
    return total


def slow_ndcg(docs: list[str], grades: Mapping[str, int], cutoff: int) -> float:
    def dcg(gains: list[int]) -> float:
        return sum((2 ** max(gain, 0) - 1) / math.log2(rank + 1) for rank, gain in enumerate(gains[:cutoff], start=1))

    best = dcg(sorted(grades.values(), reverse=True))
    return dcg([grades.get(doc, 0) for doc in docs]) / best if best else 0.0


def slow_compat(docs: list[str], grades: Mapping[str, int], persistence: float) -> float:
    """ir_measures' own code, with ties among documents that were not retrieved broken in any way."""
    order = {doc: rank for rank, doc in enumerate(docs)}
    ideal = sorted((doc for doc in grades if grades[doc] > 0), key=lambda doc: (-grades[doc], order.get(doc, 10**6)))
    depth = max(len(docs), len(ideal))

    def overlap(ranking: list[str]) -> float:
        shares = (len(set(ranking[:i]) & set(ideal[:i])) / i for i in range(1, depth + 1))
        return sum(share * persistence**place for place, share in enumerate(shares))

    return overlap(docs) / overlap(ideal) if ideal else 0.0


def random_case(seed: int) -> tuple[dict[str, list[str]], dict[str, dict[str, int]]]:
    draw = random.Random(seed)
    lists, judged = {}, {}
    for query in range(1, 6):
        pool = [f"d{number}" for number in range(30)]
        lists[str(query)] = draw.sample(pool, draw.randint(1, 25))
        judged[str(query)] = {doc: draw.choice([-1, 0, 0, 1, 2, 3, 4]) for doc in draw.sample(pool, 15)}
    return lists, judged


@pytest.mark.parametrize("seed", range(4))
def test_own_measures_agree_with_slow_ones(seed: int) -> None:
    lists, judged = random_case(seed)
    slow = {f"ERR@{k}": lambda docs, grades, k=k: slow_err(docs, grades, k) for k in (1, 3, 40)}
    slow |= {f"nDCG(dcg='exp-log2')@{k}": lambda docs, grades, k=k: slow_ndcg(docs, grades, k) for k in (1, 3, 40)}
    slow |= {f"Compat(p={p})": lambda docs, grades, p=p: slow_compat(docs, grades, p) for p in (0.0, 0.5, 0.95, 1.0)}
    found = by_measure(lists, judged, slow)
    for text, compute in slow.items():
        assert found[text] == pytest.approx([compute(lists[query], judged[query]) for query in lists]), text


def test_ids_that_c_would_cut_off_are_told_apart() -> None:
    lists, judged = {"q\0one": ["d\0a", "d\0b"], "q\0two": ["d\0b"]}, {"q\0one": {"d\0b": 1}, "q\0two": {"d\0a": 1}}
    assert values(lists, judged, "P@1") == [0, 0]
    assert values(lists, judged, "AP@2") == [0.5, 0]


def cases(seed: int) -> Study:
    """Graded and negative judgements, a query without judgements, and two that nobody was asked."""
    lists, judged = random_case(seed)
    return study_of({**lists, "lonely": ["d1"]}, {**judged, "empty": {"d2": 1}, "zero": {"d3": 0}})


# --- every measure of ir_measures with every parameter


SAMPLES: dict[str, list[Any]] = {
    "rel": [1, 2, 0, -1, 2**31 - 1, 2**31, 10**300, 1.5, True, "1", None],
    "min_rel": [0, 1, -1, 2**63, "x"],
    "max_rel": [1, 4, 0, 2**63, 0.5],
    "judged_only": [True, False, 1, "yes"],
    "normalize": [True, False, 0],
    "relative": [True, False, 0],
    "dcg": ["log2", "exp-log2", "log10", 2, ["log2"]],
    "gains": [{}, {1: 5}, {0: 3, 1: 0}, {1: -1}, {1: 2**40}, {"a": 1}, {1: 0.5}, [1], 7],
    "p": [0, 0.5, 1, -0.1, 1.1, 1e300, "a", True],
    "alpha": [0.5, 2],
    "beta": [1, 0.5, 100, 0, 1e-7, -1, 1e300, "b"],
    "recall": [0, 0.1, 1, 0.005, 2, "c"],
    "T": [1.0, -1],
    "cutoff": [5],
    "nothing": [1],
}
CUTOFFS = (1, 5, 20, 1000, None)


@pytest.fixture(scope="module")
def small() -> Study:
    return cases(0)


def combinations(name: str) -> list[dict[str, Any]]:
    """No parameter, each at each of its samples, and pairs of the parameters that the measure takes."""
    base = registry[name]
    takes = [*base.SUPPORTED_PARAMS]
    single = [{key: value} for key in SAMPLES for value in SAMPLES[key]]
    pairs = [
        {one: first, other: second}
        for one, other in itertools.combinations(takes, 2)
        for first, second in itertools.product(SAMPLES[one][:4], SAMPLES[other][:4])
    ]
    needed = {
        key: SAMPLES[key][1] for key, about in base.SUPPORTED_PARAMS.items() if about.required and key != "cutoff"
    }
    return [{}, *single, *pairs, *({**needed, **given} for given in single)]


def canonical(text: str) -> tuple[str, str]:
    """The measure's canonical text, and what refuses it; one of them is empty."""
    try:
        return parse(text).text, ""
    except UsageError as error:
        return "", str(error)


@pytest.mark.parametrize("name", [name for name in sorted(registry) if name.isascii()])
def test_every_measure_is_computed_or_one_line_says_why_not(small: Study, name: str) -> None:
    texts = [
        f"{name}({','.join(f'{key}={value!r}' for key, value in given.items())})" + (f"@{cutoff}" if cutoff else "")
        for given in combinations(name)
        for cutoff in (CUTOFFS if len(given) < 2 else CUTOFFS[1::3])
    ]
    outcomes = {text: canonical(text) for text in texts}
    assert [text for text, (_, refusal) in outcomes.items() if refusal and refusal.count("\n") != 1] == []
    computed = sorted({read for read, _ in outcomes.values() if read})
    for text, scores in evaluate(small, computed).groupby("measure", observed=True)["value"]:
        assert scores.notna().sum() == 7, text  # of 8 queries: one is not judged, and two that are have no list
        assert np.isfinite(scores.dropna()).all(), text
    refused = ("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "NRBP", "nNRBP", "AP_IA", "MAP_IA", "P_IA", "StRecall")
    refused += ("BPM", "INST", "INSQ", "NERR8", "NERR9", "NERR10", "NERR11", "Accuracy")
    assert bool(computed) == (name not in refused)


def test_why_not_is_said_in_one_line() -> None:
    for text, message in (
        ("ERR_IA@5", "ERR_IA is not computed: it needs judgements by subtopic, which a study does not hold"),
        (
            "Accuracy@5",
            "Accuracy is not computed: ir_measures 0.4.3 counts only the documents below the last relevant one, and "
            "can be below 0",
        ),
        ("SetR(rel=2147483648)", "rel of SetR is 2147483648"),
        ("SetF(beta=1e-7)", "beta of SetF is 1e-07"),
        ("IPrec(recall=0.005)", "recall of IPrec is 0.005"),
        ("P(judged_only=1)@5", "judged_only of P is 1"),
        ("nDCG(dcg='log10')@5", "dcg of nDCG is 'log10'"),
        ("nDCG(gains={1: 0.5})@5", "gains of nDCG is {1: 0.5}"),
        ("nDCG(gains={1: 5},dcg='exp-log2')@5", "nDCG has both gains and dcg='exp-log2'"),
        ("SDCG(min_rel=3,max_rel=2)@5", "min_rel of SDCG is 3"),
        ("RBP@5", "RBP needs the parameter 'rel'"),
        ("IPrec@5", "IPrec needs the parameter 'recall'"),
    ):
        with pytest.raises(UsageError) as error:
            parse(text)
        assert error.value.message == message


def test_the_deepest_cutoff_asks_for_little_memory() -> None:
    """NFaiRR's ideal is laid out for each query: at 100,000 ranks that would be gigabytes for documents of two."""
    runs = runs_of({("s", f"q{query}"): "a b" for query in range(500)})
    documents = pd.DataFrame({"doc_id": ["a", "b"], "text": ["her son", "a tree"]})
    study = make_study("wide", runs=runs, documents=documents)
    near = evaluate(study, ["NFaiRR(tau=0)@5"])["value"]
    tracemalloc.start()
    try:
        far = evaluate(study, ["NFaiRR(tau=0)@100000"])["value"]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert far.tolist() == near.tolist()
    assert peak < 100 * 1024**2


# --- from the places of judged documents: ir_measures is the reference, to the last digit


MEASURES = (
    "nDCG", "nDCG@1", "nDCG@10", "nDCG@1000", "nDCG(judged_only=True)@10", "nDCG(gains={1: 5, 2: 0, 0: 1})@7",
    "RR", "RR(rel=2)", "RR(judged_only=True)", "P@10", "P(rel=2)@3", "P(judged_only=True)@10", "R@10", "R(rel=2)@50",
    "R(judged_only=True)@10", "AP", "AP@10", "AP(rel=2)@20", "AP(judged_only=True)@10", "Success@5",
    "Success(judged_only=True)@3",
    # what pytrec_eval itself computes
    "Rprec", "Bpref", "Bpref(rel=2)", "infAP", "SetF(beta=0.5)", "SetF", "SetP", "SetRelP", "SetR", "SetAP",
    "Success(rel=4)@2", "IPrec(recall=0.35)", "NumRet", "NumRelRet", "NumQ", "NumRel", "Precision@3", "Judged@4",
)  # fmt: skip


def parts_of(study: Study, systems: tuple[str, ...]) -> Study:
    return make_study("parts", runs=study.runs[study.runs["system"].isin(systems)], qrels=study.qrels)


STUDIES = {
    "cases": lambda: cases(3),
    "newswire": lambda: parts_of(open_study("newswire"), ("bm25", "rrf", "random")),
    "football": lambda: open_study("football"),
    "made up": lambda: made_up(3, 15, 120, documents=1200, seed=1),
}


@pytest.fixture(scope="module", params=STUDIES)
def judged_lists(request: pytest.FixtureRequest) -> tuple[Rankings, dict[str, dict[str, int]]]:
    study = STUDIES[request.param]()
    return align_runs(study.runs), judgements(study)


def by_ir_measures(rankings: Rankings, judged: dict[str, dict[str, int]], measures: list) -> dict[Any, np.ndarray]:
    """(S, Q), NaN without judgements; each list goes in with falling scores, so that ties are ours."""
    places = {query: q for q, query in enumerate(rankings.queries)}
    is_judged = [bool(judged.get(query)) for query in places]
    out = {measure: np.where(is_judged, 0.0, np.full(rankings.lengths.shape, np.nan)) for measure in measures}
    for s in range(len(rankings.systems)):
        run = {
            query: {rankings.doc_ids[d]: -float(r) for r, d in enumerate(rankings.documents[:, s, q]) if d >= 0}
            for query, q in places.items()
        }
        run = {query: documents for query, documents in run.items() if documents}
        for provider, is_asked in ((ir_measures.judged, True), (ir_measures.pytrec_eval, False)):
            asked = [measure for measure in measures if (measure.NAME == "Judged") == is_asked]
            for found in provider.iter_calc(asked, judged, run):
                if found.query_id in places and judged.get(found.query_id):
                    out[found.measure][s, places[found.query_id]] = found.value
    return out


def test_to_the_last_digit(judged_lists: tuple) -> None:
    asked = [parse(text).parameters["measure"] for text in MEASURES]
    expected = by_ir_measures(*judged_lists, [one.measure for one in asked])
    for text, one, ours in zip(MEASURES, asked, effectiveness(*judged_lists, asked), strict=True):
        np.testing.assert_array_equal(ours, expected[one.measure], text)


@pytest.mark.parametrize("name", KERNELS)
def test_every_cutoff_at_once_is_each_alone(judged_lists: tuple, name: str) -> None:
    held, cutoffs = judged_places(*judged_lists), np.array([7, 1, 200, 3])
    together = by_places(held, parse(f"{name}@3").parameters["measure"].measure, cutoffs)
    alone = [effectiveness(*judged_lists, [parse(f"{name}@{k}").parameters["measure"]])[0] for k in cutoffs]
    np.testing.assert_array_equal(together, np.stack(alone))
    unjudged = judged_places(judged_lists[0], {})
    assert np.isnan(by_places(unjudged, parse(f"{name}@3").parameters["measure"].measure, cutoffs)).all()
    assert held.nbytes == sum(part.nbytes for part in (held.lists, held.ranks, held.grades, held.queries, held.judged))
