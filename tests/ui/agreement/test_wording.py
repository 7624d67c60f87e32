"""What the Agreement page says in sentences."""

import math

import pandas as pd
import pytest

from fairviz.annotation.agreement import confused, overall, records
from fairviz.annotation.consensus import quality_control
from fairviz.errors import DataError
from fairviz.ui.agreement import wording as agreement_words
from fairviz.ui.shell.lexicon_editor import lexicon_text
from fairviz.words.sentences import plain

ROWS = [("d1", "a", "f"), ("d1", "b", "m"), ("d2", "a", "n"), ("d2", "b", "n"), ("d3", "a", "n")]
LABELS = pd.DataFrame(ROWS, columns=["doc_id", "annotator", "label"], dtype="str")


def test_the_finding_has_the_share_of_documents_and_alpha():
    text = plain(agreement_words.finding(overall(LABELS), 1))
    assert text.startswith("2 annotators disagree on 1 of 2 documents (50 %); Krippendorff's alpha is 0.400 (")


def test_the_labels_that_are_confused_most_often():
    assert agreement_words.confusion_note(1, confused(LABELS)) == "1 document, most often f against m (1)."
    assert agreement_words.confusion_note(0, confused(LABELS.assign(label="n"))) == "0 documents."


def test_the_finding_where_nobody_parts_says_no_zero():
    same = LABELS.assign(label="n")
    assert plain(agreement_words.finding(overall(same), 0)) == "2 annotators agree on all 2 shared documents."


def test_the_finding_where_nothing_can_be_compared():
    alone = LABELS[LABELS["annotator"] == "a"]
    assert plain(agreement_words.finding(overall(alone), 0)) == "1 annotator, no document with two labels."


def test_a_value_without_interval():
    row = pd.Series({"value": math.nan, "ci_low": math.nan, "ci_high": math.nan})
    assert agreement_words.value(row) == "undefined"
    row = pd.Series({"value": 0.5, "ci_low": math.nan, "ci_high": math.nan})
    assert agreement_words.value(row) == "0.500"


def test_one_annotator():
    assert agreement_words.alone("gold") == "Only gold labelled documents here."


def test_what_a_consensus_leaves_open():
    assert agreement_words.votes_note(8, 10, 2, "majority") == "majority: 8 of 10 labelled documents, 2 ties left open."
    assert agreement_words.votes_note(10, 10, 0, "majority") == "majority: 10 of 10 labelled documents."
    assert agreement_words.votes_note(10, 10, 2, "dawid-skene") == "dawid-skene: 10 of 10 labelled documents."


def test_who_was_dropped():
    record = records(LABELS).assign(dropped=False)
    assert agreement_words.quality_note(record) == ""
    asked = LABELS.assign(test_label=["f", "f", "n", "", ""])
    record = records(asked)
    record["dropped"] = record["annotator"].isin(quality_control(asked).dropped)
    assert agreement_words.quality_note(record) == (
        "2 annotators answered test questions. Not voting, as they failed more than 20 %: b (1 of 1)."
    )
    assert agreement_words.quality_note(record.assign(dropped=False)) == (
        "2 annotators answered test questions. None failed more than 20 %."
    )


def test_a_word_list_from_a_file():
    assert lexicon_text("words.txt", b"She,f\nhe,Male\n", ("neutral", "female", "male")) == "female:she;male:he"
    with pytest.raises(DataError) as caught:
        lexicon_text("../words.txt", b"she,f\nhe\n", ("neutral", "female", "male"))
    assert str(caught.value) == "words.txt:2: expected 2 columns, found 1: 'he'\nWrite a line as: word,group."
