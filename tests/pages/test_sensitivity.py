"""The page Map of choices under AppTest: Python's numbers, its choices in the address, what it refuses."""

from threading import Event

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import fairviz
from fairviz.analyses.sensitivity import work
from fairviz.analyses.sensitivity.grid import grid_of
from fairviz.analyses.sensitivity.levels import CHOICES
from fairviz.analyses.sensitivity.mapping import result_of
from fairviz.datasets import save_labels
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study
from fairviz.ui.kept import runs
from fairviz.ui.sensitivity import cards
from fairviz.ui.state import session
from fairviz.ui.state.address import STORED_QUERY
from tests.pages.conftest import first_run, html_of, kept, settled

ASKED = {
    "study": "newswire", "system": "w2v_add", "baseline": "qlm", "robustness_measures": "NFaiRR",
    "robustness_choices": ["tau", "tokenizer"],
}  # fmt: skip


def shown(page: AppTest, column: str) -> pd.DataFrame:
    """The numbers under the cards that have this column, which are the same on each."""
    first, *others = [element.value for element in page.dataframe if column in element.value]
    for other in others:
        pd.testing.assert_frame_equal(other[[column]], first[[column]])
    return first


def test_the_page_shows_what_python_gives(newswire: Study) -> None:
    page = first_run("sensitivity.py", **ASKED)
    found = fairviz.robustness(newswire, ["w2v_add", "qlm"], "NFaiRR", {"tau": None, "tokenizer": None})
    assert found.sentence in html_of(page).replace("<b>", "").replace("</b>", "").replace("&#x27;", "'")
    pd.testing.assert_frame_equal(shown(page, "combination"), found.table, check_dtype=False)
    shares = shown(page, "share")
    pd.testing.assert_frame_equal(shares, found.share_table, check_dtype=False)
    assert shares["share"].sum() == pytest.approx(1, abs=1e-12)


def test_levels_are_chosen_in_the_address_the_present_one_is_kept_and_another_is_ignored() -> None:
    page = first_run("sensitivity.py", **ASKED, robustness_tau=["3", "5", "77"], tau="2")
    assert set(shown(page, "combination")["tau"]) == {"2", "3", "5"}
    assert page.multiselect(key="robustness_tau").value == ["3", "5"]
    told = "The address sets robustness_tau to &#x27;77&#x27;, which is not offered here; it was ignored."
    assert told in html_of(page)


def test_the_question_stays_when_labels_are_added_and_a_changed_default_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fairviz.ui.kit.jobs.SHORT", 600.0)
    football = fairviz.open_study("football")
    kept(make_study("mine", runs=football.runs, labels=football.labels), "mine")
    page = first_run("sensitivity.py", study="mine", robustness_measures="CWEx", ties="file")
    before, query = shown(page, "combination"), page.session_state[STORED_QUERY]
    assert set(query["robustness_choices"]) == set(before.columns) & set(CHOICES)
    assert query["robustness_alpha"] == page.multiselect(key="robustness_alpha").value
    assert "The data changed the default" not in html_of(page)
    names = football.labels["annotator"].unique().tolist()
    added = football.labels[football.labels["annotator"] == names[0]].assign(annotator="anna")
    save_labels(fairviz.open_study("mine"), added, {"anna": Annotator("anna", "person")})
    page.run()
    assert len(shown(page, "combination")) == len(before)
    usual = fairviz.robustness(fairviz.open_study("mine"), page.session_state["current"].study.systems[:2], "CWEx")
    assert f"That is {len(usual.table):,} combinations; {len(before):,} here." in html_of(page)
    page.button(key="robustness_follow").click().run()
    assert len(shown(page, "combination")) == len(usual.table) > len(before)
    assert "The data changed the default" not in html_of(page)


def test_more_combinations_than_are_computed_unasked_are_told_and_wait() -> None:
    levels = {
        "robustness_measures": "CWEx", "robustness_choices": ["alpha", "position_bias", "annotator", "ties"],
        "robustness_alpha": ["0", "0.5", "1"],
    }  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fairviz.ui.sensitivity.cards.UNASKED", 50)
        patch.setattr("fairviz.ui.kit.jobs.SHORT", 600.0)
        page = first_run("sensitivity.py", **ASKED | levels)
        text = html_of(page)
        assert "These choices make 90 combinations, " in text
        assert "fv-notice" not in text
        page.button(key="robustness_go").click().run()
    assert len(shown(page, "combination")) == 90


