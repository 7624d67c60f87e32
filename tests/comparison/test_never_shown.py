"""Documents in no list within the cutoff: a case by hand, a slow reference made of sets, and conditions of a gate."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fairviz
from fairviz.comparison.conditions import read_condition
from fairviz.comparison.gate import BEYOND, POSSIBLE, UNDECIDED, WITHIN, Gate, gate
from fairviz.comparison.never_shown import clusters_of, gini, lorenz, pool_exposure, share_of, thinned
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.exports import origin
from fairviz.evaluation.settings import Settings
from fairviz.output.gate_page import page
from fairviz.study.record import Study
from tests.conftest import refused
from tests.made import labels_of, qrels_of, runs_of

LABELS = {"f1": "female", "f2": "female", "f3": "female", "m1": "male", "m2": "male", "n1": "neutral", "n2": "neutral"}


def study_of(lists: dict[tuple[str, str], str], relevant: dict[str, str], **more: pd.DataFrame) -> Study:
    """Lists `f1 m1` by system and query, and the relevant documents of each query; `x` is judged and irrelevant."""
    judged = {query: dict.fromkeys(names.split(), 1) | {"x": 0} for query, names in relevant.items()}
    return fairviz.make_study("lists", runs=runs_of(lists), qrels=qrels_of(judged), labels=labels_of(LABELS), **more)


HAND = study_of(
    {("a", "q1"): "f1 m1 f2", ("a", "q2"): "m1 f1 x", ("b", "q1"): "x f2 f1", ("b", "q2"): "f2 m1"},
    {"q1": "f1 f2 m2", "q2": "f1 m1", "q3": "f3"},
)
TWO = Settings(cutoff=2)


def test_a_case_by_hand() -> None:
    """Relevant: f1 (q1, q2), f2 and m2 (q1), m1 (q2); f3 to q3, which no run answers: it is never shown. Of f1, half in
    each query, and f2: a never shows f2 of q1, b never shows f1 of either."""
    pool = pool_exposure(HAND, TWO)
    assert pool.doc_ids.tolist() == ["f1", "f2", "m2", "m1", "f3"]
    assert pool.queries == ("q1", "q2", "q3")
    assert [pool.ranks(name).tolist() for name in "ab"] == [[1, 3, 0, 1, 0], [3, 1, 0, 2, 0]]
    never = [[False, True, True, False, True], [True, False, True, False, True]]
    assert [pool.never(name).tolist() for name in "ab"] == never
    second = 1 / np.log2(3)
    assert pool.exposure("a") == pytest.approx([1 + second, 0, 0, 1 + second, 0])
    assert pool.exposure("b") == pytest.approx([0, 1 + second, 0, second, 0])
    clusters, female = clusters_of(pool), pool.is_in("female")
    assert clusters.sums(female.astype(float)).tolist() == [1.5, 0.5, 1.0]
    assert clusters.sums((female & pool.never("b")).astype(float)).tolist() == [0.5, 0.5, 1.0]
    assert [share_of(clusters, pool.never(name), female).value for name in "ab"] == pytest.approx([2 / 3, 2 / 3])
    assert share_of(clusters, pool.never("a"), pool.is_in("male")).total == 2


def test_pools_grow_from_relevant_to_all() -> None:
    documents = pd.DataFrame({"doc_id": ["f1", "n1", "n2"], "text": ["", "", ""]})
    study = study_of({("a", "q1"): "f1 m1"}, {"q1": "f2"}, documents=documents)
    pools = {name: set(pool_exposure(study, TWO, name).doc_ids) for name in ("relevant", "candidates", "all")}
    assert pools == {"relevant": {"f2"}, "candidates": {"f1", "m1"}, "all": {"f1", "m1", "f2", "n1", "n2"}}
    pool = pool_exposure(study, TWO, "all")
    assert clusters_of(pool).count == 3, "the query, and n1 and n2, of no query, alone"
    assert pool.never("a")[pool.doc_ids.get_indexer(["n1", "n2", "f1"])].tolist() == [True, True, False]


@pytest.mark.parametrize("seed", range(12))
def test_the_arrays_agree_with_sets(seed: int) -> None:
    generator = np.random.default_rng(seed)
    names, queries = list(LABELS), [f"q{number}" for number in range(6)]

    def some(most: int) -> str:
        return " ".join(generator.permutation(names)[: generator.integers(1, most)])

    lists = {(system, query): some(6) for system in "ab" for query in queries if generator.uniform() < 0.8}
    lists |= {("a", "q0"): some(6), ("b", "q0"): some(6)}
    relevant = {query: some(5) for query in queries}
    cutoff = int(generator.integers(1, 5))
    pool = pool_exposure(study_of(lists, relevant), Settings(cutoff=cutoff))
    clusters, judged = clusters_of(pool), {name for names in relevant.values() for name in names.split()}
    for system, group in product("ab", pool.names):
        documents = {name for name in judged if LABELS[name] == group}
        shown = {name for (run, _), names in lists.items() if run == system for name in names.split()[:cutoff]}
        assert set(pool.doc_ids[pool.is_in(group)]) == documents
        assert set(pool.doc_ids[pool.is_in(group) & pool.never(system)]) == documents - shown
        share = share_of(clusters, pool.never(system), pool.is_in(group)).value
        assert share == pytest.approx(len(documents - shown) / len(documents) if documents else np.nan, nan_ok=True)


def test_the_filter_keeps_lists_and_relevant_documents_of_its_queries() -> None:
    queries = pd.DataFrame({"query_id": ["q1", "q2", "q3"], "text": "", "kind": ["c", "d", "d"]})
    study = study_of({("a", "q1"): "f1", ("a", "q2"): "f2"}, {"q1": "f2 m1 y", "q2": "f1 m2"}, queries=queries)
    chosen = TWO.changed(filter_column="kind", filter_values=("c",))
    pool = pool_exposure(study, chosen)
    assert pool.doc_ids.tolist() == ["f2", "m1", "y"]
    assert pool.never("a").tolist() == [True] * 3, "f2 is only in a list of a query that is left out"
    codes = [pool_exposure(study, chosen.changed(unlabelled=name)).codes[2] for name in ("skip", "neutral")]
    assert codes == [-1, 0], "y has no label: it is in no group, or neutral"


def test_missing_parts_are_named() -> None:
    runs, labels = runs_of({"a": "f1"}), labels_of({"f1": "female"})
    with refused("there is no pool of documents 'judged'\nUse one of relevant, candidates, all.", UsageError):
        pool_exposure(HAND, TWO, "judged")
    with refused("bare has no relevance judgements\nAdd qrels.txt, or use the documents `candidates` or `all`."):
        pool_exposure(fairviz.make_study("bare", runs=runs, labels=labels), TWO)
    with refused(
        "bare has no gender labels\nAdd labels.csv with the columns doc_id, label, or run `fairviz annotate`."
    ):
        pool_exposure(fairviz.make_study("bare", runs=runs), TWO)


def test_a_curve_by_hand_and_its_extremes() -> None:
    """1, 2 and 5 of 8."""
    documents, exposure = lorenz(np.array([5.0, 1.0, 2.0]))
    assert documents == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert exposure == pytest.approx([0, 1 / 8, 3 / 8, 1])
    assert gini(np.array([5.0, 1.0, 2.0])) == pytest.approx((-2 * 1 + 0 * 2 + 2 * 5) / (3 * 8))
    extremes = [gini(np.array(values)) for values in ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 4.0], [0.0, 0.0], [])]
    assert extremes == pytest.approx([0, 0.75, np.nan, np.nan], nan_ok=True)
    documents, exposure = lorenz(np.zeros(2))
    assert documents.tolist() == [0, 0.5, 1]
    assert np.isnan(exposure).all()
    assert [len(part) for part in lorenz(np.array([]))] == [0, 0]


@pytest.mark.parametrize("seed", range(5))
def test_gini_is_the_mean_difference_and_the_area(seed: int) -> None:
    values = np.random.default_rng(seed).exponential(size=17) * np.random.default_rng(seed).integers(0, 2, 17)
    apart = sum(abs(a - b) for a, b in product(values, values)) / (2 * len(values) ** 2 * values.mean())
    documents, exposure = lorenz(values)
    assert gini(values) == pytest.approx(apart)
    assert gini(values) == pytest.approx(1 - 2 * np.trapezoid(exposure, documents))


def test_a_thinned_curve_keeps_its_ends_and_the_end_of_the_flat_start() -> None:
    values = np.concatenate([np.zeros(437), np.ones(563)])
    curve = lorenz(values)
    documents, exposure = thinned(*curve, 50)
    assert 50 <= len(documents) <= 51
    assert (documents[0], documents[-1], exposure[-1]) == (0, 1, 1)
    assert documents[exposure == 0].max() == 0.437
    assert [len(part) for part in thinned(*lorenz(values[:20]), 50)] == [21, 21]


# --- the gate's condition on what is never shown, from the words to the verdict


SETTINGS = Settings(cutoff=1)


def lists(queries: int, hidden: int, *, judged: bool = True, unanswered: int = 0) -> Study:
    """The relevant f first in all lists of the old system; below n, at rank 2, in `hidden` of the new one, which leaves
    the last queries unanswered."""
    lists, relevant, labels = {}, {}, {}
    for number in range(queries):
        query, female, neutral = f"q{number:02d}", f"f{number:02d}", f"n{number:02d}"
        lists["old", query] = female, neutral
        if number < queries - unanswered:
            lists["new", query] = (neutral, female) if number < hidden else (female, neutral)
        relevant[query] = female
        labels |= {female: "female", neutral: "neutral"}
    qrels = qrels_of(relevant) if judged else None
    return fairviz.make_study("lists", runs=runs_of(lists), qrels=qrels, labels=labels_of(labels))


def gated(study: Study, *texts: str, before: str = "old", after: str = "new", settings: Settings = SETTINGS) -> Gate:
    return gate(study, before, after, [read_condition(text, settings) for text in texts], settings)


def test_a_rise_by_hand() -> None:
    """The new system hides 9 of 20: nothing before, 0.45 after; the share that is 0 has the interval of 0 of 20."""
    result = gated(lists(20, 9), "never shown female rises by 0.05", "never shown female above 0.3")
    row, value = result.table.to_dict("records")
    assert row["measure"] == "never shown female@1"
    assert (row["baseline_value"], row["value"], row["difference"], row["queries"]) == (0, 0.45, 0.45, 20)
    low, high = stats.beta.ppf(0.025, 8.55, 11.45), stats.beta.ppf(0.975, 9.55, 10.45)  # 0.45 of 19 effective units
    assert (value["ci_low"], value["ci_high"]) == pytest.approx((low, high))
    none = 1 - 0.025 ** (1 / 20)  # the upper end of 0 of 20
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((0.45 - math.hypot(0.45 - low, none), high))
    assert (row["state"], value["state"], result.state) == (BEYOND, POSSIBLE, BEYOND)


def test_states() -> None:
    states = {
        "never shown female rises by 0.1": BEYOND,
        "never shown female worse by 0.1": BEYOND,
        "never shown female rises by 0.3": POSSIBLE,
        "never shown female rises by 0.5": WITHIN,
        "never shown female better by 0.1": WITHIN,
        "never shown female below 0.8": BEYOND,
        "never shown female above 0.8": WITHIN,
        "never shown neutral rises by 0.1": UNDECIDED,
    }
    assert gated(lists(20, 9), *states).table["state"].tolist() == list(states.values())
    # four queries without a list of the new system would hide four more documents: only common ones count
    assert gated(lists(20, 9, unanswered=4), "never shown female above 0").table.loc[0, "value"] == 9 / 16


def test_moved_are_the_documents_that_went_out_of_sight() -> None:
    result = gated(lists(12, 3), "never shown female rises by 0", "never shown female falls by 0")
    assert result.queries["query_id"].tolist() == ["q00", "q01", "q02"]
    assert result.queries["share"].tolist() == pytest.approx([1 / 12] * 3)
    first = result.documents.iloc[0]
    assert (first["doc_id"], first["rank_before"], first["rank_after"], first["attention"]) == ("f00", 1, 2, -1.0)
    assert result.table["moved"].tolist() == ["q00 (f00); q01 (f01); q02 (f02)", ""]
    back = gated(lists(12, 3), "never shown female falls by 0", before="new", after="old")
    assert back.table["moved"].tolist() == ["q00 (f00); q01 (f01); q02 (f02)"]


def test_measures_and_quantities_keep_the_order_of_the_conditions() -> None:
    texts = ["nDCG falls by 0.1", "never shown female rises by 0.05", "CWEx rises by 0.02"]
    result = gated(lists(20, 9), *texts)
    assert result.table["condition"].tolist() == texts
    assert result.queries["condition"].unique().tolist() == [texts[1], texts[0], texts[2]]
    html = page(result, origin(lists(20, 9), SETTINGS, tuple(result.table["measure"])))
    assert "never shown female rises by 0.05" in html
    assert "never shown female@1" in html


def test_few_queries_are_undecided() -> None:
    result = gated(lists(9, 9), "never shown female rises by 0.05")
    assert result.state == UNDECIDED
    assert result.table.loc[0, "warning"] == (
        "9 queries are too few for a verdict, which needs 10: only these have relevant documents labelled female"
    )
    none = gated(lists(12, 3), "never shown male rises by 0.05").table.loc[0]
    assert (none["state"], none["warning"]) == (UNDECIDED, "no relevant document is labelled male")


def test_unknown_groups_and_missing_judgements_are_refused() -> None:
    with refused("lists has no group 'woman'\nUse one of neutral, female, male.", UsageError):
        gated(lists(12, 3), "never shown woman rises by 0.05")
    with pytest.raises(FairvizError, match=r"^lists has no relevance judgements\n"):
        gated(lists(12, 3, judged=False), "never shown female rises by 0.05")
    with refused(
        "the condition 'never shown female rises by 0' cannot be corrected by labels of a sample\n"
        "Leave out --corrected-by.",
        UsageError,
    ):
        gated(lists(12, 3), "never shown female rises by 0", settings=SETTINGS.changed(corrected_by="gold"))
