"""Widgets of choices: the value of the session or the address, defaults, and the names of options; and rankers and
annotators with parameters as fields, which edit the text of commands and links."""

import pytest
from streamlit.testing.v1 import AppTest

from fairviz.annotation.annotators import METHODS
from fairviz.parameters import Parameter, parse_calls
from fairviz.rankers import RANKERS
from tests.pages.conftest import PATIENCE

REGISTRIES = {"ranker": RANKERS, "annotator": METHODS}
ENTRIES = [(kind, name) for kind, registry in REGISTRIES.items() for name in registry]


def page() -> None:
    import streamlit as st

    from fairviz.ui.kit import pick
    from fairviz.ui.state import choices

    choices.keep()
    left, right = st.columns(2)
    curve = pick.segmented("tradeoff_curve", "Curve", ("alpha", "cutoff"))
    y = pick.select("tradeoff_y", "Up", ("CWEx", "NFaiRR"), "NFaiRR", place=left, texts={"CWEx": "fair exposure"})
    weight = pick.slider("tradeoff_x", "Weight", ("0", "0.5", "1"), "0.5", place=right)
    lists = pick.several("query_lists", "Lists", ("a", "b", "c"), ("a",), hide_label=True, texts=str.upper)
    on = pick.toggle("tradeoff_per_query", "each query")
    search = pick.text("inspect_search", "Search")
    rank = pick.number("inspect_first_rank", "from rank", min_value=1)
    none = pick.select("words_neighbour", "Word", ())
    st.session_state["values"] = (curve, y, weight, lists, on, search, rank, none)
    choices.remember()


def test_widgets_start_at_their_defaults_and_a_choice_of_the_reader_survives_a_run() -> None:
    run = AppTest.from_function(page, default_timeout=PATIENCE).run()
    assert run.session_state["values"] == ("alpha", "NFaiRR", "0.5", ["a"], False, "", 1, None)
    assert run.selectbox(key="tradeoff_y").options == ["fair exposure", "NFaiRR"]
    assert run.multiselect(key="query_lists").options == ["A", "B", "C"]
    run.selectbox(key="tradeoff_y").set_value("CWEx")
    run.multiselect(key="query_lists").set_value(["b", "c"])
    run.toggle(key="tradeoff_per_query").set_value(True)
    run.text_input(key="inspect_search").set_value("nurse")
    run.number_input(key="inspect_first_rank").set_value(3).run()
    for _ in range(2):
        assert run.session_state["values"] == ("alpha", "CWEx", "0.5", ["b", "c"], True, "nurse", 3, None)
        run.run()


def test_a_link_is_restored_and_what_is_no_longer_offered_is_reported() -> None:
    run = AppTest.from_function(page, default_timeout=PATIENCE)
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


def query_page() -> None:
    from fairviz.ui.kit import pick

    pick.query("Query", {"q1": "nurse", "q2": "boxer"}, "the first: nurse", "not ranked here: q9")


def test_a_query_that_is_not_offered_stays_chosen_and_is_named() -> None:
    for chosen, more in (("", []), ("q2", []), ("q9", ["not ranked here: q9"])):
        run = AppTest.from_function(query_page, default_timeout=PATIENCE)
        run.session_state["query"] = chosen
        box = run.run().selectbox(key="query")
        assert box.options == ["the first: nurse", "nurse", "boxer", *more]
        assert box.value == chosen


def script(kind: str, text: str, defaults: dict[str, str]) -> None:
    import streamlit as st

    from fairviz.annotation.annotators import METHODS
    from fairviz.rankers import RANKERS
    from fairviz.ui.kit.pick import pick_calls

    st.session_state.setdefault("with", text)
    pick_calls("with", "Picked", {"ranker": RANKERS, "annotator": METHODS}[kind], defaults=defaults)


def picker(kind: str, text: str, defaults: dict[str, str] | None = None) -> AppTest:
    arguments = {"kind": kind, "text": text, "defaults": defaults or {}}
    return AppTest.from_function(script, kwargs=arguments, default_timeout=PATIENCE).run()


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
    page = picker(kind, name)
    values = {parameter.name: other_value(parameter) for parameter in REGISTRIES[kind][name].parameters}
    for parameter, value in values.items():
        widget(page, f"with_0_{parameter}").set_value(value)
    (call,) = parse_calls(page.run().session_state["with"])
    assert call.name == name
    assert {parameter: given for parameter, given in call.arguments.items() if given != ""} == values
    for parameter in REGISTRIES[kind][name].parameters:
        widget(page, f"with_0_{parameter.name}").set_value(parameter.default)
    (call,) = parse_calls(page.run().session_state["with"])
    assert set(call.arguments.values()) <= {""}  # a text can be emptied


def test_an_entry_is_added_and_dropped_in_the_list_and_fields_belong_to_their_own_entry() -> None:
    page = picker("ranker", "bm25(k1=1.2)")
    assert page.multiselect[0].value == ["bm25(k1=1.2)"]
    page.multiselect[0].set_value(["bm25(k1=1.2)", "bm25"]).run()
    assert page.session_state["with"] == "bm25(k1=1.2),bm25"
    assert widget(page, "with_0_k1").value == 1.2
    widget(page, "with_1_k1").set_value(0.5).run()
    assert page.session_state["with"] == "bm25(k1=1.2),bm25(k1=0.5)"
    page.multiselect[0].set_value(["bm25(k1=0.5)"]).run()
    assert page.session_state["with"] == "bm25(k1=0.5)"
    field = widget(picker("annotator", "classifier(C=0.0001)"), "with_0_C")
    assert (field.value, field.proto.format) == (0.0001, "%g"), "a small number is shown in full"


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


@pytest.mark.parametrize("text", ["bm25(", "bm25(k1=1000000)", "nothing(a=1)", "", "bm25(colour=1)"])
def test_a_text_that_is_wrong_stays_as_it_is(text: str) -> None:
    page = picker("ranker", text)
    assert page.session_state["with"] == text
    assert widget(page, "with").value == text
    if text in ("bm25(", ""):
        assert page.multiselect[0].disabled is (text != ""), "a click does not replace what cannot be read"
