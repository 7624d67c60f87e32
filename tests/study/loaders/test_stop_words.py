"""Stop lists in files: golden rows and what is no list, to the letter."""

from pathlib import Path

import pytest

from fairviz.errors import DataError
from fairviz.study.loaders.word_files import read_stop_words
from tests.conftest import refused


def test_a_word_a_line(tmp_path: Path) -> None:
    path = tmp_path / "stop.txt"
    path.write_bytes(b"\xef\xbb\xbf  a\r\n\tThe \n\n  a\ndon't\n")
    assert read_stop_words(path) == ("a", "the", "don't")


def test_indris_list(shared_data: Path) -> None:
    words = read_stop_words(shared_data / "indri" / "stoplist.txt")
    assert len(words) == 418
    assert (words[0], words[9], words[-1]) == ("a", "albeit", "yourselves")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"the\ni | me\nof a\n",
            "stop.txt:2: expected 1 word, found 3: 'i | me'\nstop.txt:3: expected 1 word, found 2: 'of a'\n"
            "Write one word a line, and nothing else.",
        ),
        (b" \n\n", "stop.txt: the file is empty\nRemove it, or fill it."),
        ("\u00a0\n".encode(), "stop.txt: the stop list holds no word\nWrite one word a line, and nothing else."),
        (
            "\n".join(map(str, range(10_001))).encode(),
            "stop.txt: the stop list holds 10,001 words\nGive 10,000 or fewer.",
        ),
    ],
)
def test_what_is_no_list(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "stop.txt"
    path.write_bytes(content)
    with refused(message, DataError):
        read_stop_words(path, tmp_path)
