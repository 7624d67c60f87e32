"""The gate: conditions as they are written, what lies beyond a limit, what moved most, and the page that says so; and
of documents in no list within the cutoff, by hand, by a slow reference made of sets, and as conditions."""

import math
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import fairviz
from fairviz.comparison.conditions import QUANTITIES, form, read_condition
from fairviz.comparison.gate import (
    BEYOND,
    POSSIBLE,
    UNDECIDED,
    WITHIN,
    Gate,
    alone_notes,
    gate,
    gate_background,
    lost_notes,
    require_defined,
    require_same_queries,
)
from fairviz.comparison.never_shown import clusters_of, gini, lorenz, pool_exposure, share_of, thinned
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.exports import origin
from fairviz.evaluation.settings import Settings
from fairviz.output.gate_page import page
from fairviz.study.record import Study
from tests.conftest import refused
from tests.made import labels_of, qrels_of, runs_of

CWEX = "CWEx(alpha=0.5)@10"


def asked(study: Study, *texts: str, before: str = "bm25", after: str = "w2v_add", **options) -> Gate:
    settings = options.pop("settings", Settings())
    return gate(study, before, after, [read_condition(text, settings) for text in texts], settings, **options)


def swapped(queries: int, moved: int = 0, lost: int = 0) -> Study:
    """Lists of two, the neutral n above the female f; `moved` lists of the candidate have them the other way round, and
    `lost` queries it does not answer."""
    lists, labels = {}, {}
    for query in range(queries):
        name, neutral, female = f"q{query:02d}", f"n{query}", f"f{query}"
        lists["old", name] = neutral, female
        if query >= lost:
            lists["new", name] = (female, neutral) if query >= queries - moved else (neutral, female)
        labels |= {neutral: "neutral", female: "female"}
    return fairviz.make_study("swapped", runs=runs_of(lists), labels=labels_of(labels))


def test_only_a_whole_interval_beyond_the_limit_fails_and_it_is_that_of_compare(newswire: Study) -> None:
    """w2v_add to bm25: -0.115, and the end of the interval that is nearer to 0 lies between -0.04 and -0.05."""
    limits = {"0.02": BEYOND, "0.04": BEYOND, "0.05": POSSIBLE, "0.11": POSSIBLE, "0.12": WITHIN}
    texts = [f"CWEx falls by {limit}" for limit in limits]
    found = asked(newswire, *texts, before="w2v_add", after="bm25", draws=999)
    scores = fairviz.evaluate(newswire, CWEX, systems=("w2v_add", "bm25"))
    row, compared = found.table.iloc[0], fairviz.compare(scores, "w2v_add", draws=999).iloc[0]
    for name in ("difference", "ci_low", "ci_high"):
        assert row[name] == compared[name]
    assert -0.05 < row["ci_high"] < -0.04
    assert row["difference"] == pytest.approx(-0.1153, abs=1e-4)
    assert (found.table["state"].tolist(), found.state) == ([*limits.values()], BEYOND)
    assert asked(newswire, *texts[2:], before="w2v_add", after="bm25", draws=999).state == WITHIN


def test_the_candidates_value_has_students_interval_and_a_background_of_its_own(newswire: Study) -> None:
    """bm25 by CWEx: a mean of -0.209 over 40 queries."""
    values = fairviz.evaluate(newswire, CWEX, systems=("bm25",))["value"].to_numpy()
    low, high = stats.t.interval(0.95, 39, values.mean(), stats.sem(values))
    texts = ["CWEx below -0.1", "CWEx below -0.2", "CWEx below -0.3", "CWEx above -0.3"]
    found = asked(newswire, *texts, before="w2v_add", after="bm25", draws=99).table
    assert found["of"].unique().tolist() == ["value"]
    assert found["value"].tolist() == pytest.approx([values.mean()] * 4)
    assert found[["ci_low", "ci_high"]].to_numpy() == pytest.approx(np.array([[low, high]] * 4))
    assert low < -0.2 < high < -0.1
    assert found["state"].tolist() == [BEYOND, POSSIBLE, WITHIN, BEYOND]
    assert gate_background(newswire, "bm25") == "collection"
    assert gate_background(newswire, "bm25", "candidates") == "candidates"
    assert gate_background(without_women(0), "old") == "run:old"
    settings = Settings(background="collection")
    found = asked(newswire, "NFaiRR worse by 0.1", settings=settings).table.iloc[0]
    scores = fairviz.evaluate(newswire, ["NFaiRR"], background="collection", systems=("bm25", "w2v_add"))
    row = fairviz.compare(scores, "bm25").iloc[0]
    for name in ("measure", "baseline_value", "value", "difference", "ci_low", "ci_high", "queries"):
        assert found[name] == row[name], name


