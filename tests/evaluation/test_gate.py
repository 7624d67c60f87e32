"""The gate: what lies beyond a limit, what moved most, and the page that says so."""

import html
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.conditions import read_condition
from fairviz.evaluation.exports import origin
from fairviz.evaluation.gate import (
    BEYOND,
    POSSIBLE,
    UNDECIDED,
    WITHIN,
    Gate,
    alone_notes,
    gate,
    require_same_queries,
)
from fairviz.evaluation.gate_page import page
from fairviz.evaluation.settings import Settings
from fairviz.statistics.bootstrap import bootstrap_interval
from fairviz.study.study import Study

CWEX = "CWEx(alpha=0.5)@10"


def asked(study: Study, *texts: str, before: str = "bm25", after: str = "w2v_add", **options) -> Gate:
    settings = options.pop("settings", Settings())
    return gate(study, before, after, [read_condition(text, settings) for text in texts], settings, **options)


def swapped(queries: int, moved: int = 0, lost: int = 0) -> Study:
    """Lists of two, the neutral n above the female f; `moved` lists of the candidate have them the other way round, and
    `lost` queries it does not answer."""
    rows = []
    for query in range(queries):
        name = f"q{query:02d}"
        rows += [("old", name, f"n{query}", 1, 2.0), ("old", name, f"f{query}", 2, 1.0)]
        if query >= lost:
            first, second = ("f", "n") if query >= queries - moved else ("n", "f")
            rows += [("new", name, f"{first}{query}", 1, 2.0), ("new", name, f"{second}{query}", 2, 1.0)]
    runs = pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"])
    documents = [f"{letter}{query}" for query in range(queries) for letter in "nf"]
    labels = pd.DataFrame({"doc_id": documents, "label": ["neutral", "female"] * queries})
    return fairviz.make_study("swapped", runs=runs, labels=labels)


def test_the_interval_is_that_of_the_differences() -> None:
    study = fairviz.open_study("newswire")
    found = asked(study, "CWEx < -0.02", before="w2v_add", after="bm25", resamples=1000)
    scores = fairviz.evaluate(study, CWEX).set_index("system")["value"]
    apart = (scores["bm25"].to_numpy() - scores["w2v_add"].to_numpy()).astype(float)
    row = found.table.iloc[0]
    low, high = (float(bound) for bound in bootstrap_interval(apart))
    assert (row["difference"], row["ci_low"], row["ci_high"]) == pytest.approx((apart.mean(), low, high))
    assert (row["state"], found.state) == (BEYOND, BEYOND)


@pytest.mark.parametrize(
    ("limit", "state"),
    [("-0.05", BEYOND), ("-0.052", POSSIBLE), ("-0.115", POSSIBLE), ("-0.116", WITHIN)],
)
def test_only_a_whole_interval_beyond_the_limit_fails(limit: str, state: str) -> None:
    """w2v_add to bm25: -0.1153, from -0.1813 to -0.0506."""
    found = asked(fairviz.open_study("newswire"), f"CWEx < {limit}", before="w2v_add", after="bm25", resamples=10_000)
    assert found.table["state"].tolist() == [state]
    assert found.state == (BEYOND if state == BEYOND else WITHIN)


def test_a_rise_by_hand() -> None:
    """Eight of twelve lists turn round: Exposure of neutral falls from 0.613 to 0.387 there, and CWEx, .5 neutral less
    .5 female, from 0.113 to -0.113."""
    found = asked(swapped(12, moved=8), "CWEx@2 < -0.05", "CWEx@2 > 0", before="old", after="new")
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


def test_shares_sum_to_the_difference_of_every_measure() -> None:
    study = fairviz.open_study("newswire")
    texts = ["CWEx < -9", "RaB < -9", "GroupExposureRatio < -9", "nDCG < -9", "GSR@10 > 9", "GSR@10 < -9"]
    up = [text.replace("< -9", "> 9") for text in texts]
    found = asked(study, *dict.fromkeys([*texts, *up]), most=1000)
    sums = found.queries.groupby("condition")["share"].sum()
    by_measure = found.table.drop_duplicates("measure").set_index("measure")["difference"]
    for measure, difference in by_measure.items():
        conditions = found.table.loc[found.table["measure"] == measure, "condition"]
        assert len(conditions) == 2
        assert sum(sums.get(text, 0) for text in conditions) == pytest.approx(difference, abs=1e-12)


def test_nothing_moves_where_nothing_changed() -> None:
    found = asked(swapped(12), "CWEx@2 < 0", "CWEx@2 > 0", before="old", after="new")
    assert found.table["state"].tolist() == [WITHIN, WITHIN]
    assert found.table["difference"].tolist() == [0, 0]
    assert found.queries.empty
    assert found.documents.empty


def test_one_common_query_decides_nothing() -> None:
    found = asked(swapped(3, moved=1, lost=2), "CWEx@2 < 0", before="old", after="new")
    assert found.table["state"].tolist() == [UNDECIDED]
    assert found.state == UNDECIDED


