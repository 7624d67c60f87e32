"""The gate: conditions as they are written, what lies beyond a limit, what moved most, and the page that says so."""

import re

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
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.exports import origin
from fairviz.evaluation.settings import Settings
from fairviz.output.gate_page import page
from fairviz.study.record import Study
from tests.conftest import refused
from tests.made import labels_of, runs_of

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


def test_queries_undefined_in_the_candidate_alone_are_named_and_refused() -> None:
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


def test_a_rise_by_hand() -> None:
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


def test_what_is_surely_beyond_counts_before_what_is_undecided() -> None:
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


def test_queries_of_one_alone_are_said_and_can_be_refused() -> None:
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


def test_which_numbers_are_beyond_and_every_quantity_reads_its_own_example() -> None:
    fall, high = read_condition("CWEx falls by 0.02", SETTINGS), read_condition("TED above 0.1", SETTINGS)
    assert [fall.is_exceeded_by(value) for value in (-0.03, -0.02, 0.0, float("nan"))] == [True, False, False, False]
    assert [high.is_exceeded_by(value) for value in (0.11, 0.1, -0.2, float("nan"))] == [True, False, False, False]
    for name, quantity in QUANTITIES.items():
        assert read_condition(quantity.example, SETTINGS).question.name == name


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


def test_an_unknown_measure_is_named() -> None:
    with pytest.raises(UsageError, match=r"unknown measure 'CWx'.*\nDid you mean CWEx\?"):
        read_condition("CWx falls by 0.1", SETTINGS)
    with pytest.raises(UsageError, match="cannot read the measure 'never showns'"):  # it begins like a quantity
        read_condition("never showns rises by 0.05", SETTINGS)