def without_women(undefined: int, queries: int = 20) -> Study:
    """The candidate shows no woman for the first `undefined` queries; the ratio is 0 or more for all others."""
    lists, labels = {}, {}
    for query in range(queries):
        for system, names in (("old", "fm"), ("new", "nn" if query < undefined else "mf")):
            documents = [f"{system}-{query}-{rank}" for rank in (1, 2)]
            lists[system, f"q{query:02d}"] = documents
            genders = ({"f": "female", "m": "male", "n": "neutral"}[name] for name in names)
            labels |= zip(documents, genders, strict=True)
    return fairviz.make_study("women", runs=runs_of(lists), labels=labels_of(labels))


def test_a_rise_by_hand_and_what_is_surely_beyond_counts_before_what_is_undecided() -> None:
    """Eight of twelve lists turn round: Exposure of neutral falls from 0.613 to 0.387 there, and CWEx, .5 neutral less
    .5 female, from 0.113 to -0.113."""
    found = asked(swapped(12, moved=8), "CWEx@2 falls by 0.04", "CWEx@2 rises by 0", before="old", after="new")
    weights = 1 / np.log2([2, 3])
    gap = (weights[0] - weights[1]) / weights.sum()
    assert found.table["difference"].tolist() == pytest.approx([-8 / 12 * gap] * 2)
    assert found.table["state"].tolist() == [BEYOND, WITHIN]
    assert found.state == BEYOND
    queries = found.queries
    assert queries["query_id"].tolist() == ["q04", "q05", "q06", "q07", "q08"]  # five of the eight, and none that rose
    assert queries["share"].tolist() == pytest.approx([-gap / 12] * 5)
    first = found.documents[found.documents["query_id"] == "q04"]
    assert first[["doc_id", "rank_before", "rank_after", "label"]].to_numpy().tolist() == [
        ["n4", 1, 2, "neutral"], ["f4", 2, 1, "female"],
    ]  # fmt: skip
    assert first["attention"].tolist() == pytest.approx([weights[1] - 1, 1 - weights[1]])
    assert found.table["moved"][0].startswith("q04 (n4, f4); q05 (n5, f5)")
    assert found.table["moved"][1] == ""
    nothing = asked(swapped(12), "CWEx@2 falls by 0", "CWEx@2 rises by 0", before="old", after="new")
    assert nothing.table["state"].tolist() == [WITHIN, WITHIN]
    assert nothing.table["difference"].tolist() == [0, 0]
    assert nothing.queries.empty
    assert nothing.documents.empty
    nine_common = asked(swapped(12, moved=1, lost=3), "CWEx@2 falls by 0", before="old", after="new")
    assert (nine_common.table["state"].tolist(), nine_common.state) == ([UNDECIDED], UNDECIDED)
    # only q0 has a document with a gender: AWRF has one value, and Exposure of neutral twelve
    study = swapped(12, moved=12)
    label = study.labels["label"].where(study.labels["doc_id"] != "f0", "female")
    label = label.where(study.labels["doc_id"] == "f0", "neutral")
    other = fairviz.make_study("other", runs=study.runs, labels=study.labels.assign(label=label))
    assert asked(other, "AWRF@2 rises by 1", "CWEx@2 falls by 9", before="old", after="new").state == UNDECIDED
    both = asked(study, "CWEx@2 falls by 0", "GroupExposureRatio@2 rises by 1", before="old", after="new")
    assert (both.table["state"].tolist(), both.state) == ([BEYOND, UNDECIDED], BEYOND)


