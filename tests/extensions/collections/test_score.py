"""Counts of a collection: those of each document, however it is divided, by one process or a real Dask cluster, and
whatever ends on the way; and the verb."""

import gzip
import itertools
import json
import logging
import multiprocessing
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from filelock import FileLock
from hypothesis import example, given
from hypothesis import strategies as st

from fairviz.cli.main import main
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.evaluation import executors
from fairviz.evaluation.executors import Done, Executor, Work, local
from fairviz.extensions.collections import counts as reading
from fairviz.extensions.collections.counts import CountingPlan
from fairviz.extensions.collections.score import Share, score, state_of
from fairviz.study.collection_counts import MANIFEST, read_collection_counts
from fairviz.words.counting import GSR_LEXICON, Lexicon, count_groups
from tests.conftest import Call, full_disk, refused

PLAN = CountingPlan(GSR_LEXICON, ("female", "male"))
OTHER = CountingPlan(Lexicon("mine", (("water", "wet"),)), ("wet",))
WORDS = ["she", "he", "The", "woman,", "man's", "nurse", "Königin", "été", "ҚЫЗ", "—", "his", "water", "’her’"]


def documents(count: int, seed: int = 0) -> list[tuple[str, str]]:
    chance = random.Random(seed)
    return [(f"d{number}", " ".join(chance.choices(WORDS, k=chance.randrange(9)))) for number in range(count)]


def write_tsv(path: Path, rows: Sequence[tuple[str, str]]) -> Path:
    path.write_text("".join(f"{name}\t{text}\n" for name, text in rows), encoding="utf-8")
    return path


def table(folder: Path) -> pd.DataFrame:
    return pd.concat([pd.read_parquet(path) for path in sorted(folder.glob("part-*.parquet"))], ignore_index=True)


def expected(rows: Sequence[tuple[str, str]], plan: CountingPlan = PLAN) -> pd.DataFrame:
    """Each text counted word by word."""
    words = ["", *{word for _, text in rows for word in text.split()}]
    found = count_groups(words, plan.lexicon, plan.tokenizer, plan.groups)
    counts = dict(zip(words, np.column_stack([found.tokens, found.counts]), strict=True))
    sums = [sum((counts[word] for word in text.split()), counts[""]).tolist() for _, text in rows]
    table = pd.DataFrame(sums, columns=["tokens", *plan.groups])
    table.insert(0, "doc_id", [name for name, _ in rows])
    return table


def assert_equal(found: pd.DataFrame, wanted: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False)


def written(folder: Path, count: int = 500) -> tuple[str, Path]:
    """A collection of so many documents, and the folder for its counts."""
    return str(write_tsv(folder / "c.tsv", documents(count))), folder / "out"


def scored(folder: Path) -> tuple[str, Path]:
    path, out = written(folder)
    score(path, out, PLAN)
    return path, out


