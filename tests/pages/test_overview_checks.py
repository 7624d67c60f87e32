"""The card *Checks* of Overview: findings, the others by their state, what *Show* opens, and slow checks in a job."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from fairviz.checks import CHECKS
from fairviz.checks.looked import LOOKED
from fairviz.study.loaders.metadata import Claim
from tests.checks.cases import CASES, only, sound
from tests.pages.conftest import first_run, html_of, kept, press, settled

MARK = ":material/error:"


@pytest.fixture(autouse=True)
def three() -> Iterator[None]:
    """The program has the first three checks alone."""
    with only():
        yield


def test_a_finding_opens_to_its_sentence_and_the_others_to_their_reasons() -> None:
    test = first_run("overview.py", study="football", columns="CWEx")
    assert "<b>Checks: 1 issue</b>" in html_of(test)
    assert ":material/error: Few queries, or other ones for each system" in [one.label for one in test.expander]
    shown = html_of(test)
    assert "There is 1 query" in shown
    assert CHECKS["FV103"].harmless in shown
    assert CHECKS["FV101"].question in shown


def test_a_muted_finding_is_among_the_others_with_its_reason() -> None:
    case = CASES["label_coverage"]["triggers"]()
    name = kept(replace(case.study, muted={"FV102": "The pool of 2019."}))
    test = first_run("overview.py", study=name, columns="CWEx")
    assert "Checks: no finding" in html_of(test)
    test.segmented_control(key="overview_checks").set_value("muted").run()
    assert "Muted in study.toml: The pool of 2019." in html_of(test)
    name = kept(sound(muted={"FV999": "Nothing."}), "wrong")
    assert "study.toml mutes &#x27;FV999&#x27;" in html_of(first_run("overview.py", study=name, columns="CWEx"))


def test_figures_of_a_finding_are_marked_below_the_verdict_on_a_claim_and_show_opens_what_its_link_chooses() -> None:
    claim = Claim("CWEx(alpha=0.5)@10", "left", ("right",), "2026-11-01")
    name = kept(replace(CASES["label_coverage"]["triggers"]().study, claim=claim))
    test = first_run("overview.py", study=name, cutoff="5")
    shown = html_of(test)
    assert "left is fairer than right in CWEx(alpha=0.5)@10." in shown
    assert shown.index("All else is exploratory.") < shown.index("<b>Checks: ")
    (mark,) = [one for one in test.button if one.key == "overview_answer_marks"]
    assert mark.label == MARK
    assert "50 % are labelled in third" in mark.help.replace("\\", "")
    assert not [one for one in test.button if one.key == "overview_ties_marks"]  # a table without these measures
    other = first_run("tradeoff.py", study=name, cutoff="5")
    marked = [one for one in other.button if str(one.key).endswith("_marks")]
    marked[0].click().run()
    press(test, "Show")
    assert test.session_state["robustness_choices"] == ["unlabelled"]
    assert test.session_state["cutoff"] == 5


def test_a_slow_check_waits_for_a_press_and_runs_in_a_job() -> None:
    slow = replace(CHECKS["FV102"], slow=True)
    with only(CHECKS["FV101"], slow, CHECKS["FV103"]):
        test = first_run("overview.py", study=kept(CASES["label_coverage"]["triggers"]().study), columns="CWEx")
        assert "Checks: no finding" in html_of(test)
        assert "1 not run, 2 others" in [one.label for one in test.expander]
        assert "FV102 Are the lists of all systems labelled alike? It takes longer" in html_of(test)
        test = settled(press(test, "Run them"))
        assert "Checks: 1 issue" in html_of(test)
        assert "50 % are labelled in third" in html_of(test)


def test_what_was_found_before_other_settings_were_on_screen_is_not_shown_as_found_now() -> None:
    with only(LOOKED):
        test = first_run("overview.py", study=kept(CASES["looked"]["triggers"]().study), cutoff="3", columns="CWEx")
        test = settled(press(test, "Run them"))
        assert "1 other" in [one.label for one in test.expander]
        for cutoff in (2, 1, 3):
            test.select_slider(key="cutoff").set_value(cutoff).run()
        assert [one.cutoff for one in test.session_state["looked"]] == [3, 2, 1]
        assert "1 not run" in [one.label for one in test.expander]
        test = settled(press(test, "Run them"))
        assert "You looked at 3 settings of 1 measure" in html_of(test)


def test_checks_run_once_for_the_same_study_and_settings() -> None:
    runs = []
    counting = replace(CHECKS["FV102"], run=lambda context: runs.append(context.settings.cutoff))
    with only(counting):
        test = first_run("overview.py", study="football", cutoff="5", columns="CWEx")
        test.run()
        test.select_slider(key="cutoff").set_value(3).run()
        test.run()
    assert runs == [5, 3]
