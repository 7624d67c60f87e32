"""The contract of every figure: `info` and `draw` in a file of its own, and a reason in an empty figure."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from fairviz import figures
from fairviz.comparison.compare import Comparison
from fairviz.comparison.family import How
from fairviz.figures.style import DARK
from fairviz.installed import bundled
from fairviz.measures import parse
from fairviz.measures.position_bias import position_bias
from tests.extension_rows import rows
from tests.figures.empty_tables import table

pytestmark = pytest.mark.whole

FOLDER = Path(figures.__file__).parent
SHARED = {"__init__", "frame", "style", "gender_colour", "axes", "best_achievable"}
CWEX, NDCG, TEXFAIR = parse("CWEx@10"), parse("nDCG@10"), parse("TExFAIR@10")


SUMMARY = table("system measure value ci_low ci_high")
CURVE = table("system alpha value ci_low ci_high")
PAIR = ("a", "b")
OVERLAPS = ["system", "measure", "value", "low", "high"]
# what `info` makes of tables without a row
NOTHING: dict[str, Callable[[ModuleType], Any]] = {
    "bias_curve": lambda file: file.info(position_bias("log2", 3), 0),
    "scatter": lambda file: file.info(SUMMARY, NDCG, CWEX),
    "mitigation_plane": lambda file: file.info(SUMMARY, [PAIR], NDCG, CWEX),
    "alpha_curve": lambda file: file.info(CURVE, 0.5, 10),
    "cutoff_curve": lambda file: file.info(table("system measure cutoff value ci_low ci_high"), [CWEX, TEXFAIR], 10),
    "target_shares": lambda file: file.info(table("of kind group share"), ["female", "male"]),
    "sorted_p": lambda file: file.info(table("measure share p system other")),
    "opposed": lambda file: file.info(table("first second share"), ["CWEx@3", "AWRF@3"]),
    "ternary": lambda file: file.info(table("system neutral female male")),
    "differences": lambda file: file.info(Comparison((), How())),
    "waterfall": lambda file: file.info(table("rank doc_id value formula"), "value", "TED@4"),
    "strip": lambda file: file.info(table("system query_id measure value"), [CWEX], ["a"], "q"),
    "list_front": lambda file: file.info(table("system measure value"), NDCG, CWEX, "a"),
    "query_differences": lambda file: file.info(table("query_id value baseline_value difference"), CWEX, PAIR, {}),
    "value_distribution": lambda file: file.info(
        table("value baseline_value"), table("quantile value baseline_value"), CWEX, PAIR
    ),
    "bump": lambda file: file.info(SUMMARY, [CWEX]),
    "measure_order": lambda file: file.info([]),
    "value_scale": lambda file: file.info(
        table("system measure value worst best outside queries chance_low chance_high"), [CWEX]
    ),
    "gsr_scatter": lambda file: file.info(
        table("system query_id query list"), table("system slope intercept ci_low ci_high"), 0.0
    ),
    "crbo": lambda file: file.info(table(*OVERLAPS), "Lists", "RBO", ["CRBO"], OVERLAPS),
    "crbo_queries": lambda file: file.info(table("system query_id text crbo placebo"), "a", "placebo", "placebo"),
    "leave_out_curve": lambda file: file.info(table("system left_out slope ci_low ci_high"), 0),
    "reordering": lambda file: file.info(table("query_id query ranker distance"), table("ranker r centred_r"), 0.0),
    "reliability": lambda file: file.info(
        table("query_id first second").astype({"first": "f8", "second": "f8"}), np.nan, PAIR, (0.0, 0.0)
    ),
    "direct_gap": lambda file: file.info(
        table("system query_id query delta over"), table("system low high queries male neither female"), "a", 0.0
    ),
    "parity_cloud": lambda file: file.info(table("gsr stereotypical"), np.nan, 0),
    "gendered_axis": lambda file: file.info(table("pair list word g ci_low ci_high"), 0.0),
    "word_plane": lambda file: file.info(table("list word g"), np.zeros((0, 3)), np.array([1.0, 0, 0]), 0.0),
    "explained_variance": lambda file: file.info([]),
    "label_ranges": lambda file: file.info(table("system value ci_low ci_high"), "CWEx", "higher"),
    "annotator_values": lambda file: file.info(
        table("annotator system before after ci_low ci_high queries"), "a", "CWEx", "higher"
    ),
    "intervals": lambda file: file.info(
        "Agreement", table("line documents kappa low high"), "line", [("kappa", "kappa", "low", "high")]
    ),
    "kappa_matrix": lambda file: file.info(table("first second documents kappa"), 20),
    "measure_matrix": lambda file: file.info(table("first second over system pearson kendall"), []),
    "specification_curve": lambda file: file.info(
        table("combination value low high chance fairer tested tau"), PAIR, {"tau": ("0",)}
    ),
    "choice_map": lambda file: file.info(
        table("tau alpha fairer tested chance"), PAIR, ("tau", "alpha"), {"tau": ("0", "1")}
    ),
    "corrected": lambda file: file.info(
        table("system measure machine people people_low people_high value ci_low ci_high")
    ),
    "calibration": lambda file: file.info(
        table("low high documents confidence accuracy accuracy_low accuracy_high"), np.nan, "a"
    ),
    "width_curve": lambda file: file.info(table("labels half_width").assign(design="queries"), "CWEx@10", 0),
    "winning_rate": lambda file: file.info(table("model epsilon winning_rate exact_rate"), 0.15),
    "lorenz": lambda file: file.info(table("system group documents exposure"), {}),
    "confusion": lambda file: file.info(table("annotator reference said documents"), "a", "b"),
    **rows("NOTHING"),
}
MORE = {"styles": {}, "texts": {}, "theme": DARK}  # what `draw` takes beside

OF_EXTENSIONS = bundled("fairviz.figures")
FIGURES = sorted({path.stem for path in FOLDER.glob("*.py")} - SHARED | {*OF_EXTENSIONS})
every_figure = pytest.mark.parametrize("name", FIGURES)


def figure(name: str) -> ModuleType:
    return OF_EXTENSIONS[name].load() if name in OF_EXTENSIONS else import_module(f"fairviz.figures.{name}")


def test_every_file_is_tried_on_nothing() -> None:
    assert set(FIGURES) == set(NOTHING), "a new figure: say here what its `info` makes of tables without a row"


@every_figure
def test_a_figure_is_documented_and_nothing_gives_a_titled_one_that_says_why(name: str) -> None:
    file = figure(name)
    assert all((file.__doc__, file.info.__doc__, file.draw.__doc__))
    info = NOTHING[name](file)
    assert is_dataclass(info)
    assert info.alt.endswith(".")
    taken = inspect.signature(file.draw).parameters
    drawn = file.draw(info, **{key: value for key, value in MORE.items() if key in taken})
    assert drawn.layout.title.text
    assert drawn.layout.font.color == DARK.text
    assert not drawn.data
    (reason,) = drawn.layout.annotations
    assert reason.text.endswith(".")


def test_the_registry_loads_no_figure() -> None:
    code = "import sys, fairviz.figures; print({'plotly', 'pandas', 'numpy'} & set(sys.modules) or '')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=FOLDER.parents[1], capture_output=True, text=True, check=True
    )
    assert done.stdout == "\n"
