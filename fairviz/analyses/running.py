"""Running a registered analysis by its name, for Python, the verbs and the recipes of pages."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from fairviz.analyses import ANALYSES
from fairviz.analyses.record import Analysis, Progress
from fairviz.errors import FairvizError, UsageError, expect, expect_progress
from fairviz.evaluation.questions import chosen_settings
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study


@dataclass(frozen=True, eq=False)
class Answer:
    """The result of an analysis. value: in the form that the record's functions take it."""

    analysis: Analysis
    value: Any

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings."""
        return tuple(self.analysis.sentences(self.value))

    def table(self, name: str = "") -> pd.DataFrame:
        """Return the table of this name, by default the first. Raises UsageError for an unknown name."""
        tables = self.analysis.tables
        name = name or next(iter(tables))
        if name not in tables:
            raise UsageError(f"{self.analysis.name} has no table {name!r}", f"Its tables are {', '.join(tables)}.")
        return tables[name].rows(self.value)


def analyse(
    study: Study, name: str, settings: Settings | None = None, /, *, progress: Progress | None = None, **values: object
) -> Answer:
    """Run the analysis of this name in ANALYSES; values are those of its parameters, one of which may be called `name`.

    progress(what, done, in all) is called now and then. Raises UsageError for an unknown analysis or parameter and an
    invalid value, FairvizError where the study lacks what the analysis needs.

    >>> import fairviz
    >>> answer = analyse(fairviz.open_study("football"), "gender-swap", seeds=1)
    >>> answer.table("wide")["system"].tolist()
    ['bm25']
    """
    analysis = _analysis_named(name)
    settings = chosen_settings(study, settings, {})
    expect_progress(progress)
    chosen_values = analysis.read_values(values)
    what, remedy = analysis.missing(study)
    if what:
        raise FairvizError(what, remedy)
    outcome = analysis.compute(study, settings, progress or _ignore, **chosen_values)
    return Answer(analysis, analysis.result_of(outcome, settings))


def _analysis_named(name: str) -> Analysis:
    """Return the analysis of this name or alias. Raises UsageError for an unknown one."""
    remedy = f"Use one of {', '.join(ANALYSES)}."
    expect("name", name, str, remedy)
    if name in ANALYSES:
        return ANALYSES[name]
    for analysis in ANALYSES.values():
        if name in analysis.aliases:
            return analysis
    raise UsageError(f"there is no analysis {name[:80]!r}", remedy)


def _ignore(what: str, done: int, total: int) -> None:
    """Drop a report of progress."""
