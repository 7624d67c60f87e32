"""Beside every figure of labels stands how many places have one, and who gave it."""

import html
import os
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.annotation.voters import PHRASES
from fairviz.study.record import Annotator
from fairviz.study.study import make_study, save_study
from fairviz.ui.read.effects import NOISE, WITHOUT
from tests.pages.test_first_run import first_run, html_of
from tests.pages.test_read import DOCUMENTS, RUNS

VOTES = {"ann": ("female", "male"), "bob": ("female", "female"), "eve": ("male", "male")}


def saved(**kinds: str) -> None:
    """Two documents, labelled by three; kinds: what each of them is."""
    rows = [(doc, name, label) for name, labels in VOTES.items() for doc, label in zip("ab", labels, strict=True)]
    labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label"])
    study = make_study("made", runs=RUNS, labels=labels, documents=DOCUMENTS)
    named = {name: Annotator(name, kind) for name, kind in kinds.items()}  # type: ignore[arg-type]
    save_study(
        replace(study, annotators={**study.annotators, **named}), Path(os.environ["FAIRVIZ_HOME"], "studies/made")
    )


@pytest.mark.parametrize("page", ["overview.py", "tradeoff.py", "read.py"])
def test_the_places_and_whose_labels_they_have(page: str) -> None:
    saved(ann="person", bob="person", eve="model")
    text = html_of(first_run(page, study="made"))
    assert "1 of 2 ranks labelled: majority of ann and bob (people)." in text, "they tie on b"
    assert "2 of 2 ranks labelled: eve (language model)." in html_of(first_run(page, study="made", annotator="eve"))


@pytest.mark.parametrize("page", ["overview.py", "tradeoff.py", "read.py"])
def test_newswire_is_not_called_human(page: str) -> None:
    text = html_of(first_run(page, study="newswire"))
    assert "per system) labelled: project (model with a reader)." in text
    assert "gold" not in text.partition("labelled: project")[2][:60]


def test_the_guideline_says_of_the_labels_what_the_pages_say() -> None:
    """Where the annotator is a language model and a reader, the guideline does not speak of a model alone."""
    study = fairviz.open_study("newswire")
    text = (Path(str(study.folder)) / "GUIDELINE.md").read_text(encoding="utf-8")
    assert f"“{PHRASES[study.annotators['project'].kind]}”" in text
    assert "no person has" not in text


def test_a_study_without_measures_of_labels_says_nothing() -> None:
    assert "labels: " not in html_of(first_run("overview.py", study="traits"))


def test_agreement_says_who_the_others_are_compared_with_and_who_votes() -> None:
    text = html_of(first_run("agreement.py", study="newswire", agreement_tab="Consensus"))
    assert "343 of 343 documents labelled by project (model with a reader)." in text
    assert "Only project (model with a reader) votes, so a consensus would repeat these labels." in text
    saved(ann="person", bob="person", eve="model")
    text = html_of(first_run("agreement.py", study="made", agreement_tab="Consensus"))
    assert "1 of 2 documents labelled by majority of ann and bob (people)." in text
    assert "Voters: ann and bob (people)." in text


def asked(question: str, **query: str):
    page = first_run("read.py", study="made", **query)
    page.session_state["inspect_question"] = question
    page.run()
    assert not page.exception
    return page, html_of(page)


def test_without_one_annotator_says_what_it_is_compared_with_and_starts_there() -> None:
    """Three people: the table's baseline is the value that `summarise` gives under what the sentence names."""
    saved(ann="person", bob="person", eve="person")
    for annotator in ("", "ann"):
        page, text = asked(WITHOUT, annotator=annotator)
        assert "minus its value under majority of ann, bob and eve (people)" in text
        assert ("which is the value on this page." in text) == (not annotator)
        assert ("count ann (people) instead" in text) == (annotator == "ann")
        wide = next(table.value for table in page.dataframe if list(table.value.columns) == ["annotator", "s", "t"])
        study = fairviz.open_study("made")
        value = fairviz.summarise(fairviz.evaluate(study, "CWEx", annotator="majority"))["value"]
        for name in VOTES:
            rest = study.labels[study.labels["annotator"] != name]
            without = make_study("rest", runs=RUNS, labels=rest)
            left = fairviz.summarise(fairviz.evaluate(without, "CWEx", annotator="majority"))["value"]
            row = wide.set_index("annotator").loc[name]
            assert row.tolist() == pytest.approx((left - value).tolist(), nan_ok=True)


def test_where_one_annotator_votes_the_card_says_that_none_can_be_left_out() -> None:
    saved(ann="person", bob="rule", eve="model")
    text = asked(WITHOUT)[1]
    assert "in the study 'made' ann (people) alone votes: none can be left out" in html.unescape(text)
    assert "1,000 draws from the labels of ann (people). Undisputed labels stay." in asked(NOISE)[1]
