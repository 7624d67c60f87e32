"""Good inputs of every kind that the program reads, drawn from a seed; and random changes of their bytes: the slips of
hands and tools, and what an attacker would try."""

import csv
import io
import json
import random
import struct
import zipfile
from collections.abc import Callable
from typing import Any

from tests.study.loaders.files import PACKED

WORDS = (
    "she", "he", "the", "queen", "of", "a", "tree", "his", "mother", "café", "naïve", "李", "“said”", "it's",
    "women's", "doctor", "nurse", "007", "null", "-a", "=1+1",
)  # fmt: skip
GROUPS = ("neutral", "female", "male")
PARTS = ("runs", "qrels", "queries", "documents")
DOCUMENTS = ("d1", "d2", "-a", "007", "d5")  # of the study that decisions are imported into


def text(draw: random.Random, words: int = 8) -> str:
    said = " ".join(draw.choices(WORDS, k=draw.randint(1, words)))
    return said + draw.choice(["", "", ".", ' "quoted"', ", and", " \\n"])


def ids(draw: random.Random, letter: str, count: int) -> list[str]:
    styles = [f"{letter}{{}}", "{}", "00{}", f"{letter}-é {{}}".replace(" ", "_")]
    return [draw.choice(styles[:1] * 6 + styles).format(number) for number in range(1, count + 1)]


def _rows(draw: random.Random, part: str) -> tuple[list[str], list[list[Any]]]:
    count = draw.randint(2, 12)
    if part == "labels":
        names, letter = ["doc_id", "annotator", "label"], "d"
        rows = [[name, draw.choice(["ann", "Bo B", "rule"]), draw.choice(GROUPS)] for name in ids(draw, letter, count)]
    else:
        key = "query_id" if part == "queries" else "doc_id"
        names = [key, "text"]
        rows = [[name, text(draw)] for name in ids(draw, key[0], count)]
        if part == "documents" and draw.random() < 0.5:
            names, rows = [key, "title", "text"], [[row[0], text(draw, 3), row[1]] for row in rows]
    if draw.random() < 0.4:
        names, rows = [*names, "category"], [[*row, draw.choice(["x", "", "a, b", 'say "y"'])] for row in rows]
    return names, list({row[0]: row for row in rows}.values())


def as_csv(names: list[str], rows: list[list[Any]], **style: Any) -> bytes:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n", **style).writerows([names, *rows])
    return stream.getvalue().encode()


def delimited(draw: random.Random, part: str) -> bytes:
    names, rows = _rows(draw, part)
    return as_csv(names, rows, quoting=draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))


def tabbed(draw: random.Random, part: str) -> bytes:
    names, rows = _rows(draw, part)
    if part != "labels" and draw.random() < 0.3:
        rows = [[row[0], row[-1]] for row in rows]
        return "".join("\t".join(row) + "\n" for row in rows).encode()
    if draw.random() < 0.5:
        return as_csv(names, rows, delimiter="\t")
    return "".join("\t".join(row) + "\n" for row in [names, *rows]).encode()


def objects(draw: random.Random, part: str) -> bytes:
    names, rows = _rows(draw, part)
    extra = draw.choice([None, 1, 2.5, True, [1, "x"], {"a": 1}, 2**60 + 1, None])
    lines = []
    for row in rows:
        found = dict(zip(names, row, strict=True))
        if draw.random() < 0.5:
            found["extra"] = draw.choice([extra, extra, 3, 0.5])
        lines.append(json.dumps(found, ensure_ascii=draw.random() < 0.5))
    return ("\n".join(lines) + draw.choice(["\n", ""])).encode()


def parquet(draw: random.Random, part: str) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet as files

    names, rows = _rows(draw, part)
    columns = [pa.array(column, type=pa.string()) for column in zip(*rows, strict=True)]
    columns = [column.dictionary_encode() if draw.random() < 0.3 else column for column in columns]
    if draw.random() < 0.3:
        kinds = (pa.int64(), pa.float64(), pa.bool_(), pa.binary(), pa.date32())
        held = ([1, 2**60 + 1], [0.5, 1.0], [True, False], [b"\xff\0"], [1])
        kind, values = draw.choice([*zip(kinds, held, strict=True)])
        values = [None if draw.random() < 0.3 else draw.choice(values) for _ in rows]
        names, columns = [*names, "extra"], [*columns, pa.array(values, type=kind)]
    stream, packing = io.BytesIO(), draw.choice(["none", "snappy", "zstd", "gzip"])
    files.write_table(pa.table(columns, names=names), stream, compression=packing)
    return stream.getvalue()


