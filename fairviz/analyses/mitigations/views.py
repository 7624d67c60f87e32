"""The views of a bench beside its plane: tests, mitigations that differ by their means alone, and notes."""

from fairviz.analyses.mitigations import NAME
from fairviz.analyses.mitigations.bench import Bench
from fairviz.analyses.views import Fold, TableView, TextView, View
from fairviz.comparison.pairs import AHEAD, BEHIND, UNTESTED
from fairviz.evaluation.columns import Column, Row, plain, where
from fairviz.words.sentences import number

ABOUT_WORDING = (
    "WordingGap: distance of the scores of two genders' wordings, in SDs of the query's scores. Re-rankers have no "
    "scores of their own."
)
MARKS = {AHEAD: "✓", BEHIND: "✗", UNTESTED: "untested"}  # short: a column a measure, and all are to be seen


def _before_and_after(row: Row) -> str:
    both = f"{number(row['base_value'])} → {number(row['value'])}"
    return f"{both} {MARKS.get(row['verdict'], '')}".strip()


COLUMNS = (  # a row a mitigation and a column a measure: the two means, and which way a test points
    Column("mitigation", plain("mitigation")),
    Column("against", plain("base")),
    Column(lambda row: row["measure"], where(lambda row: bool(row["queries"]), _before_and_after, "no scores")),
)


def views(bench: Bench) -> list[View]:
    """Return the views."""
    who = "A mitigation is" if len(bench.leanings) == 1 else f"{len(bench.leanings):,} mitigations are"
    leaning = Fold(f"{who} better by one mean and worse by another, without a test for both")
    about = [ABOUT_WORDING] if any(question.name == NAME for question in bench.questions) else []
    return [
        TableView(
            "audit_bench_tests", bench.table,
            "Each mitigation against its baseline, a row a mitigation and a column a measure.", COLUMNS,
            {"table": "found.table"}, most=10, row_height=32,
            text=f"Before → after; ✓ better, ✗ worse, else not significantly different. Tests: {bench.family}.",
        ),
        *(TextView([sentence], fold=leaning) for sentence in bench.leanings),
        TextView([*about, *bench.notes], "note", fold=Fold("Notes", "audit_bench_notes")),
    ]  # fmt: skip
