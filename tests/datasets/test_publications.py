"""What the public data sets become, on small files of the same formats: needs neither the files nor a network."""

import shutil
import sys
from pathlib import Path

import pytest

import fairviz
from fairviz.annotation.adjudications import decide
from fairviz.datasets import DATASETS, data_home, fetch, save_runs
from fairviz.errors import FairvizError
from fairviz.evaluation.opening import open_study
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.checks import check
from tests.conftest import full_disk
from tests.datasets.conftest import fetched, rows_of
from tests.publications import clones


def test_grep_biasir(publications: Path) -> None:
    study, told = fetched("grep-biasir", publications)
    assert told == [
        "Cleaned: 2 documents labelled both (1) or botrh (1) count as neutral.",
        "Cleaned: 1 stereotypes spelt 'Towards female' became 'Towards Female'.",
    ]
    assert rows_of(study.folder / "queries.csv")[1] == {"query_id": "1", "text": "team work", "category": "Career"}
    assert study.documents["doc_id"].tolist() == ["0", "1", "2", "3", "10"], "by number"
    assert rows_of(study.folder / "documents.csv")[0] == {
        "doc_id": "0",
        "title": "Hair of women",
        "text": "She wears, as told, a “braid”. ",
        "query_id": "0",
        "category": "Appearance",
        "stereotype": "No Annotation Agreement",
    }
    assert study.documents["text"].tolist()[2] == "Hair\nis hair."
    assert study.documents["stereotype"].tolist()[2:] == ["Towards Female", "Towards Male", "Towards Female"]
    assert study.labels["label"].tolist() == ["female", "male", "neutral", "neutral", "neutral"]
    assert (study.annotator, study.annotators["gold"].kind, study.licence) == ("gold", "person", "CC0 1.0")
    assert (study.folder / "qrels.txt").read_text() == "0 0 0 1\n0 0 1 1\n0 0 2 0\n1 0 3 1\n1 0 10 0\n"
    assert study.notices[-2:] == tuple(told)
    assert study.warnings == ()


def test_msmarco_qs2(publications: Path) -> None:
    study, told = fetched("msmarco-qs2", publications)
    assert told == [
        "Cleaned: 4 labels N, F and M became neutral, female and male.",
        "Cleaned: 2 words of the lexicon that were in capitals became lower case.",
    ]
    assert study.systems == ("BM25", "tk", "bert_L4", "advbert_L4")
    assert (len(study.queries), len(study.runs)) == (2, 39)
    assert study.labels[["doc_id", "label"]].to_numpy().tolist() == [
        ["d1", "neutral"],
        ["d2", "female"],
        ["d3", "male"],
        ["d4", "neutral"],
    ]
    assert study.lexicon.words == (("boy", "male"), ("she", "female"), ("girl", "female"), ("he", "male"))
    assert (study.annotator, study.has("documents"), study.warnings) == ("human", False, ())
    assert study.annotators["human"].kind == "person"
    assert check(study).set_index("item")["count"]["lists of tk shorter than another system's"] == 1
    scores = fairviz.evaluate(study, ["CWEx@5"])
    coverage = {(row.system, row.query_id): (row.labelled, row.places) for row in scores.itertuples()}
    assert coverage.pop(("tk", "12")) == (3, 4)
    assert set(coverage.values()) == {(4, 5)}
    assert fairviz.evaluate(study, ["CWEx@5"], unlabelled="strict")["value"].isna().all(), "d5 is in every list"


def test_genderbias_ir(publications: Path) -> None:
    study, told = fetched("genderbias-ir", publications)
    assert told == [
        "Cleaned: 1 queries hold commas that the published file does not quote; they are whole here.",
        "Cleaned: the annotations n, f, m and o became neutral (2), female (1), male (1), other (1).",
    ]
    assert study.queries.to_numpy().tolist() == [
        ["986", "who was a king", "male", ""],
        ["987", "what, then, is a queen", "female", ""],
        ["988", "what is a boat", "neutral", "QS1"],
        ["989", "who is it", "other", ""],
        ["990", "what is a tree", "neutral", "QS1"],
    ]
    assert study.lexicon.words == (("boy", "male"), ("girl", "female"))


def test_crows_pairs(publications: Path) -> None:
    study, told = fetched("crows-pairs", publications)
    assert told[0] == (
        "Cleaned: 2 of 6 annotations name no kind of bias and count as 'not gender'; the column bias_types of the "
        "labels is empty there."
    )
    assert study.documents["text"].tolist()[0] == "She cannot row.\nHe cannot row."
    assert study.labels["label"].tolist() == [*["gender"] * 2, *["not gender"] * 3, "gender"]
    assert study.labels["bias_types"].tolist() == ["gender", "gender|age", "", "age", "", "gender"]
    assert study.labels["annotator"].tolist() == ["a2", "a3", "a4", "a2", "a3", "a5"]
    assert {name: who.kind for name, who in study.annotators.items()} == dict.fromkeys(
        ("a2", "a3", "a4", "a5"), "person"
    )
    assert (study.label_kind, study.notices[0][:22]) == ("other", "The text is offensive:")
    with pytest.raises(FairvizError, match=r"CWEx\(alpha=0.5\)@10 cannot be computed for the study 'crows-pairs'"):
        fairviz.evaluate(study, ["CWEx@10"])


