"""Good files of kinds that are known by their place or their packing: SGML, and compressed files."""

import bz2
import gzip
import lzma
import random
from collections.abc import Callable

from tests.fuzz.good import ids, text

ODD = ("", "", " &amp;", " a < b", " <b>bold</b>", "\n\nmore", " <P>", " </p> more")


def topics(draw: random.Random, _: str = "") -> bytes:
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


def documents(draw: random.Random, _: str = "") -> bytes:
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
    return b"".join(PACKERS[ending](piece) for piece in pieces)


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def _zstandard(data: bytes) -> bytes:
    import pyarrow as pa

    return pa.compress(data, codec="zstd", asbytes=True)


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": _gzip,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": _zstandard,
}
