"""The page What-if under AppTest: steps by its widgets, what they do, saving, and what is missing."""

import re

import pandas as pd
import pytest
import streamlit as st

import fairviz
from fairviz.analyses.what_if.experiment import bare_experiment, without_run
from fairviz.datasets import additions
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import align
from fairviz.evaluation.settings import Settings
from fairviz.study.record import with_fingerprint
from fairviz.study.study import make_study
from fairviz.ui.what_if import list as listed
from fairviz.ui.what_if.list import KEY
from tests.made import labels_of, qrels_of, runs_of
from tests.pages.conftest import first_run, html_of, kept, keys_of


def opened(**query):
    return first_run("what_if.py", **{"study": "newswire", "query": "q02"} | query)


def move(test, name: str, to: int) -> None:
    test.selectbox(key="laboratory_document").set_value(name).run()
    test.number_input(key="laboratory_to").set_value(to).run()
    test.button(key="laboratory_move").click().run()


def bare(study: str = "newswire", system: str = "bm25", query: str = "q02"):
    held = fairviz.open_study(study)
    return bare_experiment(held, align(held, Settings()), system, query)


def steps(test) -> list[str]:
    return [step.text for step in test.session_state["laboratory_bench"].steps]


def test_steps_undo_redo_and_reset_by_widgets() -> None:
    test, start = opened(), bare().start
    move(test, start[6], 2)
    test.selectbox(key=f"laboratory_label_{start[6]}").set_value("female").run()
    test.button(key="laboratory_flip").click().run()
    test.button(key="laboratory_words_all").click().run()
    test.selectbox(key="laboratory_other").set_value(start[0]).run()
    test.button(key="laboratory_swap").click().run()
    said = [
        f"{start[6]} from rank 7 to 2",
        f"{start[6]} from male to female",
        "gender words of all documents of the list replaced",
        f"{start[6]} (rank 2) and {start[0]} (rank 1) swapped",
    ]
    assert steps(test) == said
    assert test.session_state["laboratory_bench"].order[:3] == (start[6], start[0], start[1])
    assert all(f"{number}. {line}" in html_of(test) for number, line in enumerate(said, start=1))
    test.button(key="laboratory_undo").click().run()
    assert steps(test) == said[:3]
    test.button(key="laboratory_redo").click().run()
    assert steps(test) == said
    test.button(key="laboratory_reset").click().run()
    assert steps(test) == []
    assert "laboratory_edits" not in test.query_params
    test.button(key="laboratory_redo").click().run()
    assert steps(test) == said[:1]


def test_the_address_holds_the_steps_of_every_list() -> None:
    test, start = opened(), bare().start
    move(test, start[6], 2)
    first = test.session_state["laboratory_bench"]
    test.selectbox(key="laboratory_query").set_value("q03").run()
    assert steps(test) == []
    move(test, bare(query="q03").start[2], 1)
    lines = test.query_params["laboratory_edits"]
    assert lines == [first.text, test.session_state["laboratory_bench"].text]
    test.selectbox(key="laboratory_query").set_value("q02").run()
    assert steps(test) == [f"{start[6]} from rank 7 to 2"]
    again = opened(laboratory_edits=lines)
    assert again.session_state["laboratory_bench"] == first
    assert "fv-warning" not in html_of(again)


def test_steps_that_are_none_are_told_and_let_go() -> None:
    test = opened(laboratory_edits=f"{bare().mark}.m1-2.<script>")
    message = "The address holds steps for this list (&#x27;&lt;script&gt;&#x27; is not a step); they were ignored."
    assert message in html_of(test)
    assert steps(test) == []
    other = opened(laboratory_edits="00000000.m1-2")  # of a list that is not here now
    assert "fv-warning" not in html_of(other)


class State(dict):
    """A session, or what a component has sent."""

    asked: dict


def test_what_the_script_sends_twice_is_done_once(monkeypatch) -> None:
    held = bare()
    first, second, third = held.start[:3]
    state, sent = State({"laboratory_bench": held}), State()
    state[KEY] = sent
    sent.asked = {
        "list": held.mark,
        "actions": [
            {"number": 1, "kind": "move", "id": second, "to": 1},
            {"number": 2, "kind": "label", "id": second, "label": "nobody"},
            {"number": 3, "kind": "swap", "id": second, "other": third},
            {"number": 4, "kind": "words", "id": first},
        ],
    }
    monkeypatch.setattr(st, "session_state", state)
    with pytest.raises(UsageError, match="'nobody' is not a label of this study"):
        listed._apply_actions()
    listed._apply_actions()
    assert [step.kind for step in state["laboratory_bench"].steps] == ["move", "swap", "words"]
    assert state["laboratory_done"] == 4
    sent.asked = {"list": "00000000", "actions": [{"number": 5, "kind": "move", "id": second, "to": 1}]}
    listed._apply_actions()  # of a list that is on the bench no more
    assert len(state["laboratory_bench"].steps) == 3