def test_files_of_two_publications_are_found_in_their_folders(publications: Path, tmp_path: Path) -> None:
    with pytest.raises(FairvizError) as caught:
        fetch("msmarco-qs2", publications / "fairness-retrieval-results")
    assert " lacks 1 of the 7 files of msmarco-qs2: MSMGenderBias.csv\nTake all of them from " in str(caught.value)
    together = tmp_path / "together"  # all in one folder does too, as a person may have saved them
    together.mkdir()
    for file in DATASETS["msmarco-qs2"].files:
        content = (publications / file.origin / file.name).read_bytes()
        (together / Path(file.name).name).write_bytes(content)
    assert len(open_study(fetch("msmarco-qs2", together)).systems) == 4


def test_from_a_clone_or_its_zip(publications: Path, tmp_path: Path) -> None:
    """The files are found wherever the repository keeps them; `publications` makes the hashes those of small files."""
    made = clones(tmp_path / "mine")
    for repository, name in (
        ("KlaraKrieg/GrepBiasIR", "grep-biasir"),
        ("navid-rekabsaz/GenderBias_IR", "genderbias-ir"),
        ("nyu-mll/crows-pairs", "crows-pairs"),
    ):
        clone, wanted = made[repository], whole(fetch(name, publications))
        zipped = Path(shutil.make_archive(str(tmp_path / name), "zip", clone.parent, clone.name))
        for source in (clone, zipped):
            assert whole(fetch(name, source, replace=True)) == wanted
    (tmp_path / "x.zip").write_text("x")
    with pytest.raises(FairvizError, match=r"^x\.zip is not a sound zip file\n"):
        fetch("grep-biasir", tmp_path / "x.zip", replace=True)


def whole(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_from_a_folder_with_clones_of_two_repositories(publications: Path, tmp_path: Path) -> None:
    made = clones(tmp_path / "mine")
    (tmp_path / "mine" / "BM25.run").write_text("1 Q0 d 1 1 t\n")  # of this name, and another
    study = open_study(fetch("msmarco-qs2", tmp_path / "mine"))
    assert (sorted(study.systems), len(study.runs), len(study.labels)) == (
        ["BM25", "advbert_L4", "bert_L4", "tk"],
        39,
        4,
    )
    clone = made["CPJKU/FairnessRetrievalResults"]
    (clone / "fairness_measurement" / "sample_trec_runs" / "msmarco_passage" / "BM25.run").unlink()
    with pytest.raises(FairvizError) as caught:  # the run of that name that is there is another
        fetch("msmarco-qs2", tmp_path / "mine", replace=True)
    other = tmp_path / "mine" / "BM25.run"
    assert str(caught.value).startswith(f"{other} is not the published file: its SHA-256 is ")


def test_over_the_network(site, publications: Path) -> None:
    for file in DATASETS["grep-biasir"].files:
        site.files[f"csv_formatted/{file.name}"] = (publications / "grep-biasir" / file.name).read_bytes()
    fetch("grep-biasir", address=site.address)
    assert len(open_study("grep-biasir").documents) == 5


def test_fetching_again_keeps_runs_and_decisions(publications: Path) -> None:
    study, _ = fetched("grep-biasir", publications)
    assert not study.read_only
    assert not study.has("runs")
    decide(study, "3", "male")
    save_runs(study, rank(study, parse_rankers("bm25")).runs)
    with pytest.raises(FairvizError, match="grep-biasir is fetched already"):
        fetch("grep-biasir", publications)
    fetch("grep-biasir", publications, replace=True)
    again = open_study("grep-biasir")
    assert again.systems == ("bm25",)
    assert again.labels.loc[again.labels["annotator"] == "adjudicated", ["doc_id", "label"]].to_numpy().tolist() == [
        ["3", "male"]
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="the system has no limit of a file's size")
def test_a_full_disk(publications: Path) -> None:
    with full_disk(200), pytest.raises(FairvizError) as caught:
        fetch("grep-biasir", publications)
    told = str(caught.value)
    assert told.startswith("could not write grep-biasir: File too large")
    assert told.endswith(
        f"\nMake room under {data_home()}, or set FAIRVIZ_HOME to a folder with room, and run it again: "
        "fairviz fetch grep-biasir"
    )
    assert list((data_home() / "studies").iterdir()) == []
