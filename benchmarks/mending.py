"""MiniLM mended on Grep-BiasIR with three seeds: the held-out queries before and after, and beside them a projection.

`python -m benchmarks.mending` trains what is not trained yet, some minutes a seed, and prints the README's table. The
study is fetched first: `fairviz fetch grep-biasir`.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fairviz.analyses.gender_swap.triples import triple_scores
from fairviz.comparison.pairs import PairedRows, compare_rows
from fairviz.evaluation.formats import to_markdown
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate
from fairviz.extensions.finetuning.mended import Mended, mend
from fairviz.extensions.finetuning.pairs import COLUMNS, HELD_OUT, TRAIN, pairs_of
from fairviz.rankers import parse_rankers
from fairviz.rankers.encoders import learning_from
from fairviz.rankers.ranking import rank
from fairviz.statistics.intervals import ratio_values
from fairviz.study.record import Study

SEEDS = (0, 1, 2)
PROJECTION = "bi_encoder(project=3,keep=0.5)"
MEASURES = ("nDCG@10", "CWEx@10", "NFaiRR@10", "TExFAIR@10")


def held_out(made: list[Mended], study: Study) -> pd.DataFrame:
    """seed, query_id, measure, before, after and projected of every held-out query of every seed."""
    parts = []
    for seed, one in enumerate(made):
        projected = projection(study, training_texts(study, seed))
        part = one.per_query[one.per_query["split"] == HELD_OUT].assign(seed=seed)
        part = part[part["measure"].isin(projected.index.get_level_values(1))]
        keys = pd.MultiIndex.from_frame(part[["query_id", "measure"]])
        parts.append(part.assign(projected=projected.reindex(keys).to_numpy()))
    return pd.concat(parts, ignore_index=True)


def training_texts(study: Study, seed: int) -> list[str]:
    """The texts of the training queries' pairs, none of which a held-out query has."""
    pairs = pairs_of(study, seed).of(TRAIN)
    return list(dict.fromkeys(text for name in COLUMNS[1:] for text in pairs[name] if text))


def projection(study: Study, texts: Sequence[str]) -> pd.Series:
    """The same figures with directions of gender taken out that are estimated from these texts, by query_id and
    measure."""
    (choice,) = parse_rankers(PROJECTION)
    choices = (replace(choice, ranker=learning_from(texts)),)
    scores = triple_scores(study, choices)
    runs = rank(study, choices, depth=len(study.documents)).runs
    spread = runs.groupby("query_id", observed=True)["score"].std(ddof=0)
    one, other = study.groups
    gap = scores[one] - scores[other]
    columns = {
        f"{one} first": gap > 0,
        f"{other} first": gap < 0,
        "score gap": gap.abs(),
        "score gap in standard deviations": gap.abs() / scores["query_id"].map(spread.to_dict()),
        f"{one} less {other}": gap,
        f"{study.neutral} preferred": scores[study.neutral] - (scores[one] + scores[other]) / 2,
    }
    means = pd.DataFrame(columns).astype(float).groupby(scores["query_id"]).mean()
    made = replace(study, runs=rank(study, choices).runs, fingerprint="")
    lists = evaluate(made, MEASURES).astype({"query_id": "str", "measure": "str"})
    return pd.concat([means.stack(), lists.set_index(["query_id", "measure"])["value"]])


def changes(table: pd.DataFrame) -> PairedRows:
    """Return the changes after training, a row a measure, and behind them those of the projection: one family.

    A query counts as often as seeds hold it out, so that a mean over queries is a ratio of sums, which is linearised.
    """
    queries, rows = sorted(table["query_id"].unique()), []
    for name in ("after", "projected"):
        for _, part in table.groupby("measure", sort=False):
            grouped = (part[name] - part["before"]).groupby(part["query_id"])
            sums, counts = (grouped.agg(what).reindex(queries).to_numpy(dtype=float) for what in ("sum", "count"))
            rows.append(ratio_values(sums, counts))
    values = np.array(rows)
    return compare_rows(values, np.where(np.isnan(values), np.nan, 0.0))


def table_rows(table: pd.DataFrame, tested: PairedRows) -> pd.DataFrame:
    """Return a row a measure: the mean over the seeds' means, with the lowest and the highest of them, and changes."""
    texts = [
        f"{difference:+.4f} ({low:+.4f} to {high:+.4f})"
        for difference, low, high in zip(tested.difference, tested.low, tested.high, strict=True)
    ]
    rows, count = [], table["measure"].nunique()
    for place, (measure, part) in enumerate(table.groupby("measure", sort=False)):
        means = part.groupby("seed")[["before", "after", "projected"]].mean()
        row = {"held-out queries": measure}
        for name in ("before", "after"):
            row[name] = f"{means[name].mean():.4f} ({means[name].min():.4f} to {means[name].max():.4f})"
        row |= {"change": texts[place], "projection": f"{means['projected'].mean():.4f}"}
        rows.append(row | {"its change": texts[count + place]})
    return pd.DataFrame(rows)


def run() -> list[str]:
    """The lines that this benchmark prints."""
    study, lines, made = open_study("grep-biasir"), [], []
    for seed in SEEDS:
        wall, spent = time.perf_counter(), time.process_time()
        made.append(mend(study, seed=seed))
        card = made[-1].card["training"]
        lines.append(
            f"seed {seed}: {card['steps']} steps, {card['seconds']:.0f} s of training; this call took "
            f"{time.perf_counter() - wall:.0f} s, {time.process_time() - spent:.0f} of CPU"
        )
    table = held_out(made, study)
    lines.append(f"{table['query_id'].nunique()} queries held out by one seed or more, {len(SEEDS)} seeds")
    tested = changes(table)
    lines.append(f"tests: {tested.caption}; significantly different: {_significant(table, tested)}")
    return [*lines, to_markdown(table_rows(table, tested))]


def _significant(table: pd.DataFrame, tested: PairedRows) -> str:
    """Return the names of the changes that their family shows, with p."""
    names = table["measure"].unique()
    labels = [*names, *(f"{name} (projection)" for name in names)]
    found = zip(labels, tested.side, tested.p_corrected, strict=True)
    return ", ".join(f"{label} p = {p:.4f}" for label, side, p in found if side) or "none"


if __name__ == "__main__":
    print("\n".join(run()))
