"""The choices of a comparison: the families of tests, the method, the level, and the systems that are tested, of a
study under settings.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from fairviz.comparison.points import FOLDED
from fairviz.errors import UsageError, expect, use_one_of
from fairviz.evaluation.choices import chosen_systems, systems_tested
from fairviz.evaluation.gsr import split_parts
from fairviz.evaluation.questions import overview
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.study_values import selectable
from fairviz.measures import Question
from fairviz.statistics.families import METHODS, Tests, method_text, parse_tests
from fairviz.statistics.references import DRAWS
from fairviz.statistics.simultaneous import FEWEST_CLUSTERS
from fairviz.study.record import Study, is_contender, is_reference
from fairviz.words.sentences import counted, listed

Array = np.ndarray


@dataclass(frozen=True)
class Clusters:
    """Queries that belong together, such as wordings of one need: they are drawn together in tests and intervals.

    column: of the queries. of: the cluster of each query that has one; every other query is a cluster of its own.
    """

    column: str
    of: tuple[tuple[str, str], ...]

    @cached_property
    def _by_query(self) -> dict[str, str]:
        return dict(self.of)

    def names(self, queries: Sequence[str]) -> list[str]:
        """Return the clusters of these queries, each once."""
        return sorted({self._by_query.get(query, query) for query in queries})

    def codes(self, queries: Sequence[str]) -> Array:
        """Return the number of each query's cluster, (Q,): its place in `names`."""
        place = {name: number for number, name in enumerate(self.names(queries))}
        return np.array([place[self._by_query.get(query, query)] for query in queries], dtype=np.int64)

    def text(self, queries: Sequence[str]) -> str:
        """Return the number of clusters as captions show it: `7 clusters by category (fewer than 10: rough)`."""
        few = f" (fewer than {FEWEST_CLUSTERS}: rough)" if self.are_few(queries) else ""
        return f"{counted(len(self.names(queries)), 'cluster')} by {self.column}{few}"

    def are_few(self, queries: Sequence[str]) -> bool:
        """Return whether the queries are in too few clusters for maxT, so that Bonferroni takes its place."""
        return len(self.names(queries)) < FEWEST_CLUSTERS


def clusters_of(study: Study, column: str) -> Clusters | None:
    """Return the clusters of a column of the queries; None for no column.

    Raises UsageError where the queries have no such column, or every query has the same value.
    """
    if not column:
        return None
    columns = [str(name) for name in study.queries.columns if name not in ("query_id", "text")]
    if column not in columns:
        raise UsageError(
            f"the queries of {study.name!r} have no column {column!r} of clusters",
            use_one_of(columns, column) if columns else "Add a column to the file of queries, such as category.",
        )
    return as_clusters(study.queries.set_index("query_id")[column].rename(column))


def as_clusters(clusters: "Clusters | Mapping[str, object] | pd.Series | None") -> Clusters | None:
    """Return the clusters of queries by id as a record. Raises UsageError where all are the same one."""
    if clusters is None or isinstance(clusters, Clusters):
        return clusters
    expect("clusters", clusters, (Mapping, pd.Series), "Give the cluster of each query by its id.")
    texts: dict[str, str] = {}
    for query, value in clusters.items():
        texts[str(query)] = "" if pd.isna(value) else str(value).strip()  # type: ignore[arg-type]
    named = {query: text for query, text in texts.items() if text}
    column = str(getattr(clusters, "name", "") or "cluster")
    if len(named) == len(clusters) > 1 and len(set(named.values())) == 1:
        raise UsageError(
            f"all queries are in one cluster by {column}, so that nothing can be tested",
            "Use a column with several values, best ten or more.",
        )
    return Clusters(column, tuple(sorted(named.items())))


