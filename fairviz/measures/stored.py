"""The rankings of large studies, aligned once and then mapped from the disk."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from fairviz.measures.rankings import Rankings, align_runs
from fairviz.study.loaders.hashes import LARGE, Arrays, packed_texts, stored_arrays, unpacked_texts
from fairviz.study.record import Study
from fairviz.study.tables import Ties

_NAMES = ("systems", "queries", "doc_ids")


def rankings_of(study: Study, ties: Ties, collection: Sequence[str]) -> Rankings:
    """Return the runs of a study for its queries as `align_runs` does; from the cache for a large one with a
    fingerprint."""
    if len(study.runs) < LARGE or not study.fingerprint:
        return _aligned(study, ties, collection)

    def make() -> Arrays:
        rankings = _aligned(study, ties, collection)
        texts = {}
        for name in _NAMES:
            texts[name], texts[f"{name}_offsets"] = packed_texts(pd.Index(getattr(rankings, name), dtype="str"))
        return {"documents": rankings.documents, "lengths": rankings.lengths, **texts}

    arrays = stored_arrays(("rankings of queries", study.fingerprint, ties, bool(collection)), make)
    systems, queries, doc_ids = (unpacked_texts(arrays[name], arrays[f"{name}_offsets"]) for name in _NAMES)
    return Rankings(tuple(systems), tuple(queries), doc_ids, arrays["documents"], arrays["lengths"], study.added_runs)


def _aligned(study: Study, ties: Ties, collection: Sequence[str]) -> Rankings:
    rankings = align_runs(study.runs, ties, collection, study.query_ids)
    return replace(rankings, added=study.added_runs)
