"""Widgets of choices: the value of the session or the address, defaults, and the names of options."""

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.ui.kit import pick


def page() -> None:
    import streamlit as st

    from fairviz.ui.kit import pick
    from fairviz.ui.state import choices

    choices.keep()
    left, right = st.columns(2)
    curve = pick.segmented("tradeoff_curve", "Curve", ("alpha", "cutoff"))
    y = pick.select("tradeoff_y", "Up", ("CWEx", "NFaiRR"), "NFaiRR", place=left, texts={"CWEx": "fair exposure"})
    weight = pick.slider("backpack_weight", "Weight", ("0", "0.5", "1"), place=right)
    lists = pick.several("query_lists", "Lists", ("a", "b", "c"), ("a",), hide_label=True, texts=str.upper)
    on = pick.toggle("tradeoff_per_query", "each query")
    search = pick.text("inspect_search", "Search")
    rank = pick.number("inspect_first_rank", "from rank", min_value=1)
    none = pick.select("words_neighbour", "Word", ())
    st.session_state["values"] = (curve, y, weight, lists, on, search, rank, none)
    choices.remember()


def app() -> AppTest:
    return AppTest.from_function(page)


def test_widgets_start_at_their_defaults_and_return_them() -> None:
    run = app().run()
    assert not run.exception
    assert run.session_state["values"] == ("alpha", "NFaiRR", "0.5", ["a"], False, "", 1, None)
    assert run.selectbox(key="tradeoff_y").options == ["fair exposure", "NFaiRR"]
    assert run.multiselect(key="query_lists").options == ["A", "B", "C"]


def test_a_choice_of_the_reader_is_returned_and_survives_a_run() -> None:
    run = app().run()
    run.selectbox(key="tradeoff_y").set_value("CWEx")
    run.multiselect(key="query_lists").set_value(["b", "c"])
    run.toggle(key="tradeoff_per_query").set_value(True)
    run.text_input(key="inspect_search").set_value("nurse")
    run.number_input(key="inspect_first_rank").set_value(3).run()
    for _ in range(2):
        assert run.session_state["values"] == ("alpha", "CWEx", "0.5", ["b", "c"], True, "nurse", 3, None)
        run.run()


def test_a_link_is_restored_and_what_is_no_longer_offered_is_reported() -> None:
    run = app()
    run.session_state["choices_unseen"] = {"tradeoff_curve", "tradeoff_y", "query_lists"}
    run.session_state["tradeoff_curve"] = "cutoff"
    run.session_state["tradeoff_y"] = "gone"
    run.session_state["query_lists"] = ["b", "gone too"]
    run.run()
    assert run.session_state["values"][:4] == ("cutoff", "NFaiRR", "0.5", ["b"])
    assert run.session_state["ignored"] == [
        "The address sets tradeoff_y to 'gone', which is not offered here; it was ignored.",
        "The address sets query_lists to 'gone too', which is not offered here; it was ignored.",
    ]


@pytest.mark.parametrize(("texts", "text"), [(str.upper, "A"), ({"a": "first"}, "first"), ({}, "a")])
def test_texts_are_a_function_or_a_mapping(texts: pick.Texts, text: str) -> None:
    assert pick._naming(texts)("a") == text


def query_page() -> None:
    from fairviz.ui.kit import pick

    pick.query("Query", {"q1": "nurse", "q2": "boxer"}, "the first: nurse", "not ranked here: q9")


@pytest.mark.parametrize(
    ("chosen", "more"), [("", []), ("q2", []), ("q9", ["not ranked here: q9"])], ids=["none", "offered", "absent"]
)
def test_a_query_that_is_not_offered_stays_chosen_and_is_named(chosen: str, more: list[str]) -> None:
    run = AppTest.from_function(query_page)
    run.session_state["query"] = chosen
    run.run()
    assert run.selectbox(key="query").options == ["the first: nurse", "nurse", "boxer", *more]
    assert run.selectbox(key="query").value == chosen
