"""The documents of one query in the order of one system: the system, and the ranks."""

import numpy as np

from fairviz.analyses.reading import occurrences
from fairviz.analyses.reading.catalogue import Catalogue
from fairviz.analyses.reading.filters import Filters
from fairviz.evaluation.choices import chosen_systems
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.kept import tables as cache

Array = np.ndarray


def reader(study: Study, settings: Settings, filters: Filters) -> str:
    """Return the system that orders the chosen query's documents: that of the filter, else the selected one, else the
    first one shown, of those with a list for the query. Empty without a query or such a system."""
    if not filters.query or not study.has("runs"):
        return ""
    systems = chosen_systems(study, settings)
    candidates = dict.fromkeys(name for name in (filters.system, settings.system, *systems) if name)
    runs = study.runs
    systems_with_list = set(runs.loc[runs["query_id"] == filters.query, "system"].unique())
    return next((name for name in candidates if name in systems_with_list), "")


def ranks(study: Study, settings: Settings, catalogue: Catalogue, filters: Filters) -> Array:
    """Return each document's rank (D,) in the list of `reader` for the query; NaN for documents not in it."""
    system = reader(study, settings, filters)
    if not system:
        return np.full(len(catalogue.doc_ids), np.nan)
    return occurrences.ranks_in(cache.places(study, settings), catalogue.doc_ids, system, filters.query)
