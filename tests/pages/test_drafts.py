"""What a person adds on a page: a run is tested at once, and one line tells what that changes; a list that was edited
by hand changes no verdict, star or sentence of the other systems until it is ticked."""

import pandas as pd
import pyarrow as pa
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.comparison.compare import compared_as
from fairviz.comparison.family import how_of
from fairviz.comparison.pairs import AHEAD, BEHIND
from fairviz.evaluation.questions import overview
from fairviz.evaluation.settings import Settings
from fairviz.home import studies_folder
from fairviz.study.record import Study
from fairviz.study.study import add_runs
from fairviz.ui.state.library import OWN
from tests.pages.conftest import Seen, first_run, html_of, press, settled
from tests.pages.test_what_if import bare, move, opened

COLUMNS = ["CWEx", "NFaiRR", "TExFAIR"]
MINE = "mine is tested: 7 → 8 systems, 28 pairs; "


def told(page: AppTest) -> tuple[str, pd.DataFrame]:
    """The sentence of the Overview, and the cells of its table by system, stars among them."""
    (styled,) = [each for each in page.dataframe if "CWEx ↑" in each.value]
    shown = pa.ipc.open_stream(styled.proto.arrow_data.styler.display_values).read_pandas().astype("str")
    table = shown.set_axis(styled.value["system"]).iloc[:, 1:]
    (sentence,) = [line for line in html_of(page).splitlines() if "fv-notice" in line]
    return sentence, table


def with_mine() -> Study:
    """newswire with bm25's lists upside down as one more run."""
    study = fairviz.open_study("newswire")
    rows = study.runs[study.runs["system"] == "bm25"].astype({"system": "str", "query_id": "str"})
    rows = rows.assign(system="mine", rank=rows.groupby("query_id")["rank"].transform(lambda ranks: ranks[::-1].values))
    return add_runs(study, rows.assign(score=-rows["rank"].astype(float)).astype({"system": "category"}))


def added(**query: object) -> AppTest:
    """The Overview, to which the run was added after its first run."""
    page = first_run("overview.py", study="newswire", columns=COLUMNS, **query)
    assert not [one for one in page.button if one.key == "joined_out"]
    page.session_state[OWN] = {"newswire": with_mine()}
    return page.run()


def test_an_added_run_is_tested_and_what_that_changes_is_said_until_it_is_closed() -> None:
    page, study, settings = added(), with_mine(), Settings(columns=tuple(COLUMNS))
    text = html_of(page)
    assert text.count(MINE) == 1
    assert "all 28 pairs, maxT" in text
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
    assert f"{MINE}corrections changed: {count} verdicts differ: " in text
    page.button(key="joined_ok").click().run()
    assert MINE not in html_of(page)
    assert "all 28 pairs, maxT" in html_of(page)


def test_without_the_run_the_page_is_as_before_and_the_choice_is_in_the_saved_study(seen: Seen) -> None:
    sentence, table = told(seen("overview.py", study="newswire", columns=COLUMNS))
    page = added()
    assert told(page)[0] != sentence
    page.button(key="joined_out").click().run()
    after, grown = told(page)
    assert after == sentence
    assert grown.loc[table.index].equals(table)
    assert [name for name in grown.index if name not in table.index] == ["mine (not tested)"]
    own = {OWN: page.session_state[OWN]}
    data = first_run("data.py", state=own, study="newswire", data_tab="Add and save")
    data.text_input(key="save_name_newswire").set_value("kept").run()
    press(data, "Save")
    saved = fairviz.open_study(str(studies_folder() / "kept"))
    assert (saved.not_tested, "mine" in saved.systems) == (("mine",), True)
    assert told(first_run("overview.py", study="kept", columns=COLUMNS))[0] == sentence


def test_a_run_is_shown_and_tested_where_only_some_systems_are_shown() -> None:
    page = added(systems=["bm25", "rrf"])
    assert page.session_state["systems"] == ["bm25", "rrf", "mine"]
    assert "mine is tested: 2 → 3 systems, 3 pairs; " in html_of(page)


def test_ticks_are_kept_with_a_stored_study_by_one_button() -> None:
    page = first_run("overview.py", study="newswire", columns=COLUMNS, tested=["random"], not_tested=["rrf"])
    page.button(key="tested_keep").click().run()
    assert (page.session_state["tested"], page.session_state["not_tested"]) == ([], [])
    study = fairviz.open_study("newswire")
    assert (study.tested, study.not_tested) == (("random",), ("rrf",))
    again = first_run("overview.py", study="newswire", columns=COLUMNS)
    assert "random (reference)" not in html_of(again)
    assert not [one for one in again.button if one.key == "tested_keep"]


def test_saving_an_edited_list_changes_nothing_until_it_is_ticked_and_ranking_is_said_once(seen: Seen) -> None:
    sentence, table = told(seen("overview.py", study="newswire", columns=COLUMNS))
    laboratory = opened(study="newswire")
    move(laboratory, bare("newswire").start[6], 1)
    laboratory.button(key="laboratory_save").click().run()
    assert "joined_out" not in [one.key for one in laboratory.button]
    after, grown = told(first_run("overview.py", study="newswire", columns=COLUMNS))
    assert after == sentence
    assert grown.loc[table.index].equals(table)
    (edited,) = [name for name in grown.index if name not in table.index]
    assert edited.endswith(" (not tested)")
    assert not grown.loc[[edited]].map(lambda cell: "★" in cell).any(axis=None)
    data = first_run("data.py", study="newswire", data_tab="Rank")
    data.text_input(key="rank_with").set_value("bm25(k1=0.4,b=0.4)").run()
    settled(data.button(key="rank_go").click().run())
    assert "bm25-k1=0.4 is tested: 7 → 8 systems, 28 pairs; " in html_of(data)
    ticked = first_run("overview.py", study="newswire", columns=COLUMNS, tested=[edited.removesuffix(" (not tested)")])
    assert "Tests: all 36 pairs, maxT." in html_of(ticked)