@pytest.mark.usefixtures("without_ranges")
def test_a_system_is_saved_and_a_name_that_exists_is_refused() -> None:
    test, start = opened(), bare().start
    move(test, start[6], 1)
    test.button(key="laboratory_save").click().run()
    assert "bm25, edited: saved. Every page shows it." in html_of(test)
    study = fairviz.open_study("newswire")
    assert study.systems[-1] == "bm25, edited"
    rankings = align(study, Settings())
    order = bare_experiment(study, rankings, "bm25, edited", "q02").start
    assert order == (start[6], *start[:6], *start[7:])
    scores = fairviz.summarise(fairviz.evaluate(study, "nDCG@10")).set_index("system")["value"]
    assert f"{scores['bm25, edited']:.3f}</td>" in html_of(test)
    (field,) = [one for one in test.text_input if str(one.key).startswith("laboratory_name")]
    assert field.value == "bm25, edited 2"
    field.set_value("bm25").run()
    test.button(key="laboratory_save").click().run()
    text = html_of(test)
    assert "newswire has a run &#x27;bm25, edited&#x27; already" in text
    assert "&#x27;bm25, edited 2&#x27; is free: save it under that name." in text
    overview = first_run("overview.py", study="newswire")
    assert any("bm25, edited" in frame.value.to_string() for frame in overview.dataframe)


def target(test):
    (field,) = [one for one in test.number_input if str(one.key).startswith("laboratory_target")]
    return field


def test_swaps_are_found_told_and_taken() -> None:
    test = opened()
    target(test).set_value(-0.3).run()
    test.selectbox(key="laboratory_loss").set_value("any").run()
    text = html_of(test)
    assert "(greedy: fewer may suffice): ranks " in text
    expected = fairviz.analyses.what_if.fewest_swaps(
        fairviz.open_study("newswire"), "CWEx", "bm25", "q02", -0.3, loss=None
    )
    test.button(key="laboratory_take").click().run()
    held = test.session_state["laboratory_bench"]
    assert len(held.steps) == len(expected.swaps)
    assert held.order == expected.doc_ids
    assert target(test).value is None  # the list has the value now
    target(test).set_value(0.499).run()
    test.selectbox(key="laboratory_loss").set_value("0").run()
    assert "0.499 is not reached" in html_of(test)


def test_a_search_of_many_ranks_waits_for_a_click() -> None:
    test = first_run("what_if.py", study="football", cutoff="101")
    target(test).set_value(0.2).run()
    assert "is not reached" not in html_of(test)
    test.button(key="laboratory_find").click().run()
    assert "0.200 is not reached" in html_of(test)
    test.selectbox(key="laboratory_loss").set_value("any").run()
    assert "is not reached" not in html_of(test)


def test_the_main_measures_are_shown_and_every_measure_with_means_is_folded() -> None:
    test = opened()
    main, every = (body for body in html_of(test).split('<table class="fv-lab">')[1:])
    assert re.findall(r'<tr><td title="[^"]+">(\w+)</td>', main) == ["CWEx", "NFaiRR", "TExFAIR", "nDCG"]
    assert "mean of" not in main
    assert "mean of bm25" in every
    assert "GroupExposureRatio" in every
    chosen = html_of(opened(columns=["ARaB", "nDCG"])).split('<table class="fv-lab">')[1]
    assert re.findall(r'<tr><td title="[^"]+">(\w+)</td>', chosen) == ["ARaB", "nDCG"]


def test_a_value_that_no_order_reaches() -> None:
    test = first_run("what_if.py", study="football", cutoff="4")
    target(test).set_value(0.2).run()
    told = "0.200 is not reached: CWEx(alpha=0.5)@4 is −0.059, and no swap comes nearer (exact: nothing comes nearer)."
    assert told in html_of(test)


HOSTILE = "<script>x</script><img/onerror=y>"
LABELS = labels_of({"a": "female", "b": "male"})


def test_a_study_of_one_system_without_judgements_and_with_hostile_names() -> None:
    labels = labels_of({HOSTILE: "female", "b": "male"})
    study = make_study("hostile", runs=runs_of({"one": [HOSTILE, "b"]}), labels=labels)
    test = first_run("what_if.py", study=kept(study))
    assert "Without relevance judgements there is no effectiveness, so no front." in html_of(test)
    assert test.button(key="laboratory_words_all").disabled
    test.selectbox(key="laboratory_document").set_value("b").run()
    test.button(key="laboratory_up").click().run()
    text = html_of(test)
    assert "b from rank 2 to 1" in text
    assert "<script>" not in text.replace("<style>", "")
    test.selectbox(key="laboratory_document").set_value(HOSTILE).run()
    test.button(key="laboratory_up").click().run()
    assert "&lt;script&gt;x&lt;/script&gt;&lt;img/onerror=y&gt; from rank 2 to 1" in html_of(test)


