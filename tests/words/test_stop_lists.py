"""Stop lists: the built-in one, one of one's own, and what is none."""

import pytest

from fairviz.errors import UsageError
from fairviz.words.gsr_words import GENDERED_STOP_WORDS, format_stop_words, parse_stop_words, stop_words


def test_stop_words_tell_no_gender() -> None:
    assert {"the", "they"} <= stop_words()
    assert not stop_words() & GENDERED_STOP_WORDS
    assert stop_words("the she Mr OF") == {"the", "of"}


def test_a_list_is_its_words_once_and_in_lower_case() -> None:
    words = parse_stop_words("  The a\tof\nTHE don't ")
    assert words == ("the", "a", "of", "don't")
    assert format_stop_words(words) == "the a of don't"
    assert parse_stop_words(format_stop_words(words)) == words


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  ", "the stop list holds no word\nGive the words with white space between them, as 'the a of'."),
        (" ".join(map(str, range(10_001))), "the stop list holds 10,001 words\nGive 10,000 or fewer."),
    ],
)
def test_what_is_no_list(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_stop_words(text)
    assert str(caught.value) == message
