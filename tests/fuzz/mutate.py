"""Random changes of bytes: the slips of hands and tools, and what an attacker would try."""

import random

TOKENS = (
    b'"', b'""', b"'", b",", b"\t", b"\n", b"\r", b"\r\n", b"\n\n\n", b"\0", b"\xef\xbb\xbf", b"\xff", b"\xff\xfe",
    b" ", b"\xc2\x85", b"\xe2\x80\xa8", b"\x0b", b"\x0c", b"\x1c", b"0x10", b"1e400", b"nan", b"inf", b"-0", b"+5",
    b"1_0", b"\xd9\xa3", b"2147483648", b"99999999999999999999", b"-1", b"null", b"\\ud800", b"\\u0000", b"\\",
    b"=HYPERLINK(1)", b"..", b"../x", b"/", b"{", b"}", b"[", b"]", b"(", b")", b"#", b";", b"|", b"=", b"@", b"%",
    b"--", b"NA", b"1.5", b"e", b"\xf0\x9f\x98\x80", b"id", b"text", b"label", b"female", b"9999-12-31T00:00:00Z",
    b"0500-01-01T00:00:00Z", b",guarded_by_apostrophe", b"'-", b"column_2",
)  # fmt: skip
LONG = (b"9" * 5000, b"[" * 3000, b"x" * 200_000, b"\n" * 50_000, b" " * 100_000, b'"' * 2001, b"q 0 d 1\n" * 20_000)


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


def _span(data: bytes, draw: random.Random) -> tuple[int, int]:
    start = draw.randint(0, len(data))
    return start, min(len(data), start + draw.choice([1, 1, 2, 5, 20, 100]))


def _insert(data: bytes, draw: random.Random) -> bytes:
    start, _ = _span(data, draw)
    return data[:start] + draw.choice(TOKENS) + data[start:]


def _replace(data: bytes, draw: random.Random) -> bytes:
    start, stop = _span(data, draw)
    return data[:start] + draw.choice(TOKENS) + data[stop:]


def _insert_long(data: bytes, draw: random.Random) -> bytes:
    if draw.random() < 0.7:
        return _insert(data, draw)
    start, _ = _span(data, draw)
    return data[:start] + draw.choice(LONG) + data[start:]


def _delete(data: bytes, draw: random.Random) -> bytes:
    start, stop = _span(data, draw)
    return data[:start] + data[stop:]


def _invert(data: bytes, draw: random.Random) -> bytes:
    if not data:
        return data
    place = draw.randrange(len(data))
    return data[:place] + bytes([data[place] ^ draw.choice([255, 1, 2, 16, 32, 128])]) + data[place + 1 :]


def _cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randint(0, len(data))]


def _repeat(data: bytes, draw: random.Random) -> bytes:
    start, stop = _span(data, draw)
    return data[:stop] + data[start:stop] * draw.choice([1, 1, 3]) + data[stop:]


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
