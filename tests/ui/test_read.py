"""The page Read: its sentences, and the measures of labels in the registry that it offers."""

from dataclasses import replace

import pandas as pd
import pytest

from fairviz.annotation.agreement import read_votes
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import LIGHT
from fairviz.measures import MEASURES
from fairviz.study.study import make_study
from fairviz.ui.kit import html
from fairviz.ui.read.document import consequence, decision_html
from fairviz.ui.read.effects import measures
from fairviz.ui.read.room import listing_sentence
from fairviz.words.sentences import plain
from tests.made import labels_of, runs_of

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


def test_a_label_on_a_button_is_no_markdown() -> None:
    label = html.literal("![x](http://example.org/x.png) :red[a] *b*\n c")
    assert label == r"\!\[x\]\(http\:\/\/example\.org\/x\.png\) \:red\[a\] \*b\* c".replace(r"\/", "/")


def test_a_decision_in_the_history_is_escaped() -> None:
    row = pd.Series({"time": "2026-01-31T12:00:09.5Z", "author": HOSTILE, "label": "male", "reason": HOSTILE})
    body = decision_html(row, ("neutral", "female", "male"), LIGHT)
    assert "<img" not in body
    assert "2026-01-31 12:00 UTC" in body
    assert "▲ male" in body
    undone = decision_html(row.replace({"male": ""}), ("neutral",), LIGHT)
    assert "taken back" in undone


def test_the_listing_counts_disagreement_where_there_are_two_to_disagree() -> None:
    votes = pd.DataFrame({"doc_id": ["d", "d"], "annotator": ["ann", "bob"], "label": ["f", "m"]})
    told = plain(listing_sentence(69, 702, read_votes(votes)))
    assert told == "69 of 702 documents; ann and bob disagree on 1 of 1 document."
    assert plain(listing_sentence(5, 7, read_votes(votes.head(1)))) == "5 of 7 documents."


def test_every_measure_of_labels_is_offered_and_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = ("women's", "men's")
    study = make_study("s", runs=runs_of({"s": "d"}), labels=labels_of({"d": "women's"}), groups=groups)
    offered = measures(study)
    assert {ask(text, Settings()).name for text in offered} == {
        name for name, record in MEASURES.items() if record.of_exposures
    }
    assert len(evaluate(study, offered)) == len(offered)
    assert offered[:5] == ("CWEx", "ExposureGap", "AbsExposureGap", "AWRF", "GroupExposureRatio")
    assert [ask(text, Settings()).parameters["group"] for text in offered[-3:]] == ["neutral", "women's", "men's"]
    monkeypatch.setitem(MEASURES._records, "New", replace(MEASURES["AbsExposureGap"], name="New"))
    monkeypatch.setitem(MEASURES._records, "NewGroup", replace(MEASURES["Exposure"], name="NewGroup"))
    assert {"New", "NewGroup(group='neutral')"} <= set(measures(study))
