"""FV102: whether the lists of all systems are labelled alike."""

import pandas as pd

from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.correction.sampling import of_labels
from fairviz.words.sentences import percent

MOST = 0.05  # difference of the labelled shares of two systems, above which it is an issue
POLICIES = {
    "skip": "ranks without a label are left out of its values",
    "neutral": "ranks without a label count as neutral",
    "strict": "lists with a rank without a label have no value",
}


def by_share(coverage: pd.DataFrame) -> pd.DataFrame:
    """Return the systems that have a rank within the cutoff, the least covered first."""
    return coverage.dropna(subset=["share"]).sort_values("share", kind="stable")


def is_uneven(coverage: pd.DataFrame) -> bool:
    """Return whether the shares of two of these systems, sorted, differ by more than MOST."""
    return len(coverage) > 1 and bool(coverage["share"].iloc[-1] - coverage["share"].iloc[0] > MOST)


def _run(context: Context) -> Finding | None:
    coverage = by_share(context.coverage)
    if not is_uneven(coverage):
        return None
    least, most = coverage.iloc[0], coverage.iloc[-1]
    policy = POLICIES.get(context.settings.unlabelled, "ranks without a label count as the setting has it")
    return Finding(
        f"Of the first {context.settings.cutoff} ranks, {percent(least['share'])} are labelled in {least['system']} "
        f"and {percent(most['share'])} in {most['system']}: {policy}, so that the two are not measured alike.",
        {str(name): float(part) for name, part in coverage[["system", "share"]].itertuples(index=False)},
        f"Label the documents of {least['system']}, or compare under another policy for unlabelled documents.",
        Link("sensitivity", {"robustness_choices": ["unlabelled"]}),
        tuple(one.name for one in of_labels(context.questions)),
    )


LABEL_COVERAGE = Check(
    "FV102",
    "label coverage differs between systems",
    "Are the lists of all systems labelled alike?",
    ("runs", "two systems", "labels"),
    "issue",
    _run,
    means="The share of labelled ranks within the cutoff differs by more than five percentage points between two "
    "tested systems. Unlabelled ranks are left out, count as neutral or make a list undefined, so that part of a "
    "difference between the systems is one of labelling. It is usual where labels are of the pool of older runs.",
    harmless="The unlabelled documents would be labelled as the others: then only the interval is too narrow.",
    advice="Label the missing documents (Annotate, Read, or a labelling form), lower the cutoff to where all are "
    "labelled, or show on Sensitivity that the conclusion holds under every policy for unlabelled documents.",
)
