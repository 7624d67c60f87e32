"""Small studies for the tests of effects, and the slow way: `evaluate` on a study whose labels are others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.study.tables import LABELS, conform
from fairviz.words.counting import Lexicon
from tests.made import runs_of

MEASURES = (
    "CWEx(alpha=0.3)",
    "Exposure(group='female')",
    "Exposure(group='neutral')",
    "ExposureGap",
    "AbsExposureGap",
    "AWRF",
    "AWRF(distance='jsd')",
    "GroupExposureRatio",
)
BIASES = ("log2", "reciprocal", "rbp(p=0.6)", "linear", "uniform", "custom")
CUSTOM = (0.2, 0.9, 0.0, 0.4)
POLICIES = ("skip", "neutral", "strict")
TWO, THREE = ("female", "male"), ("female", "male", "other")
LEXICON = Lexicon("three", (("he", "male"), ("she", "female"), ("they", "other")))


def study_of(
    lists: Mapping[tuple[str, str], list[str]],
    labels: list[tuple[str, str, str]],
    groups: tuple[str, ...] = TWO,
    **more: object,
) -> Study:
    """lists: documents by (system, query), best first. labels: document, annotator, label. more: other parts."""
    return make_study(
        "made-up",
        runs=runs_of(lists),
        labels=pd.DataFrame(labels, columns=["doc_id", "annotator", "label"]).astype("str"),
        groups=groups,
        lexicon=LEXICON,
        **more,
    )


@st.composite
def studies(draw: st.DrawFn, unlabelled: bool = True, size: int = 6) -> Study:
    """Two systems, three queries, up to `size` documents of one annotator, two or three gender groups."""
    groups = draw(st.sampled_from([TWO, THREE]))
    names = [f"d{number}" for number in range(draw(st.integers(2, size)))]
    label = st.sampled_from([*([None] if unlabelled else []), "neutral", *groups])
    given = [(name, "a", found) for name in names if (found := draw(label))]
    given = given or [(names[0], "a", "neutral")]
    found = st.lists(st.sampled_from(names), unique=True, min_size=0, max_size=len(names))
    lists = {(system, query): draw(found) for system in ("one", "two") for query in ("q1", "q2", "q3")}
    lists["one", "q1"] = lists["one", "q1"] or names[:1]
    lists["two", "q1"] = lists["two", "q1"] or names[-1:]
    return study_of(lists, given, groups)


@st.composite
def choices(draw: st.DrawFn) -> Settings:
    """A cutoff, a position bias and a policy."""
    bias = draw(st.sampled_from(BIASES))
    return Settings(
        cutoff=draw(st.integers(1, 7)),
        position_bias=bias,
        custom_bias=CUSTOM if bias == "custom" else (),
        unlabelled=draw(st.sampled_from(POLICIES)),
    )


def relabelled(study: Study, changes: Mapping[str, str]) -> Study:
    """The study of one annotator with other labels for these documents."""
    labels = dict(zip(study.labels["doc_id"], study.labels["label"], strict=True)) | dict(changes)
    table = pd.DataFrame({"doc_id": list(labels), "annotator": "a", "label": list(labels.values())})
    return replace(study, labels=conform(table, LABELS), fingerprint=repr(labels))


def slow_means(study: Study, settings: Settings, measure: str) -> dict[str, float]:
    """Mean over queries by system."""
    table = summarise(evaluate(study, [measure], settings))
    return dict(zip(table["system"], table["value"], strict=True))


def slow_differences(study: Study, settings: Settings, measures: Sequence[str]) -> dict[str, float]:
    """mean(one) - mean(two) over the queries that both answer, by each measure."""
    table = evaluate(study, measures, settings)
    both = study.runs.groupby("query_id", observed=True)["system"].nunique()
    table = table[table["query_id"].isin(both[both == 2].index)]
    means = table.groupby(["measure", "system"], observed=True)["value"].mean()
    return {name: float(means[text, "one"] - means[text, "two"]) for name, text in named(measures, settings).items()}


def named(measures: Sequence[str], settings: Settings) -> dict[str, str]:
    """The canonical text of each measure."""
    return {measure: ask(measure, settings).text for measure in measures}


def same(first: float, second: float) -> bool:
    """Equal to rounding, or both undefined."""
    return bool(np.isclose(first, second, rtol=1e-9, atol=1e-9, equal_nan=True))
