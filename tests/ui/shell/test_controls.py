"""The side bar and the legend: titles of groups with their values, chips, typed cutoffs, words, and who is shown."""

import html
from dataclasses import replace

import pytest

import fairviz
from fairviz.annotation.rules import ANNOTATORS
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.evaluation.slider_settings import cutoff_options
from fairviz.figures.style import system_styles
from fairviz.ui.data import downloads
from fairviz.ui.shell import chips, legend
from fairviz.ui.shell.controls import describe, edited_list, group_value
from fairviz.ui.state import library, session
from fairviz.words.counting import format_lexicon, parse_lexicon
from fairviz.words.tokenizers import TOKENIZERS
from tests.conftest import refused
from tests.pages.conftest import first_run, html_of


def test_cutoffs_reach_down_the_longest_list_and_hold_the_current_one():
    for longest, current, last in ((4, 10, 10), (50, 10, 50), (100, 10, 100)):
        assert cutoff_options(longest, current) == tuple(range(1, last + 1))
    assert len(cutoff_options(101, 10)) < 100
    deep = cutoff_options(180, 33)
    assert (deep[:3], deep[-1]) == ((1, 2, 3), 180)
    assert 33 in deep
    assert cutoff_options(0, 5000)[-1] == 5000


def test_a_typed_cutoff_is_the_cutoff_also_between_the_stops_of_the_slider():
    page = first_run("methods.py", study="football")
    typed = page.number_input(key="cutoff_typed")
    assert (typed.value, typed.step) == (10, 1)
    typed.set_value(137).run()
    assert page.select_slider(key="cutoff").value == 137
    assert dict(page.query_params) == {"study": "football", "cutoff": "137"}
    page.select_slider(key="cutoff").set_value(3).run()
    assert page.number_input(key="cutoff_typed").value == 3
    page.number_input(key="cutoff_typed").increment().run()
    assert page.select_slider(key="cutoff").value == 4


def test_the_title_of_a_group_has_its_value():
    for name, group, settings, title in (
        ("football", "Systems & queries", {}, "2 of 2"),
        ("football", "Systems & queries", {"systems": ("left",)}, "1 of 2"),
        ("football", "Labels", {"annotator": "lexicon"}, "lexicon"),
        ("traits", "Labels", {}, "none"),
        ("football", "Word list", {"tau": 3}, "built-in, τ 3"),
        ("football", "Word list", {"lexicon": "female:she;male:he"}, "edited, τ 1"),
        ("football", "Tests", {}, "paired t, maxT"),
        ("football", "Tests", {"tests": "maxT(baseline='left')"}, "paired t, maxT, against left"),
        ("football", "Tests", {"tests": "holm(statistic='wilcoxon')"}, "Holm, Wilcoxon"),
        ("football", "Tests", {"tests": "tukey"}, "randomised Tukey HSD"),
    ):
        study = fairviz.open_study(name)
        study = replace(study, labels=study.labels.assign(annotator=settings.get("annotator", "project")))
        assert group_value(group, study, Settings(study=name, **settings)) == title
    own = replace(study, lexicon=parse_lexicon("female:she;male:he"))
    assert group_value("Word list", own, Settings()) == "the study's, τ 1"


def test_measures_are_parted_outside_brackets_only():
    assert downloads.split(" CWEx(alpha=0.5)@10, RaB(magnitude='tf', protected='female')@5  nDCG@10 ") == [
        "CWEx(alpha=0.5)@10",
        "RaB(magnitude='tf', protected='female')@5",
        "nDCG@10",
    ]
    assert downloads.split(" , ") == []


def test_edited_words_come_back_as_the_setting_and_wrong_ones_are_named():
    words = edited_list([("She", "female"), ("he", "male"), ("", ""), (None, None)], ("female", "male"))
    assert parse_lexicon(format_lexicon(words)).words == (("she", "female"), ("he", "male"))
    for rows, message in (
        ([("she", "neutral")], "the word 'she' has the group 'neutral'\nUse one of female, male."),
        ([("", "male")], "the word '' has the group 'male'\nUse one of female, male."),
        ([("she", "female"), ("she", "male")], "the word 'she' is in two groups\nKeep it in one of them."),
        ([], "the word list is empty\nKeep one word of each group at least."),
    ):
        with refused(message):
            edited_list(rows, ("female", "male"))


def test_a_study_is_saved_under_a_plain_name_that_is_not_built_in():
    for name in ("", " x", "../x", "a/b", ".hidden", "a\\b", "c:", "a\r", "a\0", "x" * 201):
        with pytest.raises(FairvizError) as caught:
            library.saved_folder(name)
        assert caught.value.message == f"{name!r} cannot name the file of a study"
    with pytest.raises(FairvizError, match="'football' is a built-in study"):
        library.saved_folder("football")
    assert library.saved_folder("mine").name == "mine"


def test_menus_name_a_choice_as_the_command_line_does(seen):
    options = {widget.key: widget.options for widget in seen("overview.py", study="football").selectbox}
    assert options["position_bias"][0] == "log2: 1/log₂(1+rank)"
    assert options["position_bias"][-1] == "custom: my own table …"
    assert options["unlabelled"] == ["skip: left out", "neutral: count as neutral", "strict: undefined lists"]
    assert options["ties"] == ["file: by the file's rank", "trec_eval: by document id"]
    assert options["tokenizer"] == [f"{name}: {tokenizer.summary}" for name, tokenizer in TOKENIZERS.items()]
    assert options["background"][:3] == ["candidates: all retrieved", "collection: all documents", "run:left"]


