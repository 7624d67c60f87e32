"""The Python and the command of each panel's table, run as they stand, make the numbers of that table."""

import io
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fairviz.cli.main import main
from fairviz.output.recipes import Recipe
from fairviz.ui.kit import charts
from tests.pages.test_first_run import first_run

ALL_SYSTEMS = "All systems against the baseline"
PANELS: dict[tuple[str, tuple[tuple[str, str], ...]], set[str]] = {
    ("overview.py", (("cutoff", "5"), ("systems", "bm25"), ("systems", "perfect"))): {
        "overview_numbers", "overview_ties",
    },
    ("tradeoff.py", (("alpha", "0.3"), ("tau", "0"))): {
        "scatter", "ternary", "tradeoff_differences", "tradeoff_by_query",
    },
    ("tradeoff.py", (("alpha", "0.3"), ("tradeoff_tab", "Over α or k"))): {"curve"},
    ("tradeoff.py", (("tradeoff_tab", "Ranks"),)): {"bump"},
    ("tradeoff.py", (("tradeoff_tab", "Chance and range"), ("chance", "run"), ("cutoff", "5"))): {"scale"},
    ("tradeoff.py", (("tradeoff_curve", "over k"), ("tradeoff_per_query", "1"))): {"curve", "ternary"},
    ("compare.py", (("cutoff", "5"), ("compare_margin", "0.05"), ("compare_tab", ALL_SYSTEMS))): {
        "compare_queries", "compare_table",
    },
    ("measures.py", (("cutoff", "5"),)): {"compare_atlas", "compare_curves"},
    ("robustness.py", (("robustness_choices", "tau"), ("robustness_measures", "NFaiRR"))): {"robustness_table"},
    ("query.py", (("query", "q22"), ("query_beside", "w2v_si"))): {"query_strip", "query_parts", "query_lists"},
    ("agreement.py", ()): {"agreement_overall", "agreement_against", "agreement_cells"},
    ("agreement.py", (("agreement_tab", "Pairs"),)): {"agreement_pairs"},
    ("agreement.py", (("agreement_tab", "Word list"),)): {"agreement_words"},
    ("annotators.py", (("annotators_view", "told apart"), ("annotators_fill", "on"))): {
        "annotators_accuracy", "annotators_apart", "annotators_effects",
    },
    ("stereotypes.py", (("cutoff", "5"),)): {"stereotypes_scatter", "stereotypes_curve"},
    ("words.py", ()): {"words_axis", "words_variance"},
}  # fmt: skip
UNSEEN = {"query", "verdict", "before", "list"}  # what a page adds for its reader: texts, and words in sentences


@pytest.fixture
def panels(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[pd.DataFrame, Recipe]]:
    """The table and the recipe of each panel that a page draws, by its key."""
    drawn: dict[str, tuple[pd.DataFrame, Recipe]] = {}
    real = charts.table

    def noted(
        frame: pd.DataFrame, alt: str, key: str, recipe: Recipe = charts.NOTHING, *more: object, **others
    ) -> None:
        drawn[key] = (frame, recipe)
        real(frame, alt, key, recipe, *more, **others)

    monkeypatch.setattr(charts, "table", noted)
    return drawn


COMMANDS = {  # the panels of each page with a command, under settings other than the default ones
}


@pytest.mark.parametrize(("page", "choices"), PANELS, ids=lambda value: value if isinstance(value, str) else "")
def test_the_python_and_the_command_of_a_panel_make_its_numbers(
    page: str,
    choices: tuple[tuple[str, str], ...],
    panels: dict[str, tuple[pd.DataFrame, Recipe]],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    asked: dict[str, list[str]] = {}
    for name, value in choices:
        asked.setdefault(name, []).append(value)
    test = first_run(page, study="newswire", **asked)
    assert not test.exception
    assert set(panels) >= PANELS[page, choices], set(panels)
    for key, (frame, recipe) in panels.items():
        if not recipe.python:
            assert key not in PANELS[page, choices]
            continue
        names: dict[str, object] = {}
        exec(compile(recipe.python, key, "exec"), names)  # what a person would paste
        same(frame, names["table"], key)
        if recipe.command:
            same(frame, printed(recipe.command, capsys), key)


def printed(command: str, capsys: pytest.CaptureFixture[str]) -> pd.DataFrame:
    """The table that the command prints in a shell, or writes to its file."""
    program, *words = shlex.split(command)
    assert program == "fairviz"
    capsys.readouterr()
    form = [] if "--output" in words else ["--format", "csv"]
    assert main([*words, *form]) == 0
    text = capsys.readouterr().out
    source = io.StringIO(text) if form else Path(words[words.index("--output") + 1])
    return pd.read_csv(source, dtype={"query_id": str, "doc_id": str}, keep_default_na=False, na_values=[""])


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
