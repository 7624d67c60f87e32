"""The rankings of large studies, aligned once and then mapped from the disk."""

from collections.abc import Sequence

import pandas as pd

from fairviz.measures.rankings import Rankings, align_runs
from fairviz.study.loaders.array_cache import LARGE, Arrays, packed_texts, stored_arrays, unpacked_texts
from fairviz.study.record import Study
from fairviz.study.tables import Ties

_NAMES = ("systems", "queries", "doc_ids")


def rankings_of(study: Study, ties: Ties, collection: Sequence[str]) -> Rankings:
    """Return the runs of a study as `align_runs` does, from the cache for a large study with a fingerprint."""
    if len(study.runs) < LARGE or not study.fingerprint:
        return align_runs(study.runs, ties, collection)

    def make() -> Arrays:
        rankings = align_runs(study.runs, ties, collection)
        texts = {}
        for name in _NAMES:
            texts[name], texts[f"{name}_offsets"] = packed_texts(pd.Index(getattr(rankings, name), dtype="str"))
        return {"documents": rankings.documents, "lengths": rankings.lengths, **texts}

    arrays = stored_arrays(("rankings", study.fingerprint, ties, bool(collection)), make)
    systems, queries, doc_ids = (unpacked_texts(arrays[name], arrays[f"{name}_offsets"]) for name in _NAMES)
    return Rankings(tuple(systems), tuple(queries), doc_ids, arrays["documents"], arrays["lengths"])
