"""Small studies of one query, and the values of measures in every order of some documents, one by one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import fairviz
from fairviz.measures import MEASURES
from fairviz.study.record import Study
from fairviz.study.study import make_study
from tests.made import documents_of, labels_of, qrels_of, queries_of, runs_of

TEXTS = ("she saw her mother", "he and his brother ran", "she and he walked on", "a tree", "his hat fell", "")
GENDERS = ("female", "male", "neutral")
FAIR = [f"{name}@3" for name, measure in MEASURES.items() if measure.per_query] + [
    "AWRF(distance='jsd')@3", "TED(rbdf=False)@3", "Exposure(group='female')@2", "RaB(magnitude='tc')@3",
]  # fmt: skip
EFFECTIVE = ["nDCG@3", "RR@3", "P@3", "R@3", "AP@3", "AP", "Success@1", "ERR@3", "RBP(rel=1)@3", "Judged@3"]
NAMES = [f"d{place}" for place in range(8)]
TRIED: dict[tuple, dict[str, np.ndarray]] = {}  # values of every order, by what was asked


def study_of(
    lists: Mapping[str, Iterable[int]],
    labels: Sequence[str],
    texts: Sequence[str | None],
    grades: Sequence[int | None],
    **more: object,
) -> Study:
    """A study of one query. lists: the documents of each system, as numbers. labels, texts and grades: by document, an
    empty label for none."""
    return make_study(
        "small",
        queries=queries_of({"q": "nurse"}),
        documents=documents_of(dict(zip(NAMES, texts, strict=False))),
        runs=runs_of({system: [NAMES[place] for place in places] for system, places in lists.items()}),
        labels=labels_of(dict(zip(NAMES, labels, strict=False))),
        qrels=qrels_of({"q": dict(zip(NAMES, grades, strict=False))}),
        **more,
    )


@st.composite
def evidence(draw: st.DrawFn, count: int, groups: Sequence[str] = GENDERS, texts: Sequence = (*TEXTS, None)) -> tuple:
    """Labels, texts and grades of so many documents: one has a label and a text, and one is relevant."""
    each = {"min_size": count, "max_size": count}
    return (
        ["neutral", *draw(st.lists(st.sampled_from((*groups, "")), **each))[1:]],
        ["she saw him", *draw(st.lists(st.sampled_from(texts), **each))[1:]],
        draw(st.lists(st.sampled_from((0, 1, 2, None)), **each).filter(lambda grades: 1 in grades or 2 in grades)),
    )


def pools_of(study: Study, source: str) -> dict[str, Iterable[tuple[str, ...]]]:
    """The lists that each system may have, read off the tables: its candidates in every order, as many as it lists."""
    lists = {str(name): [str(one) for one in rows["doc_id"]] for name, rows in study.runs.groupby("system")}
    every = sorted({name for names in lists.values() for name in names})
    judged = [str(name) for name in study.qrels["doc_id"]]
    pools = {name: {"study": every, "run": own, "judged": judged}[source] for name, own in lists.items()}
    return {name: permutations(pool, min(len(lists[name]), len(pool))) for name, pool in pools.items()}


def brute(
    study: Study, orders: Iterable[Sequence[str]], measures: Sequence[str], **choices: object
) -> dict[str, np.ndarray]:
    """The values of each measure in these lists of documents, each the list of a query of its own; kept, as several
    tests try all orders of one study.

    All systems answer each of these queries as they answer the study's, so that backgrounds are the same.
    """
    key = (study.fingerprint, *map(tuple, orders)), tuple(measures), tuple(sorted(choices.items()))
    if key in TRIED:
        return TRIED[key]
    own = study.runs.astype({"system": "str", "doc_id": "str"})
    lists = {system: rows["doc_id"].tolist() for system, rows in own.groupby("system")}
    tried = {f"q{place}": order for place, order in enumerate(key[0][1:])}
    every = make_study(
        "every",
        documents=study.documents,
        runs=runs_of(
            {(name, query): documents for query, order in tried.items()
             for name, documents in {**lists, "order": order}.items()}
        ),
        labels=study.labels,
        qrels=pd.concat([study.qrels.assign(query_id=query) for query in tried], ignore_index=True),
        groups=study.groups,
        protected=study.protected,
        targets=study.targets,
    )  # fmt: skip
    every = replace(every, drafts=("order",))  # added systems are no part of the background
    scores = fairviz.evaluate(every, measures, systems=("order",), **choices)
    TRIED[key] = {str(text): part["value"].to_numpy() for text, part in scores.groupby("measure", observed=True)}
    return TRIED[key]
