"""The page of the measures: the records that the page *Methods* of the app draws."""

from markdown import code, definitions, plain, table

from fairviz.evaluation.settings import EFFECTIVENESS
from fairviz.measures import MEASURES
from fairviz.measures.position_bias import ATTENTION
from fairviz.ui.methods import cards

INTRODUCTION = """# Measures

Every formula as coded. This page and *Methods* in the app are made from the same records.

"""
EFFECTIVENESS_NOTE = (
    f"Beside these, effectiveness is computed by {', '.join(EFFECTIVENESS)} and most other measures of ir_measures, "
    "written in the same way: ``nDCG@10``.\n\n"
)


def pages() -> dict[str, str]:
    """Return the pages of this kind by file."""
    return {"measures.md": measures(), "comparisons.md": compared()}


def measures() -> str:
    """Return all measures, then position biases, then what words and labels count as."""
    overview = [
        {
            "measure": f"[{record.name}](#measure-{record.name.lower()})",
            "definition": plain(record.summary),
            "range": plain(record.range_text),
            "fairest": cards.FAIREST[record.direction],
        }
        for record in MEASURES.values()
    ]
    parts = [INTRODUCTION, table(overview), EFFECTIVENESS_NOTE, *map(measure, MEASURES), position_biases()]
    return "".join([*parts, "## Words and labels\n\n", definitions(cards.WORDS_AND_LABELS)])


def measure(name: str) -> str:
    """Return everything about one measure."""
    record = MEASURES[name]
    rows = [
        {"parameter": code(row["parameter"])} | {head: plain(text) for head, text in row.items() if head != "parameter"}
        for row in cards.parameter_rows(record)
    ]
    head = f"(measure-{name.lower()})=\n## {name}\n\n{plain(record.summary).capitalize()}.\n\n"
    formula = f"$$\n{record.formula}\n$$\n\n"
    return head + formula + definitions(cards.facts(record).items()) + table(rows)


def position_biases() -> str:
    """Return each position bias with its formula and its meaning."""
    rows = [
        {"name": code(each.name), "p(i)": f"${each.formula}$", "meaning": plain(each.summary)}
        for each in ATTENTION.values()
    ]
    note = "A table of rank and weight is one too: ``--position-bias FILE``. RaB and ARaB ignore the position bias.\n\n"
    return (
        "(position-bias)=\n## Position bias\n\nThe attention p(i) that each rank i receives.\n\n" + table(rows) + note
    )


def compared() -> str:
    """Return the page on tests of systems, and on the sensitivity analysis."""
    parts = (
        ("Comparison of systems and significance", cards.COMPARISONS_QUESTION, cards.COMPARISONS),
        ("Sensitivity analysis", cards.SENSITIVITY_QUESTION, cards.SENSITIVITY),
    )
    head = (
        "# Comparisons, significance and sensitivity\n\nThe rules of every test, as *Methods* in the app has them.\n\n"
    )
    return head + "".join(f"## {title}\n\n*{plain(line)}*\n\n{definitions(pairs)}" for title, line, pairs in parts)
