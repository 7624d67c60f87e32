"""fairviz sensitivity."""

from pathlib import Path

import pytest

import fairviz
from fairviz.words.tokenizers import TOKENIZERS
from tests.cli.cases import rows
from tests.conftest import Call

ASKED = "sensitivity newswire --systems bm25,bi_encoder"


def test_the_file_is_the_table_of_python_and_the_sentence_is_printed(tmp_path: Path, call: Call) -> None:
    file = tmp_path / "map.csv"
    options = "--measure NFaiRR --choice tau=0,1 --choice tokenizer --k 5"
    streams = call(ASKED, options, f"--output {file}")
    found = fairviz.robustness(
        fairviz.open_study("newswire"), ["bm25", "bi_encoder"], "NFaiRR", {"tau": [0, 1], "tokenizer": None}, cutoff=5
    )
    written = rows(file.read_text(encoding="utf-8"))
    assert [float(row["difference"]) for row in written] == found.table["difference"].tolist()
    assert [row["tokenizer"] for row in written] == ["word", "word", "whitespace", "whitespace"]
    assert written[0]["systems"] == "bm25, bi_encoder"
    assert " ".join(streams.out.split()).startswith(found.sentence)
    table = streams.out.split("\n\n")[1].splitlines()
    assert table[0].split() == ["choice", "share", "with_interactions", "share_of_order"]
    assert [line.split()[0] for line in table[1:]] == found.share_table["choice"].tolist()
    assert f"wrote {file}: 4 combinations\n" in streams.err


def test_levels_of_one_choice_may_come_in_two_options_and_a_word_list_from_a_file(tmp_path: Path, call: Call) -> None:
    words, out = tmp_path / "words.csv", tmp_path / "map.csv"
    words.write_text("word,group\nshe,female\nhe,male\n")
    options = f"--measure NFaiRR --choice lexicon=study --choice lexicon={words} --no-provenance"
    call(ASKED, options, f"--output {out}")
    assert [row["lexicon"] for row in rows(out.read_text(encoding="utf-8"))] == ["built-in, 171 words", "own, 2 words"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("--choice colour=red", "there is no choice 'colour'\nThe choices are tokenizer, tau, lexicon, "
         "background, annotator, unlabelled, cutoff, position_bias, alpha, ties.\n"),
        ("--choice tokenizer=words",
         f"tokenizer is 'words'\nUse one of {', '.join(TOKENIZERS)}.\n"),
        ("--choice tau=few", "tau is 'few'\nUse a whole number, as tau=1.\n"),
        ("--choice alpha=much", "alpha is 'much'\nUse a number, as alpha=0.5.\n"),
        ("--choice tau=,", "'tau=,' names no level\nWrite tau=… with commas between levels.\n"),
        ("--choice annotator=bob", "the study 'newswire' has no annotator 'bob'\nUse one of project, lexicon, "
         "mentions, majority, dawid-skene.\n"),
        ("--systems bm25", "--systems is 'bm25'\nWrite two names with a comma between them, as bm25,tfidf.\n"),
        ("--systems bm25,up", "the study 'newswire' has no system 'up'\nUse two of bm25, tfidf, "),
    ],
)  # fmt: skip
def test_a_wrong_question(options: str, told: str, call: Call) -> None:
    assert told in call(ASKED, options, status=2).err


def test_too_many_combinations(call: Call) -> None:
    """How long they would take depends on the machine."""
    said = call(ASKED, "--choice tau=0,1,2 --measure NFaiRR --most 2", status=2).err
    assert "these choices make 3 combinations, " in said
    assert "Vary fewer choices or levels, or allow this many: most=3 (--most 3).\n" in said


def test_a_comma_may_stand_in_the_name_of_a_system(tmp_path: Path, call: Call) -> None:
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


def test_the_help_names_every_choice(call: Call) -> None:
    shown = call("sensitivity --help all").out
    assert "  tokenizer: how text is cut\n" in shown
    assert "  ties: how tied scores are ordered\n" in shown
