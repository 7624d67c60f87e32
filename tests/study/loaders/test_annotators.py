"""annotators.csv and declared kinds, from the file to the voters and back."""

from pathlib import Path

import pytest

from fairviz.annotation.voters import voters_of
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.study.study import make_study, open_study_folder, save_study, with_kinds
from tests.study.loaders.files import fill

LABELS = "doc_id,annotator,label\n" + "".join(f"d1,{name},f\n" for name in ("ann", "ben", "gpt", "words", "new"))


def folder_of(place: Path, annotators: str = "", metadata: str = "") -> Path:
    files = {"labels.csv": LABELS, "annotators.csv": annotators, "study.toml": metadata}
    return fill(place, {name: text for name, text in files.items() if text})


def test_kinds_come_from_either_file_and_no_kind_is_guessed(tmp_path: Path) -> None:
    declared = "annotator,kind,age,description\nann,human,31,A student.\nben,Human with machine help,,\nwords,rule,,\n"
    folder = folder_of(tmp_path / "s", declared, "[annotators.gpt]\nkind = 'model'\n")
    study = open_study_folder(folder)
    kinds = {name: who.kind for name, who in study.annotators.items()}
    assert kinds == {"ann": "person", "ben": "mixed", "gpt": "model", "words": "rule", "new": ""}
    assert study.annotators["ann"].description == "A student.; age: 31"
    assert study.annotators["ann"].columns == (("age", "31"),)
    assert study.annotators["gpt"].columns == ()
    assert voters_of(study) == ("ann",)
    assert voters_of(study, ["all but rules"]) == ("ann", "ben", "gpt", "new")
    other = open_study_folder(folder_of(tmp_path / "t", "annotator,kind\nann,unknown\nwords,rule\n"))
    assert voters_of(other) == ("ann", "ben", "gpt", "new"), "nobody is a person unless declared so"
    assert study.fingerprint != other.fingerprint
    assert open_study_folder(save_study(study, tmp_path / "saved")).annotators == study.annotators
    declared = with_kinds(other, {"ann": "human", "ben": "human"})
    assert voters_of(declared) == ("ann", "ben")
    assert declared.fingerprint != other.fingerprint
    assert voters_of(other) == ("ann", "ben", "gpt", "new"), "the study is unchanged"
    with pytest.raises(FairvizError, match="has no annotator 'nobody'"):
        with_kinds(study, {"nobody": "human"})
    with pytest.raises(UsageError, match="the kind of the annotator 'ann' is 'dog'"):
        with_kinds(study, {"ann": "dog"})


@pytest.mark.parametrize(
    ("annotators", "metadata", "message"),
    [
        ("annotator,kind\nann,dog\n", "", "annotators.csv:2: this is no kind of annotator: 'dog'\nUse one of human,"),
        ("annotator,kind\nann,rule\nann,rule\n", "", "annotators.csv:3: "),
        ("annotator,kind\nann,rule\n", "[annotators.ann]\ncolumns = {age = 31}\n",
         "study.toml:1: annotators.ann is not a table of texts"),
        ("who,kind\nann,rule\n", "", "annotators.csv:1: "),
        ("annotator,kind\nann,rule\n", "[annotators.ann]\nkind = 'human'\n",
         "annotators.csv: 'ann' has another kind than in study.toml\nDeclare it in one of the two files."),
    ],
)  # fmt: skip
def test_slips(tmp_path: Path, annotators: str, metadata: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        open_study_folder(folder_of(tmp_path / "s", annotators, metadata))
    assert str(error.value).startswith(message)
    (tmp_path / "s" / "annotators.tsv").write_text("annotator\tkind\nben\thuman\n")
    with pytest.raises(DataError, match=r"annotators\.csv: a study has one file of annotators, and annotators\.tsv is"):
        open_study_folder(tmp_path / "s")


def test_a_file_without_kinds_adds_columns_to_the_kinds_of_the_metadata(tmp_path: Path) -> None:
    declared = "annotator,team,from\nann,north,Oslo \nben,south,\nnobody,north,\n"
    metadata = "annotator = 'bob'\n[annotators.ann]\nkind = 'human'\n"
    study = open_study_folder(folder_of(tmp_path / "s", declared, metadata))
    ann, ben = study.annotators["ann"], study.annotators["ben"]
    assert (ann.kind, ann.columns) == ("person", (("team", "north"), ("from", "Oslo")))
    assert (ben.kind, ben.columns) == ("", (("team", "south"),))
    assert "annotators.csv: nobody gave no label; a name must be written as in labels.csv." in study.warnings
    assert "study.toml: annotator names 'bob', who gave no label." in study.warnings
    other = open_study_folder(folder_of(tmp_path / "t", declared.replace("north", "west"), metadata))
    assert study.fingerprint != other.fingerprint
    saved = open_study_folder(save_study(study, tmp_path / "saved"))
    assert {who: one.columns for who, one in saved.annotators.items()} == {
        who: one.columns for who, one in study.annotators.items()
    }
    made = make_study("made", labels=study.labels, annotators=study.annotators)
    assert with_kinds(made, {"ben": "human"}).annotators["ben"].columns == (("team", "south"),)
    assert made.fingerprint != make_study("made", labels=study.labels, annotators=other.annotators).fingerprint
