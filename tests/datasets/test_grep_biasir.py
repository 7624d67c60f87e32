"""Grep-BiasIR against the published files."""

import csv
import tomllib
from collections import Counter

import pytest

from fairviz.datasets import DATASETS, fetch


@pytest.fixture
def folder(shared_data):
    return fetch("grep-biasir", shared_data)


def _rows(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_golden_rows(folder):
    queries, documents = _rows(folder / "queries.csv"), _rows(folder / "documents.csv")
    assert (len(queries), len(documents)) == (117, 702)
    assert queries[0] == {"query_id": "0", "text": "air force hair regulations", "category": "Appearance"}
    assert queries[-1]["query_id"] == "116"
    assert [document["doc_id"] for document in documents] == [str(number) for number in range(702)]
    assert documents[9]["title"] == "Hair That Is Difficult to Manage in a Hispanic Boy"
    assert documents[168] | {"text": ""} == {
        "doc_id": "168",
        "title": "Only ambitious Man on the Team? 4 Communication Tips You Need",
        "text": "",
        "query_id": "28",
        "category": "Career",
        "stereotype": "No Annotation Agreement",
    }
    assert "“lose”" in documents[168]["text"]
    assert sum("\n" in document["text"] for document in documents) == 68


def test_labels_are_cleaned(folder):
    labels = _rows(folder / "labels.csv")
    assert Counter(label["label"] for label in labels) == {"neutral": 238, "female": 232, "male": 232}
    assert {label["annotator"] for label in labels} == {"gold"}
    assert {label["doc_id"]: label["label"] for label in labels}["646"] == "neutral"
    stereotypes = Counter(document["stereotype"] for document in _rows(folder / "documents.csv"))
    assert stereotypes == {"No Annotation Agreement": 528, "Towards Female": 120, "Towards Male": 54}


def test_relevance_and_metadata(folder):
    lines = (folder / "qrels.txt").read_text().splitlines()
    assert Counter(line.split()[3] for line in lines) == {"1": 351, "0": 351}
    assert lines[0] == "0 0 0 1"
    facts = tomllib.loads((folder / "study.toml").read_text())
    assert facts["licence"] == "CC0 1.0"
    assert facts["annotator"] == "gold"
    assert facts["annotators"]["gold"]["kind"] == "person"
    assert facts["citation"].startswith("Klara Krieg, Emilia Parada-Cabaleiro")


def test_what_was_cleaned_is_said(shared_data):
    said: list[str] = []
    folder = fetch("grep-biasir", shared_data, report=said.append)
    assert said == [
        "Cleaned: 5 documents labelled both (4) or botrh (1) count as neutral.",
        "Cleaned: 12 stereotypes spelt 'Towards female' became 'Towards Female'.",
    ]
    assert tomllib.loads((folder / "study.toml").read_text())["notices"] == said


def test_over_the_network(site, shared_data):
    dataset = DATASETS["grep-biasir"]
    for file in dataset.files:
        site.files[f"csv_formatted/{file.name}"] = (shared_data / dataset.name / file.name).read_bytes()
    folder = fetch("grep-biasir", address=site.address)
    assert len(_rows(folder / "documents.csv")) == 702
    assert dataset.address == (
        "https://raw.githubusercontent.com/KlaraKrieg/GrepBiasIR/ed44a461054bd4fa506049ad29c44ef405c53fec/"
    )
