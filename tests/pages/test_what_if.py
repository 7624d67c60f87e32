"""The page What-if: steps by its widgets, what they do, saving, and what is missing; and what a saved or added run
changes on Overview."""

import re
from functools import partial

import pandas as pd
import pyarrow as pa
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz import home
from fairviz.analyses.what_if.experiment import bare_experiment, without_run
from fairviz.comparison.compare import compared_as
from fairviz.comparison.family import how_of
from fairviz.comparison.pairs import AHEAD, BEHIND
from fairviz.datasets import additions, studies_folder
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import align
from fairviz.evaluation.questions import overview
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study, with_fingerprint
from fairviz.study.study import add_runs, make_study
from fairviz.ui.kit.html import literal
from fairviz.ui.state.library import OWN
from fairviz.ui.what_if import list as listed
from fairviz.ui.what_if import search
from fairviz.ui.what_if.list import KEY
from tests.checks.cases import QUERIES, sound
from tests.conftest import refused
from tests.made import labels_of, qrels_of, runs_of
from tests.pages.conftest import Seen, first_run, html_of, kept, keys_of, press, settled


@pytest.fixture(autouse=True)
def no_front(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for the front, which the first runs of the page draw, takes a third of the time."""
    monkeypatch.setattr(search, "_front_of_original", lambda *_: FairvizError("it is not searched for here"))


@pytest.fixture
def few(newswire: Study) -> str:
    """newswire with two systems, two queries, a quarter of their lists and those documents alone, saved."""
    runs = newswire.runs[newswire.runs["system"].isin(["bm25", "rrf"]) & newswire.runs["query_id"].isin(["q02", "q03"])]
    runs = runs[(runs["rank"] <= 8) | (runs["rank"] % 6 == 0)].astype({"system": "str", "query_id": "str"})
    documents, labels = (part[part["doc_id"].isin(runs["doc_id"])] for part in (newswire.documents, newswire.labels))
    labels = labels.loc[labels["annotator"] == "project", ["doc_id", "label"]]
    study = make_study("few", runs=runs, documents=documents[["doc_id", "text"]], labels=labels,
                       queries=newswire.queries[["query_id", "text"]], qrels=newswire.qrels)  # fmt: skip
    return kept(study)


def opened(**query):
    return first_run("what_if.py", **{"study": "few", "query": "q02"} | query)


def bare(study: str = "few", system: str = "bm25", query: str = "q02"):
    held = fairviz.open_study(study)
    return bare_experiment(held, align(held, Settings()), system, query)


def steps(test) -> list[str]:
    return [step.text for step in test.session_state["laboratory_bench"].steps]


def test_steps_undo_redo_and_reset_by_widgets_and_the_address_holds_those_of_every_list(few: str) -> None:
    test, start = opened(), bare().start
    test.selectbox(key="laboratory_document").set_value(start[6])
    test.number_input(key="laboratory_to").set_value(2).run()
    test.button(key="laboratory_move").click()
    test.selectbox(key=f"laboratory_label_{start[6]}").set_value("female")
    test.selectbox(key="laboratory_other").set_value(start[0]).run()
    for edit in ("swap", "flip", "words_all"):  # in this order
        test.button(key=f"laboratory_{edit}").click()
    test.run()
    said = [
        f"{start[6]} from rank 7 to 2",
        f"{start[6]} (rank 2) and {start[0]} (rank 1) swapped",
        f"{start[6]} from male to female",
        "gender words of all documents of the list replaced",
    ]
    assert steps(test) == said
    assert test.session_state["laboratory_bench"].order[:3] == (start[6], start[0], start[1])
    assert all(f"{number}. {line}" in html_of(test) for number, line in enumerate(said, start=1))
    for button, shown in (("undo", said[:3]), ("redo", said)):
        test.button(key=f"laboratory_{button}").click().run()
        assert steps(test) == shown
    first = test.session_state["laboratory_bench"]
    test.selectbox(key="laboratory_query").set_value("q03").run()
    assert steps(test) == []
    test.button(key="laboratory_down").click().run()
    lines = test.query_params["laboratory_edits"]
    assert lines == [first.text, test.session_state["laboratory_bench"].text]
    again = opened(laboratory_edits=lines)
    assert again.session_state["laboratory_bench"] == first
    assert "fv-warning" not in html_of(again)
    test.selectbox(key="laboratory_query").set_value("q02").run()
    assert steps(test) == said
    test.button(key="laboratory_reset").click().run()
    assert steps(test) == []
    assert test.query_params["laboratory_edits"] in (lines[1], lines[1:])
    test.button(key="laboratory_redo").click().run()
    assert steps(test) == said[:1]


def test_steps_that_are_none_are_told_and_let_go(few: str) -> None:
    test = opened(laboratory_edits=f"{bare().mark}.m1-2.<script>")
    message = "The address holds steps for this list (&#x27;&lt;script&gt;&#x27; is not a step); they were ignored."
    assert message in html_of(test)
    assert steps(test) == []
    other = opened(laboratory_edits="00000000.m1-2")  # of a list that is not here now
    assert "fv-warning" not in html_of(other)


class State(dict):
    """A session, or what a component has sent."""

    asked: dict


def test_what_the_script_sends_twice_is_done_once(few: str, monkeypatch) -> None:
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


def test_a_system_is_saved_deleted_and_restored_and_a_name_that_exists_is_refused(few: str, monkeypatch) -> None:
    """Of a built-in study, in whose place the small one stands."""
    monkeypatch.setitem(home.BUILTIN, "newswire", studies_folder() / few)
    test, start = opened(study="newswire"), bare("newswire").start
    assert not {"laboratory_delete", "laboratory_restore"} & keys_of(test.button)
    before = fairviz.open_study("newswire").systems
    saved_on(test)
    assert "bm25, edited: saved. Every page shows it." in html_of(test)
    study = fairviz.open_study("newswire")
    assert study.systems == (*before, "bm25, edited")
    order = bare_experiment(study, align(study, Settings()), "bm25, edited", "q02").start
    assert order == (start[1], start[0], *start[2:])
    scores = fairviz.summarise(fairviz.evaluate(study, "nDCG@10")).set_index("system")["value"]
    assert f"{scores['bm25, edited']:.3f}</td>" in html_of(test)
    (field,) = [one for one in test.text_input if str(one.key).startswith("laboratory_name")]
    assert field.value == "bm25, edited 2"
    field.set_value("bm25").run()
    test.button(key="laboratory_save").click().run()
    text = html_of(test)
    assert "newswire has a run &#x27;bm25, edited&#x27; already" in text
    assert "&#x27;bm25, edited 2&#x27; is free: save it under that name." in text
    assert test.selectbox(key="laboratory_delete_name").options == ["bm25, edited"]  # none of the study's own
    assert test.button(key="laboratory_to_data").label == "Manage on Data"
    with monkeypatch.context() as patch:
        patch.setenv("FAIRVIZ_SHARED", "1")
        assert "laboratory_delete" not in keys_of(opened(study="newswire").button), "visitors delete nothing"
    test.button(key="laboratory_delete").click().run()
    assert "bm25, edited: deleted. Saved systems restores it." in html_of(test)
    assert test.session_state["current"].study.systems == fairviz.open_study("newswire").systems == before
    assert "laboratory_delete" not in keys_of(test.button)
    test = opened(study="newswire")  # another day
    test.button(key="laboratory_restore").click().run()
    assert "bm25, edited: restored. Every page shows it again." in html_of(test)
    pd.testing.assert_frame_equal(fairviz.open_study("newswire").runs, study.runs)
    assert "laboratory_restore" not in keys_of(test.button)


def target(test):
    (field,) = [one for one in test.number_input if str(one.key).startswith("laboratory_target")]
    return field


def test_swaps_are_found_told_and_taken(few: str) -> None:
    test = opened()
    target(test).set_value(-0.3)
    test.selectbox(key="laboratory_loss").set_value("any").run()
    assert "(greedy: fewer may suffice): ranks " in html_of(test)
    expected = fairviz.analyses.what_if.fewest_swaps(fairviz.open_study("few"), "CWEx", "bm25", "q02", -0.3, loss=None)
    test.button(key="laboratory_take").click().run()
    held = test.session_state["laboratory_bench"]
    assert len(held.steps) == len(expected.swaps)
    assert held.order == expected.doc_ids
    assert target(test).value is None  # the list has the value now
    target(test).set_value(0.499)
    test.selectbox(key="laboratory_loss").set_value("0").run()
    assert "0.499 is not reached" in html_of(test)


def test_a_value_that_no_order_reaches_and_a_search_of_many_ranks_waits_for_a_click() -> None:
    test = first_run("what_if.py", study="football", cutoff="4")
    target(test).set_value(0.2).run()
    told = "0.200 is not reached: CWEx(alpha=0.5)@4 is −0.059, and no swap comes nearer (exact: nothing comes nearer)."
    assert told in html_of(test)
    test = first_run("what_if.py", study="football", cutoff="101")
    target(test).set_value(0.2).run()
    assert "is not reached" not in html_of(test)
    test.button(key="laboratory_find").click().run()
    assert "0.200 is not reached" in html_of(test)
    test.selectbox(key="laboratory_loss").set_value("any").run()
    assert "is not reached" not in html_of(test)


def test_the_main_measures_are_shown_or_the_columns_and_every_measure_with_means_is_folded(few: str) -> None:
    main, every = (body for body in html_of(opened()).split('<table class="fv-lab">')[1:])
    assert re.findall(r'<tr><td title="[^"]+">(\w+)</td>', main) == ["CWEx", "NFaiRR", "TExFAIR", "nDCG"]
    assert "mean of" not in main
    assert "mean of bm25" in every
    assert "GroupExposureRatio" in every
    chosen = html_of(opened(columns=["ARaB", "nDCG"])).split('<table class="fv-lab">')[1]
    assert re.findall(r'<tr><td title="[^"]+">(\w+)</td>', chosen) == ["ARaB", "nDCG"]


HOSTILE = "<script>x</script><img/onerror=y>*a*"
LABELS = labels_of({"a": "female", "b": "male"})


def test_a_study_of_one_system_without_judgements_and_with_hostile_names() -> None:
    labels = labels_of({HOSTILE: "female", "b": "male"})
    test = first_run("what_if.py", make_study("hostile", runs=runs_of({"one": [HOSTILE, "b"]}), labels=labels))
    assert "Without relevance judgements there is no effectiveness, so no front." in html_of(test)
    assert test.button(key="laboratory_words_all").disabled
    for name in ("b", HOSTILE):
        test.selectbox(key="laboratory_document").set_value(name).run()
        test.button(key="laboratory_up").click().run()
        assert "<script>" not in html_of(test).replace("<style>", "")
    assert "b from rank 2 to 1" in html_of(test)
    assert "&lt;script&gt;x&lt;/script&gt;&lt;img/onerror=y&gt;*a* from rank 2 to 1" in html_of(test)
    assert test.button(key="laboratory_undo").help == literal(f"{HOSTILE} from rank 2 to 1")
    test.button(key="laboratory_undo").click().run()
    assert test.button(key="laboratory_redo").help == literal(f"{HOSTILE} from rank 2 to 1")


def test_another_query_is_chosen_where_the_system_lacks_one() -> None:
    runs = runs_of({("one", "q1"): "a", ("two", "q1"): "a", ("one", "q2"): "a"})
    test = first_run("what_if.py", make_study("lacking", runs=runs, labels=LABELS), query="q2", system="two")
    assert "&#x27;two&#x27; has no list for the query &#x27;q2&#x27;" in html_of(test)
    assert test.selectbox(key="laboratory_query").value == "q2"
    test.selectbox(key="laboratory_query").set_value("q1").run()
    assert "has no list" not in html_of(test)


def test_a_query_that_nobody_judged_has_no_front_and_says_why() -> None:
    runs = runs_of({("one", query): "a b" for query in "qr"})
    study = make_study("unjudged", runs=runs, labels=LABELS, qrels=qrels_of({"r": "a"}))
    test = first_run("what_if.py", study, query="q")
    assert "This query has no relevance judgements: no loss limits the swaps." in html_of(test)
    target(test).set_value(0.0).run()
    assert "(exact: " in html_of(test)
    assert "nDCG@10 " not in html_of(test).split("(exact: ")[1].split("</div>")[0]


def saved_on(test, name: str = "bm25, edited") -> None:
    """Saves the list on the bench with its second document first, and finds it among the systems."""
    test.button(key="laboratory_down").click().run()
    test.button(key="laboratory_save").click().run()
    assert name in test.session_state["current"].study.systems


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


def test_only_added_runs_are_deleted_and_only_deleted_ones_restored(newswire: Study) -> None:
    folder = additions.runs_folder(newswire)
    with refused(f"{folder} holds no run 'bm25' of newswire\nChoose another system."):
        additions.delete_run(newswire, "bm25")
    with refused(f"{folder.parent / additions.DELETED} holds no run 'gone' of newswire\nChoose another system."):
        additions.restore_run(newswire, "gone")
    with refused("newswire has a run 'bm25' already\nDelete that one first."):
        additions.restore_run(newswire, "bm25")
    with refused("'one' is the only system of mine\nAdd another one first."):
        without_run(make_study("mine", runs=runs_of({"one": "a"})), "one")


# What a person adds: a run is tested at once, and one line tells what that changes; a list that was edited by hand
# changes no verdict, star or sentence of the other systems until it is ticked.


COLUMNS = ["CWEx", "NFaiRR", "TExFAIR"]
MINE = "mine is tested: 7 → 8 systems, 28 pairs; "


def told(page: AppTest) -> tuple[str, pd.DataFrame]:
    """The sentence of the Overview, and the cells of its table by system, stars among them."""
    (styled,) = [each for each in page.dataframe if "CWEx ↑" in each.value]
    shown = pa.ipc.open_stream(styled.proto.arrow_data.styler.display_values).read_pandas().astype("str")
    table = shown.set_axis(styled.value["system"]).iloc[:, 1:]
    (sentence,) = [line for line in html_of(page).splitlines() if "fv-notice" in line]
    return sentence, table


def with_mine(newswire: Study) -> Study:
    """newswire with bm25's lists upside down as one more run."""
    rows = newswire.runs[newswire.runs["system"] == "bm25"].astype({"system": "str", "query_id": "str"})
    rows = rows.assign(system="mine", rank=rows.groupby("query_id")["rank"].transform(lambda ranks: ranks[::-1].values))
    return add_runs(newswire, rows.assign(score=-rows["rank"].astype(float)).astype({"system": "category"}))


def added(newswire: Study, **query: object) -> AppTest:
    """The Overview, to which the run was added after its first run."""
    page = first_run("overview.py", study="newswire", columns=COLUMNS, **query)
    assert "joined_out" not in keys_of(page.button)
    page.session_state[OWN] = {"newswire": with_mine(newswire)}
    return page.run()


def test_an_added_run_is_tested_what_that_changes_is_said_and_without_it_all_is_as_before_also_when_saved(
    seen: Seen, newswire: Study
) -> None:
    sentence, table = told(seen("overview.py", study="newswire", columns=COLUMNS))
    page, settings = added(newswire), Settings(columns=tuple(COLUMNS))
    text, study = html_of(page), page.session_state[OWN]["newswire"]
    assert "all 28 pairs, maxT" in text
    assert told(page)[0] != sentence
    scores = fairviz.evaluate(study, list(overview(study, settings).texts))
    without, within = (
        {
            (row.measure, frozenset((row.system, row.baseline))): row.verdict in (AHEAD, BEHIND)
            for baseline in study.contenders
            for row in compared_as(scores, how_of(study, Settings(not_tested=names)), baseline).table.itertuples()
            if {row.system, row.baseline} <= set(study.contenders) - {"mine"}
        }
        for names in (("mine",), ())
    )
    count = sum(without[pair] != within[pair] for pair in without)
    assert count > 1
    assert text.count(f"{MINE}corrections changed: {count} verdicts differ: ") == 1

    page.button(key="joined_out").click().run()
    after, grown = told(page)
    assert after == sentence
    assert grown.loc[table.index].equals(table)
    assert [name for name in grown.index if name not in table.index] == ["mine (not tested)"]
    own = {OWN: page.session_state[OWN]}
    data = first_run("data.py", state=own, study="newswire", data_tab="Add and save")
    data.text_input(key="save_name_newswire").set_value("kept")
    press(data, "Save")
    saved = fairviz.open_study(str(studies_folder() / "kept"))
    assert (saved.not_tested, "mine" in saved.systems) == (("mine",), True)
    assert told(first_run("overview.py", study="kept", columns=COLUMNS))[0] == sentence


def test_a_run_is_shown_and_tested_where_only_some_systems_are_shown_and_its_line_can_be_closed(
    newswire: Study,
) -> None:
    page = added(newswire, systems=["bm25", "rrf"])
    assert page.session_state["systems"] == ["bm25", "rrf", "mine"]
    assert "mine is tested: 2 → 3 systems, 3 pairs; " in html_of(page)
    page.button(key="joined_ok").click().run()
    assert "mine is tested" not in html_of(page)
    assert "all 3 pairs, maxT" in html_of(page)


def test_ticks_are_kept_with_a_stored_study_by_one_button() -> None:
    page = first_run("overview.py", study="newswire", columns=COLUMNS, tested=["random"], not_tested=["rrf"])
    page.button(key="tested_keep").click().run()
    assert (page.session_state["tested"], page.session_state["not_tested"]) == ([], [])
    study = fairviz.open_study("newswire")
    assert (study.tested, study.not_tested) == (("random",), ("rrf",))
    again = first_run("overview.py", study="newswire", columns=COLUMNS)
    assert "random (reference)" not in html_of(again)
    assert "tested_keep" not in keys_of(again.button)


def test_saving_an_edited_list_changes_nothing_until_it_is_ticked_and_ranking_is_said_once() -> None:
    asked = pd.DataFrame({"query_id": QUERIES, "text": "she and her mother"})
    overview_of = partial(first_run, "overview.py", study=kept(sound(queries=asked)), columns=COLUMNS)
    sentence, table = told(overview_of())
    laboratory = opened(study="made")
    laboratory.button(key="laboratory_down").click().run()
    laboratory.button(key="laboratory_save").click().run()
    assert "joined_out" not in keys_of(laboratory.button)
    after, grown = told(overview_of())
    assert after == sentence
    assert grown.loc[table.index].equals(table)
    (edited,) = [name for name in grown.index if name not in table.index]
    assert edited.endswith(" (not tested)")
    assert not grown.loc[[edited]].map(lambda cell: "★" in cell).any(axis=None)
    data = first_run("data.py", study="made", data_tab="Rank")
    data.text_input(key="rank_with").set_value("bm25(k1=0.4,b=0.4)").run()
    settled(data.button(key="rank_go").click().run())
    assert "bm25-k1=0.4 is tested: 2 → 3 systems, 3 pairs; " in html_of(data)
    ticked = overview_of(tested=[edited.removesuffix(" (not tested)")])
    assert "Tests: all 6 pairs, maxT." in html_of(ticked)