def run(draw: random.Random, _: str = "") -> bytes:
    blank = draw.choice([" ", " ", "\t", "  "])
    lines = []
    for query in range(1, draw.randint(2, 5)):
        for rank, name in enumerate(draw.sample(range(1, 13), draw.randint(1, 6)), start=1):
            score = draw.choice([f"{20 - rank}.5", f"{10 - rank}", f"{1 / rank!r}", f"-{rank}e-1"])
            lines.append(blank.join([f"q{query}", "Q0", f"d{name}", str(rank), score, "tag"]))
    return ("\n".join(lines) + "\n").encode()


def ranks(draw: random.Random, _: str = "") -> bytes:
    """A run of three columns, as MS MARCO has them."""
    lines = [line.split() for line in run(draw).decode().splitlines()]
    return "".join(f"{query}\t{name}\t{rank}\n" for query, _, name, rank, *_ in lines).encode()


def any_run(draw: random.Random, _: str = "") -> bytes:
    return (ranks if draw.random() < 0.2 else run)(draw)


def qrels(draw: random.Random, _: str = "") -> bytes:
    beir = draw.random() < 0.3
    lines = ["query-id\tcorpus-id\tscore"] if beir else []
    for query in range(1, 5):
        for name in draw.sample(range(1, 13), 3):
            grade = str(draw.randint(-1, 3))
            lines.append(f"q{query}\td{name}\t{grade}" if beir else f"q{query} 0 d{name} {grade}")
    return ("\n".join(lines) + "\n").encode()


def lexicon(draw: random.Random, _: str = "") -> bytes:
    words = draw.sample(["she", "he", "queen", "king", "it's", "naïve", "a b", "her", "his", "x,y"], 6)
    rows = [[word, draw.choice(["female", "male", "f", "M"])] for word in words]
    return as_csv(["word", "group"], rows) if draw.random() < 0.7 else as_csv(rows[0], rows[1:])


def weights(draw: random.Random, _: str = "") -> bytes:
    rows = [[str(rank), draw.choice(["0.5", "1", "0", "1e-3", ".25"])] for rank in range(1, draw.randint(3, 9))]
    return as_csv(["rank", "weight"], [*rows, ["9", "0.1"]])


STUDY_TOML = r"""
title = "A study"
description = '''two
lines'''
groups = ["female", "male"]
protected = "female"
licence = "CC0"
notices = ["a", "b\n"]
systems = ['one']
[targets]
female = 0.5
male = 0.5
[annotators.rule]
kind = "rule"
description = 'by "words"'
"""


def study_toml(draw: random.Random, _: str = "") -> bytes:
    return STUDY_TOML.strip().encode()


def folder(draw: random.Random) -> dict[str, bytes]:
    """A whole study by its files, whose ids fit together."""
    names = ids(draw, "d", 8)
    lines = "".join(f"q1 Q0 {name} {rank} {9 - rank} t\n" for rank, name in enumerate(names, start=1))
    return {
        "study.toml": study_toml(draw),
        "queries.tsv": b"query_id\ttext\nq1\twho is she\nq2\tthe king\n",
        "documents.csv": as_csv(["doc_id", "text"], [[name, text(draw)] for name in names]),
        "labels.csv": as_csv(["doc_id", "annotator", "label"], [[name, "a", draw.choice(GROUPS)] for name in names]),
        "qrels.txt": "".join(f"q1 0 {name} {draw.randint(0, 2)}\n" for name in names).encode(),
        "runs/one.run": lines.encode(),
        "lexicon.csv": lexicon(draw),
    }


def zipped(draw: random.Random, _: str = "") -> bytes:
    below = draw.choice(["", "study/"])
    stream = io.BytesIO()
    kind = draw.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    with zipfile.ZipFile(stream, "w", kind) as archive:
        for name, content in folder(draw).items():
            archive.writestr(zipfile.ZipInfo(below + name), content, compress_type=kind)
    return stream.getvalue()


