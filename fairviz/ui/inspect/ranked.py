"""The documents of one query, in the order of one system: whose order it is, and the ranks."""

import numpy as np

from fairviz.evaluation.choices import chosen_systems
from fairviz.evaluation.settings import Settings
from fairviz.inspection import occurrences
from fairviz.inspection.catalogue import Catalogue
from fairviz.inspection.filters import Filters
from fairviz.study.study import Study
from fairviz.ui.kept import tables as cache

Array = np.ndarray


def reader(study: Study, settings: Settings, filters: Filters) -> str:
    """The system whose list is read where one query is chosen: that of the filter, else the selected one, else the
    first one shown, of those that answer the query. Empty without a query, and where no system shown answers it."""
    if not filters.query or not study.has("runs"):
        return ""
    shown = chosen_systems(study, settings)
    wanted = dict.fromkeys(name for name in (filters.system, settings.system, *shown) if name)
    runs = study.runs
    answering = set(runs.loc[runs["query_id"] == filters.query, "system"].unique())
    return next((name for name in wanted if name in answering), "")


def ranks(study: Study, settings: Settings, listed: Catalogue, filters: Filters) -> Array:
    """(D,) each document's rank in the reader's list for the query; NaN for what is not in it, and without a reader."""
    system = reader(study, settings, filters)
    if not system:
        return np.full(len(listed.doc_ids), np.nan)
    return occurrences.ranks_in(cache.places(study, settings), listed.doc_ids, system, filters.query)
