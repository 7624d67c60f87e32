"""The candidates of each list."""

import numpy as np
import pytest

import fairviz
from fairviz.errors import UsageError
from fairviz.evaluation.choices import align
from fairviz.orders.candidates import SOURCES, candidate_sets


def names(rankings, documents):
    return set(rankings.rankings.doc_ids[documents])


@pytest.mark.parametrize("source", SOURCES)
def test_candidates_are_what_the_tables_say(source):
    study = fairviz.open_study("newswire")
    rankings = align(study, fairviz.Settings(), collection=True)
    sets = candidate_sets(study, rankings, source)
    rows = rankings.rankings.systems if source == "run" else ("all",)
    assert len(sets) == len(rows)
    tables = {"study": study.runs, "run": study.runs, "judged": study.qrels}
    for row, system in enumerate(rows):
        table = tables[source]
        table = table[table["system"] == system] if source == "run" else table
        by_query = table.groupby(table["query_id"].astype(str), observed=True)["doc_id"].agg(set)
        for place, query in enumerate(rankings.rankings.queries):
            expected = set(map(str, by_query.get(query, set()))) & set(rankings.rankings.doc_ids)
            assert names(rankings, sets[row][place]) == expected
            assert len(np.unique(sets[row][place])) == len(sets[row][place])


def test_another_source_is_refused():
    study = fairviz.open_study("football")
    with pytest.raises(UsageError, match="there is no source of candidates 'stduy'"):
        candidate_sets(study, align(study, fairviz.Settings()), "stduy")
