"""Archives as their authors publish them: Grep-BiasIR, MSMGenderBias and CPJKU's repository, opened as they come."""

import shutil
import zipfile
from pathlib import Path

import pytest

import fairviz
from fairviz.errors import DataError, noticing
from fairviz.study.loaders.archive import read_zip
from fairviz.study.loaders.finding import IN_ITS_PLACE
from fairviz.study.loaders.labels import read_labels
from fairviz.study.loaders.unread import LEAVE, UNKNOWN, UNKNOWN_ONES
from fairviz.study.record import Study
from fairviz.study.study import open_study_folder
from tests.conftest import refused
from tests.publications import clones
from tests.study.loaders.files import put


def opened(folder: Path, below: Path) -> Study:
    """The folder, which is the same study in a zip, as a host of repositories packs it: everything in one folder."""
    file = below / f"{folder.name}.zip"
    with zipfile.ZipFile(file, "w") as packed:
        for path in sorted(folder.rglob("*")):
            packed.write(path, f"{folder.name}-main/{path.relative_to(folder).as_posix()}")
    study, again = open_study_folder(folder), open_study_folder(read_zip(file, below / "unpacked"))
    assert (again.fingerprint, again.warnings) == (study.fingerprint, study.warnings)
    return study


def test_grep_biasir(tmp_path: Path) -> None:
    study = opened(clones(tmp_path)["KlaraKrieg/GrepBiasIR"], tmp_path)
    assert study.queries["text"].tolist() == ["hair rules", "team work"]
    assert study.documents["doc_id"].tolist() == ["0", "1", "2", "10", "3"]
    assert study.documents.columns.tolist() == ["doc_id", "title", "text", "query_id", "stereotype"]
    assert study.documents["title"].tolist()[:2] == ["Hair of women", "Hair of men"]
    assert study.documents["text"].tolist()[2] == "Hair\nis hair."
    assert dict(zip(study.labels["doc_id"], study.labels["label"], strict=True)) == {
        "0": "female", "1": "male", "2": "neutral", "10": "neutral", "3": "neutral",
    }  # fmt: skip
    assert set(study.labels["annotator"]) == {"gold"}
    assert study.qrels.to_numpy().tolist()[:4] == [["0", "0", 1], ["0", "1", 1], ["0", "2", 0], ["1", "10", 0]]
    career = "csv_formatted/queries-documents_Career.csv: the label"
    assert [told for told in study.warnings if told.startswith(career)] == [
        f"{career} 'both' was read as 'neutral' (once).",
        f"{career} 'botrh' was read as 'neutral' (once).",
    ]
    assert study.warnings[-1] == (f"README.md and csv_formatted/README.md were not read: {UNKNOWN_ONES}.\n{LEAVE}")


def test_msmgenderbias(tmp_path: Path) -> None:
    made = clones(tmp_path)
    study = opened(made["MaryamMousavian/MSMGenderBias"], tmp_path)
    assert study.labels[["doc_id", "label"]].to_numpy().tolist() == [
        ["d1", "neutral"], ["d2", "female"], ["d3", "male"], ["d4", "neutral"],
    ]  # fmt: skip
    assert study.warnings[-1] == f"README.md was not read: {UNKNOWN}.\n{LEAVE}"
    # beside the runs that they are of
    shutil.copy(made["MaryamMousavian/MSMGenderBias"] / "MSMGenderBias.csv", made["CPJKU/FairnessRetrievalResults"])
    scores = fairviz.evaluate(open_study_folder(made["CPJKU/FairnessRetrievalResults"]), "CWEx@5", unlabelled="skip")
    assert scores["value"].notna().all()


def test_fairness_retrieval_results(tmp_path: Path) -> None:
    study = opened(clones(tmp_path)["CPJKU/FairnessRetrievalResults"], tmp_path)
    assert study.queries.to_numpy().tolist() == [["11", "how to row"], ["12", "what is a boat"]]
    assert sorted(study.systems) == ["BM25", "advbert_L4", "bert_L4", "tk"]
    assert len(study.runs) == 39, "those of the other collection are not among them"
    assert study.lexicon.words == (("boy", "male"), ("she", "female"), ("girl", "female"), ("he", "male"))
    assert study.warnings == (
        "fairness_measurement/sample_trec_runs/trecdl2019_passage/BM25.run was not read: this is a run outside of the "
        "folder runs.\nMove it into the folder runs.",
        f"README.md was not read: {UNKNOWN}.\n{LEAVE}",
    )


