"""What the Agreement page says in sentences."""

import math

import pandas as pd

from fairviz.annotation.agreement import confused, overall, read_votes, records
from fairviz.annotation.voters import quality_control
from fairviz.errors import DataError
from fairviz.ui.agreement import wording as agreement_words
from fairviz.ui.shell.controls import lexicon_text
from fairviz.words.sentences import plain
from tests.conftest import refused

ROWS = [("d1", "a", "f"), ("d1", "b", "m"), ("d2", "a", "n"), ("d2", "b", "n"), ("d3", "a", "n")]
LABELS = pd.DataFrame(ROWS, columns=["doc_id", "annotator", "label"], dtype="str")


def test_the_finding_names_who_disagrees_on_how_many_documents_alpha_and_what_is_confused():
    def told(labels: pd.DataFrame) -> str:
        return plain(agreement_words.finding(read_votes(labels), overall(labels)))

    same, alone = LABELS.assign(label="n"), LABELS[LABELS["annotator"] == "a"]
    assert told(LABELS).startswith("a and b disagree on 1 of 2 documents (50 %); Krippendorff's alpha is 0.400 (")
    assert told(same).endswith("on 0 of 2 documents (0 %); Krippendorff's alpha is undefined: one label only.")
    assert told(alone) == "Only a votes, and one annotator cannot disagree."
    notes = [agreement_words.confusion_note(read_votes(labels), confused(labels)) for labels in (LABELS, same)]
    start = "a and b disagree on"
    assert notes == [f"{start} 1 of 2 documents, most often f against m (1).", f"{start} 0 of 2 documents."]


def test_what_a_consensus_leaves_open_a_value_without_interval_and_reasons():
    for given, told in (
        ((8, 10, 2, "majority"), "majority: 8 of 10 documents, 2 ties left open."),
        ((10, 10, 0, "majority"), "majority: 10 of 10 documents."),
        ((10, 10, 2, "dawid-skene"), "dawid-skene: 10 of 10 documents."),
    ):
        assert agreement_words.votes_note(*given) == told
    row = pd.Series({"value": math.nan, "ci_low": math.nan, "ci_high": math.nan, "reason": "one label only"})
    assert agreement_words.value(row) == "undefined: one label only"
    row = pd.Series({"value": 0.5, "ci_low": math.nan, "ci_high": math.nan})
    assert agreement_words.value(row) == "0.500"
    rows = pd.DataFrame({"annotator": list("abcdefg"), "reason": ["", *["one label only"] * 6]})
    told = agreement_words.reasons(rows)
    assert told.startswith("b: one label only; c: ")
    assert told.endswith("f: one label only and 1 more.")
    assert agreement_words.reasons(rows.head(1)) == ""


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
    with refused("words.txt:2: expected 2 columns, found 1: 'he'\nWrite a line as: word,group.", DataError):
        lexicon_text("../words.txt", b"she,f\nhe\n", ("neutral", "female", "male"))
