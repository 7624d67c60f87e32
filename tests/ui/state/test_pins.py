"""A pin as text: there and back, what it may hold, and what is said where it cannot be honoured."""

import dataclasses

import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as strategy

from fairviz.errors import FairvizError
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.state import choices, pins

ELSEWHERE = {  # no answer of Overview and Trade-off depends on these, or they are the page's and not the pin's
    "study", "systems", "system", "query", "document", "embedding", "pairs", "debias", "gsr_depth", "query_terms",
    "stop_words", "list_weights", "left_out", "word_lists", "words", "against",
    "corrected_by",
}  # fmt: skip


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> dict:
    """The state of a session, as a plain dictionary."""
    state: dict = {}
    monkeypatch.setattr(st, "session_state", state)
    return state


def test_every_setting_is_pinned_or_said_to_be_none_of_the_pins() -> None:
    assert {field.name for field in dataclasses.fields(Settings)} == ELSEWHERE | set(pins.FIELDS)
    assert not ELSEWHERE & set(pins.FIELDS)


def test_a_pin_is_as_short_as_what_differs() -> None:
    assert pins.to_text(Settings(study="football")) == "study=football"
    settings = Settings(cutoff=5, position_bias="rbp(p=0.9)", systems=("bm25",), embedding="other", query="q")
    assert pins.to_text(settings) == "study=newswire&cutoff=5&position_bias=rbp%28p%3D0.9%29"


texts = strategy.text(min_size=1, max_size=8).filter(lambda text: "\0" not in text)


@given(
    strategy.integers(1, 1000),
    strategy.sampled_from([0.0, 0.37, 1.0]),
    strategy.lists(texts, max_size=3).map(tuple),
    texts,
    strategy.sampled_from(["", "female:she|her;male:he|him"]),
)
def test_a_pin_survives_the_address(cutoff, alpha, values, column, lexicon) -> None:
    settings = Settings(cutoff=cutoff, alpha=alpha, filter_column=column, filter_values=values, lexicon=lexicon)
    assert pins.from_text(pins.to_text(settings)) == settings


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("cutoff=5", "it names no study"),
        ("study=newswire&colour=red", "it holds 'colour', which cannot be kept"),
        ("study=newswire&systems=bm25", "it holds 'systems', which cannot be kept"),
        ("study=newswire&cutoff=0", "cutoff to '0' (cutoff is 0)"),
        ("study=newswire&alpha=much", "alpha to 'much' (not a number)"),
        ("study=newswire&position_bias=custom", "position_bias to 'custom' without weights"),
        ("%%%", "it holds '%%%', which cannot be kept"),
        ("study=newswire&background=run%3Anobody", "background to 'run:nobody', not in this study"),
        ("study=newswire&filter_column=colour", "filter_column to 'colour', not in this study"),
        ("study=newswire&filter_column=query_id&filter_values=x", "filter_values to 'x', not in this study"),
        ("study=newswire&lexicon=aliens%3Azorg%3Bfemale%3Ashe", "lexicon to 'aliens', not in this study"),
        ("study=newswire&annotator=nobody", "the study 'newswire' has no annotator 'nobody'"),
    ],
)
def test_what_no_pin_can_be_is_told(session: dict, text: str, reason: str, newswire: Study) -> None:
    choices.seed({"pin": text})
    assert pins.pinned(newswire, Settings()) is None
    assert [told.endswith(f"({reason}); nothing is kept.") for told in session["ignored"]] == [True]
    assert session["ignored"][0].startswith(f"The address sets pin to {text!r} (")
    assert session["pin"] == ""


def test_a_pin_has_the_systems_and_the_selection_of_now(session: dict, newswire: Study) -> None:
    session["pin"] = "study=newswire&cutoff=5"
    now = Settings(systems=("bm25",), system="bm25", alpha=0.2)
    assert pins.pinned(newswire, now) == Settings(systems=("bm25",), system="bm25", cutoff=5)


def test_the_pin_of_another_study_rests(session: dict, newswire: Study) -> None:
    choices.seed({"pin": "study=football&cutoff=5"})
    assert pins.pinned(newswire, Settings()) is None
    assert pins.resting(newswire) == "football"
    assert session["pin"] == "study=football&cutoff=5"
    assert "ignored" not in session
    assert pins.resting(open_study("football")) == ""


def test_settings_too_long_for_an_address_are_not_pinned(session: dict) -> None:
    with pytest.raises(FairvizError) as refused:
        pins.pin(Settings(lexicon="female:she;male:" + "|".join(f"he{place}" for place in range(3000))))
    assert refused.value.message == (
        "These settings are too long to be kept: the address would need 25,932 characters for them"
    )
    assert refused.value.remedy == (
        "Keep settings of 10,000 characters or fewer: a shorter word list or table of weights."
    )
    assert "pin" not in session
