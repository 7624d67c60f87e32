"""What a Backpack's sense weight does, over seeds: `python -m benchmarks.backpack_seeds MODEL…`, folders of models.

Prints, for Grep-BiasIR and newswire, means over the models and their standard deviation: nDCG@10 beside BM25's and
MiniLM's, fairness at weights from 0 to 2 for the paper's policy and for the placebo, and on Grep-BiasIR the gap
between the genders' wordings of one text.
"""

import sys
from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.analyses.gender_swap.triples import triples
from fairviz.evaluation.formats import to_markdown
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.extensions.backpack.encoding import cosines, own_sensitivity, sense_vectors
from fairviz.extensions.backpack.loading import loaded
from fairviz.extensions.backpack.words import PLACEBO, SENSITIVE, policy
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.rankers.record import silent
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.words.counting import document_text

WEIGHTS = (0.0, 0.5, 1.0, 1.5, 2.0)
MEASURES = ("nDCG@10", "RaB@10", "ARaB@10", "NFaiRR@10", "CWEx(alpha=0.5)@10", "TExFAIR@10")
STUDIES = ("grep-biasir", "newswire")
GAP = "gap"


def ranked(study: Study, rankers: str) -> pd.Series:
    """The mean of each measure, by name."""
    runs = rank(study, parse_rankers(rankers)).runs
    bare = make_study(
        study.name, queries=study.queries, documents=study.documents, qrels=study.qrels, labels=study.labels, runs=runs
    )
    table = summarise(evaluate(bare, MEASURES, annotator=study.annotator))
    return pd.Series(table["value"].to_numpy(), table["measure"].str.partition("@")[0].str.partition("(")[0])


def gap(study: Study, name: str, kind: str, weight: float) -> float:
    """How far the scores of the female and the male wording of a text lie apart, in standard deviations of the query's
    scores; the mean over texts. NaN where the study has no such texts."""
    found = triples(study)
    if found.empty:
        return float("nan")
    model = loaded(name)
    documents = sense_vectors(document_text(study.documents).fillna("").tolist(), model, silent)
    queries = sense_vectors(study.queries["text"].tolist(), model, silent)
    scores = cosines(queries, documents, policy(kind, own_sensitivity(model), 2, weight))
    rows = pd.Index(study.queries["query_id"]).get_indexer(found["query_id"])
    places = [pd.Index(study.documents["doc_id"]).get_indexer(found[group]) for group in study.groups]
    apart = np.abs(scores[rows, places[0]] - scores[rows, places[1]])
    return float((apart / scores.std(axis=1)[rows]).mean())


def values(study: Study, models: Sequence[str]) -> pd.DataFrame:
    """The measures (columns) of each policy, weight and model (rows)."""
    rows = {}
    for kind in (SENSITIVE, PLACEBO):
        for weight in WEIGHTS:
            for model in models:
                found = ranked(study, f"backpack(weight={weight},policy={kind},model='{model}')")
                rows[kind, weight, model] = {**found, GAP: gap(study, model, kind, weight)}
    return pd.DataFrame.from_dict(rows, orient="index").dropna(axis=1, how="all")


def report(study: Study, found: pd.DataFrame) -> pd.DataFrame:
    """A row a ranker, policy and weight: means over the models, and their standard deviation behind ±."""
    rows = [
        {"ranker": name, "weight": "–", **ranked(study, ranker).map("{:.3f}".format)}
        for name, ranker in (("BM25", "bm25"), ("MiniLM", "bi_encoder"))
    ]
    for (kind, weight), part in found.groupby(level=[0, 1], sort=False):
        rows.append({"ranker": f"Backpack, {kind}", "weight": f"{weight:g}", **_spread(part)})
    return pd.DataFrame(rows).fillna("–")


def changes(found: pd.DataFrame) -> pd.DataFrame:
    """What a weight of 0 changes in the same model, against weights of 2 and of 1: mean and standard deviation over
    the models, and in how many of them the number grows."""
    rows, found = [], found.sort_index()
    for kind in (SENSITIVE, PLACEBO):
        for weight in (2.0, 1.0):
            part = found.loc[kind, 0.0] - found.loc[kind, weight]
            counts = (part > 0).sum()
            shown = {name: f"{text} ({counts[name]})" for name, text in _spread(part, "{:+.3f}").items()}
            rows.append({"policy": kind, "weight": f"{weight:g} → 0", **shown})
    return pd.DataFrame(rows)


def _spread(part: pd.DataFrame, style: str = "{:.3f}") -> dict[str, str]:
    return {str(name): f"{style.format(part[name].mean())} ± {part[name].std():.3f}" for name in part}


def run(models: Sequence[str]) -> list[str]:
    """The tables of both studies."""
    lines = []
    for name in STUDIES:
        study = open_study(name)
        found = values(study, models)
        lines += [f"{name}, {len(models)} models", to_markdown(report(study, found)), to_markdown(changes(found))]
    return lines


if __name__ == "__main__":
    print("\n".join(run(sys.argv[1:] or [""])))