def test_another_query_is_chosen_where_the_system_lacks_one() -> None:
    study = make_study(
        "lacking", runs=runs_of({("one", "q1"): "a", ("two", "q1"): "a", ("one", "q2"): "a"}), labels=LABELS
    )
    test = first_run("what_if.py", study=kept(study), query="q2", system="two")
    assert "&#x27;two&#x27; has no list for the query &#x27;q2&#x27;" in html_of(test)
    assert test.selectbox(key="laboratory_query").value == "q2"
    test.selectbox(key="laboratory_query").set_value("q1").run()
    assert "has no list" not in html_of(test)


def test_a_query_that_nobody_judged_has_no_front_and_says_why() -> None:
    runs = runs_of({("one", query): "a b" for query in "qr"})
    study = make_study("unjudged", runs=runs, labels=LABELS, qrels=qrels_of({"r": "a"}))
    test = first_run("what_if.py", study=kept(study), query="q")
    assert "This query has no relevance judgements: no loss limits the swaps." in html_of(test)
    target(test).set_value(0.0).run()
    assert "(exact: " in html_of(test)
    assert "nDCG@10 " not in html_of(test).split("(exact: ")[1].split("</div>")[0]


def saved_on(test, name: str = "bm25, edited") -> None:
    """Saves the list on the bench with its second document first, and finds it among the systems."""
    move(test, test.session_state["laboratory_bench"].order[1], 1)
    test.button(key="laboratory_save").click().run()
    assert name in test.session_state["current"].study.systems


def test_a_saved_system_is_deleted_and_restored() -> None:
    test = opened()
    assert not {"laboratory_delete", "laboratory_restore"} & keys_of(test.button)
    before = fairviz.open_study("newswire").systems
    saved_on(test)
    runs = fairviz.open_study("newswire").runs
    assert test.selectbox(key="laboratory_delete_name").options == ["bm25, edited"]  # none of the study's own
    assert test.button(key="laboratory_to_data").label == "Manage on Data"
    test.button(key="laboratory_delete").click().run()
    assert "bm25, edited: deleted. Saved systems restores it." in html_of(test)
    assert test.session_state["current"].study.systems == fairviz.open_study("newswire").systems == before
    assert "laboratory_delete" not in keys_of(test.button)
    test = opened()  # another day
    test.button(key="laboratory_restore").click().run()
    assert "bm25, edited: restored. Every page shows it again." in html_of(test)
    pd.testing.assert_frame_equal(fairviz.open_study("newswire").runs, runs)
    assert "laboratory_restore" not in keys_of(test.button)


def test_a_system_of_this_session_is_deleted_and_restored() -> None:
    study = make_study("mine", runs=runs_of({"one": "a b"}), labels=LABELS)
    test = first_run("what_if.py", study)
    saved_on(test, "one, edited")
    rows = test.session_state["current"].study.runs
    test.button(key="laboratory_delete").click().run()
    assert test.session_state["current"].study.systems == ("one",)
    assert test.session_state["current"].study.fingerprint == with_fingerprint(study).fingerprint
    test.button(key="laboratory_restore").click().run()
    pd.testing.assert_frame_equal(test.session_state["current"].study.runs, rows)


def test_what_lies_in_the_data_folder_is_not_deleted_by_visitors(monkeypatch) -> None:
    test = opened()
    saved_on(test)
    monkeypatch.setenv("FAIRVIZ_SHARED", "1")
    assert "laboratory_delete" not in keys_of(opened().button)


def test_only_added_runs_are_deleted_and_only_deleted_ones_restored() -> None:
    study = fairviz.open_study("newswire")
    folder = additions.runs_folder(study)
    with pytest.raises(FairvizError) as told:
        additions.delete_run(study, "bm25")
    assert told.value.message == f"{folder} holds no run 'bm25' of newswire"
    assert told.value.remedy == "Choose another system."
    with pytest.raises(FairvizError) as told:
        additions.restore_run(study, "gone")
    assert told.value.message == f"{folder.parent / additions.DELETED} holds no run 'gone' of newswire"
    with pytest.raises(FairvizError) as told:
        additions.restore_run(study, "bm25")
    assert (told.value.message, told.value.remedy) == ("newswire has a run 'bm25' already", "Delete that one first.")


def test_the_only_system_stays() -> None:
    with pytest.raises(FairvizError) as told:
        without_run(make_study("mine", runs=runs_of({"one": "a"})), "one")
    assert (told.value.message, told.value.remedy) == ("'one' is the only system of mine", "Add another one first.")