@dataclass(frozen=True)
class How:
    """The choices of a comparison of systems.

    tests: the families and the method. level: of intervals, and 1 − level of tests. draws and seed: of random signs.
    ticked: systems that are tested although they are references or edited by hand; outside: other systems that are not
    tested. margins: how large a difference by a measure's text may be and not matter. power: for the minimum detectable
    difference, None for none. needed: whether to say how many queries would decide. chosen: the measures that are one
    family where the tests are across measures, and any other measure is one of its own; empty where all measures are
    chosen. clusters: of queries that are drawn together; None where each is drawn by itself.
    """

    tests: Tests = field(default_factory=Tests)
    level: float = 0.95
    draws: int = DRAWS
    seed: int = 0
    ticked: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    margins: Mapping[str, float] | None = None
    power: float | None = None
    needed: bool = False
    chosen: tuple[str, ...] = ()
    clusters: Clusters | None = None

    @property
    def alpha(self) -> float:
        """The level of the tests, free of rounding: 0.05 for a level of 0.95."""
        return round(1 - self.level, 12)

    def is_tested(self, system: str) -> bool:
        """Return whether the system belongs to the families."""
        return system in self.ticked or (is_contender(system) and system not in self.outside)

    def family_of(self, measure: str) -> str:
        """Return the family of a measure: its own name, or no name for the one across measures."""
        across = self.tests.family == "measures" and (not self.chosen or measure in self.chosen)
        return "" if across else measure

    def method_text(self, questions: Sequence[Question]) -> str:
        """Return the method as captions show it; Tukey's ranges are of means, so that slopes and distances from a
        measure's fairest value are tested by maxT."""
        by_max_t = list(
            dict.fromkeys(each.name for each in questions if each.direction in FOLDED or not each.per_query)
        )
        if self.tests.method != "tukey" or not by_max_t:
            return method_text(self.tests)
        if all(question.name in by_max_t for question in questions):
            return METHODS["maxT"]
        return f"{method_text(self.tests)} ({METHODS['maxT']} in {listed(by_max_t)})"

    def beside(self, measures: Collection[str]) -> tuple[str, ...]:
        """Return the measures that are tested together with these and are not among them."""
        together = any(not self.family_of(text) for text in measures)
        return tuple(text for text in self.chosen if text not in measures) if together else ()

    def labelled(self, system: str) -> str:
        """Return the system's name as tables show it: `perfect (reference)`, `draft (not tested)`."""
        if self.is_tested(system):
            return system
        return f"{system} ({'reference' if is_reference(system) else 'not tested'})"


def how_of(study: Study, settings: Settings) -> How:
    """Return how the settings compare systems: families, method, and which systems are tested.

    One family across measures is over those that are compared, as in `fairviz.compare`.
    """
    tested = systems_tested(study, settings)
    ticked = tuple(name for name in tested if not is_contender(name))
    outside = tuple(name for name in selectable(study) if is_contender(name) and name not in tested)
    clusters = clusters_of(study, settings.cluster)
    return How(parse_tests(settings.tests), ticked=ticked, outside=outside, clusters=clusters)


def how_on_pages(study: Study, settings: Settings) -> How:
    """Return `how_of` with the Overview's measures, where the study can feed them, as the one family across measures:
    a measure has one verdict on all pages, and their recipes name all of these measures."""
    how = how_of(study, settings)
    if how.tests.family != "measures":
        return how
    return replace(how, chosen=overview(study, settings).texts)


def candidates(study: Study, settings: Settings) -> list[str] | None:
    """Return the systems that the best are chosen from, as `by_query` takes them."""
    how = how_of(study, settings)
    tested = [name for name in chosen_systems(study, settings) if how.is_tested(name)]
    return tested if how.ticked or how.outside else None


def untested(study: Study, settings: Settings) -> tuple[str, ...]:
    """Return the systems that are not tested, references aside: they are shown, and no statement or order counts
    them."""
    tested = systems_tested(study, settings)
    return tuple(name for name in selectable(study) if name not in tested and not is_reference(name))


def without_untested(study: Study, settings: Settings) -> Settings:
    """Return the settings without the systems of `untested`, unless no other is shown."""
    outside = untested(study, settings)
    tested = tuple(name for name in chosen_systems(study, settings) if name not in outside)
    return settings.changed(systems=tested) if outside and tested else settings


def preferred(systems: Sequence[str], how: How) -> list[str]:
    """Return the systems in the order in which a page compares them by default, the usual baseline first: that of the
    tests, then those that are tested, then the others."""
    named = [how.tests.baseline] if how.tests.baseline in systems else []
    return list(dict.fromkeys([*named, *sorted(systems, key=lambda name: not how.is_tested(name))]))


def measures_of(scores: pd.DataFrame) -> tuple[str, ...]:
    """Return the texts of the measures of a scores table, in its order."""
    return tuple(text for text, _ in split_parts(scores))