def _decisions(draw: random.Random) -> list[dict[str, Any]]:
    rows = [
        {
            "mark": f"{draw.getrandbits(128):032x}", "time": f"2026-01-{number + 1:02}T12:00:0{number}.000000Z",
            "doc_id": draw.choice(DOCUMENTS[:4]), "action": "decide", "label": draw.choice(GROUPS),
            "reason": text(draw, 3), "author": draw.choice(["", "Ann", "@bo"]),
        }
        for number in range(draw.randint(2, 8))
    ]  # fmt: skip
    if draw.random() < 0.3:
        rows = [{"doc_id": name, "label": row["label"]} for name, row in zip(DOCUMENTS, rows, strict=False)]
    return rows


def decisions_csv(draw: random.Random, _: str = "") -> bytes:
    """As a person writes them; or guarded, by an earlier version, which did not say so, or by this one, which does."""
    rows = _decisions(draw)
    names, cells = list(rows[0]), [[*row.values()] for row in rows]
    if "mark" not in names:
        return as_csv(names, cells)
    guarded = [["'" + cell if cell.startswith(tuple("=+-@'")) else cell for cell in row] for row in cells]
    if draw.random() < 0.5:
        return as_csv(names, guarded)
    return as_csv([*names, "guarded_by_apostrophe"], [[*row, "yes"] for row in guarded])


def decisions_jsonl(draw: random.Random, _: str = "") -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in _decisions(draw)).encode()


def vectors(draw: random.Random, kind: str) -> bytes:
    words = draw.sample(["she", "he", "queen", "café", "x", "king", "0", "007", '"', "a'b"], draw.randint(3, 9))
    rows = [(word, [draw.uniform(-1, 1) for _ in range(4)]) for word in words]
    head = f"{len(rows)} 4\n".encode()
    if kind == ".bin":
        return head + b"".join(word.encode() + b" " + struct.pack("<4f", *row) + b"\n" for word, row in rows)
    lines = "".join(f"{word} {' '.join(f'{number:.6f}' for number in row)}\n" for word, row in rows)
    return (head if kind == ".vec" else b"") + lines.encode()


def fasttext(draw: random.Random, _: str = "") -> bytes:
    """A model of four dimensions with six buckets, as Facebook's program saves one."""
    words = draw.sample(["she", "he", "queen", "café", "king", "nurse"], 4)
    width, buckets = 4, 6
    out = struct.pack("<14id", 793712314, 12, width, 5, 5, 1, 5, 1, 1, 2, buckets, 3, 6, 100, 1e-4)
    out += struct.pack("<iiiqq", len(words), len(words), 0, 100, -1)
    for place, word in enumerate(words):
        out += word.encode() + b"\0" + struct.pack("<qb", 20 - place, 0)
    for rows in (len(words) + buckets, len(words)):
        numbers = [draw.uniform(-1, 1) for _ in range(rows * width)]
        out += b"\0" + struct.pack(f"<qq{rows * width}f", rows, width, *numbers)
    return out


