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
    told = done.rows
    assert done.out.startswith("annotator,reference,coefficient,value,ci_low,ci_high,documents,drawn,reason\n")
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


def test_by_a_column_and_neutral_against_gendered(folder: Path, call: Call) -> None:
    told = call(f"agree {folder} --by topic --binary --reference a --tau 0 --format csv").rows
    assert {row["topic"] for row in told} == {"x", "y"}
    found = {(row["topic"], row["annotator"], row["coefficient"]): row["value"] for row in told}
    assert found["y", "word list", "accuracy"] == "1.0", "both are gendered"
    assert found["y", "worse", "accuracy"] == "", "worse answered a test question alone"


def test_the_word_list_of_a_file(folder: Path, call: Call) -> None:
    words = folder.parent / "words.txt"
    words.write_text("dog,f\nhe,m\n")
    asked = (
        f"agree {folder} --lexicon {words} --tau 0 --tokenizer whitespace --table confusion --reference a --format csv"
    )
    cells = [row for row in call(asked).rows if row["annotator"] == "word list" and row["documents"] != "0"]
    assert {(row["reference"], row["said"]) for row in cells} == {("male", "male"), ("male", "female")}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--reference nobody",
         "'small' has no annotator 'nobody'\nUse a, b, worse, word list, majority, dawid-skene.\n"),
        ("--by colour", "'small' has no column 'colour' to group documents by\nColumns with few values: topic.\n"),
        ("--without-empty colour",
         "the labels have no column 'colour'\nName a column of the file of labels.\n"),
    ],
)  # fmt: skip
def test_what_the_study_does_not_hold(folder: Path, call: Call, options: str, message: str) -> None:
    assert call(f"agree {folder} {options}", status=2).err.endswith(message)


@pytest.mark.parametrize(
    ("verb", "message"),
    [("agree", "has no labels, so agreement is undefined"), ("consensus", "has no labels to find a consensus of")],
)
def test_a_study_without_labels(folder: Path, call: Call, verb: str, message: str) -> None:
    (folder / "labels.csv").unlink()
    assert call(f"{verb} {folder}", status=1).err == (
        f"'small' {message}\nAdd labels.csv with the columns doc_id, annotator, label.\n"
    )


def test_consensus_is_a_file_of_labels(folder: Path, call: Call) -> None:
    file = folder.parent / "majority.csv"
    told = call(f"consensus {folder} --output {file}").err
    assert file.read_text() == "doc_id,annotator,label\nd1,majority,female\nd3,majority,male\n"
    assert "majority of a and b (kind not named): 2 of 3 labelled documents\n" in told
    assert f"1 tie is left open for an expert: fairviz agree {folder} --table ties\n" in told
    assert "worse failed 1 of 1" in told


def test_everyone_votes_where_all_are_kept(folder: Path, call: Call) -> None:
    done = call(f"consensus {folder} --keep-all")
    assert [row["label"] for row in done.rows] == ["female", "male"], "a test question is no vote"
    assert "note: worse" not in done.err
    assert "note: 2 test questions are left out (2 answers)" in done.err
    assert "majority of a, b and worse (kind not named): 2 of 3 labelled documents\n" in done.err
    assert "1 tie is left open" in done.err


def test_the_most_probable_labels(folder: Path, call: Call) -> None:
    done = call(f"consensus {folder} --method dawid-skene --voters a")
    assert [row["label"] for row in done.rows] == ["male", "male"], "d1 is a test question"
    assert "dawid-skene of a (kind not named): 2 of 3 labelled documents\n" in done.err
    assert "Dawid and Skene's model converged after 1 round\n" in done.err
    assert "converged" not in call(f"consensus {folder} --voters a").err


def test_who_is_no_annotator_cannot_vote(folder: Path, call: Call) -> None:
    assert call(f"consensus {folder} --voters nobody", status=2).err == (
        "the study 'small' has no annotator 'nobody'\nUse people, all but rules, all, or names among a, b, worse.\n"
    )


def test_a_readers_decisions_cannot_vote(folder: Path, call: Call) -> None:
    with (folder / "labels.csv").open("a") as stream:
        stream.write("d2,adjudicated,male,,\n")
    assert [row["doc_id"] for row in call(f"consensus {folder}").rows] == ["d1", "d3"], "d2 stays a tie"
    assert call(f"consensus {folder} --voters a adjudicated", status=2).err == (
        "'adjudicated' cannot vote: a reader's decisions are made on the others' labels\n"
        "Leave adjudicated out of the voters.\n"
    )


def test_labels_beside_a_built_in_study_are_told(call: Call) -> None:
    done = call("agree newswire --format csv")
    assert (
        "note: labels beside the study, which vote nowhere and count in no measure: lexicon-tau=0, prototypes, "
        "classifier, classifier-features=tfidf, classifier-features=words, "
        "vote+lexicon-tau=0+classifier+classifier-features=words, logprob-model=smollm2.\n"
        "note: logprob-model=smollm2: logprob (model=smollm2, prompt=zero-shot, calibrate=document): "
    ) in done.err
    assert "logprob-model=smollm2" in {row["annotator"] for row in done.rows}


def study_of(folder: Path, labels: str, kinds: str = "") -> str:
    """Five documents, ranked by one system; labels: rows of labels.csv, kinds: rows of annotators.csv."""
    folder.mkdir()
    (folder / "labels.csv").write_text(f"doc_id,annotator,label\n{labels}")
    (folder / "documents.tsv").write_text("doc_id\ttext\n" + "".join(f"d{n}\tText {n}\n" for n in range(1, 6)))
    (folder / "runs").mkdir()
    (folder / "runs" / "a.run").write_text("".join(f"q1 Q0 d{n} {n} {6 - n} a\n" for n in range(1, 6)))
    if kinds:
        (folder / "annotators.csv").write_text(f"annotator,kind,age\n{kinds}")
    return str(folder)


