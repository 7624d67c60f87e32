"""Files that are written: runs, whole or not at all, and what no file of a study can hold."""

import gzip
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from fairviz.errors import FairvizError
from fairviz.study.loaders.writing import replace_runs, run_files
from fairviz.study.study import make_study, save_study
from fairviz.study.tables import RUNS, conform
from fairviz.words.counting import Lexicon
from tests.conftest import refused

LABELS = pd.DataFrame({"doc_id": ["1"], "label": ["male"]})
PLAIN = "Give its ids and texts a plain form, or leave that part out."


def test_what_is_refused_leaves_nothing(tmp_path: Path) -> None:
    sound = make_study("s", labels=LABELS)
    refused_ones = [
        (replace(sound, title="\ud800"), "the description of the study holds half a character ('\\ud800')\n"
         "Take it out of the title, the description, the groups or the annotators."),
        (replace(sound, lexicon=Lexicon("mine", (("She", "female"),))), "the word 'She' cannot be written to a file of "
         "words\nWrite it in lower case, on one line, with a visible character and without tabs."),
        (replace(sound, lexicon=Lexicon("mine", (("she", " female"),))),
         "the group ' female' cannot be written to a file of words\nWrite it on one line."),
        # which make_study would not take
        (replace(make_study("s", labels=LABELS.assign(label="w"), groups=("w", "m")), protected="x"),
         "the study could not be read again: "),
        (make_study("s", labels=pd.DataFrame({"doc_id": ["1", "2"], "label": "male", "note": [1, "x"]})),
         "the labels table cannot be written ("),
    ]  # fmt: skip
    for study, message in refused_ones:
        with pytest.raises(FairvizError) as caught:
            save_study(study, tmp_path / "s")
        assert str(caught.value).startswith(message)
        assert [*tmp_path.iterdir()] == []
    odd = make_study("s", labels=LABELS.assign(note=[b"x"]), annotator=" a ")
    assert save_study(odd, tmp_path / "s").is_dir()
    for number in (2**63, -(2**70), 10**5000):
        big = pd.DataFrame({"doc_id": ["1", "2"], "text": "x", "big": pd.Series([1, number], dtype="object")})
        with pytest.raises(FairvizError, match=r"the documents table .* column 'big'.*\nWrite .* as text"):
            save_study(make_study("own", documents=big), tmp_path / "own")
    assert [path.name for path in tmp_path.iterdir()] == ["s"]


def test_tables_that_would_read_back_otherwise_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairviz.study.loaders.writing._fits_csv", lambda _: True)
    study = make_study("s", documents=pd.DataFrame({"doc_id": ["1", "2"], "text": [None, "x"]}))
    with refused(f"documents would not read back as they are\n{PLAIN}"):
        save_study(study, tmp_path / "s")


def run_of(system: str = "bm25", doc_id: str = "007") -> pd.DataFrame:
    rows = {"system": [system] * 2, "query_id": ["1"] * 2, "doc_id": [doc_id, "null"], "rank": [1, 2]}
    return conform(pd.DataFrame({**rows, "score": [1 / 3, 0.25]}), RUNS)


def test_the_content_of_a_run(tmp_path):
    (written,) = replace_runs(run_of(), tmp_path / "runs")
    assert written == tmp_path / "runs" / "bm25.run.gz"
    assert gzip.decompress(written.read_bytes()) == b"1 Q0 007 1 0.333333333 bm25\n1 Q0 null 2 0.25 bm25\n"
    assert written.read_bytes()[4:8] == bytes(4)  # no time in the file: the same run is the same bytes
    assert list((tmp_path / "runs").iterdir()) == [written]
    (written,) = replace_runs(run_of("my run"), tmp_path)  # a name with a space stays six columns
    assert written.name == "my run.run.gz"
    assert gzip.decompress(written.read_bytes()).splitlines()[0] == b"1 Q0 007 1 0.333333333 my_run"


def test_a_run_of_that_name_is_replaced_whatever_its_file_is_called(tmp_path):
    """By TREC's naming, and without an ending; a note that has the system's name is left."""
    for name in ("input.bm25", "bm25.res", "bm25.TXT", "BM25", "bm25.more.run"):
        (tmp_path / name).write_text("1 Q0 a 1 2.5 t\n")
    (tmp_path / "bm25").write_text("Parameters: k1 = 0.9\n")
    assert [path.name for path in run_files(tmp_path, "bm25")] == ["bm25.TXT", "bm25.res", "input.bm25"]
    replace_runs(run_of(), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["BM25", "bm25", "bm25.more.run", "bm25.run.gz"]


def test_what_no_run_file_can_hold_and_a_folder_that_cannot_be_written(tmp_path):
    for name in ("../x", "a\\b", "a:b"):
        with refused(f"{name!r} cannot name the file of a system\nUse letters, digits, hyphens and underscores."):
            replace_runs(run_of(name), tmp_path)
    with refused(
        "the doc_id 'd 1' cannot be written to a TREC file\n"
        "Use ids without white space, and of queries without # in front."
    ):
        replace_runs(run_of(doc_id="d 1"), tmp_path)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "runs").write_text("a file")
    with refused(
        f"could not write a run in {tmp_path / 'runs'}: File exists\n"
        "Make it a folder that you can write, with room, and run it again."
    ):
        replace_runs(run_of(), tmp_path / "runs")
