"""Pairs as text and as rows of a table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import FairvizError, UsageError
from fairviz.words.counterparts import REMEDY, Counterparts, format_counterparts, packaged, pairs_of, parse_counterparts


def test_the_packaged_pairs_as_text_and_back() -> None:
    for pairs in (packaged().words, packaged().names):
        assert parse_counterparts(format_counterparts(pairs)) == pairs


WORD = st.text(alphabet="aé-%, '", min_size=1, max_size=8).map(lambda text: " ".join(f"a{text}b".split()))


@given(st.lists(st.tuples(WORD, WORD.map(lambda word: f"x{word}")), min_size=1, max_size=4, unique=True))
def test_any_pairs_as_text_and_back(pairs: list) -> None:
    assert parse_counterparts(format_counterparts(pairs)) == tuple(pairs)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the list of pairs is empty"),
        ("she", "'she' is not a pair of words"),
        ("she-he-it", "'she-he-it' is not a pair of words"),
        ("she-", "the pair 'she', '' cannot be: a word has no counterpart"),
        ("She-she", "the pair 'She', 'she' cannot be: the word is its own counterpart"),
    ],
)
def test_text_that_is_no_pairs(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_counterparts(text)
    assert str(caught.value) == f"{said}\n{REMEDY}"


def test_rows_of_a_table() -> None:
    assert pairs_of([("she", "he"), (None, ""), (" Mary  Ann ", "John"), ("she", "he")]) == (
        ("she", "he"), ("Mary Ann", "John"),
    )  # fmt: skip
    with pytest.raises(FairvizError) as caught:
        pairs_of([("she", None)])
    assert str(caught.value) == "the pair 'she', '' cannot be: a word has no counterpart\nGive two words a row."
    with pytest.raises(FairvizError) as caught:
        pairs_of([(None, None)])
    assert str(caught.value) == "the list of pairs is empty\nGive one pair or more."


def test_what_is_substituted() -> None:
    pairs = Counterparts((("she", "he"),), (("Mary", "James"),))
    assert pairs.only("words") == Counterparts((("she", "he"),), ())
    assert pairs.only("names") == Counterparts((), (("Mary", "James"),))
    with pytest.raises(UsageError) as usage:
        pairs.only("pronouns")
    assert str(usage.value) == "substitute is 'pronouns'\nUse one of both, words, names."
    with pytest.raises(FairvizError) as empty:
        Counterparts((), (("Mary", "James"),)).only("words")
    assert str(empty.value) == "the list of words with their counterparts is empty\nGive one pair or more."
    assert pairs.vocabulary == {"she", "he", "mary", "james"}
