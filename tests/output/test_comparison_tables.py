"""Systems × measures against a baseline, as a paper prints it."""

import json

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.evaluation.exports import origin
from fairviz.evaluation.settings import Settings
from fairviz.output.comparison_tables import cells, legend, notes, to_wide, to_wide_latex, wide, wide_comparison
from fairviz.study.record import Study
from tests.comparison.test_compare import made


@pytest.fixture
def scores() -> pd.DataFrame:
    """b_1 is ahead of a in CWEx; in TED it is behind, and by so little that it does not matter."""
    cwex = made("CWEx(alpha=0.5)@2", a=[-0.5, -0.4] * 10, b_1=[0.1, 0.2] * 10, **{"<c|": [-0.5, np.nan] * 10})
    ted = made("TED@2", a=[0.5, 0.4] * 10, b_1=[0.5, 0.4001] * 10, **{"<c|": [0.9, 0.8] * 10})
    return pd.concat([cwex, ted])


MARKDOWN = """\
| system | CWEx(alpha=0.5)@2 ↑ | TED@2 ↓ |
| --- | ---: | ---: |
| a | −0.450 | 0.450 |
| b\\_1 | 0.150 (+0.600)‡ | 0.450 (0.000)†≡ |
| &lt;c\\| | −0.500 (0.000)≡ | 0.850 (+0.400)† |

Means over the queries that a system shares with its baseline, of a baseline over the most that it shares; in brackets \
the difference to the baseline a on the queries that both answer. ‡ ahead, † behind: \
p ≤ .05, all 3 pairs, maxT. ≡ equivalent: the 90 % interval is within ±0.1.
"""
LATEX = r"""% Means over the queries that a system shares with its baseline, of a baseline over the most that it shares; in brackets the difference to the baseline a on the queries that both answer. ‡ ahead, † behind: p ≤ .05, all 3 pairs, maxT. ≡ equivalent: the 90 % interval is within ±0.1.
\begin{tabular}{lrr}
\toprule
system & CWEx(alpha=0.5)@2 $\uparrow$ & TED@2 $\downarrow$ \\
\midrule
a & $-0.450$ & 0.450 \\
b\_1 & 0.150 ($+0.600$)$^{\ddagger}$ & 0.450 (0.000)$^{\dagger}$$^{\equiv}$ \\
<c| & $-0.500$ (0.000)$^{\equiv}$ & 0.850 ($+0.400$)$^{\dagger}$ \\
\bottomrule
\end{tabular}
"""  # noqa: E501


def test_markdown_and_latex_as_a_paper_prints_them_and_a_table_for_the_eye(scores: pd.DataFrame) -> None:
    found = comparison(scores, "a", margin=0.1)
    assert to_wide(found, "markdown") == MARKDOWN
    assert to_wide(found, "latex") == LATEX
    lines = to_wide(comparison(scores, "a"), "table").splitlines()
    assert lines[0].split("  ")[0] == "system"
    assert lines[1].split() == ["a", "−0.450", "0.450"]
    assert lines[3].split() == ["<c|", "−0.500", "(0.000)", "0.850", "(+0.400)†"]
    assert lines[-1].endswith("‡ ahead, † behind: p ≤ .05, all 3 pairs, maxT.")


def test_means_over_all_queries_are_called_that() -> None:
    """b's mean over the queries of both is 0.2, over all of its own 0.3: the table has the first."""
    whole = comparison(made(a=[0.1] * 20, b=[0.2] * 20), "a")
    assert legend(whole).startswith("Means over queries; in brackets")
    holed = comparison(made(a=[0.1] * 16 + [np.nan] * 4, b=[0.2] * 16 + [0.7] * 4), "a")
    assert legend(holed).startswith("Means over the queries that a system shares with its baseline, ")
    assert cells(holed)[1][1][1].startswith("0.200")


def test_csv_and_json_have_every_digit(scores: pd.DataFrame) -> None:
    found = comparison(scores, "a", margin=0.1, power=0.8)
    table = wide_comparison(found)
    assert table["system"].tolist() == ["a", "b_1", "<c|"]
    assert list(table.columns[1:9]) == [
        "CWEx(alpha=0.5)@2", *(f"CWEx(alpha=0.5)@2 {name}" for name in (
            "difference", "ci_low", "ci_high", "p_corrected", "verdict", "equivalence", "minimum_detectable")),
    ]  # fmt: skip
    records = json.loads(to_wide(found, "json"))
    row = found.table.set_index(["measure", "system"]).loc[("TED@2", "b_1")]
    assert records[1]["TED@2"] == row["value"]
    assert records[1]["TED@2 difference"] == row["difference"]
    assert records[0]["TED@2 verdict"] is None
    assert to_wide(found, "csv").splitlines()[1].startswith("a,-0.45")


