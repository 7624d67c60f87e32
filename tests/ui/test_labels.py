"""The pages about labels, Agreement, Annotate and Read: what they say in sentences, the measures of labels that Read
offers, and Stop, which ends a job while its server still answers nothing."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from functools import partial

import pandas as pd
import pytest

from fairviz.annotation.agreement import confused, overall, read_votes, records
from fairviz.annotation.annotators import parse
from fairviz.annotation.voters import quality_control
from fairviz.errors import DataError
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import LIGHT
from fairviz.measures import MEASURES
from fairviz.models.answers import answers_path
from fairviz.models.asking import Budget
from fairviz.study.study import make_study
from fairviz.ui.agreement import wording
from fairviz.ui.annotate import cards, form
from fairviz.ui.kit import html, jobs
from fairviz.ui.read.document import consequence, decision_html
from fairviz.ui.read.effects import measures
from fairviz.ui.read.room import listing_sentence
from fairviz.ui.shell.controls import lexicon_text
from fairviz.words.sentences import plain
from tests.annotation.annotators.test_annotating import grid
from tests.conftest import refused
from tests.made import labels_of, runs_of
from tests.model_server import ModelServer

NAN = float("nan")
HOSTILE = "<img src=x onerror=alert(1)>"
GROUPS = ("neutral", "female", "male")


# --- Agreement

ROWS = [("d1", "a", "f"), ("d1", "b", "m"), ("d2", "a", "n"), ("d2", "b", "n"), ("d3", "a", "n")]
LABELS = pd.DataFrame(ROWS, columns=["doc_id", "annotator", "label"], dtype="str")


def test_the_finding_names_who_disagrees_on_how_many_documents_alpha_and_what_is_confused():
    def told(labels: pd.DataFrame) -> str:
        return plain(wording.finding(read_votes(labels), overall(labels)))

    same, alone = LABELS.assign(label="n"), LABELS[LABELS["annotator"] == "a"]
    assert told(LABELS).startswith("a and b disagree on 1 of 2 documents (50 %); Krippendorff's alpha is 0.400 (")
    assert told(same).endswith("on 0 of 2 documents (0 %); Krippendorff's alpha is undefined: one label only.")
    assert told(alone) == "Only a votes, and one annotator cannot disagree."
    notes = [wording.confusion_note(read_votes(labels), confused(labels)) for labels in (LABELS, same)]
    start = "a and b disagree on"
    assert notes == [f"{start} 1 of 2 documents, most often f against m (1).", f"{start} 0 of 2 documents."]
    assert plain(listing_sentence(69, 702, read_votes(LABELS))) == f"69 of 702 documents; {start} 1 of 2 documents."
    assert plain(listing_sentence(5, 7, read_votes(alone))) == "5 of 7 documents."


def test_what_a_consensus_leaves_open_a_value_without_interval_and_reasons():
    for given, told in (
        ((8, 10, 2, "majority"), "majority: 8 of 10 documents, 2 ties left open."),
        ((10, 10, 0, "majority"), "majority: 10 of 10 documents."),
        ((10, 10, 2, "dawid-skene"), "dawid-skene: 10 of 10 documents."),
    ):
        assert wording.votes_note(*given) == told
    row = {"value": NAN, "ci_low": NAN, "ci_high": NAN, "reason": "one label only"}
    assert wording.value(pd.Series(row)) == "undefined: one label only"
    assert wording.value(pd.Series(row | {"value": 0.5})) == "0.500"
    rows = pd.DataFrame({"annotator": list("abcdefg"), "reason": ["", *["one label only"] * 6]})
    told = wording.reasons(rows)
    assert told.startswith("b: one label only; c: ")
    assert told.endswith("f: one label only and 1 more.")
    assert wording.reasons(rows.head(1)) == ""


def test_who_was_dropped():
    record = records(LABELS).assign(dropped=False)
    assert wording.quality_note(record) == ""
    asked = LABELS.assign(test_label=["f", "f", "n", "", ""])
    record = records(asked)
    record["dropped"] = record["annotator"].isin(quality_control(asked).dropped)
    answered = "2 annotators answered test questions."
    assert wording.quality_note(record) == f"{answered} Not voting, as they failed more than 20 %: b (1 of 1)."
    assert wording.quality_note(record.assign(dropped=False)) == f"{answered} None failed more than 20 %."


def test_a_word_list_from_a_file():
    assert lexicon_text("words.txt", b"She,f\nhe,Male\n", GROUPS) == "female:she;male:he"
    with refused("words.txt:2: expected 2 columns, found 1: 'he'\nWrite a line as: word,group.", DataError):
        lexicon_text("../words.txt", b"she,f\nhe\n", GROUPS)


# --- Annotate

COLUMNS = ["annotator", "classes", "documents", "accuracy", "accuracy_low", "accuracy_high", "kappa", "unlabelled"]


def test_who_is_nearest_and_whose_interval_reaches_as_far() -> None:
    def told(*rows: tuple) -> str:
        found = pd.DataFrame(rows, columns=COLUMNS)
        right = found["accuracy"] * found["documents"]
        of_all = right / (found["documents"] + found["unlabelled"])
        return plain(cards.finding(found.assign(accuracy_of_all=of_all), "ann"))

    nearest, near = ("a", "all", 10, 0.8, 0.7, 0.9, 0.6, 1), ("b", "all", 10, 0.7, 0.6, 0.75, 0.5, 0)
    far, part = ("c", "all", 10, 0.5, 0.4, 0.6, 0.1, 0), ("a", "neutral or gendered", 10, 1.0, 1.0, 1.0, 1.0, 0)
    assert told(nearest, near, far, part) == (
        "Closest to ann: a, 80.0% of 10 documents [70.0%, 90.0%], kappa 0.600; 1 without a label. Overlapping "
        "intervals: b."
    )
    assert told(nearest, far).endswith("No other interval overlaps.")
    fewer = ("b", "all", 4, 0.7, 0.6, 0.75, 0.5, 0)
    assert told(nearest, fewer).endswith("They labelled different documents, 4 to 10 of the reference's.")
    mute, wrong = (("mute", "all", 1, right, NAN, NAN, NAN, 9 * right) for right in (1.0, 0.0))
    assert told(mute, near).startswith("Closest to ann: b, 70.0% of 10 documents"), "who gave hardly any label"
    assert told(wrong) == "Closest to ann: mute, 0.0% of 1 document.", "without intervals nothing is said of them"
    nobody = ("a", "all", 0, NAN, NAN, NAN, NAN, 0)
    assert told(nobody) == "No document has labels by ann and by another annotator: nothing to compare."


def test_what_changes_what_of_it_is_noise_and_what_is_missing_labels() -> None:
    rows = pd.DataFrame({
        "system": ["one", "two", "perfect"], "before": [0.1, 0.2, 0.0], "after": [0.3, 0.1, 0.9],
        "difference": [0.2, -0.1, 0.9], "ci_low": [0.1, -0.2, 0.8], "ci_high": [0.3, 0.1, 1.0],
    })  # fmt: skip
    turned = pd.Series({"annotator": "rule", "pairs": 1, "reversed": 1, "tied": 0})
    assert plain(cards.replacement(rows, turned, "CWEx", "rule", "ann")) == (
        "When rule replaces ann, CWEx changes most for one: 0.100 to 0.300 (+0.200, 95 % +0.100 to +0.300). For 1 of 2 "
        "systems the interval excludes 0. 1 of 1 pairs of systems change their order."
    )
    assert plain(cards.turned_order(turned.replace(1, 0))) == "There is no order of systems to change."
    assert cards.noise((3, 0.25, 0.1), "Labels drawn") == (
        "Labels drawn: on average 0.2 of 3 pairs of systems change order. Some pair does in 10% of 1,000 draws."
    )
    empty = rows.assign(difference=NAN)
    assert plain(cards.replacement(empty, turned, "CWEx", "rule", "ann")) == (
        "No list has a value of CWEx under both rule and ann."
    )
    shares = pd.DataFrame({"labelled": [0.5, 0.25], "labelled_before": [1.0, 1.0]})
    assert cards.coverage(shares, "part", "ann") == (
        "Of each system's ranks within the cutoff part labelled 25% or more, ann 100%: part of the change is missing "
        "labels. “Fill” keeps the label of ann where there is none."
    )
    assert cards.coverage(shares.assign(labelled=1.0), "part", "ann") == ""


@pytest.mark.parametrize("fault", ["silence", "drip"])
def test_stop_frees_the_study_for_the_next_job(server: ModelServer, fault: str) -> None:
    server.faults = ["", *[fault] * 5]
    study = grid(2)
    order = form.Order(tuple(parse(f"llm(model='m',url='{server.address}')")), 0, 8, 120.0, Budget(), replacing=False)
    work = partial(form.label_documents, study, order, study.fingerprint)
    job = jobs.begin("the study", work)
    server.held.wait()
    job.stop()
    job.wait()
    assert not server.release.is_set()
    assert (job.outcome, job.problem) == (None, None)
    with closing(sqlite3.connect(answers_path())) as database:
        assert database.execute("SELECT COUNT(*) FROM claims").fetchone() == (0,)
    server.faults = []
    following = jobs.begin("the study", work)
    assert following is not job
    following.wait()
    assert following.problem is None
    assert following.outcome.annotations.record["asked"].tolist() == [5]


# --- Read


def changed(*rows: tuple) -> str:
    """What labels would change: system, values before and after, their difference, ranks before and after."""
    columns = ["system", "before", "after", "difference", "rank_before", "rank_after"]
    return consequence(pd.DataFrame(rows, columns=columns), "X")


def test_what_a_label_would_change_many_systems_are_counted_and_names_escaped() -> None:
    value = changed(("b", 0.108, 0.108, 0.0, 2, 2), ("m", 0.157, 0.1611, 0.0041, 1, 1))
    assert value == "X of <b>m</b> +0.0041; same order."
    assert changed(("a", 0.1, 0.3, 0.2, 2, 1), ("b", 0.2, 0.19, -0.01, 1, 2)) == (
        "X of <b>a</b> +0.2000, <b>b</b> −0.0100; "
        '<span class="fv-moved">new order: <b>a</b> 2 → 1, <b>b</b> 1 → 2</span>.'
    )
    assert changed(("a", 0.1, 0.1, 0.0, 1, 1)) == "X unchanged."
    assert changed(("a", NAN, 0.5, NAN, NAN, 1)) == "X of <b>a</b> undefined → 0.500; same order."
    told = changed(*((f"s{n}", 0.0, n / 10, n / 10, 1, 1) for n in range(1, 6)), (HOSTILE, 0.0, 0.9, 0.9, 1, 1))
    assert told.startswith("X of <b>&lt;img")
    assert "<b>s5</b>" in told
    assert "<b>s4</b>" not in told
    assert ", 4 more; same order." in told


def test_a_label_on_a_button_is_no_markdown_and_a_decision_in_the_history_is_escaped() -> None:
    label = html.literal("![x](http://example.org/x.png) :red[a] *b*\n c")
    assert label == r"\!\[x\]\(http\:\/\/example\.org\/x\.png\) \:red\[a\] \*b\* c".replace(r"\/", "/")
    row = pd.Series({"time": "2026-01-31T12:00:09.5Z", "author": HOSTILE, "label": "male", "reason": HOSTILE})
    body = decision_html(row, GROUPS, LIGHT)
    assert "<img" not in body
    assert "2026-01-31 12:00 UTC" in body
    assert "▲ male" in body
    assert "taken back" in decision_html(row.replace({"male": ""}), GROUPS[:1], LIGHT)


def test_every_measure_of_labels_is_offered_and_can_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = ("women's", "men's")
    study = make_study("s", runs=runs_of({"s": "d"}), labels=labels_of({"d": "women's"}), groups=groups)
    offered = measures(study)
    of_labels = {name for name, record in MEASURES.items() if record.of_exposures}
    assert {ask(text, Settings()).name for text in offered} == of_labels
    assert len(evaluate(study, offered)) == len(offered)
    assert offered[:5] == ("CWEx", "ExposureGap", "AbsExposureGap", "AWRF", "GroupExposureRatio")
    assert [ask(text, Settings()).parameters["group"] for text in offered[-3:]] == ["neutral", *groups]
    monkeypatch.setitem(MEASURES._records, "New", replace(MEASURES["AbsExposureGap"], name="New"))
    monkeypatch.setitem(MEASURES._records, "NewGroup", replace(MEASURES["Exposure"], name="NewGroup"))
    assert {"New", "NewGroup(group='neutral')"} <= set(measures(study))
