"""Three inputs of each kind and fifteen commands of the fuzzer, without limits of time; and the slow parsers on cases
in sight."""

import bz2
import gzip
import json
import random
import subprocess
import sys

import pytest

from tests.fuzz import commands, slow_others, slow_tables
from tests.fuzz.good import mutated
from tests.fuzz.kinds import KINDS, made
from tests.fuzz.running import ROOT, outcome, run
from tests.fuzz.slow_tables import UnreadableError, cells_of

SEED, COUNT = 2, 3 * len(KINDS)


@pytest.mark.slow
def test_inputs_leave_no_traceback_and_lose_nothing() -> None:
    report = run(SEED, range(COUNT), patience=None)
    assert len(report.results) == COUNT
    assert [(result.number, result.kind, result.outcome, result.words) for result in report.bad] == []


def test_a_chunk_of_parquet_that_is_described_wrongly_does_not_end_the_process(tmp_path) -> None:
    """Arrow ends the process that asks a damaged footer for a chunk: it is asked for nothing but by reading."""
    code = f"""
import random
from pathlib import Path
from tests.fuzz.kinds import KINDS
from tests.fuzz.running import outcome_of
kind = next(kind for kind in KINDS if kind.name == "queries.parquet")
print(outcome_of(kind, kind.make(random.Random("1-3391")), Path({str(tmp_path)!r}))[0])
"""
    found = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (0, "refused\n"), found.stderr


@pytest.mark.parametrize("number", range(len(KINDS)), ids=lambda number: KINDS[number].name)
def test_every_kind_reads_an_unchanged_input(number: int, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without changes nothing is refused, so that what the fuzzer counts as read is more than nothing."""
    monkeypatch.setattr("tests.fuzz.kinds.mutated", lambda data, draw: data)
    for turn in range(3):
        folder = tmp_path / str(turn)
        folder.mkdir()
        found = outcome(SEED, number + turn * len(KINDS), folder)
        assert found[0] == "read" or KINDS[number].name.endswith(".parquet"), found[1]
        assert found[0] in ("read", "refused"), found[1]


def test_an_input_is_its_seed_and_its_number() -> None:
    assert made(7, 11)[1] == made(7, 11)[1]
    assert made(7, 11)[1] != made(8, 11)[1]
    assert mutated(b"a,b\n1,2\n", random.Random(1)) == mutated(b"a,b\n1,2\n", random.Random(1))


def test_cells_by_hand() -> None:
    assert cells_of('a,"b ""c"", d"\r\n1,x"y\n', ",") == [["a", 'b "c", d'], ["1", 'x"y']]
    assert cells_of('1,"two\nlines"', ",") == [["1", "two\nlines"]]
    for text in ('1,"never closed', '1,"closed" and more'):
        with pytest.raises(UnreadableError):
            cells_of(text, ",")


def test_slow_parsers_by_hand() -> None:
    csv = b'doc_id,text\n1,"Opening words\n2,two\n3,three\n4,"Another\n5,five\n'
    with pytest.raises(UnreadableError, match="text after a closing quote"):
        slow_tables.readings("documents", ".csv", csv)
    run_file = gzip.compress(b"q1 Q0 d1 1 2.5 t\nq1\tQ0 d2 2 1e0 t\n")
    assert slow_tables.readings("runs", ".run.gz", run_file) == [
        [
            {"query_id": "q1", "doc_id": "d1", "rank": 1, "score": 2.5},
            {"query_id": "q1", "doc_id": "d2", "rank": 2, "score": 1.0},
        ]
    ]
    with pytest.raises(UnreadableError, match="no whole number"):
        slow_tables.readings("qrels", ".txt", b"q1 0 d1 0x10\n")
    with pytest.raises(UnreadableError, match="a key twice"):
        slow_tables.readings("queries", ".jsonl", b'{"query_id": "1", "query_id": "2", "text": "x"}')
    with pytest.raises(UnreadableError, match="2 words are spoken of and 1 are there"):
        slow_others.vectors(".vec", b"2 1\nshe 0.5\n")
    assert slow_others.measure("CWEx(alpha=0.5)@10") == ("CWEx", {"alpha": "0.5"}, 10)


def test_slow_unpacking_and_sgml_by_hand() -> None:
    row = {"query_id": "q1", "doc_id": "d1", "rank": 1, "score": 2.5}
    two = bz2.compress(b"q1 Q0 d1 1 2.5 t\n") + bz2.compress(b"q1 Q0 d2 2 1 t\n")
    assert slow_tables.readings("runs", ".run.bz2", two) == [[row, row | {"doc_id": "d2", "rank": 2, "score": 1.0}]]
    with pytest.raises(UnreadableError, match=r"no sound \.bz2"):
        slow_tables.readings("runs", ".run.bz2", two[:-3])
    topic = "<top>\n<num> Number: 301 <title> Topic: a &amp; b\n<desc> no\n</top>"
    assert slow_tables.sgml_topics(topic) == [{"query_id": "301", "text": "a &amp; b"}]
    document = "<DOC><DOCNO> d1 </DOCNO><HL>Who</HL><TEXT>She.<P>He.</P></TEXT></DOC>"
    assert slow_tables.sgml_documents(document) == [{"doc_id": "d1", "title": "Who", "text": "She.\nHe."}]
    for wrong in ("<DOC><DOCNO>d1</DOCNO>", "</DOC>", "x <DOC><DOCNO>d1</DOCNO></DOC>", "<DOC></DOC>"):
        with pytest.raises(UnreadableError):
            slow_tables.sgml_documents(wrong)


@pytest.mark.slow
def test_commands_end_with_a_status_and_change_no_device() -> None:
    report = run(SEED, range(15), patience=None, commands=True)
    assert [(result.number, result.outcome, result.words) for result in report.bad] == []
    assert {result.outcome for result in report.results} == {"read", "refused"}


@pytest.mark.parametrize(
    ("arguments", "spoilt", "message"),
    [
        (["check", "s", "--output", "out.txt"], "out.txt", "status 0, and 'out.txt' is not there"),
        (["check", "s", "--output", "null"], "null", "null was "),
        (["check", "s", "--output", "linked"], "linked", "linked was "),
    ],
)
def test_a_lost_output_and_a_replaced_device_or_link_are_found(
    arguments: list[str], spoilt: str, message: str, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge of commands fails where the program would."""

    def run_badly(given: list[str]) -> tuple[int, str, str]:
        path = tmp_path / "w" / spoilt
        if path.is_dir():
            path.rmdir()  # in place of the device that only root makes
        path.unlink(missing_ok=True)
        if spoilt != "out.txt":
            path.write_text("replaced")
        return 0, "", ""

    monkeypatch.setattr(commands, "_here", run_badly)
    found = commands.judge(tmp_path / "command.json", json.dumps([arguments, [], "home", {}]).encode())
    assert found.startswith(message)
