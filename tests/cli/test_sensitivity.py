"""fairviz sensitivity."""

from pathlib import Path

import pandas as pd
import pytest

import fairviz
from tests.conftest import Call

ASKED = "sensitivity newswire --systems bm25,bi_encoder"


def test_the_file_is_the_table_of_python_and_the_sentence_is_printed(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "map.csv"
    options = "--measure NFaiRR --choice tau=0,1 --choice tokenizer --k 5"
    streams = call(ASKED, options, f"--output {file}")
    found = fairviz.robustness(
        fairviz.open_study("newswire"), ["bm25", "bi_encoder"], "NFaiRR", {"tau": [0, 1], "tokenizer": None}, cutoff=5
    )
    written = pd.read_csv(file)
    assert written["difference"].tolist() == found.table["difference"].tolist()
    assert written["tokenizer"].tolist() == ["word", "word", "whitespace", "whitespace"]
    assert written["systems"][0] == "bm25, bi_encoder"
    assert " ".join(streams.out.split()).startswith(found.sentence)
    table = streams.out.split("\n\n")[1].splitlines()
    assert table[0].split() == ["choice", "share", "with_interactions", "share_of_order"]
    assert [line.split()[0] for line in table[1:]] == found.share_table["choice"].tolist()
    assert f"wrote {file}: 4 combinations\n" in streams.err
    # levels of one choice may come in two options, and a word list from a file
    words = tmp_path / "words.csv"
    words.write_text("word,group\nshe,female\nhe,male\n")
    options = f"--measure NFaiRR --choice lexicon=study --choice lexicon={words} --no-provenance"
    call(ASKED, options, f"--output {file}")
    assert pd.read_csv(file)["lexicon"].tolist() == ["built-in, 171 words", "own, 2 words"]
    said = call(ASKED, "--choice tau=0,1,2 --measure NFaiRR --most 2", status=2).err
    assert "these choices make 3 combinations, " in said  # how long they would take depends on the machine
    assert "Vary fewer choices or levels, or allow this many: most=3 (--most 3).\n" in said
    # a comma may stand in the name of a system
    (tmp_path / "runs").mkdir()
    for name in ("a,1", "b"):
        (tmp_path / "runs" / f"{name}.run").write_text("q Q0 d1 1 2 x\nq Q0 d2 2 1 x\n")
    (tmp_path / "labels.csv").write_text("doc_id,annotator,label\nd1,x,female\nd2,x,neutral\n")
    said = call(f"sensitivity {tmp_path} --systems a,1,b --choice alpha")
    assert said.out.startswith("a,1 and b are each fairer under 0 of 3 combinations")


def test_ctrl_c_leaves_what_is_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    """The line of progress stands for the moment at which somebody presses it."""
    monkeypatch.setattr("fairviz.analyses.sensitivity.work.cores", lambda: 1)
    monkeypatch.setattr("fairviz.analyses.sensitivity.work.TOGETHER", 1)
    monkeypatch.setattr("fairviz.analyses.sensitivity.work.LOOK", 0.0)

    def pressed(self: object, done: int, count: int) -> None:
        if done:
            raise KeyboardInterrupt

    monkeypatch.setattr("fairviz.evaluation.formats.ProgressLine.__call__", pressed)
    file = tmp_path / "map.csv"
    alphas = ",".join(f"0.{number:04d}" for number in range(1, 400))
    said = call(ASKED, f"--choice alpha={alphas} --output {file} --no-provenance", status=130)
    count = len(file.read_text(encoding="utf-8").splitlines()) - 1
    assert 0 < count < 400
    assert f"stopped: {count:,} of 400 combinations are computed, and the figures are of these.\n" in said.err
    assert f"of {count:,} combination" in " ".join(said.out.split())