def test_the_best_of_each_measure_stands_out() -> None:
    table = pd.concat([made("CWEx@2", a=[0.1, 0.2], b=[0.3, 0.5]), made("TED@2", a=[0.1, 0.2], b=[0.3, 0.5])])
    found = comparison(table)
    assert to_wide(found, "markdown").splitlines()[2:4] == [
        "| a | 0.150 (−0.250) n.t. | **0.150** |",
        "| b | **0.400** | 0.400 (+0.250) n.t. |",
    ]
    assert "the best in each measure (bold)" in to_wide(found, "markdown")
    assert "the best in each measure (starred)" in legend(found)


def test_slices_stand_one_below_the_other() -> None:
    found = comparison(made(a=[0.1, 0.2, 0.4], b=[0.3, 0.5, 0.1]), "a", slices={"q0": "x", "q1": "x", "q2": "y"})
    assert to_wide(found, "markdown").splitlines()[:6] == [
        "| slice | system | CWEx(alpha=0.5)@2 ↑ |",
        "| --- | --- | ---: |",
        "| x | a | 0.150 |",
        "| x | b | 0.400 (+0.250) n.t. |",
        "| y | a | 0.400 |",
        "| y | b | 0.100 (−0.300) n.t. |",
    ]


def test_it_says_what_it_was_made_of(football: Study) -> None:
    found = comparison(fairviz.evaluate(football, ["TED@4"]), "left")
    about = origin(football, Settings(), ("TED@4",), (("tests", "t --> x"),))
    lines = to_wide(found, "markdown", about).splitlines()
    assert lines[0] == "<!-- study: football -->"
    assert "<!-- tests: t - -> x -->" in lines
    assert to_wide(found, "latex", about).startswith("% study: football\n")
    header = to_wide(found, "csv", about).splitlines()[0]
    assert header.endswith(",study,position_bias,k,annotator,settings,tests,version,date")


def test_pairs_that_answer_other_queries_are_named_and_many_are_counted(scores: pd.DataFrame) -> None:
    assert notes(comparison(scores, "a")) == [
        "CWEx(alpha=0.5)@2, <c| and a: 10 of 20 queries in common (undefined: 10 for <c|)."
    ]
    some = made(a=[0.1, 0.2, np.nan, np.nan], b=[0.1, np.nan, 0.3, 0.4])
    found = comparison(some, "b", slices={f"q{n}": "all" for n in range(4)})
    assert notes(found) == [
        "CWEx(alpha=0.5)@2 in all, a and b: 1 of 4 queries in common (undefined: 2 for a, 1 for b); a verdict needs 10."
    ]
    systems = {f"s{n}": [0.1, np.nan, 0.2] for n in range(13)}
    assert notes(comparison(made(base=[0.1, 0.2, 0.3], **systems), "base"))[-1] == "… and so on for 3 more comparisons."


# --- without a baseline, in LaTeX and for the eye


def test_bold_is_the_best_and_what_does_not_differ_from_it_and_never_a_reference() -> None:
    close = [0.50, 0.52, 0.48, 0.51, 0.49, 0.50] * 2
    per_query = made(
        "CWEx(alpha=0.5)@2",
        best_one=close,
        near=[value - step for value, step in zip(close, [0.05, -0.04, 0.03, -0.04, 0.04, -0.03] * 2, strict=True)],
        far=[value - 0.6 - 0.01 * (place % 6) for place, value in enumerate(close)],
        perfect=[0.9] * 12,
    )
    text = to_wide_latex(fairviz.summarise(per_query), comparison(per_query))
    assert text == (
        "% Means over queries. Bold: best, or not significantly different from the best (p <= .05, all 3 pairs, "
        "maxT); two bold ones may differ.\n"
        "\\begin{tabular}{lr}\n\\toprule\n"
        "system & CWEx(alpha=0.5)@2 $\\uparrow$ \\\\\n\\midrule\n"
        "best\\_one & \\textbf{0.500} \\\\\nnear & \\textbf{0.498} \\\\\nfar & $-0.125$ \\\\\n\\midrule\n"
        "perfect (reference) & 0.900 \\\\\n\\bottomrule\n\\end{tabular}\n"
    )


def test_undefined_is_a_dash_and_a_mean_of_nearly_nothing_has_no_sign() -> None:
    per_query = made(
        "CWEx(alpha=0.5)@2", one=[np.nan] * 12, two=[-0.0001, -0.0002, 0.0001] * 4, three=[-0.5, -0.4, -0.6] * 4
    )
    rows = to_wide_latex(fairviz.summarise(per_query), comparison(per_query)).splitlines()
    assert "one & -- \\\\" in rows
    assert "two & \\textbf{0.000} \\\\" in rows
    assert "three & $-0.500$ \\\\" in rows


def test_the_plain_table_keeps_the_order_of_the_summary(occupations: Study) -> None:
    summary = fairviz.summarise(fairviz.evaluate(occupations, ["TExFAIR@4", "CWEx@4"]))
    table = wide(summary)
    assert list(table.columns) == ["system", "TExFAIR@4", "CWEx(alpha=0.5)@4"]
    assert table["system"].tolist() == list(dict.fromkeys(summary["system"]))
    column = summary[summary["measure"] == "TExFAIR@4"]["value"].tolist()
    assert table["TExFAIR@4"].tolist() == column
