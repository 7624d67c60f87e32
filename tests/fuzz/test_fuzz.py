"""Two inputs of each kind and eleven commands of the fuzzer, without limits of time; and what the slow parsers refuse.
What they read is what the program reads of an unchanged input."""

import bz2
import json
import subprocess
import sys

import pytest

from tests.fuzz import commands
from tests.fuzz.kinds import KINDS
from tests.fuzz.running import GOOD, ROOT, answer, outcome, run
from tests.fuzz.slow import UnreadableError, cells_of, readings, sgml_documents, vectors

SEED, COUNT = 2, 2 * len(KINDS)


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


DOCUMENT = "<DOC><DOCNO> d1 </DOCNO><HL>Who</HL><TEXT>She.<P>He.</P></TEXT></DOC>"


def test_what_slow_parsers_refuse() -> None:
    for parser, given, refusal in (
        (cells_of, ('1,"never closed', ","), "a quote is never closed"),
        (cells_of, ('1,"closed" and more', ","), "text after a closing quote"),
        (readings, ("documents", ".csv", b'doc_id,text\n1,"Open\n2,two\n4,"Another\n'), "text after a closing"),
        (readings, ("runs", ".run.bz2", bz2.compress(b"q1 Q0 d1 1 2.5 t\n")[:-3]), r"no sound \.bz2"),
        (readings, ("qrels", ".txt", b"q1 0 d1 0x10\n"), "no whole number"),
        (readings, ("queries", ".jsonl", b'{"query_id": "1", "query_id": "2", "text": "x"}'), "a key twice"),
        (vectors, (".vec", b"2 1\nshe 0.5\n"), "2 words are spoken of and 1 are there"),
        (sgml_documents, ("<DOC><DOCNO>d1</DOCNO>",), "doc is not closed"),
        (sgml_documents, ("</DOC>",), "a tag of doc without its fellow"),
        (sgml_documents, (f"x {DOCUMENT}",), "text outside of doc"),
        (sgml_documents, ("<DOC></DOC>",), "a document without a DOCNO"),
    ):
        with pytest.raises(UnreadableError, match=refusal):
            parser(*given)


@pytest.mark.slow
def test_commands_end_with_a_status_and_change_no_device() -> None:
    found = [answer(SEED, number, commands=True) for number in range(11)]
    assert [each for each in found if each["outcome"] not in GOOD] == []
    assert {each["outcome"] for each in found} == {"read", "refused"}


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
