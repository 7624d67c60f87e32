"""The systems and queries that settings select, taken from arrays of the whole study."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.evaluation.choices import Resolved, chosen_queries
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import AlignedRankings
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.draws import expanded, runs_by_system
from fairviz.study.record import Study

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Selection:
    """The arrays of a study, and the systems and queries that are shown."""

    study: Study
    places: AlignedRankings
    systems: tuple[str, ...]
    queries: tuple[str, ...]

    def take(self, table: Array) -> Array:
        """Return (…, runs, Q) of the whole study for the systems and queries shown, (…, S, Q): the mean over its draws
        for a stochastic system, NaN left out."""
        rows = self._rows
        if all(len(row) == 1 for row in rows):
            return table[..., np.array([row[0] for row in rows], dtype=np.int64), :][..., self._columns]
        return np.stack([_mean_over_draws(draws) for draws in self.take_draws(table)], axis=-2)

    def take_draws(self, table: Array) -> list[Array]:
        """Return (…, runs, Q) of the whole study as one array a system, (…, draws, Q), for the queries shown."""
        return [table[..., row, :][..., self._columns] for row in self._rows]

    @property
    def _rows(self) -> list[Array]:
        """The places of each system's runs among those of the study."""
        names = self.places.rankings.systems
        runs, position_by_name = runs_by_system(names), {name: position for position, name in enumerate(names)}
        return [np.array([position_by_name[run] for run in runs.get(system, (system,))]) for system in self.systems]

    @property
    def _columns(self) -> Array:
        """The places of the queries."""
        return positions(self.places.rankings.queries, self.queries)

    @property
    def columns(self) -> dict[str, pd.Series]:
        """Columns system and query_id of a table with a row for each list, by system."""
        names = {"system": self.systems, "query_id": self.queries}
        codes = np.indices([len(values) for values in names.values()]).reshape(2, -1)
        return {
            name: pd.Series(np.asarray(values, dtype=object)[code], dtype="str")
            for (name, values), code in zip(names.items(), codes, strict=True)
        }


def _mean_over_draws(table: Array) -> Array:
    """Return the mean over the draws of one system, (…, draws, Q) to (…, Q); of booleans whether any is true."""
    if table.shape[-2] == 1:
        return table[..., 0, :]
    if table.dtype == bool:
        return np.logical_or.reduce(table, axis=-2)
    return mean_over_queries(np.moveaxis(table, -2, -1))


def chosen_runs(study: Study, settings: Settings) -> tuple[str, ...]:
    """Return the runs of the systems shown, each with lists of its own: the draws in place of a stochastic system."""
    return expanded(Resolved(study, settings).systems, study.run_names)


def selection_of(study: Study, settings: Settings, places: AlignedRankings) -> Selection:
    """Return the systems and queries of the settings."""
    queries = chosen_queries(study, settings)
    return Selection(study, places, Resolved(study, settings).systems, queries)


def positions(names: Sequence[str], wanted: Sequence[str]) -> Array:
    """Return the position of each wanted name among the names."""
    position_by_name = {name: position for position, name in enumerate(names)}
    return np.array([position_by_name[name] for name in wanted], dtype=np.int64)
