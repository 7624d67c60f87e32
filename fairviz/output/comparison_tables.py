"""Systems × measures, as a paper prints them: a row a system, a column a measure; of a comparison with differences to
the baseline in brackets, and its notes."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from fairviz.comparison.compare import EQUIVALENT, SLICE, Comparison
from fairviz.comparison.pairs import AHEAD, BEHIND, SAME, UNTESTED, why_no_verdict
from fairviz.comparison.points import FOLDED
from fairviz.comparison.ranking_sentences import family_text, untested_note
from fairviz.comparison.system_table import NOT_TESTED, STAR, marks
from fairviz.evaluation.exports import Origin, headed, rendered
from fairviz.evaluation.formats import (
    EXCEL,
    aligned_table,
    latex_table,
    latex_text,
    markdown_table,
    markdown_text,
    one_line,
)
from fairviz.measures import parse
from fairviz.statistics.paired import monte_carlo_error
from fairviz.statistics.references import draws_for
from fairviz.study.record import is_reference

DIGITS = 3
ARROWS = {"higher": r"$\uparrow$", "lower": r"$\downarrow$", "zero": r"$\rightarrow 0$", "one": r"$\rightarrow 1$"}
MOST_NOTES = 10
COLUMNS = ("difference", "ci_low", "ci_high", "p_corrected", "verdict", "equivalence",
           "minimum_detectable")  # fmt: skip


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
    how, best = comparison.how, marks(comparison.against(""))
    sides: dict[bool, list[list[str]]] = {True: [], False: []}  # tested, and below the rule
    for row in wide(summary).to_dict("records"):
        name = str(row.pop("system"))
        cells = [_latex_cell(value, best.get(str(text), {}).get(name, "")) for text, value in row.items()]
        sides[how.is_tested(name)].append([latex_text(one_line(how.labelled(name))), *cells])
    texts = list(map(str, summary["measure"].unique()))
    heads = [f"{latex_text(text)} {ARROWS.get(parse(text).direction, '')}".rstrip() for text in texts]

    # The meaning of bold, for the caption.
    level = f"p <= {how.alpha:.3g}".replace("0.", ".")
    tests = f"{level}, {family_text(comparison)}" if comparison.family else family_text(comparison)
    note = f"Means over queries. Bold: best, or {SAME} from the best ({tests}); two bold ones may differ."
    note = f"{note} {untested_note(comparison)}".rstrip()
    if named := how.tests.baseline:
        note = f"Means over queries. Bold only where {named} is the best: no other pair is tested ({tests})."
    body = latex_table(["system", *heads], sides[True], [False, *[True] * len(heads)], sides[False])
    return f"% {one_line(note)}\n{body}"


def _latex_cell(value: float, mark: str) -> str:
    if value != value:  # NaN
        return "--"
    text = f"{value:.{DIGITS}f}"
    text = f"${text}$" if text.startswith("-") and float(text) else text.lstrip("-")
    return _bold_latex(text) if mark == STAR else f"{text}{_raised_latex(mark)}"


def _raised_latex(mark: str) -> str:
    return f"\\textsuperscript{{{mark}}}" if mark else ""


def _bold_latex(text: str) -> str:
    """Return LaTeX in bold, also if it is in math mode."""
    return f"$\\mathbf{{{text.strip('$')}}}$" if text.startswith("$") else f"\\textbf{{{text}}}"


@dataclass(frozen=True)
class Style:
    """The format of one kind of text: data, numbers, bold, and the four marks."""

    text: Callable[[str], str] = one_line
    number: Callable[[str], str] = lambda shown: shown.replace("-", "−")
    bold: Callable[[str], str] = lambda shown: f"{shown}★"
    ahead: str = "‡"
    behind: str = "†"
    equivalent: str = "≡"
    untested: str = f" {NOT_TESTED}"
    missing: str = "–"
    arrows: dict[str, str] = field(default_factory=lambda: {"higher": "↑", "lower": "↓", "zero": "→ 0", "one": "→ 1"})
    marked: str = "starred"  # how the best of a measure stands out


PLAIN = Style()
MARKDOWN = Style(lambda text: markdown_text(one_line(text)), bold=lambda shown: f"**{shown}**", marked="bold")
LATEX = Style(
    lambda text: latex_text(one_line(text)), lambda shown: f"${shown}$" if shown[:1] in "+-" else shown, _bold_latex,
    r"$^{\ddagger}$", r"$^{\dagger}$", r"$^{\equiv}$", _raised_latex(NOT_TESTED), "--", ARROWS, "bold",
)  # fmt: skip


def wide_comparison(comparison: Comparison) -> pd.DataFrame:
    """A row a system, the baseline among them, and for each measure its value and, under `MEASURE difference`,
    `MEASURE ci_low` and so on, what the comparison holds; NaN for the baseline's own differences."""
    rows = []
    for name, system, cells_by_measure in _lines(comparison.table):
        row: dict[str, object] = {SLICE: name, "system": system}
        for measure, cell in cells_by_measure.items():
            row[measure] = cell.pop("value")
            row |= {f"{measure} {column}": value for column, value in cell.items()}
        rows.append(row)
    table = pd.DataFrame(rows)
    return table if SLICE in comparison.table or table.empty else table.drop(columns=SLICE)


