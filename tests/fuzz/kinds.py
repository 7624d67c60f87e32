"""Kinds of input: how one is made out of a seed, and who judges what the program makes of it."""

import io
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.fuzz import commands as hostile
from tests.fuzz import good, judging
from tests.fuzz.good import mutated

Judge = Callable[[Path, bytes], str]


@dataclass(frozen=True)
class Kind:
    """A kind of input: the file it is written to, how it is made, and who judges it."""

    name: str
    file: str
    make: Callable[[random.Random], bytes]
    judge: Judge


def made(seed: int, number: int, commands: bool = False) -> tuple[Kind, bytes]:
    """Input, or command, `number` of the seed, the same wherever and in whatever order it is made."""
    draw = random.Random(f"{seed}-{number}")
    kind = COMMAND if commands else KINDS[number % len(KINDS)]
    return kind, kind.make(draw)


def changed(make: good.Make, about: str) -> Callable[[random.Random], bytes]:
    return lambda draw: mutated(make(draw, about), draw) if draw.random() < 0.95 else make(draw, about)


def packed(ending: str, make: good.Make, about: str = "") -> Callable[[random.Random], bytes]:
    """A packed file that is sound, or whose bytes are changed, or whose text was before it was packed."""

    def made_of(draw: random.Random) -> bytes:
        text, turn = make(draw, about), draw.random()
        if turn < 0.4:
            return mutated(good.packed(text, ending, draw), draw)
        return good.packed(mutated(text, draw) if turn < 0.8 else text, ending, draw)

    return made_of


def table_file(part: str, draw: random.Random) -> bytes:
    """A Parquet file whose bytes are changed, or a sound one with columns of any type."""
    if draw.random() < 0.03:
        return good.parquet_flood(draw, part)
    data = good.parquet(draw, part)
    return mutated(data, draw) if draw.random() < 0.6 else data


def archive(draw: random.Random) -> bytes:
    """A zip whose bytes are changed, or in which the name or the content of a file was."""
    return mutated(good.zipped(draw), draw) if draw.random() < 0.5 else study_zip(draw, renamed=True)


def study_zip(draw: random.Random, renamed: bool = False) -> bytes:
    """A study's files, one of them changed, perhaps in its name, too; carried in a sound zip."""
    files, stream = good.folder(draw), io.BytesIO()
    odd = draw.choice(sorted(files))
    with zipfile.ZipFile(stream, "w") as target:
        for name, content in files.items():
            is_odd = name == odd
            new = mutated(name.encode(), draw).decode("utf-8", "replace")[:60000] if is_odd and renamed else name
            target.writestr(zipfile.ZipInfo(new or "x"), mutated(content, draw) if is_odd else content)
    return stream.getvalue()


def _parts() -> list[Kind]:
    kinds = []
    for part in ("queries", "documents", "labels"):
        for suffix, make in ((".csv", good.delimited), (".tsv", good.tabbed), (".jsonl", good.objects)):
            judge = partial(judging.judge_part, part, suffix)
            kinds.append(Kind(f"{part}{suffix}", f"{part}{suffix}", changed(make, part), judge))
        make_table = partial(table_file, part)
        kinds.append(
            Kind(f"{part}.parquet", f"{part}.parquet", make_table, partial(judging.judge_part, part, ".parquet"))
        )
    return kinds


def _file(name: str, make: good.Make, judge: Judge, about: str = "") -> Kind:
    return Kind(name, name, changed(make, about), judge)


def _packed_runs() -> list[Kind]:
    """Runs in each way to compress them."""
    names = {ending: f"one.run{ending}" for ending in (".gz", ".bz2", ".xz", ".zst")}
    return [
        Kind(name, name, packed(ending, good.any_run), partial(judging.judge_part, "runs", f".run{ending}"))
        for ending, name in names.items()
    ]


def _placed() -> list[Kind]:
    """Files that the program finds by their place in a folder, or by what they hold."""
    runs, qrels, queries, documents = (partial(judging.judge_placed, part) for part in good.PARTS)
    topics, texts, table, lines = good.sgml_topics, good.sgml_documents, good.tabbed, good.objects
    places: tuple[tuple[str, Callable[[random.Random], bytes], Judge], ...] = (
        ("runs/one", changed(good.any_run, ""), partial(runs, "runs/one", ".run")),
        ("runs/bm25-0.9", changed(good.any_run, ""), partial(runs, "runs/bm25-0.9", ".run")),
        ("runs/input.one.gz", packed(".gz", good.run), partial(runs, "runs/input.one.gz", ".gz")),
        ("qrels", changed(good.qrels, ""), partial(qrels, "qrels", ".txt")),
        ("qrels/test.tsv", changed(good.qrels, ""), partial(qrels, "qrels/test.tsv", ".tsv")),
        ("documents.tsv.gz", packed(".gz", table, "documents"), partial(documents, "documents.tsv.gz", ".tsv.gz")),
        ("corpus.jsonl.xz", packed(".xz", lines, "documents"), partial(documents, "corpus.jsonl.xz", ".jsonl.xz")),
        ("topics.txt", changed(topics, ""), partial(queries, "topics.txt", ".sgml")),
        ("queries.sgml", changed(topics, ""), partial(queries, "queries.sgml", ".sgml")),
        ("documents.trec", changed(texts, ""), partial(documents, "documents.trec", ".sgml")),
        ("documents.sgml.bz2", packed(".bz2", texts), partial(documents, "documents.sgml.bz2", ".sgml.bz2")),
    )  # fmt: skip
    return [Kind(place, f"placed-{number}", make, judge) for number, (place, make, judge) in enumerate(places)]


KINDS: tuple[Kind, ...] = (
    *_parts(),
    _file("one.run", good.any_run, partial(judging.judge_part, "runs", ".run")),
    *_packed_runs(),
    _file("one.res", good.any_run, partial(judging.judge_part, "runs", ".res")),
    _file("one.tsv", good.ranks, partial(judging.judge_part, "runs", ".tsv")),
    *_placed(),
    _file("qrels.txt", good.qrels, partial(judging.judge_part, "qrels", ".txt")),
    _file("lexicon.csv", good.lexicon, partial(judging.judge_part, "lexicon", ".csv")),
    _file("weights.csv", good.weights, partial(judging.judge_part, "weights", ".csv")),
    _file("study.toml", good.study_toml, judging.judge_toml),
    Kind("zip", "study.zip", archive, judging.judge_zip),
    Kind("folder", "folder.zip", study_zip, judging.judge_study),
    _file("decisions.csv", good.decisions_csv, partial(judging.judge_decisions, ".csv")),
    _file("decisions.jsonl", good.decisions_jsonl, partial(judging.judge_decisions, ".jsonl")),
    *(
        _file(f"vectors{kind}", good.vectors, partial(judging.judge_vectors, kind), kind)
        for kind in (".bin", ".vec", ".txt")
    ),
    _file("fasttext.bin", good.fasttext, judging.judge_fasttext),
    _file("measure", good.measure, judging.judge_measure),
    _file("address", good.address, judging.judge_address),
)

COMMAND = Kind("command", "command.json", hostile.make, hostile.judge)
