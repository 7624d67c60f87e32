"""The words that count, and the fast counting of them against a plain loop."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.words.gsr_words import WordCounts, count_words, text_words

TEXTS = st.lists(
    st.one_of(
        st.none(),
        st.text(alphabet="abHE' \t\n._-12éİſ½²’—\x00\x1f\x85", max_size=25),
        st.lists(
            st.sampled_from(["She", "the", "NURSE", "he's", "3d", "mr.", "a_b", "Zoë", "“women’s”"]), max_size=6
        ).map(" ".join),
    ),
    max_size=8,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The man is an electrician.", ["man", "electrician"]),
        ("She gave HER hat to him, himself!", ["she", "gave", "her", "hat", "him", "himself"]),
        ("Mr. and Mrs. Smith, Ms. Jones", ["mr", "mrs", "smith", "ms", "jones"]),
        ("women's", ["women"]),
        ("in-vitro 2nd mp3 x 1984", ["vitro"]),
        ("snake_case", ["snake", "case"]),
        ("Fräulein naïve", ["fräulein", "naïve"]),
        ("it is what they were", []),
        ("", []),
    ],
)
def test_words_that_count(text: str, words: list[str]) -> None:
    assert text_words(text) == words


def test_a_list_of_ones_own_takes_the_place_of_the_built_in_one() -> None:
    assert text_words("The nurse and SHE", "nurse she") == ["the", "and", "she"]


@given(TEXTS, st.sampled_from(["", "the", "nurse he ab"]))
def test_counting_is_the_loop(texts: list[str | None], listed: str) -> None:
    counted = count_words(texts, listed)
    assert counted.counts.shape == (len(texts), len(counted.vocabulary))
    for text, row in zip(texts, counted.counts.toarray(), strict=True):
        found = {word: int(count) for word, count in zip(counted.vocabulary, row, strict=True) if count}
        assert found == Counter(text_words(text or "", listed))


def test_more_texts_than_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["nurse nurse", None, "the engineer", "café nurse", "", "he"] * 3
    whole = count_words(texts)
    monkeypatch.setattr("fairviz.words.gsr_words._BATCH", 4)
    parts = count_words(texts)
    assert sorted(parts.vocabulary) == sorted(whole.vocabulary) == ["café", "engineer", "he", "nurse"]
    order = [parts.vocabulary.index(word) for word in whole.vocabulary]
    assert (parts.counts.toarray()[:, order] == whole.counts.toarray()).all()


@pytest.mark.parametrize("texts", [[], [None], [""], ["the"], pd.Series(["", None], dtype="str")])
def test_texts_without_a_word(texts) -> None:
    counted = count_words(texts)
    assert counted.vocabulary == []
    assert counted.totals(np.zeros(0)).tolist() == [0.0] * len(texts)


def test_totals_and_bytes() -> None:
    counted = count_words(["nurse engineer nurse"])
    values = np.array([{"nurse": 0.5, "engineer": -0.25}[word] for word in counted.vocabulary])
    assert counted.totals(values).tolist() == [0.75]
    assert isinstance(counted, WordCounts)
    assert counted.nbytes == 2 * 8 + 2 * 4 + 2 * 4