def test_shares_sum_to_the_difference_of_every_measure(newswire: Study) -> None:
    texts = [f"{name} falls by 9" for name in ("CWEx", "RaB", "GroupExposureRatio", "nDCG", "GSR@10")]
    up = [text.replace("falls", "rises") for text in texts]
    found = asked(newswire, *dict.fromkeys([*texts, *up]), most=1000)
    sums = found.queries.groupby("condition")["share"].sum()
    by_measure = found.table.drop_duplicates("measure").set_index("measure")["difference"]
    for measure, difference in by_measure.items():
        conditions = found.table.loc[found.table["measure"] == measure, "condition"]
        assert len(conditions) == 2
        assert sum(sums.get(text, 0) for text in conditions) == pytest.approx(difference, abs=1e-12)


def test_queries_of_one_alone_and_those_undefined_in_the_candidate_are_told_and_refused() -> None:
    found = asked(swapped(14, moved=2, lost=11), "CWEx@2 falls by 0", before="old", after="new")
    assert found.table["queries"].tolist() == [3]
    assert alone_notes(found) == [
        "old alone answers 11 queries: q00, q01, q02, q03, q04, q05, q06, q07, q08, q09 and 1 more. Measures of "
        "effectiveness are 0 there for the other; all others are compared without them."
    ]
    with refused(
        "new does not answer 11 queries that old answers: q00, q01, q02, q03, q04, q05, q06, q07, q08, q09 and 1 more\n"
        "Rank them too, or leave out --all-queries to compare on the queries that both answer."
    ):
        require_same_queries(found)
    require_same_queries(asked(swapped(4), "CWEx@2 falls by 0", before="old", after="new"))
    text = "GroupExposureRatio@2 worse by 0.02"
    found = asked(without_women(2), text, before="old", after="new")
    assert found.lost == {"GroupExposureRatio@2": ("q00", "q01")}
    assert lost_notes(found) == [
        "GroupExposureRatio@2 is undefined for 2 of 20 queries in new alone, which are left out: q00, q01."
    ]
    with refused(
        "GroupExposureRatio@2 is undefined for 2 of 20 queries in new alone: q00, q01\n"
        "Look at these lists: no verdict leaves out more than 5 % of the queries. --undefined allows more."
    ):
        require_defined(found)
    require_defined(found, 0.1)  # two of twenty are a tenth, and not more
    require_defined(asked(without_women(1), text, before="old", after="new"))  # 5 %
    require_defined(asked(without_women(2), text, before="new", after="old"))  # the baseline alone lacks them
    assert lost_notes(asked(without_women(0), text, before="old", after="new")) == []
    nowhere = asked(without_women(20), text, before="old", after="new")
    assert nowhere.state == UNDECIDED
    with pytest.raises(FairvizError, match="is undefined for 20 of 20 queries in new alone"):
        require_defined(nowhere)


@pytest.mark.parametrize(
    ("before", "after", "texts", "message"),
    [
        ("old", "old", ["CWEx falls by 0"],
         "baseline and candidate are both 'old'\nName two systems, or two run files."),
        ("old", "newer", ["CWEx falls by 0"],
         "there is no system 'newer' for the candidate\nDid you mean new? Use one of new, old."),
        ("older", "new", ["CWEx falls by 0"],
         "there is no system 'older' for the baseline\nDid you mean old? Use one of new, old."),
        ("old", "new", [], "the gate has no condition\nGive one: 'CWEx falls by 0.02'."),
    ],
)  # fmt: skip
def test_what_no_gate_can_compare(before: str, after: str, texts: list[str], message: str) -> None:
    with refused(message, UsageError):
        asked(swapped(3), *texts, before=before, after=after)


# --- the page


def test_the_page_needs_nothing_else_and_shows_data_as_text() -> None:
    hostile = '<script>alert(1)</script><img src="//x">&\u202e'
    study = swapped(12, moved=8)
    queries = pd.DataFrame({"query_id": [f"q{n:02d}" for n in range(12)], "text": hostile})
    documents = pd.DataFrame({"doc_id": study.labels["doc_id"], "title": hostile, "text": hostile * 20})
    runs = study.runs.assign(system=study.runs["system"].cat.rename_categories({"new": hostile}))
    study = fairviz.make_study("<b>", queries=queries, documents=documents, runs=runs, labels=study.labels)
    settings = Settings()
    found = asked(study, "CWEx@2 falls by 0.04", "CWEx@2 rises by 0", before="old", after=hostile)
    text = page(found, origin(study, settings, ("CWEx(alpha=0.5)@2",), (("candidate", hostile),)))
    tags = re.findall(r"<(\w+)([^>]*)>", text)
    names = [name for name, _ in tags]
    assert not {"script", "img", "link", "iframe", "b", "object"} & set(names)
    assert not any(re.search(r"\b(src|href|srcset|action|on\w+)\s*=", attributes) for _, attributes in tags)
    assert "default-src 'none'" in text
    assert not re.search(r"url\(|@import|https?://|//x\"", text.replace("&#34;//x&#34;", ""))
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "\u202e" not in text
    assert names.count("svg") == 2
    assert text.count("not passed</span>") == 1


