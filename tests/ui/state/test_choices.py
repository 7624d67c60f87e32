"""Choices of pages and pins: to the address and back, what a page offers, defaults that change, and what is refused."""

import dataclasses

import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as strategy

from fairviz.analyses.reading.filters import Filters
from fairviz.errors import FairvizError
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.state import choices, pins
from fairviz.ui.state.registry import REGISTRY
from tests.pages.conftest import drawn_by, first_run, html_of


@pytest.fixture(autouse=True)
def session(monkeypatch: pytest.MonkeyPatch) -> dict:
    """The state of a session, as a plain dictionary."""
    state: dict = {}
    monkeypatch.setattr(st, "session_state", state)
    return state


def test_no_choice_of_a_page_is_named_as_a_setting_is_and_every_filter_of_inspect_is_one() -> None:
    assert not set(choices.CHOICES) & {field.name for field in dataclasses.fields(Settings)}
    assert len(choices.CHOICES) == sum(map(len, REGISTRY.values()))
    for field in dataclasses.fields(Filters):
        assert choices.CHOICES[f"inspect_{field.name}"].default == field.default


def test_choices_survive_the_address(session: dict) -> None:
    asked = {
        "tradeoff_x": ["nDCG"],
        "tradeoff_per_query": ["on"],
        "inspect_first_rank": ["3"],
        "annotators_who": ["a", "b"],
    }
    values, ignored = choices.from_query({**asked, "alpha": ["0.1"]})
    assert ignored == []
    assert values == {
        "tradeoff_x": "nDCG",
        "tradeoff_per_query": True,
        "inspect_first_rank": 3,
        "annotators_who": ["a", "b"],
    }
    choices.seed(values)
    assert choices.to_query() == asked


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("tradeoff_per_query", "1", "to '1' (neither on nor off)"),
        ("inspect_first_rank", "first", "to 'first' (not a number)"),
        ("inspect_first_rank", "0", "to '0' (not from 1 to 1,000,000)"),
        ("inspect_last_rank", "9" * 12, "to '999999999999' (not from 0 to 1,000,000)"),
        ("inspect_search", "x" * 10_001, f"to {'x' * 80!r} (longer than 10,000 characters)"),
    ],
)
def test_what_no_choice_can_be_is_told(name: str, text: str, told: str) -> None:
    assert choices.from_query({name: [text]}) == (
        {},
        [f"The address sets {name} {told}; the default was used."],
    )


@pytest.mark.parametrize("key", ["counterfactual_ranker", "audit_bench_mitigations"])
@pytest.mark.parametrize("parameter", ["url='http://stranger/v1'", "url = http://stranger/v1", "url\u2003='openai'"])
def test_no_address_holds_that_of_a_model(session: dict, key: str, parameter: str) -> None:
    """Not where it comes from, not where it goes to, and Back does not undo what it never held."""
    text = f"bm25,llm(model='m',{parameter})"
    values, ignored = choices.from_query({key: [text]})
    assert values == {}
    assert ignored == [
        f"The address sets {key} to {text!r} (no link names the address of a model; type it on the page); the default "
        "was used."
    ]
    session[key] = text
    assert choices.to_query() == {}
    choices.seed({"tradeoff_x": "nDCG"})
    assert (session[key], session["tradeoff_x"]) == (text, "nDCG")
    choices.seed({key: "bm25"})
    assert session[key] == "bm25"
    session[key] = text
    choices.reset()
    assert session[key] == choices.CHOICES[key].default


def test_what_the_page_does_not_offer_is_told_once_and_only_of_the_address(session: dict) -> None:
    choices.seed({"tradeoff_x": "nDCG", "annotators_who": ["a", "nobody"]})
    assert choices.among("tradeoff_x", ("CWEx", "RaB")) == "CWEx"
    assert choices.several("annotators_who", ("a", "b")) == ["a"]
    assert session["ignored"] == [
        "The address sets tradeoff_x to 'nDCG', which is not offered here; it was ignored.",
        "The address sets annotators_who to 'nobody', which is not offered here; it was ignored.",
    ]
    session["tradeoff_x"] = "RaB"
    assert choices.among("tradeoff_x", ("TExFAIR",)) == "TExFAIR"  # another study
    assert len(session["ignored"]) == 2
    assert choices.to_query() == {"annotators_who": ["a"]}


def test_who_has_not_chosen_follows_the_default(session: dict) -> None:
    assert choices.among("baseline", ("a", "b"), "a") == "a"
    assert choices.to_query() == {}
    assert choices.among("baseline", ("a", "b"), "b") == "b"
    assert choices.to_query() == {}
    session["baseline"] = "a"
    assert choices.among("baseline", ("a", "b", "c"), "c") == "a"
    assert choices.to_query() == {"baseline": ["a"]}
    choices.take_back("baseline")
    assert session["baseline"] == "c"
    assert choices.to_query() == {}