def times(out: Path) -> dict[Path, int]:
    """When each part was made, in ns."""
    return {file: file.stat().st_mtime_ns for file in sorted(out.glob("part-*.parquet"))}


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a few kilobytes."""
    monkeypatch.setattr(reading, "PIECE", 1500)


@pytest.mark.parametrize("layout", ["tsv", "header", "tsv.gz", "jsonl", "parquet"])
def test_each_layout_has_the_counts_of_each_document(tmp_path: Path, layout: str) -> None:
    rows = documents(300)
    lines = "".join(f"{name}\t{text}\n" for name, text in rows)
    path = tmp_path / f"c.{layout.replace('header', 'tsv')}"
    if layout == "jsonl":
        path.write_text("".join(json.dumps({"_id": name, "text": text}) + "\n" for name, text in rows))
    elif layout == "parquet":
        pd.DataFrame(rows, columns=["docid", "contents"]).to_parquet(path)
    elif layout == "tsv.gz":
        path.write_bytes(gzip.compress(lines.encode()))
    else:
        path.write_text(("doc_id\ttext\n" if layout == "header" else "") + lines, encoding="utf-8")
    state = score(str(path), tmp_path / "out", PLAN)
    assert_equal(table(tmp_path / "out"), expected(rows))
    assert (state.parts, state.documents, state.is_complete) == (1, 300, True)


def test_the_options_of_a_plan_are_those_that_the_command_would_need() -> None:
    assert PLAN.command_options == ()
    other = replace(PLAN, lexicon=replace(GSR_LEXICON, name="mine"), tokenizer="whitespace", skip_broken=True)
    assert other.command_options == ("--lexicon", "FILE", "--tokenizer", "whitespace", "--skip-broken")


def test_sixteen_parts_in_any_order_are_the_whole(tmp_path: Path, pieces: None) -> None:
    rows = documents(900)
    path = write_tsv(tmp_path / "c.tsv", rows)
    assert len(reading.parts_of(str(path))) > 16
    order = random.Random(1).sample(range(1, 17), 16)
    for number in order:
        assert not (tmp_path / "out" / MANIFEST).exists()
        state = score(str(path), tmp_path / "out", PLAN, share=Share(number, 16))
    assert state.is_complete
    assert_equal(table(tmp_path / "out"), expected(rows))
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert (manifest["documents"], len(manifest["parts"])) == (900, state.parts)


def rows_of(path: Path, broken: list) -> list[dict]:
    """The documents of all parts; what is broken is added to the list."""
    batches = (batch for part in reading.parts_of(str(path)) for batch in reading.batches(part, broken))
    return [row for batch in batches for row in batch.to_pylist()]


def test_pieces_meet_at_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"{number}", "she" * (number % 3)) for number in range(40)]
    path = tmp_path / "c.tsv"
    for line_end, size in itertools.product(("\n", "\r\n"), range(1, 60, 2)):
        path.write_bytes("".join(f"{name}\t{text}{line_end}" for name, text in rows).encode().removesuffix(b"\n"))
        monkeypatch.setattr(reading, "PIECE", size)
        assert [(row["doc_id"], row["text"]) for row in rows_of(path, [])] == rows, size


SIGNS = st.sampled_from(
    ["a", "1", "\t", "\t", "\n", "\n", "\r", " ", '"', "\x1c", "\x85", "\u00a0", "é", "\ufeff", "doc_id"]
)


@given(st.lists(SIGNS, max_size=30).map("".join), st.sampled_from([5, 1 << 20]))
@example("doc_id\ttext\na\tb\n", 1 << 20)
@example("doc_id\ttext\ttitle\na\tb\tc\nd\te\n", 8)
def test_the_reader_of_sound_files_agrees_with_the_careful_one(content: str, piece: int) -> None:
    def read() -> tuple:
        broken: list = []
        try:
            rows = rows_of(path, broken)
        except DataError as error:
            return (error.lines,)
        return rows, [(one.line, one.problem, one.value) for one in broken]

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder, "c.tsv")
        path.write_bytes(content.encode())
        patch.setattr(reading, "PIECE", piece)
        fast = read()
        patch.setattr(reading, "_read_sound", lambda part: None)
        assert fast == read()


def test_only_damaged_parts_are_made_again(tmp_path: Path, pieces: None) -> None:
    path, out = scored(tmp_path)
    before = times(out)
    _, flipped, cut, *_ = before
    content = bytearray(flipped.read_bytes())
    content[60] ^= 4
    flipped.write_bytes(content)
    cut.write_bytes(cut.read_bytes()[:-20])
    command = read_collection_counts(out).command
    with pytest.raises(FairvizError, match=f"{flipped} is not what was counted") as error:
        read_collection_counts(out).counts(pd.Index(["d1"], dtype="str"), ("female",))
    assert error.value.remedy == f"Count this part again: `{command}` leaves the others."
    assert [part.file for part in state_of(path, out, PLAN).missing] == [flipped.name, cut.name]
    assert main([*shlex.split(command)[1:], "--workers", "1"]) == 0
    assert [file for file, time in times(out).items() if time != before[file]] == [flipped, cut]
    assert_equal(table(out), expected(documents(500)))


def test_counts_of_another_list_of_a_changed_file_and_in_other_parts_are_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(reading, "PIECE", 1500)
        path, out = scored(tmp_path)
        score(path, out, CountingPlan(GSR_LEXICON, ("female",)), share=Share(1, 2))
        assert not (out / MANIFEST).exists(), "the manifest of the other counts goes before"
        assert len(times(out)) > 1
    assert not state_of(path, out, OTHER).is_complete
    score(path, out, OTHER)
    assert json.loads((out / MANIFEST).read_text())["groups"] == ["wet"]
    assert [file.name for file in times(out)] == ["part-00000.parquet"], "files of former parts go"
    assert_equal(table(out), expected(documents(500), OTHER))
    write_tsv(tmp_path / "c.tsv", documents(30, seed=1))
    score(path, out, OTHER)
    assert_equal(table(out), expected(documents(30, seed=1), OTHER))


def test_broken_documents_are_named_by_their_line_and_can_be_left_out(tmp_path: Path, pieces: None) -> None:
    rows = documents(1_000)
    lines = [f"{name}\t{text}\n".encode() for name, text in rows]
    lines[712] = b"no tab\n"
    lines[800] = b"x\t\xff\n"
    path, out = tmp_path / "c.tsv", tmp_path / "out"
    path.write_bytes(b"".join(lines))
    with refused(
        "c.tsv:713: expected doc_id, a tab and the text: 'no tab'\n"
        "c.tsv:801: not UTF-8 text: byte 0xFF: 'x\\t\ufffd'\n"
        "the collection: 2 documents cannot be read\n"
        "Repair these documents, or leave them out with --skip-broken.",
        DataError,
    ):
        score(str(path), out, PLAN)
    assert not (out / MANIFEST).exists()
    assert len(state_of(str(path), out, PLAN).missing) == 2
    skipping = CountingPlan(PLAN.lexicon, PLAN.groups, skip_broken=True)
    state = score(str(path), out, skipping)
    assert (state.documents, state.broken) == (998, 2)
    assert_equal(table(out), expected([row for at, row in enumerate(rows) if at not in (712, 800)]))
    assert not state_of(str(path), out, PLAN).is_complete


def test_half_a_character_is_a_broken_document(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    rows = [("1", r"she \ud800"), (r"\udfff", "he"), ("3", "x")]
    file.write_text("".join(f'{{"doc_id": "{name}", "text": "{text}"}}\n' for name, text in rows), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        score(str(file), tmp_path / "counts", PLAN)
    assert [line.line for line in caught.value.lines if not line.stops] == [1, 2]
    assert caught.value.lines[0].problem == "half a character (a lone surrogate)"
    assert score(str(file), tmp_path / "counts", replace(PLAN, skip_broken=True)).broken == 2


def test_names_of_any_bytes_and_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"a\xff")
    write_tsv(tmp_path / f"{name}.tsv", documents(3))
    assert score(f"{name}.tsv", Path(name), PLAN).is_complete
    counts = read_collection_counts(Path(name))
    assert (counts.collection, len(counts.doc_ids)) == (os.path.abspath(f"{name}.tsv"), 3)
    assert counts.counts(pd.Index(counts.doc_ids), ("female",)).known.all()
    for address in ("http:/b", "s3://b/c", "memory:/x"):
        assert main(["score", f"{name}.tsv", "--out", address]) == 2
        assert f"--out is {address!r}, an address\nName a folder" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.tsv", name}


def test_the_first_twenty_of_many_and_rows_without_text_or_columns_are_named(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text("{\n" * 50)
    with pytest.raises(DataError) as error:
        score(str(path), tmp_path / "out", PLAN)
    lines = error.value.message.splitlines()
    assert (len(lines), lines[0]) == (21, "c.jsonl:1: not a JSON object: '{'")
    assert lines[-1] == "the collection: 50 documents cannot be read"
    path = tmp_path / "c.parquet"
    pd.DataFrame({"doc_id": ["a", None, "c"], "text": ["she", "he", None]}).to_parquet(path)
    with pytest.raises(DataError, match=r"c\.parquet:2: a row without doc_id or text"):
        score(str(path), tmp_path / "out", PLAN)
    pd.DataFrame({"name": ["a"], "text": ["she"]}).to_parquet(path)
    with pytest.raises(DataError, match="no column of ids or of texts"):
        score(str(path), tmp_path / "out", PLAN)


def test_a_data_set_of_ir_datasets_is_counted_by_ranges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import ir_datasets

    rows = documents(50)
    data = ir_datasets.create_dataset(docs_tsv=str(write_tsv(tmp_path / "docs.tsv", rows)))
    ir_datasets.registry.register("counted/small", data)
    monkeypatch.setattr(reading, "RANGE", 7)
    state = score("ir_datasets:counted/small", tmp_path / "out", PLAN)
    assert (state.parts, state.documents) == (8, 50)
    assert_equal(table(tmp_path / "out"), expected(rows))
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert manifest["text"].startswith("ir_datasets 0.")
    assert manifest["parts"][1] | {"sha256": ""} == {
        "file": "part-00001.parquet", "source": "ir_datasets:counted/small", "start": 7, "end": 14, "sha256": "",
    }  # fmt: skip
    with pytest.raises(FairvizError, match="ir_datasets has no data set 'no-such-set'"):
        score("ir_datasets:no-such-set", tmp_path / "out", PLAN)


def test_a_document_that_stands_twice_is_named(tmp_path: Path) -> None:
    for name in ("a.tsv", "b.tsv"):
        write_tsv(tmp_path / name, [("same", "she"), (name, "he")])
    with pytest.raises(FairvizError, match=r"1 doc_ids are twice in the collection: 'same'"):
        score(str(tmp_path / "*.tsv"), tmp_path / "out", PLAN)
    assert not (tmp_path / "out" / MANIFEST).exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="its processes are forked off one")
def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path, pieces: None, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))  # not the script that a page has left there
    multiprocessing.set_forkserver_preload(["fairviz.extensions.collections.score"])
    monkeypatch.setattr(executors, "get_context", lambda _: multiprocessing.get_context("forkserver"))
    rows = documents(1_000)
    path = write_tsv(tmp_path / "c.tsv", rows)
    killed = []

    def kill(done: int, total: int, documents: int) -> None:
        children = multiprocessing.active_children()
        if not killed and children:
            killed.append(children[0].pid)
            children[0].kill()

    state = score(str(path), tmp_path / "out", PLAN, executor=local(2), progress=kill)
    assert killed
    assert state.is_complete
    assert_equal(table(tmp_path / "out"), expected(rows))


def test_what_cannot_be_made_is_refused_in_one_line(tmp_path: Path) -> None:
    path, out = written(tmp_path, 3)
    with pytest.raises(UsageError, match="is not a file, a folder or a pattern of files"):
        score(str(tmp_path / "nothing*"), out, PLAN)
    (tmp_path / "c.doc").touch()
    with pytest.raises(UsageError, match=r"c.doc is neither .tsv, .jsonl nor .parquet"):
        score(str(tmp_path), out, PLAN)
    (tmp_path / "file").touch()
    with pytest.raises(FairvizError, match="cannot be written"):
        score(path, tmp_path / "file" / "out", PLAN)


def test_one_folder_is_of_one_word_list_at_a_time(tmp_path: Path, pieces: None) -> None:
    """Also where the two have different shares, which have locks of their own."""
    path, out = written(tmp_path)
    said: list[str] = []

    def again(done: int, total: int, documents: int) -> None:
        if done == 1:
            for plan, share in ((PLAN, Share()), (OTHER, Share()), (OTHER, Share(1, 2))):
                with pytest.raises(FairvizError) as error:
                    score(path, out, plan, share=share)
                said.append(error.value.message)

    score(path, out, PLAN, progress=again)
    other = f"another process counts other words, or counts otherwise, in {out}"
    assert said == [f"another process makes these parts in {out}", other, other]
    assert (out / MANIFEST).is_file()
    assert_equal(table(out), expected(documents(500)))
    score(path, out, OTHER)
    assert_equal(table(out), expected(documents(500), OTHER))


def test_two_machines_that_make_the_same_parts_agree(tmp_path: Path) -> None:
    """Shares have locks of their own, so that both write the first part: here while a third is about to."""
    path, out = written(tmp_path, 50)
    made = []

    def after(*others: Share) -> Executor:
        def meanwhile(work: Work, parts: Sequence[Hashable]) -> Done:
            if others:
                score(path, out, PLAN, share=others[0], executor=after(*others[1:]))
            made.extend(parts)
            yield from local(1)(work, parts)

        return meanwhile

    assert score(path, out, PLAN, executor=after(Share(1, 2), Share(1, 3))).is_complete
    assert len(made) == 3
    assert_equal(table(out), expected(documents(50)))
    left = [".part-00000.parquet.sha256", "manifest.json", "part-00000.parquet"]
    assert sorted(file.name for file in out.iterdir()) == left


def test_a_share_is_not_added_to_those_of_another_list(tmp_path: Path, pieces: None) -> None:
    path, out = written(tmp_path)
    score(path, out, PLAN, share=Share(1, 3))
    for number in (1, 2, 3):
        with pytest.raises(FairvizError, match=r"part-00000\.parquet in .* was counted by other words, or otherwise"):
            score(path, out, OTHER, share=Share(number, 3))
    for number in (2, 3):
        score(path, out, PLAN, share=Share(number, 3))
    assert_equal(table(out), expected(documents(500)))
    for number in (1, 2, 3):  # complete counts are made again, in any number of shares
        score(path, out, OTHER, share=Share(number, 3))
    assert (out / MANIFEST).is_file()
    assert_equal(table(out), expected(documents(500), OTHER))


def test_parts_that_another_list_replaces_meanwhile_are_no_success(tmp_path: Path, pieces: None, monkeypatch) -> None:
    """As on a file system without locks."""
    path, out = written(tmp_path)
    monkeypatch.setattr(
        "fairviz.extensions.collections.score.hold", lambda path, wait=0.0: (FileLock(f"{path}.lock"), None)
    )

    def other(done: int, total: int, documents: int) -> None:
        if done == total:
            score(path, out, OTHER)

    with pytest.raises(FairvizError, match=r"part-00000\.parquet in .* is of other words, or of a collection that"):
        score(path, out, PLAN, progress=other)


def test_the_named_command_has_the_options_of_the_first_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_tsv(tmp_path / "c.tsv", documents(9))
    (tmp_path / "my words.csv").write_text("word,group\nwater,wet\n")
    assert main(["score", "c.tsv", "--out", "out", "--lexicon", "my words.csv", "--tokenizer", "whitespace"]) == 0
    manifest = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert (manifest["tokenizer"], manifest["groups"]) == ("whitespace", ["wet"])
    command = shlex.split(read_collection_counts(tmp_path / "out").command)
    monkeypatch.chdir("/")
    (tmp_path / "out" / "part-00000.parquet").write_bytes(b"PAR1")
    assert main(command[1:]) == 0
    assert json.loads((tmp_path / "out" / MANIFEST).read_text())["plan"] == manifest["plan"]


def test_a_manifest_without_checksum_is_written_again_without_counting(tmp_path: Path, pieces: None) -> None:
    """Counts of earlier versions, which had no sums next to their parts either."""
    path, out = scored(tmp_path)
    sound = (out / MANIFEST).read_bytes()
    (out / MANIFEST).write_bytes(re.sub(rb',\n "sha256": "[0-9a-f]{64}"\n}', b"\n}", sound))
    for sums in out.glob(".part-*"):
        sums.unlink()
    with pytest.raises(FairvizError, match="is not what was written: its checksum is of other content"):
        read_collection_counts(out)
    before = times(out)
    score(path, out, PLAN)
    assert (out / MANIFEST).read_bytes() == sound
    assert before == times(out)
    last = [*before][-1]
    last.write_bytes(b"PAR1")
    score(path, out, PLAN)
    assert [file for file, time in times(out).items() if time != before[file]] == [last]


def test_columns_that_the_first_line_names_and_titles(tmp_path: Path) -> None:
    path, out = tmp_path / "c.tsv", tmp_path / "out"
    rows = [("d1", "she\tor he\tand they"), ("d2", "her")]  # without a header tabs are the text's own
    score(str(write_tsv(path, rows)), out, PLAN)
    assert_equal(table(out), expected(rows))
    path.write_text("doc_id\turl\ttitle\ttext\na\tthis\tHer\tshe he\nb\tthis\t\twater\n")
    score(str(path), out, PLAN)
    assert table(out).to_numpy().tolist() == [["a", 3, 2, 1], ["b", 1, 0, 0]]
    path.write_text(path.read_text() + "c\tshe\n")
    with pytest.raises(DataError, match=r"c\.tsv:4: expected 4 columns, found 2"):
        score(str(path), out, PLAN)
    path = tmp_path / "c.jsonl"
    path.write_text(json.dumps({"id": 7, "title": "Her", "body": "his"}) + "\n")
    score(str(path), out, PLAN)
    assert table(out).to_numpy().tolist() == [["7", 2, 1, 1]]


def test_a_mark_of_utf8_and_named_columns_are_read_in_pieces_too(tmp_path: Path, pieces: None) -> None:
    path = tmp_path / "c.tsv"
    for header, row in (("doc_id\turl\ttitle\ttext\n", "{}\tthis\tHer\tshe he\n"), ("", "{}\tHer she he\n")):
        path.write_text(header + "".join(row.format(f"d{number}") for number in range(400)), encoding="utf-8-sig")
        assert score(str(path), tmp_path / "out", PLAN).parts > 3
        assert table(tmp_path / "out").to_numpy().tolist() == [[f"d{number}", 3, 2, 1] for number in range(400)]


# --- the verb


@pytest.fixture
def command(tmp_path: Path) -> str:
    """What counts a collection of two files of twenty documents."""
    (tmp_path / "collection").mkdir()
    for name, rows in (("a.tsv", documents(40)[:20]), ("b.tsv", documents(40)[20:])):
        write_tsv(tmp_path / "collection" / name, rows)
    return f"score {tmp_path / 'collection'} --out {tmp_path / 'out'}"


def test_a_collection_is_counted_in_parts_and_its_state_printed(command: str, tmp_path: Path, call: Call) -> None:
    out = tmp_path / "out"
    assert call(command, "--status").err == "0 of 2 parts, 0 documents\n"
    assert call(command, "--part 2/2").err == "1 of 2 parts, 20 documents\n"
    assert call(command, "--workers 2").err == f"2 of 2 parts, 40 documents\ncomplete: {out / MANIFEST}\n"
    assert_equal(table(out), expected(documents(40)))
    (tmp_path / "collection" / "a.tsv").write_text("a\tshe\nbroken\n")
    said = call(command, "--skip-broken")
    assert "2 of 2 parts, 21 documents; 1 that cannot be read are left out\n" in said.err


def test_parts_that_are_none_and_a_group_named_as_a_column(command: str, tmp_path: Path, call: Call) -> None:
    for part in ("0/2", "3", "a/b", "1/0"):
        assert f"{part!r} is not a part such as 3/16" in call(command, "--part", part, status=2).err
    assert call(command, "--part 3/2", status=2).err == "there is no part 3 of 2\nUse 1/2 to 2/2.\n"
    (tmp_path / "words.csv").write_text("word,group\nwater,tokens\n")
    said = call(command, f"--lexicon {tmp_path}/words.csv", status=2)
    assert "a group of the word list is named tokens" in said.err


def test_memory_limits_the_processes(command: str, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    said = call(command, "--memory 500M", status=2)
    assert said.err.endswith("one process needs 0.6 GB\nGive --memory 0.6G or more.\n")
    asked, alone = [], executors.local(1)
    monkeypatch.setattr(executors, "local", lambda workers: asked.append(workers) or alone)
    for memory in ("1.3G", "0.7GB"):
        call(command, f"--workers 5 --memory {memory}")
    assert asked == [2, 1]
    call(command, "--memory much", status=2)


def test_a_cluster_that_cannot_be_used(command: str, tmp_path: Path, call: Call, monkeypatch) -> None:
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tcp://127.0.0.1:9")
    assert "--memory is of processes of this machine" in call(command, "--memory 2G", status=2).err
    said = call(command, f"--scheduler-file {tmp_path}/none.json", status=2)
    assert f"{tmp_path / 'none.json'} is not there" in said.err
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "Dask workers need the layer [cluster], which is not installed" in call(command, status=1).err
    call(command, "--workers 1")


def test_a_full_disk_is_one_line_and_leaves_no_part(tmp_path: Path, call: Call) -> None:
    path, _ = scored(tmp_path)  # compiles what counts, which is stored
    write_tsv(tmp_path / "c.tsv", documents(2_000))
    out = tmp_path / "full"
    with full_disk(3_000):
        said = call(f"score {path} --out {out} --workers 1", status=1)
    remedy = "Make room there, or name another folder with --out.\n"
    assert said.err == f"{out} cannot be written (File too large)\n{remedy}"
    assert not list(out.glob("part-*"))


# --- a cluster

CLUSTERS = """
import asyncio, os, signal, sys, time
from distributed import Scheduler, Worker
import fairviz.extensions.collections.score

