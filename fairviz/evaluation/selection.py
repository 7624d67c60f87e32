"""The systems and queries that settings select, taken from arrays of the whole study."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fairviz.evaluation.choices import Resolved, chosen_queries
from fairviz.evaluation.settings import Settings
from fairviz.measures.sums import AlignedRankings
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
        """Return (…, S, Q) of the whole study for the systems and queries shown."""
        rankings = self.places.rankings
        rows, columns = positions(rankings.systems, self.systems), positions(rankings.queries, self.queries)
        return table[..., rows, :][..., columns]

    @property
    def columns(self) -> dict[str, pd.Series]:
        """Columns system and query_id of a table with a row for each list, by system."""
        names = {"system": self.systems, "query_id": self.queries}
        codes = np.indices([len(values) for values in names.values()]).reshape(2, -1)
        return {
            name: pd.Series(np.asarray(values, dtype=object)[code], dtype="str")
            for (name, values), code in zip(names.items(), codes, strict=True)
        }


def selection_of(study: Study, settings: Settings, places: AlignedRankings) -> Selection:
    """Return the systems and queries of the settings."""
    queries = chosen_queries(study, settings, places.rankings.queries)
    return Selection(study, places, Resolved(study, settings).systems, queries)


def positions(names: Sequence[str], wanted: Sequence[str]) -> Array:
    """Return the position of each wanted name among the names."""
    position_by_name = {name: position for position, name in enumerate(names)}
    return np.array([position_by_name[name] for name in wanted], dtype=np.int64)
