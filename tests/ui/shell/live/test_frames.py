"""A payload holds each number where its header says, and what does not move once."""

import json

import numpy as np

from fairviz.ui.shell.live.frames import Frame, Moving, Scale, pack

SCALE = Scale("alpha", "α", ("0.00", "0.50", "1.00"))


def unpacked(payload):
    """The header and the numbers, read as the script reads them."""
    length = int(np.frombuffer(payload[:4], dtype="<u4")[0])
    return json.loads(payload[4 : 4 + length]), np.frombuffer(payload[4 + length :], dtype="<f4")


def number(header, numbers, figure, name, stop):
    start, size, moving = header["figures"][figure]["numbers"][name]
    return numbers[start + stop * size * moving :][:size].tolist()


def made(*frames):
    moving = Moving("chart", "plot", {"layers": []}, frames.__getitem__)
    return unpacked(pack(SCALE, "token", [moving], [frames], ["still"]))


def test_every_number_stands_where_the_header_says():
    frames = [Frame({"x": [place + 0.123456789, np.nan], "wide": [[1, 2], [3, 4]]}) for place in range(3)]
    header, numbers = made(*frames)
    assert (header["slider"], header["label"], header["token"]) == ("alpha", "α", "token")
    assert header["stops"] == ["0.00", "0.50", "1.00"]
    assert header["still"] == ["still"]
    assert set(header["symbols"]) >= {"circle", "bowtie", "triangle-ne", "line-ns"}
    found = [number(header, numbers, 0, "x", stop) for stop in range(3)]
    assert np.allclose(found, [[place + 0.123456789, np.nan] for place in range(3)], rtol=1e-6, equal_nan=True)
    assert number(header, numbers, 0, "wide", 2) == [1, 2, 3, 4]
    assert len(numbers) == 3 * 2 + 4  # what is the same at every stop is held once


def test_texts_are_places_of_strings_which_are_held_once():
    header, numbers = made(*(Frame({}, {"label": [text, "<b>"]}) for text in ("one", "two", "one")))
    assert header["strings"] == ["one", "<b>", "two"]
    told = [number(header, numbers, 0, "label text", stop) for stop in range(3)]
    assert [[header["strings"][int(place)] for place in row] for row in told] == [
        ["one", "<b>"], ["two", "<b>"], ["one", "<b>"],
    ]  # fmt: skip
