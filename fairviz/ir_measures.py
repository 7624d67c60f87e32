"""Measures with a value for a query as objects of ir_measures, for its functions and for PyTerrier's experiments.

    import ir_measures
    from fairviz import ir_measures as fair

    with fair.bind(fairviz.open_study("newswire")):
        ir_measures.calc_aggregate([fair.CWEx(alpha=0.7) @ 10, fair.NFaiRR @ 10], qrels, run)

Labels and texts come from the bound study, not from the judgements. Names: those of `fairviz.evaluate`, GSR aside,
which has no value for a query. Measures with the documents' relevance are ir_measures' own.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Metric
from ir_measures.measures import Measure as _Base
from ir_measures.measures import ParamInfo
from ir_measures.measures import registry as _registry
from ir_measures.measures.base import Agg

from fairviz.errors import FairvizError, UsageError, expect, use_one_of
from fairviz.evaluation.questions import chosen_settings
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES, parse
from fairviz.measures.record import Measure
from fairviz.parameters import format_call
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study
from fairviz.study.study import add_runs
from fairviz.words.sentences import first_listed

SYSTEM = "run of ir_measures"
RAISE, DROP = "raise", "drop"
_MOST_NAMED = 10
_TYPES: dict[str, Any] = {"flag": bool, "integer": int, "number": (int, float)}


@dataclass(frozen=True, eq=False)
class Binding:
    """A study whose labels and texts measures read. name: its name in measures. undefined: of `bind`."""

    name: str
    study: Study
    settings: Settings
    undefined: str | float

    def values(self, text: str, run: pd.DataFrame) -> dict[str, float]:
        """Return the measure of each query of the run: query_id, doc_id, score, best first."""
        table = run[["query_id", "doc_id", "score"]].astype({"query_id": "str", "doc_id": "str"})
        rank = table.groupby("query_id", sort=False).cumcount() + 1
        study = add_runs(self.study, table.assign(system=SYSTEM, rank=rank))
        scores = evaluate(study, text, self.settings.changed(systems=(SYSTEM,)))
        value_by_query = dict(zip(scores["query_id"].astype("str"), scores["value"].tolist(), strict=True))
        return {query: value_by_query.get(query, math.nan) for query in table["query_id"].unique()}


@dataclass
class _Bound:
    """current: the names of the studies bound now, the last one counts. by_name: every binding of this process."""

    current: list[str] = field(default_factory=list)
    by_name: dict[str, Binding] = field(default_factory=dict)

    def named(self, name: str) -> Binding:
        """Return the binding of a measure. Raises FairvizError without one."""
        if not name and not self.current:
            raise FairvizError(
                "no study is bound, so there are no labels and texts", "Bind one: fairviz.ir_measures.bind(study)."
            )
        if name and name not in self.by_name:
            raise FairvizError(f"no study is bound as {name!r}", use_one_of(list(self.by_name) or ["none"], name))
        return self.by_name[name or self.current[-1]]


_BOUND = _Bound()


def bound() -> Binding:
    """Return the binding that counts now. Raises FairvizError without one."""
    return _BOUND.named("")


def bind(
    study: Study, undefined: str | float = RAISE, *, name: str = "", settings: Settings | None = None, **choices: object
) -> "_Unbinding":
    """Bind a study to the measures that are made from now on, or within `with`; return what ends it.

    undefined: of a query for which a measure has no value, or that the run lacks: `raise`, with the query ids; `drop`,
    NaN and left out of the mean; or a number, which `pt.Experiment` needs, as it takes a mean of its own. name: of the
    binding in measures (default: that of the study), so that several can be bound: `CWEx(study="football") @ 10`.
    choices: fields of Settings, as annotator="majority".

    >>> import fairviz
    >>> with bind(fairviz.open_study("football")):
    ...     OBJECTS["CWEx"](alpha=0.7) @ 10
    CWEx(alpha=0.7,study='football')@10
    """
    chosen = chosen_settings(study, settings, choices)
    expect("name", name, str, "Give a name as text.")
    if isinstance(undefined, bool) or (undefined not in (RAISE, DROP) and not isinstance(undefined, (int, float))):
        raise UsageError(f"undefined is {undefined!r}", f"Use {RAISE!r}, {DROP!r} or a number.")
    binding = Binding(name or study.name, study, chosen, undefined)
    _BOUND.by_name[binding.name] = binding
    _BOUND.current.append(binding.name)
    return _Unbinding(binding)


class _Unbinding:
    """A binding that ends with a block, or with `end`; measures that name it keep it."""

    def __init__(self, binding: Binding) -> None:
        self.binding = binding

    def __enter__(self) -> Binding:
        return self.binding

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End the binding of measures to come."""
        if self.binding.name in _BOUND.current:
            _BOUND.current.remove(self.binding.name)