def test_what_is_surely_beyond_counts_before_what_is_undecided() -> None:
    """Only q0 has a document with a gender: AWRF has one value, and Exposure of neutral twelve."""
    study = swapped(12, moved=12)
    label = study.labels["label"].where(study.labels["doc_id"] != "f0", "female")
    label = label.where(study.labels["doc_id"] == "f0", "neutral")
    other = fairviz.make_study("other", runs=study.runs, labels=study.labels.assign(label=label))
    assert asked(other, "AWRF@2 > 1", before="old", after="new").state == UNDECIDED
    assert asked(other, "AWRF@2 > 1", "CWEx@2 < -9", before="old", after="new").state == UNDECIDED
    both = asked(study, "CWEx@2 < 0", "GroupExposureRatio@2 > 1", before="old", after="new")
    assert both.table["state"].tolist() == [BEYOND, UNDECIDED]
    assert both.state == BEYOND


def test_queries_of_one_alone_are_said_and_can_be_refused() -> None:
    found = asked(swapped(14, moved=2, lost=11), "CWEx@2 < 0", before="old", after="new")
    assert found.table["queries"].tolist() == [3]
    assert alone_notes(found) == [
        "old alone answers 11 queries: q00, q01, q02, q03, q04, q05, q06, q07, q08, q09 and 1 more. Measures of "
        "effectiveness are 0 there for the other; all others are compared without them."
    ]
    with pytest.raises(FairvizError) as caught:
        require_same_queries(found)
    assert str(caught.value) == (
        "new does not answer 11 queries that old answers: q00, q01, q02, q03, q04, q05, q06, q07, q08, q09 and 1 more\n"
        "Rank them too, or leave out --all-queries to compare on the queries that both answer."
    )
    require_same_queries(asked(swapped(4), "CWEx@2 < 0", before="old", after="new"))


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("old", "old"), "baseline and candidate are both 'old'\nName two systems, or two run files."),
        (("old", "newer"), "there is no system 'newer' for the candidate\nUse one of new, old."),
        (("older", "new"), "there is no system 'older' for the baseline\nUse one of new, old."),
    ],
)
def test_systems_that_are_none(names: tuple[str, str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        asked(swapped(3), "CWEx@2 < 0", before=names[0], after=names[1])
    assert str(caught.value) == message


def test_a_gate_without_conditions() -> None:
    with pytest.raises(UsageError, match="the gate has no condition"):
        asked(swapped(3), before="old", after="new")


class Tags(HTMLParser):
    """The tags of a page, and its attributes that name other places."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.places: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.places += [str(value) for name, value in attributes if name in ("src", "href", "srcset", "action")]
        self.places += [name for name, _ in attributes if name.startswith("on")]


def test_the_page_needs_nothing_else_and_shows_data_as_text() -> None:
    hostile = '<script>alert(1)</script><img src="//x">&\u202e'
    study = swapped(12, moved=8)
    queries = pd.DataFrame({"query_id": [f"q{n:02d}" for n in range(12)], "text": hostile})
    documents = pd.DataFrame({"doc_id": study.labels["doc_id"], "title": hostile, "text": hostile * 20})
    runs = study.runs.assign(system=study.runs["system"].cat.rename_categories({"new": hostile}))
    study = fairviz.make_study("<b>", queries=queries, documents=documents, runs=runs, labels=study.labels)
    settings = Settings()
    found = asked(study, "CWEx@2 < -0.05", "CWEx@2 > 0", before="old", after=hostile)
    text = page(found, origin(study, settings, ("CWEx(alpha=0.5)@2",), (("candidate", hostile),)))
    tags = Tags(text)
    assert not {"script", "img", "link", "iframe", "b", "object"} & set(tags.tags)
    assert tags.places == []
    assert "default-src 'none'" in text
    assert not re.search(
        r"url\(|@import|https?://|//x\"", text.replace(html.escape(hostile), "").replace("&quot;//x&quot;", "")
    )
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "\u202e" not in text
    assert tags.tags.count("svg") == 2
    assert text.count("not passed</span>") == 1


def test_the_page_says_all_that_the_gate_does() -> None:
    study = fairviz.open_study("newswire")
    found = asked(study, "CWEx < -0.02", "nDCG@10 falls by 0.2", before="w2v_add", after="bm25")
    text = page(found, origin(study, Settings(), tuple(found.table["measure"]), (("baseline", "w2v_add"),)))
    for shown in ("−0.1153", "−0.0932", "CWEx &lt; -0.02", "nDCG@10 falls by 0.2", "95 % interval", "lee-186", "q23"):
        assert shown in text
    assert "baseline: w2v_add" in text
    assert ">within</span>: the difference does not lie beyond the limit" in text
    assert page(asked(study, "CWEx < -9"), origin(study, Settings())).count('class="verdict">passed<') == 1
