"""How GSR counts, as its control says it; and a stop list from a file."""

import pytest

from fairviz.errors import DataError
from fairviz.evaluation.settings import CHOICES
from fairviz.measures.gsr import LIST_WEIGHTS
from fairviz.ui.gsr.cards import differences, stop_words_text
from fairviz.words.gsr_words import QUERY_TERMS
from tests.conftest import refused

PLAIN = {"query_terms": "exact", "list_weights": "equation", "stop_words": ""}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, []),
        ({"query_terms": "lemma"}, ["lemmas"]),
        ({"list_weights": "code", "stop_words": "The"}, ["the code's weights", "1 stop word from a file"]),
        (
            {"query_terms": "lemma", "list_weights": "code", "stop_words": "the of"},
            ["lemmas", "the code's weights", "2 stop words from a file"],
        ),
    ],
)
def test_what_differs_from_the_paper_is_told(changed: dict[str, str], told: list[str]) -> None:
    assert differences({**PLAIN, **changed}) == told


def test_every_choice_has_its_words() -> None:
    assert tuple(CHOICES["query_terms"].texts) == QUERY_TERMS
    assert tuple(CHOICES["list_weights"].texts) == LIST_WEIGHTS


def test_a_file_becomes_its_words() -> None:
    assert stop_words_text("../stop.txt", b" the\nOf\n") == "the of"
    with refused("stop.txt:1: expected 1 word, found 2: 'the of'\nWrite one word a line, and nothing else.", DataError):
        stop_words_text("stop.txt", b"the of\n")