def test_the_page_says_all_that_the_gate_does_with_the_queries_of_each_condition_below_its_name(
    newswire: Study,
) -> None:
    texts = ("CWEx falls by 0.02", "nDCG@10 falls by 0.2", "TED above 0.9", "NFaiRR rises by 0")
    found = asked(newswire, *texts, before="w2v_add", after="bm25")
    text = page(found, origin(newswire, Settings(), tuple(found.table["measure"]), (("baseline", "w2v_add"),)))
    for shown in (*texts, "−0.1153", "−0.0932", "95 % interval", "lee-186", "q23", "baseline: w2v_add"):
        assert shown in text
    assert ">within</span>: not beyond the limit" in text
    for condition in (texts[0], *texts[2:]):
        moved = found.queries.loc[found.queries["condition"] == condition, "query_id"].tolist()
        table = text.partition(f"What moved most: {condition}<")[2].partition("</table>")[0]
        assert re.findall(r"<td>(q\d\d)\b", table) == moved != []
    assert page(asked(newswire, "CWEx falls by 9"), origin(newswire, Settings())).count('class="verdict">passed<') == 1


# --- conditions as they are written


SETTINGS = Settings(cutoff=5)


@pytest.mark.parametrize(
    ("text", "measure", "of", "sign", "limit"),
    [
        ("CWEx falls by 0.02", "CWEx(alpha=0.5)@5", "difference", "<", -0.02),
        ("nDCG@10 falls by 0.01", "nDCG@10", "difference", "<", -0.01),
        ("Exposure(group='female') rises by 0.2", "Exposure(group='female')@5", "difference", ">", 0.2),
        ("CWEx worse by 0.02", "CWEx(alpha=0.5)@5", "difference", "<", -0.02),
        ("CWEx better by 0.02", "CWEx(alpha=0.5)@5", "difference", ">", 0.02),
        ("TED worse by 0.02", "TED@5", "difference", ">", 0.02),  # less is fairer
        ("TED better by 0.02", "TED@5", "difference", "<", -0.02),
        ("RaB worse by 0.5", "RaB@5", "difference", ">", 0.5),  # fairest at 0: farther from it
        ("GroupExposureRatio worse by 0", "GroupExposureRatio@5", "difference", ">", 0.0),
        ("GSR@10 worse by 0.05", "GSR@10", "difference", ">", 0.05),
        ("CWEx below −0.02", "CWEx(alpha=0.5)@5", "value", "<", -0.02),
        ("  NFaiRR(tau=0)@10 below 1e-2 ", "NFaiRR(tau=0)@10", "value", "<", 0.01),
        ("TED above 0.3", "TED@5", "value", ">", 0.3),
        ("never shown female rises by 0.05", "never shown female@5", "difference", ">", 0.05),
        ("never shown male falls by 0.05", "never shown male@5", "difference", "<", -0.05),
        ("never shown female worse by 0", "never shown female@5", "difference", ">", 0.0),  # less is fairer
        ("never shown female better by 0.1", "never shown female@5", "difference", "<", -0.1),
        ("never shown female above 0.3", "never shown female@5", "value", ">", 0.3),
        ("never shown  'non binary' below 1e-2", "never shown non binary@5", "value", "<", 0.01),
        ('never shown "rises by" above 0.3', "never shown rises by@5", "value", ">", 0.3),
    ],
)
def test_what_a_condition_means(text: str, measure: str, of: str, sign: str, limit: float) -> None:
    found = read_condition(text, SETTINGS)
    assert (found.text, found.question.text, found.of, found.sign, found.limit) == (text, measure, of, sign, limit)
    assert found.below == (sign == "<")


