"""The published data sets: what they become, what is cleaned and the figures known of them; first on small files of the
same formats, which need neither the files nor a network."""

import shutil
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import fairviz
from fairviz.annotation.adjudications import decide
from fairviz.annotation.agreement import overall
from fairviz.datasets import DATASETS, data_home, fetch, save_runs
from fairviz.datasets.genderbias_qa import COLUMNS
from fairviz.errors import DataError, FairvizError
from fairviz.evaluation.opening import open_study
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.checks import check
from tests.conftest import full_disk
from tests.datasets.conftest import Site, fetched, rows_of
from tests.publications import clones
from tests.study.loaders.files import rows


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
    assert rows(study.labels, "doc_id", "label") == [
        ("d1", "neutral"), ("d2", "female"), ("d3", "male"), ("d4", "neutral"),
    ]  # fmt: skip
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


def test_files_of_two_publications_are_found_in_their_folders_or_clones(publications: Path, tmp_path: Path) -> None:
    with pytest.raises(FairvizError) as caught:
        fetch("msmarco-qs2", publications / "fairness-retrieval-results")
    assert " lacks 1 of the 7 files of msmarco-qs2: MSMGenderBias.csv\nTake all of them from " in str(caught.value)
    together = tmp_path / "together"  # all in one folder does too, as a person may have saved them
    together.mkdir()
    for file in DATASETS["msmarco-qs2"].files:
        shutil.copy(publications / file.origin / file.name, together / Path(file.name).name)
    assert len(open_study(fetch("msmarco-qs2", together)).systems) == 4
    both = tmp_path / "mine"
    clone = clones(both)["CPJKU/FairnessRetrievalResults"]
    (both / "BM25.run").write_text("1 Q0 d 1 1 t\n")  # of this name, and another
    study = open_study(fetch("msmarco-qs2", both, replace=True))
    assert sorted(study.systems) == ["BM25", "advbert_L4", "bert_L4", "tk"]
    assert (len(study.runs), len(study.labels)) == (39, 4)
    (clone / "fairness_measurement" / "sample_trec_runs" / "msmarco_passage" / "BM25.run").unlink()
    with pytest.raises(FairvizError) as caught:  # the run of that name that is there is another
        fetch("msmarco-qs2", both, replace=True)
    assert str(caught.value).startswith(f"{both / 'BM25.run'} is not the published file: its SHA-256 is ")


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
    assert rows(again.labels.query("annotator == 'adjudicated'"), "doc_id", "label") == [("3", "male")]


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


# --- GenderBias-QA and its four candidates a question.

ROW = '{0},sports,Who is captain {0}?,Ada leads team {0}.,"Ada, a captain, ""led"" {0}.",Tom leads team {0}.,{1}'


def questions(folder: Path, header: str = ",".join(COLUMNS), last: str = "Tom led.") -> Path:
    for split, numbers in (("train", (1, 2)), ("test", (3,))):
        rows = [ROW.format(number, last) for number in numbers]
        (folder / f"GenderBias-QA_{split}.csv").write_text("\n".join([header, *rows]) + "\n")
    return folder


def test_the_study_has_four_labelled_candidates_a_question(tmp_path: Path) -> None:
    told: list[str] = []
    study = fairviz.open_study(fetch("genderbias-qa", questions(tmp_path), report=told.append))
    assert study.queries["split"].tolist() == ["train", "train", "test"]
    assert study.queries["text"].tolist()[2] == "Who is captain 3?"
    labels = study.labels.set_index("doc_id")["label"]
    assert (
        study.qrels.groupby("query_id")["doc_id"].apply(lambda ids: sorted(labels[ids])).tolist()
        == [["female", "female", "male", "male"]] * 3
    )
    assert study.annotators["construction"].kind == "rule", "labels by construction are not human"
    assert told[-1] == "Cleaned: 2 texts are repeated, and are one document each.", "Tom led. is in three rows"


def test_rankers_order_the_candidates_alone(tmp_path: Path) -> None:
    study = fairviz.rank(fairviz.open_study(fetch("genderbias-qa", questions(tmp_path))), "bm25", candidates="judged")
    judged = study.qrels.groupby("query_id")["doc_id"].apply(set)
    for query, run in study.runs.groupby("query_id", observed=True):
        assert set(run["doc_id"]) <= judged[query]
    assert len(fairviz.rank(study, "tfidf").runs.query("system == 'tfidf'")) > len(study.runs)
    unjudged = replace(study, qrels=study.qrels[:0])
    with pytest.raises(FairvizError, match="genderbias-qa has no judged documents to rank"):
        fairviz.rank(unjudged, "tfidf", candidates="judged")


@pytest.mark.parametrize(("header", "last"), [("a,b,c,d,e,f,g", "Tom."), (",".join(COLUMNS), "")])
def test_other_files_are_refused(header: str, last: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"GenderBias-QA_train\.csv"):
        fetch("genderbias-qa", questions(tmp_path, header, last))