def to_wide(comparison: Comparison, form: str, about: Origin | None = None) -> str:
    """The wide table as csv or json with every digit, or as table, markdown or latex with three decimals, marks and a
    line with their meaning."""
    if form in ("csv", EXCEL, "json"):
        return rendered(wide_comparison(comparison), form, about)
    style, layout = _FORMS[form]
    header, rows = cells(comparison, style)
    names = 1 + (SLICE in comparison.table)
    text = layout(header, rows, [place >= names for place in range(len(header))])
    meaning = one_line(legend(comparison, style))
    text = f"% {meaning}\n{text}" if form == "latex" else f"{text}\n{style.text(meaning)}\n"
    return text if about is None else headed(text, about, form)


def legend(comparison: Comparison, style: Style = PLAIN) -> str:
    """Return the meaning of the table's numbers and marks, in a paragraph; the marks in this style."""
    table, how = comparison.table, comparison.how
    means = "Means over the queries that a system shares with its baseline, of a baseline over the most that it shares"
    if (table["queries"] == table["queries_all"]).all():
        means = "Means over queries"
    baselines = list(dict.fromkeys(table["baseline"]))
    to = f"the baseline {baselines[0]}" if len(baselines) == 1 else f"the best in each measure ({style.marked})"
    alpha = f"p ≤ {how.alpha:.3g}".replace("0.", ".")
    parts = [
        f"{means}; in brackets the difference to {to} on the queries that both answer.",
        f"‡ ahead, † behind: {alpha}, {family_text(comparison)}.",
    ]
    if "margin" in table:
        margins = list(dict.fromkeys(table["margin"].dropna()))
        within = f"±{margins[0]:g}" if len(margins) == 1 else "the margin of the measure"
        parts.append(f"≡ equivalent: the {100 * (2 * how.level - 1):g} % interval is within {within}.")
    reasons: dict[str, dict[str, None]] = {}  # of measures with untested differences; of slices there may be two
    for pairs, rows in zip(comparison.pairs, comparison.views, strict=True):
        if any(row.verdict == UNTESTED for row in rows):
            reasons.setdefault(pairs.text, {})[why_no_verdict(pairs, how)] = None
    if reasons:
        told = "; ".join(f"{text}: {' or '.join(names)}" for text, names in reasons.items())
        parts.append(f"{NOT_TESTED}: not tested ({told}).")
    return " ".join(parts)


def notes(comparison: Comparison) -> list[str]:
    """Return a sentence for each pair of systems whose verdict rests on fewer queries than the study has."""
    warned = comparison.table[comparison.table["warning"] != ""].to_dict("records")
    lines = []
    for row in warned[:MOST_NOTES]:
        where = f"{row['measure']} in {row[SLICE]}" if SLICE in row else str(row["measure"])
        lines.append(f"{where}, {row['system']} and {row['baseline']}: {row['warning']}.")
    hidden = len(warned) - MOST_NOTES
    return lines + ([f"… and so on for {hidden:,} more comparisons."] if hidden > 0 else [])