def agreed(call: Call, line: str) -> tuple[list[dict[str, str]], str]:
    """The rows of a table of `agree`, and its notes."""
    said = call("agree", line, "--format csv")
    return said.rows, said.err


def test_one_annotator_cannot_agree(tmp_path: Path, call: Call) -> None:
    study = study_of(tmp_path / "s", "".join(f"d{n},solo,{label}\n" for n, label in enumerate("fmnfm", 1)))
    told, notes = agreed(call, study)
    whole = [row for row in told if row["annotator"] == "all"]
    assert {(row["value"], row["reason"]) for row in whole} == {("", "one annotator")}
    assert "note: agreement needs two annotators" in notes
    pairs, notes = agreed(call, f"{study} --table pairs")
    assert not pairs
    assert "note: agreement needs two annotators" in notes
    asked, _ = agreed(call, f"{study} --reference majority")
    own = [row for row in asked if row["annotator"] == "solo"]
    assert {(row["value"], row["reason"]) for row in own} == {("", "one annotator: a majority needs two")}
    for method in ("majority", "dawid-skene"):
        said = call(f"consensus {study} --method {method}")
        assert "5 documents have one label" in said.err or method == "dawid-skene"
        assert f"{method} of solo (kind not named)" in call(f"evaluate {study} CWEx@5 --annotator {method}").err


def test_annotators_without_a_common_document(tmp_path: Path, call: Call) -> None:
    study = study_of(tmp_path / "s", "d1,x,female\nd2,x,male\nd3,y,female\nd4,y,neutral\n")
    told, notes = agreed(call, study)
    assert {(row["value"], row["reason"]) for row in told} == {("", "no common documents")}
    assert {"x", "y", "all"} <= {row["annotator"] for row in told}
    assert "x and y labelled no document in common." in notes
    pairs = agreed(call, f"{study} --table pairs")[0]
    assert [(row["first"], row["second"], row["reason"]) for row in pairs] == [("x", "y", "no common documents")]
    cells, _ = agreed(call, f"{study} --table confusion")
    assert {row["documents"] for row in cells} == {"0"}
    call(f"consensus {study} --method dawid-skene")


def test_a_single_label_is_no_majority(tmp_path: Path, call: Call) -> None:
    study = study_of(tmp_path / "s", "d1,c1,female\nd1,c2,female\nd2,c2,male\n")
    told, _ = agreed(call, study)
    found = {(row["annotator"], row["coefficient"]): row for row in told}
    assert {row["documents"] for row in told} == {"1"}, "d2 has one label"
    alpha = found["all", "Krippendorff's alpha"]
    assert (alpha["value"], alpha["reason"]) == ("", "one label only")
    assert found["c2", "accuracy"]["documents"] == "1", "of two annotators, each is compared with the other"
    assert found["c2", "kappa"]["reason"] == "one label only"


def test_an_annotator_is_compared_with_the_majority_of_the_others(tmp_path: Path, call: Call) -> None:
    """On d1 and d2 ann differs from ben and cleo, who have no majority of others; on d3 cleo differs from both."""
    said = {"ann": "mmf--", "ben": "ffffm", "cleo": "ffmfm"}
    lines = [
        f"d{n},{who},{label}\n" for who, labels in said.items() for n, label in enumerate(labels, 1) if label != "-"
    ]
    study = study_of(tmp_path / "s", "".join(lines), "ann,human,31\nben,human,\ncleo,human,40\n")
    told, notes = agreed(call, f"{study} --reference majority")
    found = {row["annotator"]: row for row in told if row["coefficient"] == "accuracy"}
    assert (found["ann"]["documents"], found["ann"]["value"]) == ("2", "0.0")
    assert (found["ben"]["documents"], found["cleo"]["documents"]) == ("0", "1")
    assert found["cleo"]["value"] == "0.0"
    assert "note: voters: ann, ben and cleo (people); ann, ben and cleo disagree on 3 of 5 documents.\n" in notes
    two, _ = agreed(call, f"{study} --reference majority --voters ben cleo")
    pair = {row["annotator"]: row for row in two if row["coefficient"] == "kappa"}
    assert pair["ben"]["value"] == pair["cleo"]["value"] != "1.0"
    records, _ = agreed(call, f"{study} --table annotators")
    compared = {row["annotator"]: row["compared"] for row in records if row["annotator"] in said}
    assert compared == {"ann": "2", "ben": "0", "cleo": "1"}


def test_ties_and_consensus_have_the_same_voters(tmp_path: Path, call: Call) -> None:
    lines = "d1,ann,female\nd1,ben,male\nd2,ann,male\nd2,ben,male\nd1,list,male\nd3,list,male\n"
    study = study_of(tmp_path / "s", lines, "ann,human,\nben,people,\nlist,rule,\n")
    for voters, ties in (("", 1), (" --voters all", 0), (" --voters ben list", 0), (" --voters ann list", 1)):
        assert len(agreed(call, f"{study} --table ties{voters}")[0]) == ties
        hint = f"fairviz agree {study} --table ties{voters}\n"
        assert (hint in call(f"consensus {study}{voters}").err) == bool(ties)


def test_intervals_draw_documents_unless_queries_are_asked_for(call: Call) -> None:
    told, _ = agreed(call, "newswire")
    assert {row["drawn"] for row in told} == {"documents"}
    by_query, _ = agreed(call, "newswire --draw queries")
    assert {row["drawn"] for row in by_query} == {"queries, and documents without one"}
    ends = [(one["ci_low"], other["ci_low"]) for one, other in zip(told, by_query, strict=True) if one["ci_low"]]
    assert any(one != other for one, other in ends)
