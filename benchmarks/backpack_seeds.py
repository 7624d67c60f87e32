"""What a Backpack's sense weight does, over seeds: `python -m benchmarks.backpack_seeds MODEL…`, folders of models.

Prints, for Grep-BiasIR and newswire, means over the models and their standard deviation: nDCG@10 beside BM25's and
MiniLM's, fairness at weights from 0 to 2 for the paper's policy and for the placebo, and on Grep-BiasIR the gap
between the genders' wordings of one text.
"""

import sys
from collections.abc import Sequence

import numpy as np
import pandas as pd

from fairviz.counterfactuals.triples import triples
from fairviz.datasets import open_study
from fairviz.evaluation.formats import to_markdown
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.rankers import parse_rankers
from fairviz.rankers.backpack.encoding import cosines, sense_vectors
from fairviz.rankers.backpack.loading import loaded
from fairviz.rankers.backpack.ranker import own_sensitivity
from fairviz.rankers.backpack.sensitivity import PLACEBO, SENSITIVE, policy
from fairviz.rankers.ranking import rank
from fairviz.rankers.record import silent
from fairviz.study.study import Study, make_study
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


def report(study: Study, models: Sequence[str]) -> pd.DataFrame:
    """A row a ranker, policy and weight: means over the models, and their standard deviation behind ±."""
    rows = [
        {"ranker": name, "weight": "–", **ranked(study, name).map("{:.3f}".format)} for name in ("bm25", "bi_encoder")
    ]
    for kind in (SENSITIVE, PLACEBO):
        for weight in WEIGHTS:
            found = pd.DataFrame(
                [
                    {**ranked(study, f"backpack(weight={weight},policy={kind},model='{model}')"),
                     GAP: gap(study, model, kind, weight)}
                    for model in models
                ]
            )  # fmt: skip
            shown = {name: f"{found[name].mean():.3f} ± {found[name].std():.3f}" for name in found}
            rows.append({"ranker": f"backpack, {kind}", "weight": f"{weight:g}", **shown})
    return pd.DataFrame(rows).fillna("–")


def run(models: Sequence[str]) -> list[str]:
    """The tables of both studies."""
    lines = []
    for name in STUDIES:
        lines += [f"{name}, {len(models)} models", to_markdown(report(open_study(name), models))]
    return lines


if __name__ == "__main__":
    print("\n".join(run(sys.argv[1:] or [""])))
