"""Sentences of the Agreement page: pure functions from tables to spans of text."""

from collections.abc import Sequence

import pandas as pd

from fairviz.analyses.annotator_accuracy.raters import WORD_LIST, kind_of
from fairviz.annotation.voters import annotator_names
from fairviz.evaluation.speakers import speakers, told_voters
from fairviz.study.record import Study
from fairviz.words.sentences import Sentence, Span, counted, out_of

ALPHA = "Krippendorff's alpha"


def finding(overall: pd.DataFrame, divided: int) -> Sentence:
    """Return the number of documents on which annotators disagree, and Krippendorff's alpha."""
    size, alpha = overall.iloc[0], overall[overall["coefficient"] == ALPHA].iloc[0]
    documents, annotators = int(size["documents"]), counted(size["annotators"], "annotator")
    if not documents:
        return (Span(f"{annotators}, no document with two labels."),)
    if not divided:
        return (Span(f"{annotators} agree on all {counted(documents, 'shared document')}", True), Span("."))
    share = f"{out_of(divided, documents, 'document')} ({100 * divided / documents:.0f} %)"
    return (Span(f"{annotators} disagree on "), Span(share, True), Span(f"; {ALPHA} is {value(alpha)}."))


def alone(name: str) -> str:
    """Return the sentence for a study with one annotator."""
    return f"Only {name} labelled documents here."


def confusion_note(divided: int, confused: pd.DataFrame) -> str:
    """Return the number of documents on which annotators disagree, and the two labels that are confused most often."""
    if not len(confused):
        return f"{counted(divided, 'document')}."
    pair = confused.iloc[0]
    return (
        f"{counted(divided, 'document')}, most often {pair['first']} against {pair['second']} ({pair['documents']:,})."
    )


def value(row: pd.Series) -> str:
    """Return `0.648 (0.615 to 0.680)`, or `undefined`, as where only one label was given."""
    if pd.isna(row["value"]):
        return "undefined"
    bounds = f" ({row['ci_low']:.3f} to {row['ci_high']:.3f})" if pd.notna(row["ci_low"]) else ""
    return f"{row['value']:.3f}{bounds}"


def votes_note(label_count: int, labelled: int, ties: int, method: str) -> str:
    """Return how many documents the consensus labels, and the number of ties."""
    text = f"{method}: {label_count:,} of {labelled:,} labelled documents"
    if method == "majority" and ties:
        text += f", {counted(ties, 'tie')} left open"
    return f"{text}."


def reference_note(study: Study, reference: str, label_count: int) -> str:
    """Return `343 of 343 documents labelled by project (language model and reader).` The word list
    also labels documents that no annotator labelled."""
    if reference == WORD_LIST and reference not in annotator_names(study):
        return f"{counted(label_count, 'document')} labelled by {WORD_LIST} ({kind_of(study, reference)})."
    labelled = study.labels["doc_id"].nunique()
    return f"{out_of(label_count, labelled, 'document')} labelled by {speakers(study, reference)}."


def who_votes(study: Study, voters: Sequence[str]) -> str:
    """Return the annotators whose labels enter a consensus, and the consequence of fewer than two."""
    voters_text = told_voters(study, voters)
    if len(voters) > 1:
        return f"Voters: {voters_text}."
    if not voters:
        return "No voters: only a reader's decisions, or all failed the test questions."
    return f"Only {voters_text} votes, so a consensus would repeat these labels."


def quality_note(record: pd.DataFrame) -> str:
    """Return the annotators dropped for failing test questions; empty without test questions."""
    tested = record[record["test_questions"] > 0]
    if not len(tested):
        return ""
    dropped = tested[tested["dropped"]]
    names = ", ".join(
        f"{name} ({failed} of {tests})"
        for name, failed, tests in zip(dropped["annotator"], dropped["failed"], dropped["test_questions"], strict=True)
    )
    start = f"{counted(len(tested), 'annotator')} answered test questions. "
    if not names:
        return f"{start}None failed more than 20 %."
    return f"{start}Not voting, as they failed more than 20 %: {names}."