class FairMeasure(_Base):
    """A measure of fairness with its parameters, its cutoff, and the name of the bound study that it reads."""

    DEFAULT = math.nan  # of a judged query that an empty run lacks, where ir_measures' own have 0

    def __init__(self, **parameters: Any) -> None:
        if unknown := [name for name in parameters if name not in self.SUPPORTED_PARAMS]:
            raise UsageError(
                f"{self.NAME} has no parameter {unknown[0]!r}", use_one_of(list(self.SUPPORTED_PARAMS), unknown[0])
            )
        if "study" not in parameters and _BOUND.current:
            parameters["study"] = _BOUND.current[-1]
        super().__init__(**parameters)

    def validate_params(self) -> None:
        """Raise UsageError for a value that a parameter cannot take."""
        self.text(10)
        self.validated = True

    def text(self, cutoff: int) -> str:
        """Return the measure as `fairviz.evaluate` reads it. cutoff: for a measure without one."""
        own = {name: value for name, value in self.params.items() if name not in ("cutoff", "study")}
        text = f"{format_call(str(self.NAME), own)}@{self.params.get('cutoff') or cutoff}"
        return parse(text, cutoff).text

    def runtime_impl(self, qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[Metric]:
        """Yield the value of each query of the run, and of each judged query that it lacks, which is undefined; nothing
        for an empty run, unless the binding has a number for what is undefined.

        Raises FairvizError for an undefined one, unless the binding drops or replaces these, and without a bound study.
        """
        binding = _BOUND.named(str(self.params.get("study") or ""))
        if not len(run) and isinstance(binding.undefined, str):
            return
        values = binding.values(self.text(binding.settings.cutoff), run) if len(run) else {}
        values |= {query: math.nan for query in qrels["query_id"].astype("str").unique() if query not in values}
        missing = [query for query, value in values.items() if math.isnan(value)]
        if missing and binding.undefined == RAISE:
            raise FairvizError(
                f"{self} is undefined for {len(missing):,} queries: {first_listed(missing, _MOST_NAMED)}",
                "bind(study, undefined='drop') leaves them out, undefined=0 gives them a value.",
            )
        instead = float(binding.undefined) if isinstance(binding.undefined, (int, float)) else math.nan
        for query, value in values.items():
            yield Metric(query_id=query, measure=self, value=instead if math.isnan(value) else value)

    def aggregator(self) -> Agg:
        """Return the mean over queries with a value. PyTerrier takes its own mean, which is NaN with one undefined."""
        return _Mean()


class _Mean(Agg):
    """The mean of the values that are numbers; NaN without any."""

    def __init__(self) -> None:
        self._values: list[float] = []

    def add(self, value: float) -> None:
        """Add the value of a query."""
        self._values.append(value)

    def result(self) -> float:
        """Return the mean, as `fairviz.summarise` takes it."""
        return float(mean_over_queries(np.array(self._values)))


def _object(record: Measure) -> FairMeasure:
    """Return the object of a measure, such as CWEx."""
    supported = {
        each.name: ParamInfo(dtype=_TYPES.get(each.kind, str), required=False, default=each.default, desc=each.help)
        for each in record.parameters
    } | {
        "study": ParamInfo(dtype=str, required=False, default="", desc="name of a bound study"),
        "cutoff": ParamInfo(dtype=int, required=False, desc="ranking cutoff threshold"),
    }
    body = {
        "NAME": record.name, "__name__": record.name, "__doc__": record.summary,
        "SUPPORTED_PARAMS": supported, "PRETTY_NAME": record.name, "SHORT_DESC": record.summary,
        "RUN_INPUTS": ["query_id", "doc_id", "score"], "QREL_INPUTS": ["query_id"],
    }  # fmt: skip
    return type(record.name, (FairMeasure,), body)()


OBJECTS: dict[str, FairMeasure] = {name: _object(record) for name, record in MEASURES.items() if record.per_query}


def __getattr__(name: str) -> FairMeasure:
    """Return the object of a measure of this name."""
    if name in OBJECTS:
        return OBJECTS[name]
    raise AttributeError(f"fairviz.ir_measures has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted((*globals(), *OBJECTS))


@contextmanager
def registered() -> Iterator[None]:
    """Let `ir_measures.parse_measure` read these names within a block, names of its own aside."""
    added = [name for name in OBJECTS if name not in _registry]
    _registry.update({name: OBJECTS[name] for name in added})
    try:
        yield
    finally:
        for name in added:
            del _registry[name]
