"""The list of rankers and annotators, with parameters as fields: what it edits is the text of commands and links."""

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.annotation.annotators import METHODS
from fairviz.parameters import Parameter, parse_calls
from fairviz.rankers import RANKERS

REGISTRIES = {"ranker": RANKERS, "annotator": METHODS}
ENTRIES = [(kind, name) for kind, registry in REGISTRIES.items() for name in registry]


def script(kind: str, text: str, defaults: dict[str, str]) -> None:
    import streamlit as st

    from fairviz.annotation.annotators import METHODS
    from fairviz.rankers import RANKERS
    from fairviz.ui.kit.pick import pick_calls

    st.session_state.setdefault("with", text)
    pick_calls("with", "Picked", {"ranker": RANKERS, "annotator": METHODS}[kind], defaults=defaults)


def picker(kind: str, text: str, defaults: dict[str, str] | None = None) -> AppTest:
    arguments = {"kind": kind, "text": text, "defaults": defaults or {}}
    page = AppTest.from_function(script, kwargs=arguments, default_timeout=60).run()
    assert not page.exception
    return page


def other_value(parameter: Parameter) -> object:
    """A valid value that is not the default."""
    if parameter.kind == "flag":
        return not parameter.default
    if parameter.is_text:
        others = [choice for choice in parameter.choices if choice != parameter.default]
        return others[0] if others else "other.txt"
    low, high = parameter.low, parameter.high
    return high if parameter.default != high else low


def widget(page: AppTest, key: str):
    kinds = (page.checkbox, page.selectbox, page.text_input, page.number_input)
    return next(one for kind in kinds for one in kind if one.key == key)


@pytest.mark.parametrize(("kind", "name"), ENTRIES)
def test_each_parameter_is_a_field_that_the_text_holds(kind: str, name: str) -> None:
    for parameter in REGISTRIES[kind][name].parameters:
        page = picker(kind, name)
        value = other_value(parameter)
        widget(page, f"with_0_{parameter.name}").set_value(value).run()
        (call,) = parse_calls(page.session_state["with"])
        assert call.name == name
        assert call.arguments == {parameter.name: value}
        widget(page, f"with_0_{parameter.name}").set_value(parameter.default).run()
        (call,) = parse_calls(page.session_state["with"])
        assert call.arguments in ({}, {parameter.name: ""})  # a text can be emptied


def test_an_entry_is_added_and_dropped_in_the_list() -> None:
    page = picker("ranker", "bm25(k1=1.2)")
    assert page.multiselect[0].value == ["bm25(k1=1.2)"]
    page.multiselect[0].set_value(["bm25(k1=1.2)", "tfidf"]).run()
    assert page.session_state["with"] == "bm25(k1=1.2),tfidf"
    page.multiselect[0].set_value(["tfidf"]).run()
    assert page.session_state["with"] == "tfidf"


def test_fields_belong_to_their_own_entry() -> None:
    page = picker("ranker", "bm25(k1=1.2),bm25")
    assert widget(page, "with_0_k1").value == 1.2
    widget(page, "with_1_k1").set_value(0.5).run()
    assert page.session_state["with"] == "bm25(k1=1.2),bm25(k1=0.5)"


def test_members_of_a_vote_are_picked_and_keep_their_parameters() -> None:
    page = picker("annotator", "vote(lexicon(tau=0),mentions)")
    members = page.multiselect(key="with_0_members")
    assert members.value == ["lexicon(tau=0)", "mentions"]
    assert "vote" not in members.options
    members.set_value(["lexicon(tau=0)", "prototypes"]).run()
    assert page.session_state["with"] == "vote(lexicon(tau=0),prototypes)"


def test_the_vectors_of_the_page_are_the_default_and_others_can_be_chosen() -> None:
    page = picker("ranker", "w2v_add", {"embedding": "toy"})
    assert widget(page, "with_0_embedding").value == "toy"
    widget(page, "with_0_embedding").set_value("glove").run()
    assert page.session_state["with"] == "w2v_add(embedding='glove')"
    widget(page, "with_0_embedding").set_value("toy").run()
    assert page.session_state["with"] == "w2v_add"


def test_a_small_number_is_shown_in_full() -> None:
    field = widget(picker("annotator", "classifier(C=0.0001)"), "with_0_C")
    assert (field.value, field.proto.format) == (0.0001, "%g")


def test_a_click_does_not_replace_a_text_that_cannot_be_read() -> None:
    assert picker("ranker", "bm25(").multiselect[0].disabled
    assert not picker("ranker", "").multiselect[0].disabled


@pytest.mark.parametrize("text", ["bm25(", "bm25(k1=1000000)", "nothing(a=1)", "", "bm25(colour=1)"])
def test_a_text_that_is_wrong_stays_as_it_is(text: str) -> None:
    page = picker("ranker", text)
    assert page.session_state["with"] == text
    assert widget(page, "with").value == text
