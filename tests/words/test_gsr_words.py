"""The words that count, and the fast counting of them against a plain loop."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.errors import UsageError
from fairviz.study.record import Study
from fairviz.words.gsr_words import (
    GENDERED_STOP_WORDS,
    QUERY_TERMS,
    by_form,
    columns_of,
    count_words,
    format_stop_words,
    noun_lemmas,
    of_query,
    parse_stop_words,
    stop_words,
    text_words,
)
from tests.conftest import refused

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


def test_words_that_count() -> None:
    counting = {
        "The man is an electrician.": ["man", "electrician"],
        "She gave HER hat to him, himself!": ["she", "gave", "her", "hat", "him", "himself"],
        "Mr. and Mrs. Smith, Ms. Jones": ["mr", "mrs", "smith", "ms", "jones"],
        "women's": ["women"],
        "in-vitro 2nd mp3 x 1984": ["vitro"],
        "snake_case": ["snake", "case"],
        "Fräulein naïve": ["fräulein", "naïve"],
        "it is what they were": [],
        "": [],
    }
    assert {text: text_words(text) for text in counting} == counting
    assert text_words("The nurse and SHE", "nurse she") == ["the", "and", "she"], "a list of one's own"


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


def test_texts_without_a_word_totals_and_bytes() -> None:
    for texts in ([], [None], [""], ["the"], pd.Series(["", None], dtype="str")):
        counted = count_words(texts)
        assert counted.vocabulary == []
        assert counted.totals(np.zeros(0)).tolist() == [0.0] * len(texts)
    counted = count_words(["nurse engineer nurse"])
    values = np.array([{"nurse": 0.5, "engineer": -0.25}[word] for word in counted.vocabulary])
    assert counted.totals(values).tolist() == [0.75]
    assert counted.nbytes == 2 * 8 + 2 * 4 + 2 * 4


VOCABULARY = [
    "nurse", "nurses", "leaf", "leave", "leaves", "woman", "women", "driving", "drive", "café", "cafés", "her",
]  # fmt: skip


OWN = ("nurse", "boss", "his", "news", "driving", "worked", "bus", "damaged", "as", "cafés", "café", "東京")
LEMMAS = {word: {word} for word in (*OWN, "x" * 2000, "")} | {
    "nurses": {"nurse"}, "women": {"woman"}, "housewives": {"housewife", "house-wife"}, "bosses": {"boss"},
    "children": {"child"}, "leaves": {"leaf", "leave"}, "goes": {"go"}, "criteria": {"criterion"},
    "crises": {"crisis"}, "countries": {"country"}, "ties": {"tie"}, "churches": {"church"},
    "bushfires": {"bushfire"},  # not in the dictionary: cut by rule
}  # fmt: skip


def test_lemmas_of_nouns() -> None:
    assert {word: noun_lemmas(word) for word in LEMMAS} == LEMMAS


def test_what_a_query_takes_from_documents() -> None:
    for asked, exact, lemma in (
        (["nurses"], ["nurses"], ["nurse", "nurses"]),
        (["leaves"], ["leaves"], ["leaf", "leave", "leaves"]),
        (["leaf"], ["leaf"], ["leaf", "leaves"]),
        (["women", "her"], ["women", "her"], ["woman", "women", "her"]),
        (["drive", "zebra"], ["drive"], ["drive"]),
        ([], [], []),
    ):
        for terms, expected in zip(QUERY_TERMS, (exact, lemma), strict=True):
            assert [word for word in VOCABULARY if of_query(asked, terms)(word)] == expected


@given(
    st.lists(st.sampled_from([*VOCABULARY, "zebra"]), max_size=5),
    st.lists(st.sampled_from(VOCABULARY), unique=True),
    st.sampled_from(QUERY_TERMS),
)
def test_places_are_those_of_the_loop(asked: list[str], vocabulary: list[str], terms: str) -> None:
    found = columns_of(asked, by_form(vocabulary, terms), terms)
    assert found == [place for place, word in enumerate(vocabulary) if of_query(asked, terms)(word)]


def test_pairs_of_words_that_are_joined_in_newswire(newswire: Study) -> None:
    """Different forms of a query's and a document's words: 63, all of them forms of one noun."""
    asked, written = ({word for text in table["text"] for word in re.findall("[a-z]+", text.lower())}
                      for table in (newswire.queries, newswire.documents))  # fmt: skip
    pairs = {
        (one, other) for one in asked for other in written if one != other and noun_lemmas(one) & noun_lemmas(other)
    }
    assert len(pairs) == 63
    assert {("women", "woman"), ("wives", "wife"), ("bushfires", "bushfire")} & pairs
    assert ("damage", "damaged") not in pairs


def test_stop_words_tell_no_gender_and_a_list_is_its_words_once_in_lower_case() -> None:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    assert stop_words() == ENGLISH_STOP_WORDS - GENDERED_STOP_WORDS
    assert stop_words("the she Mr OF") == {"the", "of"}
    words = parse_stop_words("  The a\tof\nTHE don't ")
    assert words == ("the", "a", "of", "don't")
    assert format_stop_words(words) == "the a of don't"
    for text, message in (
        ("  ", "the stop list holds no word\nGive the words with white space between them, as 'the a of'."),
        (" ".join(map(str, range(10_001))), "the stop list holds 10,001 words\nGive 10,000 or fewer."),
    ):
        with refused(message, UsageError):
            parse_stop_words(text)