async def schedule(file):
    async with Scheduler(port=0, dashboard_address=":0", scheduler_file=file) as scheduler:
        await scheduler.finished()

async def work(file):
    async with Worker(scheduler_file=file, nthreads=1) as worker:
        await worker.finished()

def forked(serve, file):
    if not (process := os.fork()):
        asyncio.run(serve(file))
    return process

files = sys.argv[1:]
schedulers = [forked(schedule, file) for file in files]
while not all(map(os.path.exists, files)):
    time.sleep(0.02)
workers = [forked(work, file) for file in files for _ in range(2)]
print(*schedulers, *workers, flush=True)
sys.stdin.read()
for process in (*workers, *schedulers):
    os.kill(process, signal.SIGKILL)
    os.wait()
"""


@pytest.fixture
def clusters(tmp_path: Path) -> Iterator[tuple[list[Path], list[int]]]:
    """Two scheduler files, and the processes of two schedulers, of two workers of the first and of two of the second:
    all are forked off one that has imported what they need."""
    files = [tmp_path / name for name in ("first.json", "second.json")]
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", CLUSTERS, *files], cwd=tmp_path, text=True, **piped) as parent:
        yield files, [int(process) for process in parent.stdout.readline().split()]


def write_passages(folder: Path, passages: int, files: int) -> Path:
    """Write so many passages, gendered ones among them, in files of equal size."""
    pieces = [text for _, text in documents(997)]
    folder.mkdir()
    for first in range(files):
        with (folder / f"{first:02}.tsv").open("w") as stream:
            for number in range(first, passages, files):
                stream.write(f"{number}\t{pieces[number % 997]} {pieces[number * 31 % 991]}\n")
    return folder


def killing(process: int) -> Callable[..., None]:
    """Return a progress that kills the process once."""
    left = [process]
    return lambda *_: os.kill(left.pop(), signal.SIGKILL) if left else None


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the cluster's processes are forked off one")
@pytest.mark.parametrize("passages", [3_200, pytest.param(1_000_000, marks=pytest.mark.lengthy)])
def test_clusters_that_lose_a_worker_the_last_one_and_their_scheduler(
    clusters: tuple[list[Path], list[int]], tmp_path: Path, passages: int, call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    """Counts are those of one process. What is lost is told in lines of our own, without a library's log, and what is
    broken as without a cluster."""
    from distributed import Client

    (file, second), (_, scheduler, worker, last, *_) = clusters
    logging.getLogger("distributed").addHandler(caplog.handler)
    collection = write_passages(tmp_path / "collection", passages, 32)
    with Client(scheduler_file=str(file)) as client:
        client.wait_for_workers(2)
    caplog.clear()

    path = write_tsv(tmp_path / "c.tsv", [*documents(200), ("", "no name")])
    told = call(f"score {path} --out {tmp_path}/broken --scheduler-file {file}", status=1).err
    assert told.startswith("2 workers, same versions as here; dashboard: http")
    assert "c.tsv:201: expected doc_id, a tab and the text" in told

    said: list[str] = []
    executor = executors.on_cluster(str(file), said.append, 1)
    score(str(collection), tmp_path / "out", PLAN, executor=executor, progress=killing(worker))
    assert said.pop().startswith("2 workers, ")
    score(str(collection), tmp_path / "alone", PLAN)
    assert len(table(tmp_path / "out")) == passages
    pd.testing.assert_frame_equal(table(tmp_path / "out"), table(tmp_path / "alone"))

    remedy = "Start workers again; the same command does what is missing."
    with refused(f"the scheduler {file} has no worker for 1 seconds\n{remedy}"):
        score(str(collection), tmp_path / "none", PLAN, executor=executor, progress=killing(last))
    assert said.pop(0).startswith("1 worker, ")
    assert said == ["no worker is left; waiting 1 seconds for one"]

    executor = executors.on_cluster(str(second), said.append)
    with refused(f"the scheduler {second} is gone\n{executors.GONE}"):
        score(str(collection), tmp_path / "none", PLAN, executor=executor, progress=killing(scheduler))
    assert not caplog.records
