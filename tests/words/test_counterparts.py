"""Gender words replaced by their counterparts."""

import doctest

import pytest

from fairviz.errors import UsageError
from fairviz.words import counterparts as module
from fairviz.words.counterparts import PAIRS, counterparts, replaced


def test_the_examples_hold() -> None:
    found = doctest.testmod(module)
    assert (found.failed, found.attempted > 0) == (0, True)


def test_every_word_of_the_list_has_a_counterpart_of_the_other_side() -> None:
    held = counterparts()
    female, male = {pair[0].lower() for pair in PAIRS}, {pair[1].lower() for pair in PAIRS}
    assert not female & male
    assert all((held[word] in male) if word in female else (held[word] in female) for word in female | male)


@pytest.mark.parametrize(
    ("text", "expected", "count"),
    [
        ("", "", 0),
        ("a tree, sheer hero", "a tree, sheer hero", 0),
        ("Her HUSBAND gave him hers", "His WIFE gave her his", 4),
        ("the waitress's <b>mother</b>", "the waiter's <b>father</b>", 2),
        ("ex-girlfriends; Mary’s Ms", "ex-boyfriends; John’s Mr", 3),
        ("İ she", "İ he", 1),
    ],
)
def test_words_keep_their_case_and_what_stands_around_them(text: str, expected: str, count: int) -> None:
    assert replaced(text, counterparts()) == (expected, count)


def test_the_readers_own_pairs_alone_count() -> None:
    held = counterparts("nurse-doctor")
    assert replaced("She is a Nurse, he a doctor.", held) == ("She is a Doctor, he a nurse.", 2)
    with pytest.raises(UsageError):
        counterparts("she")
