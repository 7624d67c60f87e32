"""The candidates of each list."""

import numpy as np
import pytest

import fairviz
from fairviz.evaluation.choices import align
from fairviz.orders.candidates import SOURCES, candidate_sets


@pytest.mark.parametrize("source", SOURCES)
def test_candidates_are_what_the_tables_say(source, newswire):
    rankings = align(newswire, fairviz.Settings(), collection=True)
    sets = candidate_sets(newswire, rankings, source)
    rows = rankings.lists.systems if source == "run" else ("all",)
    assert len(sets) == len(rows)
    tables = {"study": newswire.runs, "run": newswire.runs, "judged": newswire.qrels}
    for row, system in enumerate(rows):
        table = tables[source]
        table = table[table["system"] == system] if source == "run" else table
        by_query = table.groupby(table["query_id"].astype(str), observed=True)["doc_id"].agg(set)
        for place, query in enumerate(rankings.lists.queries):
            expected = set(map(str, by_query.get(query, set()))) & set(rankings.lists.doc_ids)
            assert set(rankings.lists.doc_ids[sets[row][place]]) == expected
            assert len(np.unique(sets[row][place])) == len(sets[row][place])
