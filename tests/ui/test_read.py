"""The page Read: its sentences, and the measures of labels in the registry that it offers."""

from dataclasses import replace

import pandas as pd
import pytest

from fairviz.annotation.agreement import Votes, read_votes
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import LIGHT
from fairviz.measures import MEASURES
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.read.document import consequence, decision_html
from fairviz.ui.read.effects import measures
from fairviz.ui.read.room import listing_sentence
from fairviz.words.sentences import plain
from tests.made import labels_of, runs_of
from tests.pages.conftest import drawn_by

NAN = float("nan")
COLUMNS = ["system", "before", "after", "difference", "rank_before", "rank_after"]
HOSTILE = "<img src=x onerror=alert(1)>"


def table(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("b", 0.108, 0.108, 0.0, 2, 2), ("m", 0.157, 0.1611, 0.0041, 1, 1)], "X of <b>m</b> +0.0041; same order."),
        ([("a", 0.1, 0.3, 0.2, 2, 1), ("b", 0.2, 0.19, -0.01, 1, 2)],
         "X of <b>a</b> +0.2000, <b>b</b> −0.0100; "
         '<span class="fv-moved">new order: <b>a</b> 2 → 1, <b>b</b> 1 → 2</span>.'),
        ([("a", 0.1, 0.1, 0.0, 1, 1)], "X unchanged."),
        ([("a", NAN, 0.5, NAN, NAN, 1)], "X of <b>a</b> undefined → 0.500; same order."),
    ],
    ids=["a value", "the order", "nothing", "defined now"],
)  # fmt: skip
def test_what_a_label_would_change(rows: list[tuple], told: str) -> None:
    assert consequence(table(*rows), "X") == told


def test_many_systems_are_counted_and_names_escaped() -> None:
    rows = [(f"s{place}", 0.0, place / 10, place / 10, 1, 1) for place in range(1, 6)]
    told = consequence(table(*rows, (HOSTILE, 0.0, 0.9, 0.9, 1, 1)), "X")
    assert told.startswith("X of <b>&lt;img")
    assert "<b>s5</b>" in told
    assert "<b>s4</b>" not in told
    assert ", 4 more; same order." in told


def labelled_page(label: str) -> None:
    import streamlit as st

    from fairviz.ui.kit import html

    st.button(html.literal(label))


def test_a_label_on_a_button_is_no_markdown() -> None:
    page = drawn_by(labelled_page, "![x](http://example.org/x.png) :red[a] *b*\n c")
    assert page.button[0].label == r"\!\[x\]\(http\:\/\/example\.org\/x\.png\) \:red\[a\] \*b\* c".replace(r"\/", "/")


def test_a_decision_in_the_history_is_escaped() -> None:
    row = pd.Series({"time": "2026-01-31T12:00:09.5Z", "author": HOSTILE, "label": "male", "reason": HOSTILE})
    body = decision_html(row, ("neutral", "female", "male"), LIGHT)
    assert "<img" not in body
    assert "2026-01-31 12:00 UTC" in body
    assert "▲ male" in body
    undone = decision_html(row.replace({"male": ""}), ("neutral",), LIGHT)
    assert "taken back" in undone


def votes_of(*rows: tuple[str, str, str]) -> Votes:
    return read_votes(pd.DataFrame(rows, columns=["doc_id", "annotator", "label"]))


def test_the_listing_counts_disagreement_where_there_are_two_to_disagree() -> None:
    told = plain(listing_sentence(69, 702, votes_of(("d", "ann", "f"), ("d", "bob", "m"))))
    assert told == "69 of 702 documents; ann and bob disagree on 1 of 1 document."
    assert plain(listing_sentence(5, 7, votes_of(("d", "ann", "f")))) == "5 of 7 documents."


@pytest.fixture(name="study")
def _study() -> Study:
    groups = ("women's", "men's")
    return make_study("s", runs=runs_of({"s": "d"}), labels=labels_of({"d": "women's"}), groups=groups)


def test_every_measure_of_labels_is_offered_and_can_be_asked(study: Study) -> None:
    offered = measures(study)
    assert {ask(text, Settings()).name for text in offered} == {
        name for name, record in MEASURES.items() if record.of_exposures
    }
    assert len(evaluate(study, offered)) == len(offered)


def test_cwex_comes_first_and_the_groups_last(study: Study) -> None:
    offered = measures(study)
    assert offered[:5] == ("CWEx", "ExposureGap", "AbsExposureGap", "AWRF", "GroupExposureRatio")
    assert [ask(text, Settings()).parameters["group"] for text in offered[-3:]] == ["neutral", "women's", "men's"]


def test_a_new_measure_of_labels_is_offered(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MEASURES._records, "New", replace(MEASURES["AbsExposureGap"], name="New"))
    monkeypatch.setitem(MEASURES._records, "NewGroup", replace(MEASURES["Exposure"], name="NewGroup"))
    assert "New" in measures(study)
    assert "NewGroup(group='neutral')" in measures(study)