def test_annotators_that_come_of_words_are_explained_where_they_stand(seen):
    page = seen("agreement.py", study="newswire", agreement_tab="Records")
    said = html_of(page)
    for name in ("lexicon", "mentions"):
        assert html.escape(f"{name}: a rule, stored: {ANNOTATORS[name].summary}.") in said
    # once each: in the tooltips of the sidebar's Annotator, of Compare with, and of the records
    assert said.count(html.escape(describe(("mentions",))[0])) == 3
    live = "word list: live (“Word list”): neutral up to τ gender words"
    assert live in page.selectbox(key="agreement_reference").help
    assert live in html.unescape(said)
    assert describe(("Ada", "Bob")) == []


ONE_OF_EACH = Settings(
    study="football", systems=("a", "b", "c"), filter_column="topic", filter_values=("x",), cutoff=5, alpha=0.7,
    position_bias="reciprocal", tokenizer="whitespace", lexicon="gsr", unlabelled="strict", document="d1",
)  # fmt: skip


def test_a_chip_names_each_choice_as_the_command_line_does_and_tests_as_words() -> None:
    assert [chip.text for chip in chips.of_settings(ONE_OF_EACH)] == [
        "k 5", "alpha 0.7", "position bias reciprocal", "systems a, b +1", "queries topic: x", "unlabelled strict",
        "tokenizer whitespace", "lexicon gsr",
    ]  # fmt: skip
    assert chips.of_settings(Settings(study="football", document="d1")) == []
    for tests, text in (
        ("holm", "tests Holm"),
        ("bh(statistic='wilcoxon',family='measures')", "tests Benjamini-Hochberg, Wilcoxon, across measures"),
        ("holm(statistic='wilcoxon',baseline='bm25')", "tests Holm, Wilcoxon, against bm25"),
    ):
        assert [chip.text for chip in chips.of_settings(Settings(tests=tests))] == [text]


def test_every_setting_but_study_and_document_has_a_chip_and_a_group_counts_further_choices_that_differ() -> None:
    named = {name for names in chips.NAMED for name in names}
    assert named == set(session.NAMES) - {"study", "document"}
    assert {one.name for one in CHOICES.values() if one.control} <= {names[0] for names in chips.NAMED}
    for group, more in (("Systems & queries", " · +1"), ("Labels", " · +1"), ("Word list", " · +1"), ("Tests", "")):
        assert chips.group_label(group, ONE_OF_EACH, "3 of 9") == f"{group} · 3 of 9{more}"
        assert chips.group_label(group, Settings()) == group


def test_a_click_takes_a_choice_back_and_that_of_a_page_has_a_chip_there_only() -> None:
    query = {"position_bias": "rbp(p=0.7)", "unlabelled": "strict", "tradeoff_curve": "over k", "agreement_by": "x"}
    page = first_run("tradeoff.py", study="football", **query)
    assert {expander.label for expander in page.sidebar.expander} == {
        "Systems & queries · 2 of 2",
        "Labels · project · +1",
        "Word list · built\\-in, τ 1",
        "Tests · paired t, maxT",
    }
    page.button(key="take_back_position_bias").click()
    page.button(key="take_back_unlabelled").click().run()
    assert page.selectbox(key="unlabelled").value == "skip"
    tab = {"tradeoff_tab": "Over α or k"}  # set by a link to a curve
    assert dict(page.query_params) == {"study": "football", "tradeoff_curve": "over k", "agreement_by": "x", **tab}
    assert [button.label for button in page.button if (button.key or "").startswith("take_back")] == ["curve over k ✕"]
    page.button(key="take_back_tradeoff_curve").click().run()
    assert dict(page.query_params) == {"study": "football", "agreement_by": "x", **tab}


ALL = ("a", "b", "c")


def test_a_click_hides_or_shows_and_with_shift_shows_one_alone_or_all_again() -> None:
    for shown, name, after in (
        ([], "b", ["a", "c"]),
        (["a", "c"], "b", []),
        (["a"], "c", ["a", "c"]),
        (["c"], "a", ["a", "c"]),  # in the order of the study
        (["c", "a"], "b", ["c", "a", "b"]),  # in an order that someone chose, which is kept
        (["c", "a"], "c", ["a"]),
        (["b"], "b", []),  # a page without a system says nothing
    ):
        assert legend.toggled(ALL, shown, name) == after
    for shown, after in (([], ["b"]), (["a", "b"], ["b"]), (["b"], []), (["a"], ["b"])):
        assert legend.alone(ALL, shown, "b") == after
    assert legend.toggled(("a",), [], "a") == legend.alone(("a",), [], "a") == []


def test_each_system_has_its_look_the_references_last() -> None:
    styles = system_styles(["perfect", "a", "b"])
    made = legend.entries(("perfect", "a", "b"), ("a",), styles, "b")
    assert [[entry[key] for key in ("name", "shown", "hint", "chosen", "hollow")] for entry in made] == [
        ["a", True, legend.LAST, False, False],
        ["b", False, legend.SHOW, True, False],
        ["perfect", False, legend.SHOW, False, True],
    ]
    assert made[0]["colour"] == styles["a"].colour
    assert legend.entries(("a", "b"), ("a", "b"), styles, "")[0]["hint"] == legend.HIDE
    study = fairviz.open_study("occupations")
    assert legend.hidden_text(study, Settings()) == ""
    assert legend.hidden_text(study, Settings(systems=("S", "N"))) == "1 of 3 systems is hidden"
