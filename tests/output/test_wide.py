"""Systems × measures, as a paper prints them."""

import numpy as np
import pandas as pd

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.output.comparison_tables import to_wide_latex, wide

CLOSE = [0.50, 0.52, 0.48, 0.51, 0.49, 0.50] * 2


def scores(**systems: list[float]) -> pd.DataFrame:
    rows = [
        (system, f"q{place}", "CWEx(alpha=0.5)@10", value)
        for system, values in systems.items()
        for place, value in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["system", "query_id", "measure", "value"])


def test_bold_is_the_best_and_what_does_not_differ_from_it_and_never_a_reference() -> None:
    per_query = scores(
        best_one=CLOSE,
        near=[value - step for value, step in zip(CLOSE, [0.05, -0.04, 0.03, -0.04, 0.04, -0.03] * 2, strict=True)],
        far=[value - 0.6 - 0.01 * (place % 6) for place, value in enumerate(CLOSE)],
        perfect=[0.9] * 12,
    )
    text = to_wide_latex(fairviz.summarise(per_query), comparison(per_query))
    assert text == (
        "% Means over queries. Bold: best, or not significantly different from the best (p <= .05, all 3 pairs, "
        "maxT).\n"
        "\\begin{tabular}{lr}\n\\toprule\n"
        "system & CWEx(alpha=0.5)@10 $\\uparrow$ \\\\\n\\midrule\n"
        "best\\_one & \\textbf{0.500} \\\\\nnear & \\textbf{0.498} \\\\\nfar & $-0.125$ \\\\\n\\midrule\n"
        "perfect (reference) & 0.900 \\\\\n\\bottomrule\n\\end{tabular}\n"
    )


def test_undefined_is_a_dash_and_a_mean_of_nearly_nothing_has_no_sign() -> None:
    per_query = scores(one=[np.nan] * 12, two=[-0.0001, -0.0002, 0.0001] * 4, three=[-0.5, -0.4, -0.6] * 4)
    rows = to_wide_latex(fairviz.summarise(per_query), comparison(per_query)).splitlines()
    assert "one & -- \\\\" in rows
    assert "two & \\textbf{0.000} \\\\" in rows
    assert "three & $-0.500$ \\\\" in rows


def test_the_plain_table_keeps_the_order_of_the_summary() -> None:
    study = fairviz.open_study("occupations")
    summary = fairviz.summarise(fairviz.evaluate(study, ["TExFAIR@4", "CWEx@4"]))
    table = wide(summary)
    assert list(table.columns) == ["system", "TExFAIR@4", "CWEx(alpha=0.5)@4"]
    assert table["system"].tolist() == list(dict.fromkeys(summary["system"]))
    column = summary[summary["measure"] == "TExFAIR@4"]["value"].tolist()
    assert table["TExFAIR@4"].tolist() == column
