"""agree and consensus on the command line."""

from pathlib import Path

import pytest
from scipy.stats import binomtest

from fairviz.analyses.annotator_accuracy.comparisons import TABLES
from fairviz.cli import annotate
from tests.conftest import Call

LABELS = """doc_id,annotator,label,test_label,label_again
d1,a,F,f,
d1,b,female,,
d2,a,male,,female
d2,b,neutral,,
d3,a,male,,M
d3,worse,female,male,
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    study = tmp_path / "small"
    study.mkdir()
    (study / "labels.csv").write_text(LABELS)
    (study / "documents.csv").write_text("doc_id,text,topic\nd1,she,x\nd2,he,y\nd3,a man and his dog,y\n")
    return study


def test_agree_prints_all_then_each(folder: Path, call: Call) -> None:
    done = call(f"agree {folder} --reference a --tau 0 --format csv")
    assert done.out.startswith("annotator,reference,coefficient,value,ci_low,ci_high,documents,drawn,reason\n")
    found = {(row["annotator"], row["coefficient"]): row["value"] for row in done.rows}
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
    told = call(f"agree {folder} --by topic --binary --reference a --tau 0 --format csv").rows
    found = {(row["topic"], row["annotator"], row["coefficient"]): row["value"] for row in told}
    assert found["y", "word list", "accuracy"] == "1.0", "both are gendered"
    assert found["y", "worse", "accuracy"] == "", "worse answered a test question alone"


@pytest.mark.parametrize("name", annotate.AGREE_TABLES)
def test_every_table(folder: Path, call: Call, name: str) -> None:
    assert name == annotate.COEFFICIENTS or name in TABLES
    told = call(f"agree {folder} --table", [name], "--format csv").rows
    assert told
    if name == "pairs":
        assert [(row["kappa"], row["reason"]) for row in told] == [("", "fewer than 20 common documents")]


def test_each_annotator_with_themselves(folder: Path, call: Call) -> None:
    """Of two documents that a saw twice, one has the same label; a binary label is the same for both."""
    (row,) = call(f"agree {folder} --table themselves --format json").json
    low, high = (float(end) for end in binomtest(1, 2).proportion_ci(method="exact"))
    assert row == pytest.approx({"annotator": "a", "documents": 2, "value": 0.5, "ci_low": low, "ci_high": high})
    (row,) = call(f"agree {folder} --table themselves --binary --format json").json
    assert (row["documents"], row["value"], row["ci_high"]) == (2, 1.0, 1.0)
    rows = call(f"agree {folder} --reference a --format json").json
    assert [(row["annotator"], row["value"]) for row in rows if row["reference"] == "themselves"] == [("a", 0.5)]
    (folder / "labels.csv").write_text("doc_id,annotator,label\nd1,a,male\n")
    told = call(f"agree {folder} --table themselves").err
    assert "note: no label has a second one in the column label_again: study-form --repeat 5% collects them." in told


def test_the_word_list_of_a_file(folder: Path, call: Call) -> None:
    words = folder.parent / "words.txt"
    words.write_text("dog,f\nhe,m\n")
    asked = (
        f"agree {folder} --lexicon {words} --tau 0 --tokenizer whitespace --table confusion --reference a --format csv"
    )
    cells = [row for row in call(asked).rows if row["annotator"] == "word list" and row["documents"] != "0"]
    assert {(row["reference"], row["said"]) for row in cells} == {("male", "male"), ("male", "female")}


def test_consensus_is_a_file_of_labels(folder: Path, call: Call) -> None:
    file = folder.parent / "majority.csv"
    told = call(f"consensus {folder} --output {file}").err
    assert file.read_text() == "doc_id,annotator,label\nd1,majority,female\nd3,majority,male\n"
    assert "majority of a and b (kind not named): 2 of 3 labelled documents\n" in told
    assert f"1 tie is left open for an expert: fairviz agree {folder} --table ties\n" in told
    assert "worse failed 1 of 1" in told
    done = call(f"consensus {folder} --keep-all")
    assert [row["label"] for row in done.rows] == ["female", "male"], "a test question is no vote"
    assert "note: worse" not in done.err
    assert "note: 2 test questions are left out (2 answers)" in done.err
    assert "majority of a, b and worse (kind not named): 2 of 3 labelled documents\n" in done.err
    assert "1 tie is left open" in done.err
    done = call(f"consensus {folder} --method dawid-skene --voters a")
    assert [row["label"] for row in done.rows] == ["male", "male"], "d1 is a test question"
    assert "dawid-skene of a (kind not named): 2 of 3 labelled documents\n" in done.err
    assert "Dawid and Skene's model converged after 1 round\n" in done.err
    assert "converged" not in call(f"consensus {folder} --voters a").err
    with (folder / "labels.csv").open("a") as stream:
        stream.write("d2,adjudicated,male,,\n")
    assert [row["doc_id"] for row in call(f"consensus {folder}").rows] == ["d1", "d3"], "a decision is no vote"
    (folder / "labels.csv").unlink()
    for verb, message in (("consensus", "to find a consensus of"), ("agree", "so agreement is undefined")):
        said = call(f"{verb} {folder}", status=1).err
        assert message in said
        assert said.endswith("\nAdd labels.csv with the columns doc_id, annotator, label.\n")


def test_labels_beside_a_built_in_study_are_told(call: Call) -> None:
    done = call("agree newswire --format csv")
    assert (
        "note: labels beside the study, which vote nowhere and count in no measure: lexicon-tau=0, prototypes, "
        "classifier, classifier-features=tfidf, classifier-features=words, "
        "vote+lexicon-tau=0+classifier+classifier-features=words, logprob-model=smollm2.\n"
        "note: logprob-model=smollm2: logprob (model=smollm2, prompt=zero-shot, calibrate=document): "
    ) in done.err
    assert "logprob-model=smollm2" in {row["annotator"] for row in done.rows}


def test_what_too_few_annotators_or_documents_cannot_tell(folder: Path, call: Call) -> None:
    def agreed(labels: str, line: str = "") -> tuple[list[dict[str, str]], str]:
        (folder / "labels.csv").write_text(f"doc_id,annotator,label\n{labels}")
        said = call(f"agree {folder} {line} --format csv")
        return said.rows, said.err

    alone = "d1,solo,f\nd2,solo,m\nd3,solo,n\n"
    told, notes = agreed(alone)
    assert {(row["value"], row["reason"]) for row in told if row["annotator"] == "all"} == {("", "one annotator")}
    assert "note: agreement needs two annotators" in notes
    assert not agreed(alone, "--table pairs")[0]
    own = [row for row in agreed(alone, "--reference majority")[0] if row["annotator"] == "solo"]
    assert {(row["value"], row["reason"]) for row in own} == {("", "one annotator: a majority needs two")}
    assert "3 documents have one label" in call(f"consensus {folder}").err
    apart = "d1,x,female\nd2,y,male\n"
    told, notes = agreed(apart)
    people = [row for row in told if row["annotator"] in ("x", "y", "all")]
    assert {(row["value"], row["reason"]) for row in people} == {("", "no common documents")}
    assert "x and y labelled no document in common." in notes
    assert {row["documents"] for row in agreed(apart, "--table confusion")[0] if row["annotator"] == "y"} == {"0"}
    told, _ = agreed("d1,x,female\nd1,y,female\nd2,y,male\n")
    assert {row["documents"] for row in told if row["annotator"] in ("x", "y", "all")} == {"1"}, "d2 has one label"
    assert {row["reason"] for row in told if row["coefficient"] == "kappa" and row["annotator"] == "y"} == {
        "one label only"
    }


def test_voters_and_what_is_drawn_are_handed_on(folder: Path, call: Call) -> None:
    (folder / "labels.csv").write_text(
        "doc_id,annotator,label\nd1,ann,female\nd1,ben,male\nd2,ann,male\nd2,ben,male\nd1,list,male\n"
    )
    (folder / "annotators.csv").write_text("annotator,kind\nann,human\nben,people\nlist,rule\n")
    for voters, ties in (("", 1), (" --voters all", 0), (" --voters ben list", 0), (" --voters ann list", 1)):
        assert len(call(f"agree {folder} --table ties{voters} --format csv").rows) == ties
        hint = f"fairviz agree {folder} --table ties{voters}\n"
        assert (hint in call(f"consensus {folder}{voters}").err) == bool(ties)
    assert {row["drawn"] for row in call(f"agree {folder} --format csv").rows} == {"documents"}
    rows = call("agree newswire --draw queries --format csv").rows
    assert {row["drawn"] for row in rows} == {"queries, and documents without one"}
