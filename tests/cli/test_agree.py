"""agree and consensus on the command line."""

import csv
import io
from pathlib import Path

import pytest

from fairviz.analyses.annotator_accuracy.comparisons import TABLES
from fairviz.cli import agree
from fairviz.cli.main import main

LABELS = """doc_id,annotator,label,test_label
d1,a,F,f
d1,b,female,
d2,a,male,
d2,b,neutral,
d3,a,male,
d3,worse,female,male
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    study = tmp_path / "small"
    study.mkdir()
    (study / "labels.csv").write_text(LABELS)
    (study / "documents.csv").write_text("doc_id,text,topic\nd1,she,x\nd2,he,y\nd3,a man and his dog,y\n")
    return study


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_agree_prints_all_then_each(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agree", str(folder), "--reference", "a", "--tau", "0", "--format", "csv"]) == 0
    done = capsys.readouterr()
    told = rows(done.out)
    assert list(told[0]) == [
        "annotator",
        "reference",
        "coefficient",
        "value",
        "ci_low",
        "ci_high",
        "documents",
        "drawn",
        "reason",
    ]
    found = {(row["annotator"], row["coefficient"]): row["value"] for row in told}
    assert found["all", "percent agreement"] == "0.0", "d2; a's answer on d1 and worse's on d3 are to test questions"
    assert found["b", "accuracy"] == "0.0"
    assert found["word list", "accuracy"] == "1.0"
    assert found["dawid-skene", "kappa"] != ""
    assert (
        "note: 2 test questions are left out (2 answers): what is right was known before, so they count in no "
        "coefficient and no vote.\n"
    ) in done.err
    assert "note: worse failed 1 of 1 test questions, more than 20 %, and is left out of every consensus." in done.err
    assert "note: labels.csv: the test_label 'f' was read as 'female' (once)." in done.err


@pytest.mark.parametrize("name", agree.TABLES)
def test_every_table(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert name == agree.COEFFICIENTS or name in TABLES
    assert main(["agree", str(folder), "--table", name, "--format", "csv"]) == 0
    told = rows(capsys.readouterr().out)
    assert (len(told) > 0) == (name != "pairs"), "no pair has twenty documents"


def test_by_a_column_and_neutral_against_gendered(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["agree", str(folder), "--by", "topic", "--binary", "--reference", "a", "--tau", "0", "--format", "csv"])
        == 0
    )
    told = rows(capsys.readouterr().out)
    assert {row["topic"] for row in told} == {"x", "y"}
    found = {(row["topic"], row["annotator"], row["coefficient"]): row["value"] for row in told}
    assert found["y", "word list", "accuracy"] == "1.0", "both are gendered"
    assert found["y", "worse", "accuracy"] == "", "worse answered a test question alone"


def test_the_word_list_of_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = folder.parent / "words.txt"
    words.write_text("dog,f\nhe,m\n")
    arguments = ["agree", str(folder), "--lexicon", str(words), "--tau", "0", "--tokenizer", "whitespace"]
    assert main([*arguments, "--table", "confusion", "--reference", "a", "--format", "csv"]) == 0
    told = [row for row in rows(capsys.readouterr().out) if row["annotator"] == "word list" and row["documents"] != "0"]
    assert {(row["reference"], row["said"]) for row in told} == {("male", "male"), ("male", "female")}


WRONG = [
    (
        ["--reference", "nobody"],
        "'small' has no annotator 'nobody'\nUse a, b, worse, word list, majority, dawid-skene.\n",
    ),
    (
        ["--by", "colour"],
        "'small' has no column 'colour' to group documents by\nColumns with few values: topic.\n",
    ),
    (["--without-empty", "colour"], "the labels have no column 'colour'\nName a column of the file of labels.\n"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_what_the_study_does_not_hold(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(["agree", str(folder), *options]) == 2
    assert capsys.readouterr().err.endswith(message)


def test_wrong_tau(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["agree", str(folder), "--tau", "-1"])
    assert stopped.value.code == 2
    assert "'-1' is not a whole number of 0 or more" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("verb", "message"),
    [("agree", "has no labels, so agreement is undefined"), ("consensus", "has no labels to find a consensus of")],
)
def test_a_study_without_labels(folder: Path, capsys: pytest.CaptureFixture[str], verb: str, message: str) -> None:
    (folder / "labels.csv").unlink()
    assert main([verb, str(folder)]) == 1
    assert capsys.readouterr().err == (
        f"'small' {message}\nAdd labels.csv with the columns doc_id, annotator, label.\n"
    )


def test_consensus_is_a_file_of_labels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder.parent / "majority.csv"
    assert main(["consensus", str(folder), "--output", str(file)]) == 0
    assert file.read_text() == "doc_id,annotator,label\nd1,majority,female\nd3,majority,male\n"
    told = capsys.readouterr().err
    assert "majority of a and b (kind not named): 2 of 3 labelled documents\n" in told
    assert f"1 tie is left open for an expert: fairviz agree {folder} --table ties\n" in told
    assert "worse failed 1 of 1" in told


def test_everyone_votes_where_all_are_kept(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["consensus", str(folder), "--keep-all"]) == 0
    done = capsys.readouterr()
    assert [row["label"] for row in rows(done.out)] == ["female", "male"], "a test question is no vote"
    assert "note: worse" not in done.err
    assert "note: 2 test questions are left out (2 answers)" in done.err
    assert "majority of a, b and worse (kind not named): 2 of 3 labelled documents\n" in done.err
    assert "1 tie is left open" in done.err


def test_the_most_probable_labels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["consensus", str(folder), "--method", "dawid-skene", "--voters", "a"]) == 0
    done = capsys.readouterr()
    assert [row["label"] for row in rows(done.out)] == ["female", "male", "male"]
    assert "dawid-skene of a (kind not named): 3 of 3 labelled documents\n" in done.err
    assert "Dawid and Skene's model converged after 1 round\n" in done.err
    assert main(["consensus", str(folder), "--voters", "a"]) == 0
    assert "converged" not in capsys.readouterr().err


def test_who_is_no_annotator_cannot_vote(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["consensus", str(folder), "--voters", "nobody"]) == 2
    assert capsys.readouterr().err == (
        "the study 'small' has no annotator 'nobody'\nUse people, all but rules, all, or names among a, b, worse.\n"
    )


def test_a_readers_decisions_cannot_vote(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (folder / "labels.csv").open("a") as stream:
        stream.write("d2,adjudicated,male,\n")
    assert main(["consensus", str(folder)]) == 0
    assert [row["doc_id"] for row in rows(capsys.readouterr().out)] == ["d1", "d3"], "d2 stays a tie"
    assert main(["consensus", str(folder), "--voters", "a", "adjudicated"]) == 2
    assert capsys.readouterr().err == (
        "'adjudicated' cannot vote: a reader's decisions are made on the others' labels\n"
        "Leave adjudicated out of the voters.\n"
    )


def test_labels_beside_a_built_in_study_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agree", "newswire", "--format", "csv"]) == 0
    done = capsys.readouterr()
    assert (
        "note: labels beside the study, which vote nowhere and count in no measure: lexicon-tau=0, prototypes, "
        "classifier, classifier-features=tfidf, classifier-features=words, "
        "vote+lexicon-tau=0+classifier+classifier-features=words, logprob-model=smollm2.\n"
        "note: logprob-model=smollm2: logprob (model=smollm2, prompt=zero-shot, calibrate=document): "
    ) in done.err
    assert "logprob-model=smollm2" in {row["annotator"] for row in rows(done.out)}
