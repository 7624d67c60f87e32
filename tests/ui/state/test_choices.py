"""Choices of pages: from the address and back, what a page offers, and defaults that change."""

import dataclasses

import pytest
import streamlit as st

from fairviz.analyses.reading.filters import Filters
from fairviz.evaluation.settings import Settings
from fairviz.ui.state import choices
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