def test_stop_ends_it_after_the_piece_that_is_begun_and_go_on_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    gate, begun, stopped = Event(), Event(), Event()
    real, real_stop = work.computed, work.Work.stop

    def held_up(*given: object) -> object:
        begun.set()
        gate.wait()
        return real(*given)

    def stop(self: work.Work) -> None:
        real_stop(self)
        stopped.set()

    monkeypatch.setattr(work, "computed", held_up)
    monkeypatch.setattr(work.Work, "stop", stop)
    monkeypatch.setattr(work, "cores", lambda: 1)
    monkeypatch.setattr("fairviz.ui.kit.jobs.SHORT", 0.0)
    page = first_run("sensitivity.py", **ASKED | {"system": "rrf", "baseline": "tfidf"})
    begun.wait()
    page.button(key="robustness_stop").click()
    page.run()
    stopped.wait()
    gate.set()
    settled(page)
    text = html_of(page)
    assert "Stopped: the results cover 3 of 6 combinations." in text
    assert "of 3 combinations computed so far." in text
    assert len(shown(page, "combination")) == 3
    page.button(key="robustness_go").click()
    monkeypatch.setattr("fairviz.ui.kit.jobs.SHORT", 600.0)
    page.run()
    assert len(shown(page, "combination")) == 6


def test_one_system_says_what_to_add() -> None:
    study = fairviz.open_study("football")
    one = make_study("one", runs=study.runs[study.runs["system"] == "left"], labels=study.labels)
    text = html_of(first_run("sensitivity.py", one))
    assert "one has one system, left; a sensitivity analysis compares two." in text
    assert "Add a second run on the Data page: upload one, or rank the documents with another ranker." in text


def test_a_click_sets_every_level_of_the_combination_and_keeps_the_map(newswire: Study) -> None:
    """The callback of the curve, as the browser calls it; the click itself is driven in a real browser."""
    page = first_run("sensitivity.py", **ASKED, tau="5", position_bias="rbp(p=0.7)")
    before = shown(page, "combination")
    row = before[(before["tau"] == "0") & (before["tokenizer"] == "whitespace")].iloc[0]
    grid = grid_of(
        newswire, ("w2v_add", "qlm"), ["NFaiRR"], {"tau": None, "tokenizer": None},
        page.session_state["current"].settings,
    )  # fmt: skip
    found = runs.work_of(grid).result(grid)
    state: dict = {}
    with pytest.MonkeyPatch.context() as patch:
        for module in ("cards", "deck"):
            patch.setattr(f"fairviz.ui.sensitivity.{module}.st.session_state", state)
        patch.setattr("fairviz.ui.state.session.st.session_state", state)
        cards.set_combination(found, str(row["combination"]))
    assert state["chosen"] == {"tokenizer": "whitespace", "tau": 0}
    assert sorted(state["robustness_tau"]) == ["0", "1", "2", "5"]
    assert state[cards.MESSAGE] == "The whole app is set to this combination, by NFaiRR: tokenizer whitespace, tau 0."
    assert result_of(runs.work_of(grid).work).counts.done == 8


def test_a_position_bias_is_set_as_the_two_widgets_that_hold_it(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict = {}
    monkeypatch.setattr("fairviz.ui.state.session.st.session_state", state)
    session.choose_all({"position_bias": "rbp(p=0.65)", "cutoff": 5, "systems": ("a",)})
    assert state["chosen"] == {"position_bias": "rbp", "bias_parameter": 0.65, "cutoff": 5, "systems": ["a"]}


def test_a_word_list_of_ones_own_stays_at_hand_when_the_app_goes_to_another_one() -> None:
    own = "female:she|her;male:he|him"
    choices = ASKED | {"robustness_choices": ["lexicon"]}
    page = first_run("sensitivity.py", **choices)
    assert page.multiselect(key="robustness_lexicon").options == ["built-in, 171 words"]
    assert page.multiselect(key="robustness_lexicon").value == ["built-in, 171 words"]
    page = first_run("sensitivity.py", **choices, lexicon=own)
    assert set(shown(page, "combination")["lexicon"]) == {"own, 4 words", "built-in, 171 words"}
    page.session_state["robustness_lexicon"] = ["own, 4 words", "built-in, 171 words"]
    page.session_state["chosen"] = {"lexicon": "gsr"}
    page.run()
    assert page.session_state["current"].settings.lexicon == "gsr"
    assert set(shown(page, "combination")["lexicon"]) == {"own, 4 words", "built-in, 171 words"}
