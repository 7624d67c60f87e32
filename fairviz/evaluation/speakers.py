"""The annotators behind a figure, and the coverage of their labels: a sentence on every page."""

from collections.abc import Sequence

import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.counted import default_annotator, is_consensus, labels_of
from fairviz.annotation.voters import PHRASES, kind_of, voters_of
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
from fairviz.study.memberships import groups_without_label
from fairviz.study.record import Study
from fairviz.words.sentences import listed

NAMED = 3  # voters that are named one by one


def speakers(study: Study, annotator: str, voters: Sequence[str] | None = None) -> str:
    """`gold (people)`, `majority of ann and bob (people)`, `majority of 287 annotators (people)`.

    voters: whose consensus it is, the study's voters unless named. Adjudications are named together with the
    annotator of all other documents. Empty for no annotator.
    """
    if is_consensus(study, annotator):
        return f"{annotator} of {told_voters(study, voters_of(study) if voters is None else voters)}"
    if annotator == ADJUDICATED:
        others = default_annotator(study)
        rest = f", else {speakers(study, others)}" if others not in ("", ADJUDICATED) else ""
        return f"{ADJUDICATED} (a reader's decisions){rest}"
    return f"{annotator} ({PHRASES[kind_of(study, annotator)]})" if annotator else ""


def told_voters(study: Study, voters: Sequence[str]) -> str:
    """`ann and bob (people)`, `5 annotators (language model, rule)`, `nobody`."""
    kinds = ", ".join(dict.fromkeys(PHRASES[kind_of(study, name)] for name in voters))
    if not voters:
        return "nobody"
    if len(voters) > NAMED:
        return f"{len(voters):,} annotators ({kinds})"
    return f"{listed(voters)} ({kinds})"


def labels_note(study: Study, settings: Settings, scores: pd.DataFrame) -> str:
    """Return `1,170 of 1,170 ranks labelled: gold (people).`: label coverage of each system's lists down to the cutoff,
    whose labels, and the groups that none of them is. scores: from `evaluate`; empty without a measure of labels."""
    rows = scores.dropna(subset=["labelled", "places"])
    if rows.empty:
        return ""
    by_list = rows.groupby(["measure", "system"], observed=True, sort=False)[["labelled", "places"]].sum()
    annotator = chosen_annotator(study, settings)
    absent = groups_without_label(labels_of(study, annotator), study.groups)
    unused = f" No label is {listed([*map(study.group_text, absent)], 'or')}." if absent else ""
    return f"{_reach(by_list.reset_index())} labelled: {speakers(study, annotator)}.{unused}"


def _reach(table: pd.DataFrame) -> str:
    """Return `1,170 of 1,170 ranks`, or from the least to the best covered system; for systems that are covered whole
    and differ in length, `all ranks (1,163 to 1,170 per system)`. table: system, labelled, places."""
    counted = table[table["places"] > 0]
    if counted.empty:
        return "0 of 0 ranks"
    order = (counted["labelled"] / counted["places"]).argsort(kind="stable")
    least, most = counted.iloc[order.iloc[0]], counted.iloc[order.iloc[-1]]
    if counted[["labelled", "places"]].drop_duplicates().shape[0] == 1:
        return f"{_number(least['labelled'])} of {_number(least['places'])} ranks"
    if least["labelled"] == least["places"]:
        return f"all ranks ({_number(counted['places'].min())} to {_number(counted['places'].max())} per system)"
    if counted["places"].nunique() == 1:
        return (
            f"{_number(least['labelled'])} ({least['system']}) to {_number(most['labelled'])} ({most['system']}) "
            f"of {_number(least['places'])} ranks"
        )
    ends = (f"{_number(row['labelled'])} of {_number(row['places'])} ({row['system']})" for row in (least, most))
    return f"{' to '.join(dict.fromkeys(ends))} ranks"


def _number(count: float) -> str:
    return f"{int(count):,}"
