"""Which words are a query's own: lemmas by hand, and the table of places against a plain loop."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.words.query_terms import QUERY_TERMS, by_form, columns_of, noun_lemmas, of_query

VOCABULARY = [
    "nurse",
    "nurses",
    "leaf",
    "leave",
    "leaves",
    "woman",
    "women",
    "driving",
    "drive",
    "café",
    "cafés",
    "her",
]


@pytest.mark.parametrize(
    ("word", "lemmas"),
    [
        ("nurses", {"nurse"}),
        ("nurse", {"nurse"}),
        ("women", {"woman"}),
        ("housewives", {"housewife", "house-wife"}),
        ("bosses", {"boss"}),
        ("boss", {"boss"}),
        ("children", {"child"}),
        ("leaves", {"leaf", "leave"}),
        ("bushfires", {"bushfire"}),  # not in the dictionary: cut by rule
        ("his", {"his"}),
        ("news", {"news"}),
        ("driving", {"driving"}),  # a noun is no verb
        ("worked", {"worked"}),
        ("café", {"café"}),
        ("東京", {"東京"}),
        ("x" * 2000, {"x" * 2000}),
        ("", {""}),
    ],
)
def test_lemmas_of_nouns(word: str, lemmas: set[str]) -> None:
    assert noun_lemmas(word) == lemmas


@pytest.mark.parametrize(
    ("asked", "exact", "lemma"),
    [
        (["nurses"], ["nurses"], ["nurse", "nurses"]),
        (["leaves"], ["leaves"], ["leaf", "leave", "leaves"]),
        (["leaf"], ["leaf"], ["leaf", "leaves"]),
        (["women", "her"], ["women", "her"], ["woman", "women", "her"]),
        (["drive", "zebra"], ["drive"], ["drive"]),
        ([], [], []),
    ],
)
def test_what_a_query_takes_from_documents(asked: list[str], exact: list[str], lemma: list[str]) -> None:
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
