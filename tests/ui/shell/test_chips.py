import pytest

from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.ui.shell import chips
from fairviz.ui.state import session
from tests.pages.conftest import first_run

ONE_OF_EACH = Settings(
    study="football",
    systems=("a", "b", "c"),
    filter_column="topic",
    filter_values=("x",),
    cutoff=5,
    alpha=0.7,
    position_bias="reciprocal",
    tokenizer="whitespace",
    lexicon="gsr",
    unlabelled="strict",
    document="d1",
)


def test_a_chip_names_each_choice_as_the_command_line_does() -> None:
    assert [chip.text for chip in chips.of_settings(ONE_OF_EACH)] == [
        "k 5",
        "alpha 0.7",
        "position bias reciprocal",
        "systems a, b +1",
        "queries topic: x",
        "unlabelled strict",
        "tokenizer whitespace",
        "lexicon gsr",
    ]
    assert chips.of_settings(Settings(study="football", document="d1")) == []


@pytest.mark.parametrize(
    ("tests", "text"),
    [
        ("holm", "tests Holm"),
        ("maxT(baseline='bm25')", "tests maxT, against bm25"),
        ("bh(statistic='wilcoxon',family='measures')", "tests Benjamini-Hochberg, Wilcoxon, across measures"),
        ("holm(statistic='wilcoxon',baseline='bm25')", "tests Holm, Wilcoxon, against bm25"),
    ],
)
def test_the_chip_of_the_tests_reads_as_words(tests: str, text: str) -> None:
    assert [chip.text for chip in chips.of_settings(Settings(tests=tests))] == [text]


def test_every_setting_but_study_and_document_has_a_chip() -> None:
    named = {name for names in chips.NAMED for name in names}
    assert named == set(session.NAMES) - {"study", "document"}
    assert {one.name for one in CHOICES.values() if one.control} <= {names[0] for names in chips.NAMED}


@pytest.mark.parametrize(
    ("group", "label"),
    [
        ("Systems & queries", "Systems & queries · 3 of 9 · +1"),
        ("Labels", "Labels · 3 of 9 · +1"),
        ("Word list", "Word list · 3 of 9 · +1"),
        ("Tests", "Tests · 3 of 9"),
    ],
)
def test_a_group_shows_its_value_and_how_many_further_choices_differ(group: str, label: str) -> None:
    assert chips.group_label(group, ONE_OF_EACH, "3 of 9") == label
    assert chips.group_label(group, Settings()) == group


def test_a_click_takes_a_choice_back() -> None:
    page = first_run("overview.py", study="football", alpha="0.25", position_bias="rbp(p=0.7)", unlabelled="strict")
    assert {expander.label for expander in page.sidebar.expander} == {
        "Systems & queries · 2 of 2",
        "Labels · project · +1",
        "Word list · built\\-in, τ 1",
        "Tests · paired t, maxT",
    }
    page.button(key="take_back_alpha").click().run()
    assert page.slider(key="alpha").value == 0.5
    page.button(key="take_back_position_bias").click().run()
    assert dict(page.query_params) == {"study": "football", "unlabelled": "strict"}
    page.button(key="take_back_unlabelled").click().run()
    assert dict(page.query_params) == {"study": "football"}
    assert not [button for button in page.button if (button.key or "").startswith("take_back")]


def test_a_choice_of_the_page_has_a_chip_there_only() -> None:
    tab = {"tradeoff_tab": "Over α or k"}  # set by a link to a curve
    page = first_run("tradeoff.py", study="football", tradeoff_curve="over k", agreement_by="x")
    assert [button.label for button in page.button if (button.key or "").startswith("take_back")] == ["curve over k ✕"]
    page.button(key="take_back_tradeoff_curve").click().run()
    assert dict(page.query_params) == {"study": "football", "agreement_by": "x", **tab}
