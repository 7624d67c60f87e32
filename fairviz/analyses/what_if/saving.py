"""An experiment as a system of the study: its run and its name, which marks it as edited.

A run contains only an order. Changed labels and words stay with the experiment.
"""

from dataclasses import replace

import pandas as pd

from fairviz.analyses.what_if.experiment import Experiment
from fairviz.errors import FairvizError
from fairviz.study.loaders.writing import check_name
from fairviz.study.record import EDITED, Study, with_fingerprint
from fairviz.study.tables import ranked

LABELS = ("doc_id", "annotator", "label")


def suggested_name(study: Study, system: str) -> str:
    """Return `bm25, edited`, with the first number that makes it unique if necessary."""
    return _unique_name(study, edited_name(system))


def edited_name(name: str) -> str:
    """Return the name with the suffix `, edited`."""
    name = name.strip()
    return name if EDITED in name else f"{name}{EDITED}"


def _unique_name(study: Study, name: str) -> str:
    number, candidate = 2, name
    while candidate in study.systems:
        candidate, number = f"{name} {number}", number + 1
    return candidate


def edited_run(study: Study, experiment: Experiment, name: str, ties: str = "file") -> pd.DataFrame:
    """Return the run of the experiment's system with the edited list, under the new name.

    Other queries' lists are unchanged. The scores of the edited list count down to 1, so that its order is the same
    under every rule for tied scores; `ties` is the rule by which the lists are read. Raises FairvizError for a name
    that is in use or invalid in files, and if nothing was moved.
    """
    check_name(name, "system")
    if name in study.systems:
        raise FairvizError(
            f"{study.name} has a run {name!r} already",
            f"{_unique_name(study, name)!r} is free: save it under that name.",
        )
    if experiment.order == experiment.start:
        raise FairvizError(
            f"the list is in the order that {experiment.system!r} gives it", "Move a document, then save it."
        )
    rows = study.runs[study.runs["system"] == experiment.system]
    mine = (rows["query_id"] == experiment.query).to_numpy()
    edited = ranked(rows[mine], ties)  # type: ignore[arg-type]
    place = {document: rank for rank, document in enumerate(experiment.order, start=1)}
    ranks = edited["doc_id"].astype("str").map(place).astype("int32")
    edited = edited.assign(rank=ranks, score=(len(place) + 1 - ranks).astype("float64")).sort_values("rank")
    run = pd.concat([rows[~mine], edited], ignore_index=True)
    run["query_id"] = run["query_id"].astype(study.runs["query_id"].dtype)
    order = run["query_id"].cat.codes.sort_values(kind="stable").index
    run = run.loc[order].reset_index(drop=True)
    system = pd.Categorical.from_codes([0] * len(run), categories=pd.Index([name], dtype="str"))
    return run.assign(system=pd.Series(system))


def without_run(study: Study, name: str) -> Study:
    """Return the study without the system of this name. Raises FairvizError if it is the only one."""
    if study.systems == (name,):
        raise FairvizError(f"{name!r} is the only system of {study.name}", "Add another one first.")
    rows = study.runs[study.runs["system"] != name]
    rows = rows.assign(system=rows["system"].cat.remove_unused_categories()).reset_index(drop=True)
    return with_fingerprint(replace(study, runs=rows))


def changed_labels(experiment: Experiment, annotator: str) -> pd.DataFrame:
    """Return the experiment's new labels as doc_id, annotator, label; removed labels have no row."""
    rows = [(name, annotator, label) for name, label in experiment.relabelled.items() if label]
    return pd.DataFrame(rows, columns=list(LABELS)).astype("str")