def test_which_numbers_are_beyond_and_an_unknown_measure_is_named() -> None:
    fall, high = read_condition("CWEx falls by 0.02", SETTINGS), read_condition("TED above 0.1", SETTINGS)
    assert [fall.is_exceeded_by(value) for value in (-0.03, -0.02, 0.0, float("nan"))] == [True, False, False, False]
    assert [high.is_exceeded_by(value) for value in (0.11, 0.1, -0.2, float("nan"))] == [True, False, False, False]
    for name, quantity in QUANTITIES.items():
        assert read_condition(quantity.example, SETTINGS).question.name == name
    with pytest.raises(UsageError, match=r"unknown measure 'CWx'.*\nDid you mean CWEx\?"):
        read_condition("CWx falls by 0.1", SETTINGS)
    with pytest.raises(UsageError, match="cannot read the measure 'never showns'"):  # it begins like a quantity
        read_condition("never showns rises by 0.05", SETTINGS)


OF_QUANTITIES = (
    "Write 'never shown GROUP rises by X', or 'falls by', 'worse by', 'better by', 'below', 'above': "
    "'never shown female rises by 0.05'."
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *((text, f"cannot read the condition {text!r}\n{form()}") for text in ("CWEx", "", "< 0.1", "falls by 0.1")),
        *((text, f"cannot read the number {number!r} of the condition {text!r}\n{form()}")
          for text, number in (("CWEx falls by ", ""), ("CWEx below much", "much"), ("CWEx < -0.1 < 0", "-0.1 < 0"))),
        *((f"CWEx below {number}", f"the number of the condition 'CWEx below {number}' is {number}\n{form()}")
          for number in ("nan", "-inf")),
        ("CWEx falls by -0.1",
         "the condition 'CWEx falls by -0.1' has a negative number after 'falls by'\nWrite it without the minus."),
        ("CWEx < -0.02",
         "the condition 'CWEx < -0.02' can mean a difference or a value\n"
         "Write 'CWEx falls by 0.02' for the difference to the baseline, or 'CWEx below -0.02' for the candidate's "
         "value."),
        ("TED ≥ 0.1",
         "the condition 'TED ≥ 0.1' can mean a difference or a value\n"
         "Write 'TED rises by 0.1' for the difference to the baseline, or 'TED above 0.1' for the candidate's "
         "value."),
        ("Exposure(group='female') worse by 0.1",
         "Exposure(group='female')@5 only describes: no value of it is worse than another "
         "(in \"Exposure(group='female') worse by 0.1\")\nWrite 'falls by' or 'rises by'."),
        ("never shown rises by 0.05",
         f"cannot read the condition 'never shown rises by 0.05': it names no group\n{OF_QUANTITIES}"),
        ("never shown non binary rises by 0.05",
         "cannot read the condition 'never shown non binary rises by 0.05': a group of several words needs quotes\n"
         f"{OF_QUANTITIES}"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(text: str, message: str) -> None:
    with refused(message, UsageError):
        read_condition(text, SETTINGS)


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


def test_a_case_by_hand_and_pools_grow_from_relevant_to_all() -> None:
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


def test_the_filter_keeps_what_is_of_its_queries_and_missing_parts_are_named() -> None:
    queries = pd.DataFrame({"query_id": ["q1", "q2", "q3"], "text": "", "kind": ["c", "d", "d"]})
    study = study_of({("a", "q1"): "f1", ("a", "q2"): "f2"}, {"q1": "f2 m1 y", "q2": "f1 m2"}, queries=queries)
    chosen = TWO.changed(filter_column="kind", filter_values=("c",))
    pool = pool_exposure(study, chosen)
    assert pool.doc_ids.tolist() == ["f2", "m1", "y"]
    assert pool.never("a").tolist() == [True] * 3, "f2 is only in a list of a query that is left out"
    codes = [pool_exposure(study, chosen.changed(unlabelled=name)).codes[2] for name in ("skip", "neutral")]
    assert codes == [-1, 0], "y has no label: it is in no group, or neutral"
    runs, labels = runs_of({"a": "f1"}), labels_of({"f1": "female"})
    with refused("there is no pool of documents 'judged'\nUse one of relevant, candidates, all.", UsageError):
        pool_exposure(HAND, TWO, "judged")
    with refused("bare has no relevance judgements\nAdd qrels.txt, or use the documents `candidates` or `all`."):
        pool_exposure(fairviz.make_study("bare", runs=runs, labels=labels), TWO)
    with refused(
        "bare has no gender labels\nAdd labels.csv with the columns doc_id, label, or run `fairviz annotate`."
    ):
        pool_exposure(fairviz.make_study("bare", runs=runs), TWO)


def test_curves_and_their_gini_by_hand_as_mean_differences_and_thinned() -> None:
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
    for seed in range(5):
        values = np.random.default_rng(seed).exponential(size=17) * np.random.default_rng(seed).integers(0, 2, 17)
        apart = sum(abs(a - b) for a, b in product(values, values)) / (2 * len(values) ** 2 * values.mean())
        documents, exposure = lorenz(values)
        assert gini(values) == pytest.approx(apart)
        assert gini(values) == pytest.approx(1 - 2 * np.trapezoid(exposure, documents))
    values = np.concatenate([np.zeros(437), np.ones(563)])
    curve = lorenz(values)
    documents, exposure = thinned(*curve, 50)
    assert 50 <= len(documents) <= 51
    assert (documents[0], documents[-1], exposure[-1]) == (0, 1, 1)
    assert documents[exposure == 0].max() == 0.437
    assert [len(part) for part in thinned(*lorenz(values[:20]), 50)] == [21, 21]


# --- the gate's condition on what is never shown, from the words to the verdict


AT_ONE = Settings(cutoff=1)


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


def gated(study: Study, *texts: str, before: str = "old", after: str = "new", settings: Settings = AT_ONE) -> Gate:
    return gate(study, before, after, [read_condition(text, settings) for text in texts], settings)


def test_a_rise_of_what_is_hidden_by_hand_and_its_states() -> None:
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


def test_moved_documents_went_out_of_sight_and_conditions_keep_their_order() -> None:
    result = gated(lists(12, 3), "never shown female rises by 0", "never shown female falls by 0")
    assert result.queries["query_id"].tolist() == ["q00", "q01", "q02"]
    assert result.queries["share"].tolist() == pytest.approx([1 / 12] * 3)
    first = result.documents.iloc[0]
    assert (first["doc_id"], first["rank_before"], first["rank_after"], first["attention"]) == ("f00", 1, 2, -1.0)
    assert result.table["moved"].tolist() == ["q00 (f00); q01 (f01); q02 (f02)", ""]
    back = gated(lists(12, 3), "never shown female falls by 0", before="new", after="old")
    assert back.table["moved"].tolist() == ["q00 (f00); q01 (f01); q02 (f02)"]
    texts = ["nDCG falls by 0.1", "never shown female rises by 0.05", "CWEx rises by 0.02"]
    result = gated(lists(20, 9), *texts)
    assert result.table["condition"].tolist() == texts
    assert result.queries["condition"].unique().tolist() == [texts[1], texts[0], texts[2]]
    html = page(result, origin(lists(20, 9), AT_ONE, tuple(result.table["measure"])))
    assert "never shown female rises by 0.05" in html
    assert "never shown female@1" in html


def test_few_queries_are_undecided_and_unknown_groups_and_missing_judgements_refused() -> None:
    result = gated(lists(9, 9), "never shown female rises by 0.05")
    assert result.state == UNDECIDED
    assert result.table.loc[0, "warning"] == (
        "9 queries are too few for a verdict, which needs 10: only these have relevant documents labelled female"
    )
    none = gated(lists(12, 3), "never shown male rises by 0.05").table.loc[0]
    assert (none["state"], none["warning"]) == (UNDECIDED, "no relevant document is labelled male")
    with refused("lists has no group 'woman'\nUse one of neutral, female, male.", UsageError):
        gated(lists(12, 3), "never shown woman rises by 0.05")
    with pytest.raises(FairvizError, match=r"^lists has no relevance judgements\n"):
        gated(lists(12, 3, judged=False), "never shown female rises by 0.05")
    with refused(
        "the condition 'never shown female rises by 0' cannot be corrected by labels of a sample\n"
        "Leave out --corrected-by.",
        UsageError,
    ):
        gated(lists(12, 3), "never shown female rises by 0", settings=AT_ONE.changed(corrected_by="gold"))
