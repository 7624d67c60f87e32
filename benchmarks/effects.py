"""Time of the effects of all labels, in closed form and by computing anew; of label noise and what-if.

Computing anew means: the arrays stay, one document has another label, and the measure is computed again; it is run for
a few documents, checked against the closed form, and multiplied up. Noise is drawn on Grep-BiasIR (or made-up documents
of its size) with five annotators of whom each errs on one document in ten.
"""

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from benchmarks.ranking import study as grep_biasir
from benchmarks.synthetic import made_up
from fairviz.analyses.label_effects.label_effects import label_bounds, label_effects, relabelled_means, what_if
from fairviz.analyses.label_effects.lists import lists_of
from fairviz.analyses.label_effects.replacing import label_noise
from fairviz.evaluation.choices import align
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import values_at
from fairviz.evaluation.settings import Settings
from fairviz.measures.rankings import LabelEvidence
from fairviz.measures.sums import AlignedRankings, Memory
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.statistics.intervals import mean_over_queries
from fairviz.study.record import Study
from fairviz.study.study import add_labels, add_runs

SIZE = (12, 1765, 100)
SAMPLE = 5
ANNOTATORS = 5


def timed(work: Callable[[], object]) -> tuple[float, object]:
    """Seconds that the work takes the first time, and what it gives."""
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def anew(rankings: AlignedRankings, settings: Settings, document: int, code: int) -> np.ndarray:
    """Every system's mean of CWEx if the document (a place in doc_ids) had this label, (S,): nothing is reused but the
    aligned rankings."""
    codes = rankings.labels.codes.copy()
    codes[document] = code
    other = replace(rankings, labels=LabelEvidence(codes), _memory=Memory())
    return mean_over_queries(values_at(other, ask("CWEx", settings), settings, np.array([settings.cutoff])))[0]


def effects() -> list[str]:
    """All labels of a large study, for all systems and for two of them."""
    study, settings = made_up(*SIZE), Settings(cutoff=SIZE[2])
    rankings = align(study, settings)
    lists = lists_of(study, settings, "CWEx", rankings)
    all_systems, means = timed(lambda: relabelled_means(lists))
    pair, table = timed(lambda: label_effects(study, settings, "CWEx", "system00", "system01", rankings=rankings))
    sample = np.linspace(0, len(lists.doc_ids) - 1, SAMPLE).astype(int)
    at = rankings.lists.doc_ids.get_indexer(lists.doc_ids[sample])
    one, slow = timed(lambda: np.stack([anew(rankings, settings, document, 1) for document in at], axis=1))
    if not np.allclose(slow, means[1][:, 1][:, sample], atol=1e-6):
        raise ValueError("the closed form and computing anew differ")
    changes = len(lists.doc_ids) * (len(lists.names) - 1)
    click, _ = timed(lambda: what_if(study, settings, "CWEx", {str(lists.doc_ids[0]): "male"}, rankings=rankings))
    return [
        f"Labels to measures, {' × '.join(f'{axis:,}' for axis in SIZE)}: {len(lists.doc_ids):,} documents in reach",
        f"  effects of all labels on all {SIZE[0]} systems: {all_systems:.2f} s, "
        f"on two of them ({len(table):,} documents, sorted): {pair:.2f} s",
        f"  computing anew: {one / SAMPLE:.3f} s a label, {one / SAMPLE * changes / 3600:.1f} hours for all "
        f"{changes:,}: {one / SAMPLE * changes / all_systems:,.0f} times as long",
        f"  what if one label were another: {click:.3f} s",
    ]


def doubted(study: Study) -> Study:
    """The study with annotators who each err on one document in ten, at random."""
    generator = np.random.default_rng(0)
    names = np.array([study.neutral, *study.groups])
    truth = study.labels.drop_duplicates("doc_id")
    for number in range(ANNOTATORS):
        label = np.where(generator.random(len(truth)) < 0.1, generator.choice(names, len(truth)), truth["label"])
        table = pd.DataFrame({"doc_id": truth["doc_id"], "annotator": f"annotator{number}", "label": label})
        study = add_labels(study, table.astype("str"))
    return study


def noise() -> list[str]:
    """1,000 draws and the bounds on a study of the size of Grep-BiasIR."""
    study = grep_biasir()
    if not study.has("labels"):
        generator = np.random.default_rng(0)
        label = generator.choice(["neutral", "female", "male"], len(study.documents))
        table = pd.DataFrame({"doc_id": study.documents["doc_id"], "annotator": "gold", "label": label})
        study = add_labels(study, table.astype("str"))
    study = doubted(add_runs(study, rank(study, parse_rankers("bm25,tfidf,qlm,random")).runs))
    settings = Settings()
    rankings = align(study, settings)
    lines = [f"Label noise on {study.name}, {len(study.systems)} systems, {ANNOTATORS} annotators more, 1,000 draws"]
    for measure in ("CWEx", "GroupExposureRatio"):
        drawn, table = timed(lambda measure=measure: label_noise(study, settings, measure, rankings=rankings))
        lines.append(f"  {measure}: {drawn:.2f} s ({len(table):,} values)")
    bounds, _ = timed(lambda: label_bounds(study, settings, "CWEx", rankings=rankings))
    lines.append(f"  bounds of CWEx: {bounds:.2f} s")
    return lines


def run() -> list[str]:
    """Both parts, with a data folder of their own."""
    before = os.environ.get("FAIRVIZ_HOME")
    with tempfile.TemporaryDirectory() as home:
        os.environ["FAIRVIZ_HOME"] = home
        try:
            return [*effects(), *noise()]
        finally:
            if before is None:
                del os.environ["FAIRVIZ_HOME"]
            else:
                os.environ["FAIRVIZ_HOME"] = before


if __name__ == "__main__":
    print("\n".join(run()))
