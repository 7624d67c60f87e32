"""Who is shown after a click in the legend, and what it says of each system."""

import pytest

from fairviz.evaluation.opening import open_study
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import system_styles
from fairviz.ui.shell import legend

ALL = ("a", "b", "c")


@pytest.mark.parametrize(
    ("shown", "name", "after"),
    [
        ([], "b", ["a", "c"]),
        (["a", "c"], "b", []),
        (["a"], "c", ["a", "c"]),
        (["c"], "a", ["a", "c"]),  # in the order of the study
        (["c", "a"], "b", ["c", "a", "b"]),  # in an order that someone chose, which is kept
        (["c", "a"], "c", ["a"]),
        (["b"], "b", []),  # a page without a system says nothing
    ],
)
def test_a_click_hides_or_shows(shown: list[str], name: str, after: list[str]) -> None:
    assert legend.toggled(ALL, shown, name) == after


@pytest.mark.parametrize(("shown", "after"), [([], ["b"]), (["a", "b"], ["b"]), (["b"], []), (["a"], ["b"])])
def test_shift_and_a_click_show_one_alone_or_all_again(shown: list[str], after: list[str]) -> None:
    assert legend.alone(ALL, shown, "b") == after


def test_the_only_system_of_a_study_cannot_be_hidden() -> None:
    assert legend.toggled(("a",), [], "a") == legend.alone(("a",), [], "a") == []


def test_how_many_are_hidden_is_said() -> None:
    study = open_study("occupations")
    assert legend.hidden_text(study, Settings(study="occupations")) == ""
    assert legend.hidden_text(study, Settings(systems=("S", "N"))) == "1 of 3 systems is hidden"
    assert legend.hidden_text(study, Settings(systems=("S",))) == "2 of 3 systems are hidden"


def test_each_system_has_its_look_the_references_last() -> None:
    styles = system_styles(["perfect", "a", "b"])
    made = legend.entries(("perfect", "a", "b"), ("a",), styles, "b")
    assert [entry["name"] for entry in made] == ["a", "b", "perfect"]
    assert [entry["shown"] for entry in made] == [True, False, False]
    assert [entry["hint"] for entry in made] == [legend.LAST, legend.SHOW, legend.SHOW]
    assert [entry["chosen"] for entry in made] == [False, True, False]
    assert [entry["hollow"] for entry in made] == [False, False, True]
    assert made[0]["colour"] == styles["a"].colour
    assert legend.entries(("a", "b"), ("a", "b"), styles, "")[0]["hint"] == legend.HIDE