def test_a_choice_that_a_page_does_not_offer_is_there_on_the_next_that_does(session: dict) -> None:
    session["measure"] = "GSR"
    assert choices.among("measure", ("CWEx", "GSR")) == "GSR"
    for _ in range(2):
        assert choices.among("measure", ("RaB", "CWEx"), "CWEx") == "CWEx"
    assert choices.among("measure", ("CWEx", "GSR")) == "GSR"
    choices.among("measure", ("RaB", "CWEx"))
    session["measure"] = "CWEx"  # another is chosen meanwhile
    assert choices.among("measure", ("RaB", "GSR", "CWEx")) == "CWEx"
    session["measure"] = "GSR"
    choices.among("measure", ("RaB",))
    choices.take_back("measure")
    assert choices.among("measure", ("RaB", "GSR")) == "RaB"


def test_several_follow_a_default_of_several_too(session: dict) -> None:
    assert choices.several("tradeoff_measures", ("a", "b", "c"), ("a", "b")) == ["a", "b"]
    assert choices.to_query() == {}
    session["tradeoff_measures"] = ["c"]
    assert choices.several("tradeoff_measures", ("a", "b", "c"), ("a", "b")) == ["c"]
    assert choices.to_query() == {"tradeoff_measures": ["c"]}
    session["tradeoff_measures"] = []
    assert choices.several("tradeoff_measures", ("a", "b", "c"), ("b", "c")) == ["b", "c"]
    choices.take_back("tradeoff_measures")
    assert session["tradeoff_measures"] == ["b", "c"]


def test_a_page_that_was_not_visited_keeps_what_the_address_says(session: dict) -> None:
    choices.seed({"tradeoff_curve": "over k"})
    choices.keep()
    assert choices.to_query() == {"tradeoff_curve": ["over k"]}
    choices.reset()
    assert choices.to_query() == {}


def test_a_default_that_a_page_may_not_have_stays_in_the_address_until_it_is_visited(session: dict) -> None:
    choices.seed({"overview_intervals": False})
    assert choices.to_query() == {"overview_intervals": ["off"]}
    assert choices.among("overview_intervals", (False, True), True) is False
    assert choices.to_query() == {"overview_intervals": ["off"]}
    choices.take_back("overview_intervals")
    assert session["overview_intervals"] is True
    assert choices.to_query() == {}


def test_the_address_sets_the_choices_of_a_page_also_under_their_older_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    page = first_run("tradeoff.py", study="football", tradeoff_x="TExFAIR", tradeoff_curve="over k", tradeoff_y="nope")
    assert page.selectbox(key="tradeoff_x").value == "TExFAIR"
    assert page.selectbox(key="tradeoff_y").value == "CWEx"
    told = "The address sets tradeoff_y to &#x27;nope&#x27;, which is not offered here; it was ignored."
    assert told in html_of(page)
    assert page.query_params["tradeoff_y"] == "nope"  # it stays, so that each visit says so
    page.selectbox(key="tradeoff_x").select("nDCG").run()
    tab = {"tradeoff_tab": "Over α or k"}  # of the curve
    assert dict(page.query_params) == {"study": "football", "tradeoff_curve": "over k", **tab}  # nDCG is the default
    older = {"compare_system": "left", "compare_baseline": "right", "compare_measure": "TExFAIR"}
    page = first_run("compare.py", study="football", **older)
    assert [page.selectbox(key=key).value for key in ("pair_system", "baseline", "measure")] == [*older.values()]
    assert "not a setting" not in html_of(page)


def test_choices_outlive_another_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def two_pages() -> None:
        import streamlit as st

        from fairviz.ui.state import address, choices, session

        address.follow()
        session.start()
        if not st.toggle("other", key="other"):
            choices.among("tradeoff_x", ("a", "b"))
            st.selectbox("x", ("a", "b"), key="tradeoff_x")
        address.publish()

    monkeypatch.undo()
    page = drawn_by(two_pages)
    page.selectbox(key="tradeoff_x").select("b").run()
    page.toggle(key="other").set_value(True).run()
    assert not [box for box in page.selectbox if box.key == "tradeoff_x"]
    page.toggle(key="other").set_value(False).run()
    assert page.selectbox(key="tradeoff_x").value == "b"


def test_an_address_has_the_choices_of_its_page_alone() -> None:
    choices.seed({"data_tab": "Rank", "measure": "RaB", "audit_bench_share": "0.3", "pin": "x"})
    assert choices.to_query("data") == {"data_tab": ["Rank"], "pin": ["x"]}
    assert choices.to_query("measures") == {"measure": ["RaB"], "pin": ["x"]}
    assert choices.to_query("tradeoff") == {"measure": ["RaB"], "pin": ["x"]}
    assert choices.to_query("words") == {"pin": ["x"]}
    assert choices.to_query("mitigations") == {"audit_bench_share": ["0.3"], "pin": ["x"]}
    choices.seed({}, "data")
    assert {key: st.session_state[key] for key in ("measure", "audit_bench_share")} == {
        "measure": "RaB",
        "audit_bench_share": "0.3",
    }
    assert "data_tab" not in st.session_state


# A pin as text: there and back, what it may hold, and what is said where it cannot be honoured


ELSEWHERE = {  # no answer of Overview and Trade-off depends on these, or they are the page's and not the pin's
    "study", "systems", "system", "query", "document", "embedding", "pairs", "debias", "gsr_depth", "query_terms",
    "stop_words", "list_weights", "left_out", "word_lists", "words", "against",
    "corrected_by",
}  # fmt: skip


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
