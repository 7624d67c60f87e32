"""Checks of the arguments of `annotate`, before any request."""

import math
from collections.abc import Iterable
from numbers import Real

from fairviz.annotation.annotators import Choice, parse
from fairviz.errors import UsageError, expect, expect_whole, value_text
from fairviz.models.asking import Budget
from fairviz.study.record import Study

_ANNOTATORS = "Write annotators as text, such as \"classifier,llm(model='smollm2')\"."
_BUDGET = "Give a Budget of fairviz.models.asking, such as Budget(requests=100)."


def read_choices(annotators: object) -> tuple[Choice, ...]:
    """Return the annotators, parsed where they are text. Raises UsageError for anything else."""
    if isinstance(annotators, str):
        return parse(annotators)
    expect("annotators", annotators, Iterable, _ANNOTATORS)
    choices = tuple(annotators) if isinstance(annotators, Iterable) else ()
    for choice in choices:
        if not isinstance(choice, Choice):
            raise UsageError(f"annotators holds {value_text(choice)}", _ANNOTATORS)
    return choices or parse("")


def check(study: object, queries: object, concurrency: object, budget: object, patience: object) -> None:
    """Raise UsageError for an invalid argument of a job."""
    expect("study", study, Study, "Give a Study, as fairviz.open_study opens and fairviz.make_study makes.")
    for name, value, least in (("queries", queries, 0), ("concurrency", concurrency, 1)):
        expect_whole(name, value, least)
    expect("patience", patience, Real, "Use a number of seconds above 0.")
    if not 0 < float(patience) < math.inf:  # type: ignore[arg-type]
        raise UsageError(f"patience is {patience}", "Use a number of seconds above 0.")
    if budget is not None:
        expect("budget", budget, Budget, _BUDGET)
        for name in ("requests", "tokens"):
            if getattr(budget, name) is not None:
                expect_whole(f"budget.{name}", getattr(budget, name), 1)
