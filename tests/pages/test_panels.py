"""The Python beside each panel's table, run as it stands, makes the numbers of that table."""

import numpy as np
import pandas as pd
import pytest

from fairviz.ui.kit import charts
from tests.pages.test_first_run import first_run

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
    ("compare.py", (("cutoff", "5"), ("compare_margin", "0.05"), ("compare_tab", "Export"))): {
        "compare_queries", "compare_table",
    },
    ("measures.py", (("cutoff", "5"),)): {"compare_atlas", "compare_curves"},
    ("robustness.py", (("robustness_choices", "tau"), ("robustness_measures", "NFaiRR"))): {"robustness_table"},
    ("query.py", (("query", "q22"), ("baseline", "w2v_si"))): {"query_strip", "query_parts", "query_lists"},
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
def panels(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[pd.DataFrame, str]]:
    """The table and the Python of each panel that a page draws, by its key."""
    drawn: dict[str, tuple[pd.DataFrame, str]] = {}
    real = charts.table

    def noted(
        frame: pd.DataFrame, alt: str, key: str, code: str = "", on_row: object = None, *, figure: bool = True
    ) -> None:
        drawn[key] = (frame, code)
        real(frame, alt, key, code, on_row, figure=figure)

    monkeypatch.setattr(charts, "table", noted)
    return drawn


@pytest.mark.parametrize(("page", "choices"), PANELS, ids=lambda value: value if isinstance(value, str) else "")
def test_the_python_of_a_panel_makes_its_numbers(
    page: str, choices: tuple[tuple[str, str], ...], panels: dict[str, tuple[pd.DataFrame, str]]
) -> None:
    asked: dict[str, list[str]] = {}
    for name, value in choices:
        asked.setdefault(name, []).append(value)
    test = first_run(page, study="newswire", **asked)
    assert not test.exception
    assert set(panels) >= PANELS[page, choices], set(panels)
    for key, (frame, code) in panels.items():
        if not code:
            assert key not in PANELS[page, choices]
            continue
        names: dict[str, object] = {}
        exec(compile(code, key, "exec"), names)  # what a person would paste
        same(frame, names["table"], key)


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
            assert left.astype("str").tolist() == right.astype("str").tolist(), f"{key}: {name}"
