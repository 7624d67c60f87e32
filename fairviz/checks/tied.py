"""FV106: whether the order of documents with equal scores decides which system leads."""

import numpy as np
import pandas as pd

from fairviz.checks.context import Context, fairest
from fairviz.checks.record import Check, Finding, Link
from fairviz.measures import parse, unfairness
from fairviz.words.sentences import counted


def _ends(rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest distance of each system from the fairest value over all orders of tied documents."""
    question = parse(str(rows["measure"].iloc[0]))
    ends = np.stack([unfairness(question, rows[name].to_numpy()) for name in ("value", "smallest", "largest")])
    least, most = ends.min(axis=0), ends.max(axis=0)
    goal = {"zero": 0.0, "one": 1.0}.get(question.direction, np.nan)
    is_inside = (rows["smallest"].to_numpy() <= goal) & (goal <= rows["largest"].to_numpy())
    return np.where(is_inside, 0.0, least), most


def _run(context: Context) -> Finding | None:
    found: dict[str, str] = {}
    numbers: dict[str, int] = {}
    tied = context.tied[context.tied["system"].isin(context.systems)]
    for text, rows in tied.dropna(subset=["value", "smallest", "largest"]).groupby("measure", sort=False):
        question = parse(str(text))
        if question.direction == "none" or len(rows) < 2:
            continue
        least, most = _ends(rows)
        leader = fairest(question, rows)
        rivals = [place for place in range(len(rows)) if place != leader and least[place] < most[leader]]
        rivals = [place for place in rivals if rows["tied"].iloc[place] or rows["tied"].iloc[leader]]
        if rivals:
            rival = min(rivals, key=lambda place: least[place])
            found[question.name] = f"{rows['system'].iloc[rival]} could lead in place of {rows['system'].iloc[leader]}"
            numbers[f"queries with ties, {rows['system'].iloc[leader]}"] = int(rows["tied"].iloc[leader])
            numbers[f"queries with ties, {rows['system'].iloc[rival]}"] = int(rows["tied"].iloc[rival])
    if not found:
        return None
    name = next(iter(found))
    others = f", and so in {counted(len(found) - 1, 'other measure')}" if len(found) > 1 else ""
    return Finding(
        f"In {name} {found[name]}, if documents with equal scores were in another order{others}: the leader is an "
        "accident of the files.",
        numbers,
        "Break ties by a rule that the systems have (--ties), or report the range over all orders: fairviz evaluate "
        "--tie-range.",
        Link("tradeoff"),
        tuple(found),
    )


TIED = Check(
    "FV106",
    "ties decide which system leads",
    "Does the leader depend on the order of tied documents?",
    ("runs", "two systems", "measures"),
    "issue",
    _run,
    means="Documents with equal scores have no order of their own. Over all their orders each mean has a range, and "
    "the leader's reaches below that of another system.",
    harmless="The difference of the two systems is not significant, and nobody is said to lead.",
    advice="Give the scores more digits, choose a rule for ties on the sidebar and report it, and see the range of "
    "each system on Trade-off.",
    slow=True,
)