def draws_note(comparison: Comparison) -> str:
    """Return how far p may be off by the draws that it rests on; empty where it rests on none, or on all there are."""
    tests, draws = comparison.how.tests, comparison.how.draws
    if tests.method == "maxT":
        contrasts: Counter[str] = Counter()
        for pairs in (*comparison.pairs, *comparison.beside):
            contrasts[comparison.how.family_of(pairs.text)] += pairs.family * (1 + (pairs.question.direction in FOLDED))
        draws = draws_for(max(contrasts.values(), default=0), draws)
    queries = {query for pairs in comparison.pairs for query in pairs.points.queries}
    units = len(queries if comparison.how.clusters is None else comparison.how.clusters.names(list(queries)))
    takes_draws = tests.method in ("maxT", "tukey") or tests.statistic == "randomisation"
    if not (comparison.family and takes_draws and 2 ** max(units - 1, 0) > draws):
        return ""
    alpha = comparison.how.alpha
    worst = float(monte_carlo_error(np.array(0.5), draws))
    near = float(monte_carlo_error(np.array(alpha), draws))
    return (
        f"p by {draws:,} draws: Monte Carlo error (one standard error) at most {_plain(worst)}, {_plain(near)} at "
        f"p = {_plain(alpha)}."
    )


def _plain(number: float) -> str:
    """Return a number below 1 with two digits, as .05."""
    return f"{number:.2g}".removeprefix("0")


def _lines(table: pd.DataFrame) -> Iterator[tuple[str, str, dict[str, dict]]]:
    """Yield each slice and system, and by measure the system's value and COLUMNS, which are empty for a baseline.

    In a slice the baseline is first where there is one, then contenders, then references.
    """
    columns = [column for column in COLUMNS if column in table]
    empty = {column: None if column in ("verdict", "equivalence") else np.nan for column in columns}
    for name in dict.fromkeys(table[SLICE]) if SLICE in table else [""]:
        part = table[table[SLICE] == name] if SLICE in table else table
        rows: dict[str, list[dict]] = {}
        for row in part.to_dict("records"):
            rows.setdefault(row["measure"], []).append(row)
        baselines = list(dict.fromkeys(part["baseline"]))
        systems = dict.fromkeys([*(baselines if len(baselines) == 1 else ()), *part["system"], *baselines])
        for system in sorted(systems, key=lambda system: is_reference(system) and baselines != [system]):
            cells_by_measure: dict[str, dict] = {}
            for measure, of_measure in rows.items():
                own = next((row for row in of_measure if row["system"] == system), None)
                if own is None:
                    fullest = max(of_measure, key=lambda row: row["queries"])
                    cells_by_measure[measure] = {"value": fullest["baseline_value"]} | empty
                else:
                    cells_by_measure[measure] = {column: own[column] for column in ("value", *columns)}
            yield name, system, cells_by_measure


def cells(comparison: Comparison, style: Style = PLAIN) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of the wide table as text: `0.543 (+0.031)‡`."""
    measures = list(dict.fromkeys(comparison.table["measure"]))
    cut, several = SLICE in comparison.table, comparison.table["baseline"].nunique() > 1
    heads = (f"{style.text(text)} {style.arrows.get(parse(text).direction, '')}".rstrip() for text in measures)
    rows = []
    for name, system, cells_by_measure in _lines(comparison.table):
        texts = {measure: _cell(cell, style, several) for measure, cell in cells_by_measure.items()}
        label = style.text(system if is_reference(system) else comparison.how.labelled(system))
        names = [style.text(name), label] if cut else [label]
        rows.append([*names, *(texts.get(measure, style.missing) for measure in measures)])
    return [*([SLICE] if cut else []), "system", *heads], rows


def _cell(cell: dict, style: Style, several: bool) -> str:
    """`0.543 (+0.031)‡` of a system, the value alone of a baseline, in bold where each measure has its own."""
    if cell["value"] != cell["value"]:
        return style.missing
    value = style.number(_number(cell["value"]))
    if cell["verdict"] is None:
        return style.bold(value) if several else value
    if cell["difference"] != cell["difference"]:
        return f"{value}{style.untested if cell['verdict'] == UNTESTED else ''}"
    marks = {AHEAD: style.ahead, BEHIND: style.behind, UNTESTED: style.untested}.get(cell["verdict"], "")
    marks += style.equivalent if cell.get("equivalence") == EQUIVALENT else ""
    return f"{value} ({style.number(_number(cell['difference'], '+'))}){marks}"


def _number(value: float, sign: str = "") -> str:
    text = f"{value:{sign}.{DIGITS}f}"
    return text if float(text) else text.lstrip("+-")


_FORMS: dict[str, tuple[Style, Callable[[list[str], list[list[str]], list[bool]], str]]] = {
    "table": (PLAIN, aligned_table),
    "markdown": (MARKDOWN, markdown_table),
    "latex": (LATEX, latex_table),
}