# What the authors' repositories hold beside the files that are read: these names, with a word in each.
BESIDE = {
    "grep-biasir": ("README.md", "LICENSE", "IR_GenderBias.xlsx", "csv_formatted/README.md"),
    "msmgenderbias": ("README.md",),
    "fairness-retrieval-results": (
        "README.md", "LICENSE", "measurement/metrics_fairness.py", "measurement/document_neutrality.py",
        "measurement/sample_trec_runs/trecdl2019_passage/tk.run", "adversarial_mitigation/configs/msmarco-passage.yaml",
        "resources/fairnesssensitive_queries/trecdeep19_passage.fair.tsv",
        "resources/fairnesssensitive_queries/msmarco_passage.dev.fair.FULL_ANNOTATION.tsv",
    ),
}  # fmt: skip
# Where files lie there by their ending, and the sizes that the papers give.
HOMES = {
    "grep-biasir": {".csv": "csv_formatted"},
    "msmgenderbias": {},
    "fairness-retrieval-results": {
        ".run": "measurement/sample_trec_runs/msmarco_passage", ".txt": "resources",
        ".tsv": "resources/fairnesssensitive_queries",
    },
}  # fmt: skip
SIZES = {
    "grep-biasir": {"queries": 117, "documents": 702, "qrels": 702, "labels": 702},
    "msmgenderbias": {"labels": 893},
    "fairness-retrieval-results": {"queries": 215, "runs": 43_000 + 3 * 42_435},
}
LABELS = {
    "grep-biasir": {"neutral": 238, "female": 232, "male": 232},
    "msmgenderbias": {"neutral": 636, "male": 144, "female": 113},
    "fairness-retrieval-results": {},
}


@pytest.mark.parametrize("name", BESIDE)
def test_the_published_files_themselves(tmp_path: Path, shared_data: Path, name: str) -> None:
    """They open as they come, with the figures that their papers give, and each other file is named."""
    for file in sorted((shared_data / name).rglob("*.*")):
        put(tmp_path, f"{HOMES[name].get(file.suffix, '.')}/{file.name}", file.read_bytes())
    for other in BESIDE[name]:
        put(tmp_path, other, "1 is not read\n")
    study = open_study_folder(tmp_path)
    sizes = {part: len(getattr(study, part)) for part in ("queries", "documents", "qrels", "labels", "runs")}
    assert {part: size for part, size in sizes.items() if size} == SIZES[name]
    assert study.labels["label"].value_counts().to_dict() == LABELS[name]
    if study.systems:
        assert (sorted(study.systems), len(study.lexicon.words)) == (["BM25", "advbert_L4", "bert_L4", "tk"], 326)
    told = "\n".join(study.warnings)
    assert [other for other in BESIDE[name] if other not in told] == []


def test_what_a_person_adds_goes_before(tmp_path: Path) -> None:
    """Labels of one's own replace the published ones, runs of one's own stand beside them."""
    folder = clones(tmp_path)["KlaraKrieg/GrepBiasIR"]
    (folder / "labels.csv").write_text("doc_id,label\n3,male\n")
    (folder / "runs").mkdir()
    (folder / "runs" / "mine.run").write_text("0 Q0 3 1 1 t\n")
    study = open_study_folder(folder)
    assert study.labels["label"].tolist() == ["male"]
    assert (len(study.documents), len(study.qrels), study.systems) == (5, 5, ("mine",))
    for name, text in {"documents.csv": "doc_id,text\n3,x\n", "qrels": "0 0 3 1\n"}.items():
        (folder / name).write_text(text)
    study = open_study_folder(folder)
    assert (len(study.documents), len(study.qrels)) == (1, 1)
    told = "csv_formatted/queries-documents_Career.csv was not read: the study has its documents in documents.csv.\n"
    assert f"{told}{IN_ITS_PLACE}" in study.warnings


def test_one_table_as_labels(tmp_path: Path) -> None:
    """As the Data page takes a file of labels: columns by the names that the authors gave them."""
    table = clones(tmp_path)["KlaraKrieg/GrepBiasIR"] / "csv_formatted" / "queries-documents_Career.csv"
    told: list[str] = []
    with noticing(told):
        labels = read_labels(table, table.parent)
    assert labels[["doc_id", "label"]].to_numpy().tolist() == [["10", "neutral"], ["3", "neutral"]]
    assert told == [
        "queries-documents_Career.csv: the label 'both' was read as 'neutral' (once).",
        "queries-documents_Career.csv: the label 'botrh' was read as 'neutral' (once).",
    ]
    # a file with both is one's own: its labels are read as anybody's
    file = put(tmp_path, "labels.csv", "d_id,doc_id,content_gender,label\n7,1,both,M\n8,2,F,F\n")
    assert read_labels(file, tmp_path)[["doc_id", "label", "d_id", "content_gender"]].to_numpy().tolist() == [
        ["1", "male", "7", "both"],
        ["2", "female", "8", "F"],
    ]
    for content in ("doc_id,label\n1,both\n", "doc_id,content_gender,label\n1,F,both\n"):
        with pytest.raises(DataError, match=r"^labels.csv:2: a label outside the groups: 'both'\n"):
            read_labels(put(tmp_path, "labels.csv", content), tmp_path)


def test_bad_rows_of_a_table_are_named(tmp_path: Path) -> None:
    file = clones(tmp_path)["KlaraKrieg/GrepBiasIR"] / "csv_formatted" / "queries-documents_Career.csv"
    text = file.read_text() + "1,11,{0},q,t,x,F,a\n1,{1},1,q,t,x,F,a\n"
    for cells, told in (
        (("maybe", ""), "5: the d_id is empty or not text\nGive every row a d_id and a q_id."),
        (("maybe", "1"), "4: the relevance is not a whole number: 'maybe'\n"
         "Take the file again from where it is published."),
        (("0", "1"), "5: this d_id is in queries-documents_Appearance.csv already: '1'\n"
         "Keep one row for each document."),
    ):  # fmt: skip
        file.write_text(text.format(*cells))
        with refused(f"queries-documents_Career.csv:{told}", DataError):
            open_study_folder(file.parent)
