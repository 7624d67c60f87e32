"""Which words are a query's own: lemmas by hand, and the table of places against a plain loop."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairviz.evaluation.opening import open_study
from fairviz.words import gsr_words
from fairviz.words.gsr_words import QUERY_TERMS, by_form, columns_of, noun_lemmas, of_query

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
        ("goes", {"go"}),
        ("criteria", {"criterion"}),
        ("bus", {"bus"}),
        ("crises", {"crisis"}),
        ("countries", {"country"}),
        ("ties", {"tie"}),
        ("churches", {"church"}),
        ("damaged", {"damaged"}),
        ("as", {"as"}),
        ("cafés", {"cafés"}),
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


def test_the_table_has_no_noun_that_the_rule_gives() -> None:
    """Each row is needed, in lower case, once, and sorted."""
    rows = gsr_words._table()
    assert len(rows) == 1323
    assert list(rows) == sorted(rows)
    try:
        gsr_words._table.cache_clear()
        gsr_words.noun_lemmas.cache_clear()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(gsr_words, "_table", dict)
            assert not [word for word, lemmas in rows.items() if noun_lemmas.__wrapped__(word) == lemmas]
    finally:
        gsr_words.noun_lemmas.cache_clear()


def test_pairs_of_words_that_are_joined_in_newswire() -> None:
    """Different forms of a query's and a document's words: 63, all of them forms of one noun."""
    study = open_study("newswire")
    asked, written = ({word for text in table["text"] for word in re.findall("[a-z]+", text.lower())}
                      for table in (study.queries, study.documents))  # fmt: skip
    pairs = {
        (one, other) for one in asked for other in written if one != other and noun_lemmas(one) & noun_lemmas(other)
    }
    assert len(pairs) == 63
    assert {("women", "woman"), ("wives", "wife"), ("bushfires", "bushfire")} & pairs
    assert ("damage", "damaged") not in pairs
