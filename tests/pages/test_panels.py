"""The Python and the command of each panel's table, run as they stand, make the numbers of that table."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.study.study import add_runs, make_study
from fairviz.ui.tradeoff import overview
from tests.pages.conftest import RANGES, Panels, first_run, html_of, made_by

ALL_SYSTEMS = "All systems against the baseline"
OF_QUERIES = (("filter_column", "category"), ("filter_values", "sport"), ("filter_values", "crime"))
FEW = (("systems", "bm25"), ("systems", "rrf"), *OF_QUERIES)
THREE = (("systems", "bm25"), ("systems", "perfect"), ("systems", "w2v_si"))
TWO = (("tradeoff_measures", "CWEx"), ("tradeoff_measures", "nDCG"))
COLUMNS = (("columns", "CWEx"), ("columns", "NFaiRR"), ("columns", "RaB"))
CHANGED = (  # choices of the side bar that a command names by options or in the text of a measure
    ("cutoff", "5"), ("alpha", "0.3"), ("tau", "0"), ("position_bias", "custom"), ("custom_bias", "1"),
    ("custom_bias", "0.5"), ("custom_bias", "0.25"), ("lexicon", "female:she|her|woman;male:he|his|man"),
    ("tokenizer", "whitespace"), ("background", "run:tfidf"), ("annotator", "mentions"), ("unlabelled", "neutral"),
    ("ties", "trec_eval"), ("tests", "holm(statistic='wilcoxon')"), ("stop_words", "the a of"),
    ("query_terms", "lemma"), *OF_QUERIES,
)  # fmt: skip
PANELS: dict[tuple[str, tuple[tuple[str, str], ...]], set[str]] = {
    ("overview.py", (*CHANGED, *THREE, *COLUMNS)): {"overview_numbers", "overview_answer", "overview_ties"},
    ("tradeoff.py", (("alpha", "0.3"), ("tau", "0"), *TWO, *FEW)): {
        "scatter", "ternary", "tradeoff_differences", "tradeoff_by_query",
    },
    ("tradeoff.py", (("alpha", "0.3"), ("tradeoff_tab", "Over α or k"), *FEW)): {"curve"},
    ("tradeoff.py", (("tradeoff_tab", "Ranks"), *FEW)): {"bump"},
    ("tradeoff.py", (("tradeoff_tab", "Chance and range"), ("chance", "run"), ("cutoff", "5"), *TWO, *FEW[:-1])): {
        "scale",
    },
    ("tradeoff.py",
     (("tradeoff_curve", "over k"), ("tradeoff_measures", "CWEx"), ("tradeoff_per_query", "1"), *FEW)):
        {"curve", "ternary"},
    ("compare.py",
     (("compare_margin", "0.05"), ("compare_power", "0.9"), ("compare_tab", ALL_SYSTEMS), *THREE, *COLUMNS)):
        {"compare_queries", "compare_table"},
    ("compare.py", (*CHANGED, *THREE, *COLUMNS, ("compare_tab", "Slices"), ("compare_slice", "category"))): {
        "compare_queries", "compare_slices",
    },
    ("measures.py", (*CHANGED, *COLUMNS)): {"compare_atlas", "compare_curves", "compare_opposed_numbers"},
    ("sensitivity.py", (("annotator", "mentions"), ("robustness_choices", "cutoff"), ("unlabelled", "strict"))): {
        "robustness_table",
    },
    ("query.py", (*CHANGED, *THREE, ("query_query", "q02"), ("baseline", "w2v_si"))): {
        "query_strip", "query_parts", "query_lists",
    },
    ("agreement.py", (("voters", "all"),)): {"agreement_overall", "agreement_against", "agreement_cells"},
    ("agreement.py",
     (*CHANGED, ("voters", "all"), ("agreement_tab", "Documents"), ("agreement_labels", "neutral or gendered"))):
        {"agreement_against", "agreement_cells", "agreement_divided"},
    ("agreement.py", (("voters", "all"), ("agreement_tab", "Pairs"), ("agreement_labels", "neutral or gendered"))): {
        "agreement_pairs",
    },
    ("agreement.py", (("agreement_tab", "Word list"),)): {"agreement_words"},
    ("annotate.py", (("annotators_view", "neutral or gendered"), ("annotators_shared", "on"), *FEW)): {
        "annotators_accuracy",
    },
    ("annotate.py", (("annotators_view", "told apart"), ("annotators_fill", "on"), *FEW)): {
        "annotators_accuracy", "annotators_apart", "annotators_effects",
    },
    ("gsr.py", (*CHANGED, *THREE, ("left_out", "2"))): {
        "stereotypes_scatter", "stereotypes_lines", "stereotypes_curve",
    },
    ("words.py", ()): {"words_axis", "words_variance"},
}  # fmt: skip
BY_NIGHT = [case for case in PANELS if {"annotators_shared", "tradeoff_per_query"} & {name for name, _ in case[1]}]
UNSEEN = {"query", "verdict", "before", "list"}  # what a page adds for its reader: texts, and words in sentences


WITHOUT_COMMAND = {  # panels of numbers that no verb prints
    "agreement_words", "annotators_accuracy", "annotators_apart", "annotators_effects", "annotators_validity", "bump",
    "compare_curves", "compare_opposed_numbers", "curve", "query_lists", "query_strip", "robustness_shares", "scale",
    "stereotypes_curve", "ternary", "words_axis", "words_variance",
}  # fmt: skip


@pytest.mark.parametrize(
    ("page", "choices"),
    [pytest.param(*case, marks=[pytest.mark.lengthy] if case in BY_NIGHT else []) for case in PANELS],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_python_and_the_command_of_a_panel_make_its_numbers(
    page: str,
    choices: tuple[tuple[str, str], ...],
    panels: Panels,
    printed: Callable[[str], pd.DataFrame],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(overview, "ties_line", RANGES["ties_line"])
    drawn(page, choices)
    assert set(panels) >= PANELS[page, choices], set(panels)
    elsewhere = set().union(*(keys for (of, others), keys in PANELS.items() if of == page and others != choices))
    for key in panels.keys() - (elsewhere - PANELS[page, choices]):
        frame, recipe = panels[key]
        if not recipe.python:
            assert key not in PANELS[page, choices]
            continue
        assert bool(recipe.command) == (key not in WITHOUT_COMMAND), key
        same(frame, made_by(recipe), key)
        if recipe.command:
            same(frame, printed(recipe.command), key)


def test_a_study_of_this_session_is_to_be_saved_before_a_command_opens_it() -> None:
    newswire = fairviz.open_study("newswire")
    added = newswire.runs[newswire.runs["system"] == "bm25"].astype({"system": "str"}).assign(system="mine")
    for study in (add_runs(newswire, added), make_study("mine", runs=newswire.runs, labels=newswire.labels)):
        page = first_run("overview.py", study)
        assert not [code.value for code in page.code if code.value.startswith("fairviz ")]
        assert "Save the study: a command opens the saved one." in html_of(page)
        page.button(key="overview_numbers_save").click().run()
        assert page.session_state["data_tab"] == "Add and save"


def test_a_table_with_rows_that_no_verb_prints_has_no_command(panels: Panels) -> None:
    drawn("tradeoff.py", (("tradeoff_front", "on"), *FEW))
    table, recipe = panels["scatter"]
    assert table["measure"].str.startswith("DPFR").any()
    assert recipe.python
    assert not recipe.command


def drawn(page: str, choices: tuple[tuple[str, str], ...]) -> None:
    """Draw the page of newswire under these choices."""
    asked: dict[str, list[str]] = {}
    for name, value in choices:
        asked.setdefault(name, []).append(value)
    first_run(page, study="newswire", **asked)


def same(frame: pd.DataFrame, made: object, key: str) -> None:
    assert isinstance(made, pd.DataFrame)
    columns = [name for name in frame.columns if name in made.columns and name not in UNSEEN]
    assert set(frame.columns) - UNSEEN <= set(made.columns), key
    assert len(frame) == len(made), key
    for name in columns:
        left, right = frame[name].reset_index(drop=True), made[name].reset_index(drop=True)
        if pd.api.types.is_numeric_dtype(left):
            pair = [column.astype("float64").to_numpy() for column in (left, right)]
            np.testing.assert_allclose(*pair, rtol=1e-9, atol=1e-12, err_msg=f"{key}: {name}")
        else:
            texts = [column.astype("str").where(column.notna(), "").tolist() for column in (left, right)]
            assert texts[0] == texts[1], f"{key}: {name}"
