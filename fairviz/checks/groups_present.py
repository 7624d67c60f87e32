"""FV115: whether the groups of the study occur among the labels of the lists."""

import numpy as np

from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.words.sentences import counted


def _run(context: Context) -> Finding | None:
    study = context.study
    lists = context.rankings.lists
    documents = np.unique(lists.documents[: context.settings.cutoff])
    shown_ids = lists.doc_ids[documents[documents >= 0]]
    labels = context.labels[context.labels["doc_id"].isin(shown_ids)]["label"].value_counts()
    numbers = {name: int(labels.get(name, 0)) for name in (study.neutral, *study.groups)}
    total = sum(numbers.values())
    absent = [name for name in study.groups if not numbers[name]]
    if not total or not absent:
        return None
    name = study.protected if study.protected in absent else absent[0]
    protected = " (the protected group)" if name == study.protected else ""
    return Finding(
        f"None of the {counted(total, 'labelled document')} within the cutoff is {name}{protected}: no system can "
        f"show any, and every measure of {name} documents is the same for all.",
        numbers,
        f"Check that the labels are joined by the right ids and that {name} is spelled as in study.toml; else say that "
        "the collection has none.",
        Link("data"),
    )


GROUPS_PRESENT = Check(
    "FV115",
    "a group never occurs in the lists",
    "Does every group occur in the lists?",
    ("runs", "labels"),
    "issue",
    _run,
    means="No document within the cutoff of any list has the label of one of the groups. Measures of this group are "
    "0 or undefined for every system, and a gap between the groups says how many of the other there are.",
    harmless="The collection really has no such documents, and the conclusion is that it has none.",
    advice="Look at Data for labels that did not join and for spellings; look at a larger cutoff; else compare what "
    "the collection offers (Chance) with what the systems show.",
)
