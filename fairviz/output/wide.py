"""Systems × measures, as a paper prints them: a row a system, a column a measure."""

from typing import TYPE_CHECKING

from fairviz.evaluation.formats import latex_table, latex_text, one_line

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.comparison.compare import Comparison

DIGITS = 3
ARROWS = {"higher": r"$\uparrow$", "lower": r"$\downarrow$", "zero": r"$\rightarrow 0$", "one": r"$\rightarrow 1$"}


def wide(summary: "pd.DataFrame") -> "pd.DataFrame":
    """system and a column for each measure with its means, both in the order of the summary; NaN where undefined."""
    systems, measures = summary["system"].astype("str"), summary["measure"].astype("str")
    table = summary.assign(system=systems, measure=measures).pivot(index="system", columns="measure", values="value")
    table = table.reindex(index=systems.unique(), columns=measures.unique())
    return table.rename_axis(columns=None).reset_index()


def to_wide_latex(summary: "pd.DataFrame", comparison: "Comparison") -> str:
    """A LaTeX tabular of the means with booktabs rules and three decimals, arrows for the better end.

    Bold is the best system in each measure and every one that is not significantly different from it; n.t. is behind
    the values of systems whose pair with the best was not tested. References and other systems outside the tests are
    below a rule. comparison: of the scores of the summary.
    """
    from fairviz.comparison.system_table import marks

    table, best = wide(summary), marks(comparison.against(""))
    tested = table["system"].map(comparison.how.is_tested).astype(bool)
    rows, below = (_rows(part, best, comparison) for part in (table[tested], table[~tested]))
    header, right = ["system", *map(_header, table.columns[1:])], [False, *[True] * (table.shape[1] - 1)]
    return f"% {one_line(_bold_note(comparison))}\n{latex_table(header, rows, right, below)}"


def _bold_note(comparison: "Comparison") -> str:
    """Return the meaning of bold, for the caption."""
    from fairviz.comparison.pairs import SAME
    from fairviz.comparison.ranking_sentences import family_text, untested_note

    tests, named = f"p <= {comparison.how.alpha:.3g}".replace("0.", "."), comparison.how.tests.baseline
    tests = f"{tests}, {family_text(comparison)}" if comparison.family else family_text(comparison)
    if named:
        return f"Means over queries. Bold only where {named} is the best: no other pair is tested ({tests})."
    return f"Means over queries. Bold: best, or {SAME} from the best ({tests}). {untested_note(comparison)}".rstrip()


def _header(text: str) -> str:
    from fairviz.measures import parse

    return f"{latex_text(text)} {ARROWS.get(parse(text).direction, '')}".rstrip()


def _rows(table: "pd.DataFrame", marks: dict[str, dict[str, str]], comparison: "Comparison") -> list[list[str]]:
    rows = []
    for row in table.to_dict("records"):
        name = str(row.pop("system"))
        cells = [_cell(value, marks.get(str(text), {}).get(name, "")) for text, value in row.items()]
        rows.append([latex_text(one_line(comparison.how.labelled(name))), *cells])
    return rows


def _cell(value: float, mark: str) -> str:
    from fairviz.comparison.system_table import STAR

    if value != value:  # NaN
        return "--"
    text = f"{value:.{DIGITS}f}"
    text = f"${text}$" if text.startswith("-") and float(text) else text.lstrip("-")
    return bold_latex(text) if mark == STAR else f"{text}{raised_latex(mark)}"


def raised_latex(mark: str) -> str:
    """Return a mark in LaTeX, raised; empty without one."""
    return f"\\textsuperscript{{{mark}}}" if mark else ""


def bold_latex(text: str) -> str:
    """Return LaTeX in bold, also if it is in math mode."""
    return f"$\\mathbf{{{text.strip('$')}}}$" if text.startswith("$") else f"\\textbf{{{text}}}"