def parquet_flood(draw: random.Random, part: str) -> bytes:
    """A few kilobytes that unpack to twenty million rows."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet as files

    names, rows = _rows(draw, part)
    codes = pa.array(np.zeros(20_000_000, dtype=np.int8))
    columns = [pa.DictionaryArray.from_arrays(codes, [cell]) for cell in rows[0]]
    stream = io.BytesIO()
    files.write_table(pa.table(columns, names=names), stream, compression="zstd")
    return stream.getvalue()


MEASURES = (
    "CWEx(alpha=0.5)@10", "NFaiRR(tau=1)@10", "NFaiRR(background='run:one')@5", "TExFAIR(rbdf=False)@10", "RaB@5",
    "RaB(magnitude='tf')@7", "Exposure(group='female')@5", "AWRF(distance='jsd')@10", "GSR@10", "nDCG@10", "ERR@20",
    "nDCG(dcg='exp-log2')@5", "P(rel=2)@5", "AP", "RR(judged_only=True)@3", "RBP(rel=1,p=0.8)@10", "Compat(p=0.9)",
    "SetF(beta=0.5)", "IPrec(recall=0.25)", "SDCG(max_rel=3)@5", "nDCG(gains={1: 5})@3", "Judged@5", "Bpref",
    "GSR(query_terms='lemma',weights='code')@5",
)  # fmt: skip
ADDRESS: dict[str, list[str]] = {
    "study": ["newswire"], "systems": ["one", "two"], "cutoff": ["20"], "alpha": ["0.25"], "tau": ["0"],
    "position_bias": ["rbp(p=0.8)"], "custom_bias": ["1", "0.5"], "tokenizer": ["whitespace"], "left_out": ["3"],
    "lexicon": ["female:she|her;male:he"], "background": ["run:one"], "ties": ["trec_eval"], "annotator": ["majority"],
    "unlabelled": ["strict"], "effectiveness": ["RR"], "pairs": ["she-he, her-his"], "debias": ["regular"],
    "query_terms": ["lemma"], "stop_words": ["the a of"], "list_weights": ["code"],
    "gsr_depth": ["relevant"], "words": ["nurse, doctor"], "query": ["q1"], "document": ["d1"],
}  # fmt: skip


def measure(draw: random.Random, _: str = "") -> bytes:
    return draw.choice(MEASURES).encode()


def address(draw: random.Random, _: str = "") -> bytes:
    """Parameters of an address, one `name=value` a line."""
    names = draw.sample(sorted(ADDRESS), draw.randint(1, 6))
    return "\n".join(f"{name}={value}" for name in names for value in ADDRESS[name]).encode()


Make = Callable[[random.Random, str], bytes]


# --- Good files of kinds that are known by their place or their packing: SGML, and compressed files


ODD = ("", "", " &amp;", " a < b", " <b>bold</b>", "\n\nmore", " <P>", " </p> more")


def sgml_topics(draw: random.Random, _: str = "") -> bytes:
    """Topics as TREC wrote them: fields without an end tag, or with one, labels in front or not."""
    made = []
    for name in ids(draw, "q", draw.randint(2, 5)):
        number = draw.choice(["<num> Number: {}", "<num>{}</num>", "<NUM> {} "]).format(name)
        title = draw.choice(["<title> {}", "<title> Topic: {}", "<title>{}</title>"]).format(text(draw, 4))
        rest = draw.choice(
            ["", "<desc> Description:\n" + text(draw), "<narr> Narrative:\nabout\n\n<con> x", "<title> another"]
        )
        made.append("\n".join(["<top>", number, title, *filter(None, [rest]), "</top>", ""]))
    return "\n".join(made).encode()


def sgml_documents(draw: random.Random, _: str = "") -> bytes:
    made = []
    for name in ids(draw, "d", draw.randint(2, 6)):
        title = draw.choice(["", "<HEADLINE> {} </HEADLINE>", "<TITLE>{}</TITLE>", "<HL><P>{}</P></HL>"])
        held = text(draw) + draw.choice(ODD)
        body = draw.choice(["<TEXT>\n{}\n</TEXT>", "<text><p>{}</p><p>again</p></text>", "{}"]).format(held)
        lines = [f"<DOC>\n<DOCNO> {name} </DOCNO>", title.format(text(draw, 3)), body, "</DOC>"]
        made.append("\n".join(filter(None, lines)))
    return ("\n".join(made) + "\n").encode()


def packed(data: bytes, ending: str, draw: random.Random) -> bytes:
    """The bytes compressed; half of the time in two pieces, one behind the other, as `cat` makes them."""
    cut = draw.randint(0, len(data)) if draw.random() < 0.5 else len(data)
    pieces = [data[:cut], data[cut:]] if 0 < cut < len(data) else [data]
    return b"".join(PACKED[ending](piece) for piece in pieces)


# --- Random changes of bytes: the slips of hands and tools, and what an attacker would try


TOKENS = (
    b'"', b'""', b"'", b",", b"\t", b"\n", b"\r", b"\r\n", b"\n\n\n", b"\0", b"\xef\xbb\xbf", b"\xff", b"\xff\xfe",
    b" ", b"\xc2\x85", b"\xe2\x80\xa8", b"\x0b", b"\x0c", b"\x1c", b"0x10", b"1e400", b"nan", b"inf", b"-0", b"+5",
    b"1_0", b"\xd9\xa3", b"2147483648", b"99999999999999999999", b"-1", b"null", b"\\ud800", b"\\u0000", b"\\",
    b"=HYPERLINK(1)", b"..", b"../x", b"/", b"{", b"}", b"[", b"]", b"(", b")", b"#", b";", b"|", b"=", b"@", b"%",
    b"--", b"NA", b"1.5", b"e", b"\xf0\x9f\x98\x80", b"id", b"text", b"label", b"female", b"9999-12-31T00:00:00Z",
    b"0500-01-01T00:00:00Z", b",guarded_by_apostrophe", b"'-", b"column_2",
)  # fmt: skip
LONG = (b"9" * 5000, b"[" * 3000, b"x" * 200_000, b"\n" * 50_000, b" " * 100_000, b'"' * 2001, b"q 0 d 1\n" * 20_000)
Change = Callable[[bytes, random.Random], bytes]
FLOODS = (b"x\n", b"q 0 d 1\n", b'{"doc_id": 1}\n', b"\n", b'"', b",")


def mutated(data: bytes, draw: random.Random) -> bytes:
    """The bytes after one to four changes; now and then three megabytes of one line are put in."""
    if draw.random() < 0.01:
        start = draw.choice([0, draw.randint(0, len(data)), len(data)])
        line = draw.choice(FLOODS)
        return data[:start] + line * (3_000_000 // len(line)) + data[start:]
    for _ in range(draw.choice([1, 1, 1, 2, 2, 3, 4])):
        data = draw.choice(CHANGES)(data, draw)
    return data


def _spanning(change: Callable[[bytes, int, int, random.Random], bytes]) -> Change:
    """A change of, or at, a piece of the bytes."""

    def changed(data: bytes, draw: random.Random) -> bytes:
        start = draw.randint(0, len(data))
        return change(data, start, min(len(data), start + draw.choice([1, 1, 2, 5, 20, 100])), draw)

    return changed


_insert = _spanning(lambda data, start, _, draw: data[:start] + draw.choice(TOKENS) + data[start:])
_replace = _spanning(lambda data, start, stop, draw: data[:start] + draw.choice(TOKENS) + data[stop:])
_delete = _spanning(lambda data, start, stop, _: data[:start] + data[stop:])
_repeat = _spanning(
    lambda data, start, stop, draw: data[:stop] + data[start:stop] * draw.choice([1, 1, 3]) + data[stop:]
)
_long = _spanning(lambda data, start, _, draw: data[:start] + draw.choice(LONG) + data[start:])


def _insert_long(data: bytes, draw: random.Random) -> bytes:
    return (_insert if draw.random() < 0.7 else _long)(data, draw)


def _invert(data: bytes, draw: random.Random) -> bytes:
    if not data:
        return data
    place = draw.randrange(len(data))
    return data[:place] + bytes([data[place] ^ draw.choice([255, 1, 2, 16, 32, 128])]) + data[place + 1 :]


def _cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randint(0, len(data))]


def _lines(data: bytes, draw: random.Random) -> bytes:
    """A line moved, doubled or taken out, or other ends of lines."""
    lines = data.split(b"\n")
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    kind = draw.randrange(5)
    if kind == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif kind == 1:
        lines.insert(other, lines[one])
    elif kind == 2:
        del lines[one]
    return draw.choice([b"\r\n", b"\r"]).join(lines) if kind == 3 else b"\n".join(lines)


def _number(data: bytes, draw: random.Random) -> bytes:
    """A digit in the place of another."""
    places = [place for place, letter in enumerate(data[:5000]) if 48 <= letter <= 57]
    if not places:
        return _insert(data, draw)
    place = draw.choice(places)
    return data[:place] + draw.choice([b"0", b"9", b"", b"x", b"-", b"1e9", b"0x1", b"99999999999"]) + data[place + 1 :]


CHANGES = (_insert, _insert, _replace, _insert_long, _delete, _invert, _cut, _repeat, _lines, _number)
