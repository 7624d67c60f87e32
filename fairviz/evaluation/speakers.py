"""The annotators behind a figure, and the coverage of their labels: a sentence on every page."""

from collections.abc import Sequence

import pandas as pd

from fairviz.annotation.adjudications import ADJUDICATED
from fairviz.annotation.counted import default_annotator, is_consensus
from fairviz.annotation.voters import PHRASES, kind_of, voters_of
from fairviz.evaluation.choices import chosen_annotator
from fairviz.evaluation.settings import Settings
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
    """`1,170 of 1,170 places, labels: gold (people).`: how many places of each system's lists, as far as they are
    measured, have a label, and whose it is. scores: as `evaluate` gives them; empty where no measure of labels is
    among them."""
    known = scores.dropna(subset=["labelled", "places"])
    if known.empty:
        return ""
    by_list = known.groupby(["measure", "system"], observed=True, sort=False)[["labelled", "places"]].sum()
    return f"{_reach(by_list.reset_index())}, labels: {speakers(study, chosen_annotator(study, settings))}."


def _reach(table: pd.DataFrame) -> str:
    """system, labelled, places as `1,170 of 1,170 places`, or from the least to the best covered system. Systems that
    are covered whole and differ in length: `all places (1,163 to 1,170 a system)`."""
    counted = table[table["places"] > 0]
    if counted.empty:
        return "0 of 0 places"
    order = (counted["labelled"] / counted["places"]).argsort(kind="stable")
    least, most = counted.iloc[order.iloc[0]], counted.iloc[order.iloc[-1]]
    if counted[["labelled", "places"]].drop_duplicates().shape[0] == 1:
        return f"{_number(least['labelled'])} of {_number(least['places'])} places"
    if least["labelled"] == least["places"]:
        return f"all places ({_number(counted['places'].min())} to {_number(counted['places'].max())} a system)"
    if counted["places"].nunique() == 1:
        return (
            f"{_number(least['labelled'])} ({least['system']}) to {_number(most['labelled'])} ({most['system']}) "
            f"of {_number(least['places'])} places"
        )
    ends = (f"{_number(row['labelled'])} of {_number(row['places'])} ({row['system']})" for row in (least, most))
    return f"{' to '.join(dict.fromkeys(ends))} places"


def _number(count: float) -> str:
    return f"{int(count):,}"
