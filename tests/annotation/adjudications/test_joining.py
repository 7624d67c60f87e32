"""Decisions as an annotator of the study, and what that does to measures and fingerprints."""

import pandas as pd
import pytest

import fairviz
from fairviz.annotation.adjudications import decide, origin, store_path, undo, with_adjudications
from fairviz.annotation.voters import labels_of, voters_of
from fairviz.datasets import fetch
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator
from fairviz.study.study import add_labels, add_runs, save_study


def by(study, annotator):
    rows = study.labels[study.labels["annotator"] == annotator]
    return dict(zip(rows["doc_id"], rows["label"], strict=True))


def test_an_annotator_of_its_own(study, folder):
    decide(study, "d1", "male", "he")
    decide(study, "d2", "female")
    opened = fairviz.open_study(folder)
    assert by(opened, "adjudicated") == {"d1": "male", "d2": "female"}
    assert by(opened, "gold") == {"d1": "female", "d2": "neutral", "=3": "male"}, "nobody's label is overwritten"
    assert opened.annotators["adjudicated"] == Annotator(
        "adjudicated", "person", "Decisions made in the label room; the latest on a document counts."
    )
    assert list(opened.labels) == ["doc_id", "annotator", "label"]


def test_the_fingerprint_follows_the_decisions(study, folder):
    seen = [study.fingerprint]
    for label in ("male", "neutral"):
        decide(study, "d1", label)
        seen.append(fairviz.open_study(folder).fingerprint)
    assert len(set(seen)) == 3
    undo(study, "d1")
    assert fairviz.open_study(folder).fingerprint == seen[1], "equal decisions, equal fingerprint"
    undo(study, "d1")
    assert fairviz.open_study(folder).fingerprint == seen[0]
    decide(study, "d1", "neutral")
    opened = fairviz.open_study(folder)
    assert origin(opened) == origin(study) == study.fingerprint


def test_joining_again_changes_nothing(study):
    decide(study, "d1", "male")
    joined = with_adjudications(study)
    assert with_adjudications(joined) is joined
    decide(study, "d1", "female")
    again = with_adjudications(joined)
    assert by(again, "adjudicated") == {"d1": "female"}
    undo(study, "d1")
    undo(study, "d1")
    assert by(with_adjudications(again), "adjudicated") == {}


def test_what_a_file_holds_by_that_name_gives_way_to_the_database(folder):
    with (folder / "labels.csv").open("a") as stream:
        stream.write("d1,adjudicated,neutral\nd2,adjudicated,male\n")
    study = fairviz.open_study(folder)
    decide(study, "d1", "male")
    opened = fairviz.open_study(folder)
    assert by(opened, "adjudicated") == {"d1": "male", "d2": "male"}
    undo(study, "d1")
    assert by(fairviz.open_study(folder), "adjudicated") == {"d2": "male"}


def test_saving_keeps_decisions_in_place_and_in_a_copy(study, folder, tmp_path):
    decide(study, "d1", "male", "he", "ann")
    opened = fairviz.open_study(folder)
    save_study(opened, folder)
    assert by(fairviz.open_study(folder), "adjudicated") == {"d1": "male"}
    assert store_path(study).exists(), "the history stays beside the study"
    save_study(opened, tmp_path / "copy")
    assert by(fairviz.open_study(tmp_path / "copy"), "adjudicated") == {"d1": "male"}


def test_rationales_stand_beside_others(folder):
    (folder / "labels.csv").write_text("doc_id,annotator,label,rationale\nd1,gold,female,says she\n")
    study = fairviz.open_study(folder)
    decide(study, "d1", "male", "says he")
    rows = fairviz.open_study(folder).labels
    assert rows["rationale"].tolist() == ["says she", "says he"]


def test_decisions_outside_the_groups_are_counted(study, folder):
    decide(study, "d1", "male")
    decide(study, "d2", "female")
    (folder / "study.toml").write_text("groups = ['female', 'other']\n")
    (folder / "labels.csv").write_text("doc_id,label\nd1,other\n")
    opened = fairviz.open_study(folder)
    assert by(opened, "adjudicated") == {"d2": "female"}
    assert opened.warnings[-1] == "adjudications.sqlite: 1 decision is outside the groups of the study; not shown."


def test_a_decision_moves_a_measure_only_where_it_is_asked_for(study, folder):
    before = fairviz.summarise(fairviz.evaluate(study, ["CWEx@2"]))["value"].tolist()
    decide(study, "d1", "neutral")
    opened = fairviz.open_study(folder)
    assert chosen_annotator(opened, Settings()) == "gold", "a vote against gold would only open ties"
    assert voters_of(opened) == ("gold",)
    after = fairviz.summarise(fairviz.evaluate(opened, ["CWEx@2"]))["value"].tolist()
    assert after == before
    decided = fairviz.summarise(fairviz.evaluate(opened, ["CWEx@2"], annotator="adjudicated"))
    assert decided["value"].tolist() == [0.5, before[1]], "d1 and d2 neutral: 1/2 · 1 - 1/2 · 0"
    assert decided["coverage"].tolist() == [1.0, 1.0]
    rows = labels_of(opened, "adjudicated")
    assert dict(zip(rows["doc_id"], rows["label"], strict=True)) == {"d1": "neutral", "d2": "neutral", "=3": "male"}


def test_asking_for_decisions_before_there_are_any(study):
    assert chosen_annotator(study, Settings(annotator="adjudicated")) == "adjudicated"
    rows = labels_of(study, "adjudicated")
    assert dict(zip(rows["doc_id"], rows["label"], strict=True)) == by(study, "gold")


def test_a_study_of_decisions_alone(folder):
    (folder / "labels.csv").unlink()
    study = fairviz.open_study(folder)
    decide(study, "d1", "male")
    opened = fairviz.open_study(folder)
    assert chosen_annotator(opened, Settings()) == "adjudicated"
    assert labels_of(opened, "adjudicated")["label"].tolist() == ["male"]


def test_growing_a_decided_study(study, folder):
    decide(study, "d1", "male")
    opened = fairviz.open_study(folder)
    more = pd.DataFrame({"system": ["three"], "query_id": ["q"], "doc_id": ["d1"], "rank": [1], "score": [1.0]})
    grown = with_adjudications(add_runs(opened, more))
    assert grown.systems == ("one", "two", "three")
    assert by(grown, "adjudicated") == {"d1": "male"}
    decide(study, "d1", "neutral")
    assert by(with_adjudications(grown), "adjudicated") == {"d1": "neutral"}
    with pytest.raises(FairvizError, match="has a label of document 'd1' by 'adjudicated' already"):
        add_labels(opened, pd.DataFrame({"doc_id": ["d1"], "annotator": ["adjudicated"], "label": ["male"]}))


def test_fetching_again_keeps_decisions(shared_data):
    fetch("grep-biasir", shared_data)
    decide(fairviz.open_study("grep-biasir"), "646", "male")
    fetch("grep-biasir", shared_data, replace=True)
    assert by(fairviz.open_study("grep-biasir"), "adjudicated") == {"646": "male"}