def test_a_file_without_a_known_hash_is_whole_by_its_stated_length(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fairviz.datasets.download.PAUSE", 0.0)
    questions(tmp_path)
    site.files = {f"dataset/tasks/{path.name}": path.read_bytes() for path in tmp_path.iterdir()}
    first = "dataset/tasks/GenderBias-QA_train.csv"
    site.faults = {first: ["cut", "cut", "cut"]}
    with pytest.raises(FairvizError, match=r"it broke off after \d+ of \d+ bytes"):
        fetch("genderbias-qa", address=site.address)
    assert len(fairviz.open_study(fetch("genderbias-qa", address=site.address)).queries) == 3
    assert not any(file.sha256 for file in DATASETS["genderbias-qa"].files)


# --- The published files themselves.


def test_grep_biasir_as_published(shared_data: Path):
    study, told = fetched("grep-biasir", shared_data)
    queries, documents, labels = (rows_of(study.folder / f"{part}.csv") for part in ("queries", "documents", "labels"))
    assert (len(queries), queries[-1]["query_id"]) == (117, "116")
    assert queries[0] == {"query_id": "0", "text": "air force hair regulations", "category": "Appearance"}
    assert [document["doc_id"] for document in documents] == [str(number) for number in range(702)]
    assert documents[9]["title"] == "Hair That Is Difficult to Manage in a Hispanic Boy"
    assert "“lose”" in documents[168]["text"]
    assert sum("\n" in document["text"] for document in documents) == 68
    stereotypes = Counter(document["stereotype"] for document in documents)
    assert stereotypes == {"No Annotation Agreement": 528, "Towards Female": 120, "Towards Male": 54}
    assert Counter(label["label"] for label in labels) == {"neutral": 238, "female": 232, "male": 232}
    assert {label["doc_id"]: label["label"] for label in labels}["646"] == "neutral"
    lines = (study.folder / "qrels.txt").read_text().splitlines()
    assert Counter(line.split()[3] for line in lines) == {"1": 351, "0": 351}
    assert study.citation.startswith("Klara Krieg, Emilia Parada-Cabaleiro")
    assert told == [
        "Cleaned: 5 documents labelled both (4) or botrh (1) count as neutral.",
        "Cleaned: 12 stereotypes spelt 'Towards female' became 'Towards Female'.",
    ]


def test_msmarco_qs2_as_published(shared_data: Path):
    study, told = fetched("msmarco-qs2", shared_data)
    assert (len(study.queries), len(study.runs), len(study.labels)) == (215, 43_000 + 3 * 42_435, 893)
    assert study.labels["label"].value_counts().to_dict() == {"neutral": 636, "male": 144, "female": 113}
    assert len(study.lexicon.words) == 326
    written = (study.folder / "lexicon-rekabsaz-326.csv").read_text()
    assert written == written.lower()
    assert told == [
        "Cleaned: 893 labels N, F and M became neutral, female and male.",
        "Cleaned: 262 words of the lexicon that were in capitals became lower case.",
    ]
    assert study.warnings == ()
    found = check(study).set_index("item").loc["3 runs: lists shorter than another system's"]
    assert found["count"] == 3
    assert found["detail"].endswith("; in each of tk, bert_L4, advbert_L4")


def test_genderbias_ir_as_published(shared_data: Path):
    study, told = fetched("genderbias-ir", shared_data)
    assert (len(study.queries), (study.queries["query_set"] == "QS1").sum()) == (3750, 1765)
    assert study.queries["text"].str.contains(",").sum() == 22
    assert tuple(study.queries.iloc[0]) == ("986563", "who was known as the heretic king", "male", "")
    assert len(study.lexicon.words) == 64
    assert told == [
        "Cleaned: 22 queries hold commas that the published file does not quote; they are whole here.",
        "Cleaned: the annotations n, f, m and o became neutral (1,765), female (742), male (1,202), other (41).",
    ]


def test_crows_pairs_as_published(shared_data: Path):
    study, told = fetched("crows-pairs", shared_data)
    assert (len(study.documents), len(study.labels), study.labels["annotator"].nunique()) == (1508, 7540, 287)
    assert (study.documents["bias_type"] == "gender").sum() == 262
    assert study.documents["text"].str.count("\n").eq(1).all()
    assert told[0].startswith("Cleaned: 666 of 7,540 annotations name no kind of bias")
    labels = study.labels[study.labels["doc_id"] == "pair-2"]
    assert labels["label"].tolist() == ["gender", "gender", "gender", "not gender", "not gender"]
    assert labels["bias_types"].tolist() == ["gender", "gender", "gender", "", "race-color"]
    for votes, alpha in ((study.labels, 0.648), (study.labels[study.labels["bias_types"] != ""], 0.776)):
        found = overall(votes).set_index("coefficient")["value"]
        assert round(found["Krippendorff's alpha"], 3) == alpha


def test_every_file_has_an_address_of_its_own():
    for dataset in DATASETS.values():
        for file in dataset.files:
            addresses = dataset.addresses(file)
            assert len(set(addresses)) == len(addresses) > 0
            if dataset.kind == "study":
                assert all(address.startswith("https://raw.githubusercontent.com/") for address in addresses)
                assert all(address.endswith(Path(file.name).name.replace(" ", "%20")) for address in addresses[:1]) or (
                    "&" in file.name
                )
