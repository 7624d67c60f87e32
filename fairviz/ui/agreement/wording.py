"""Sentences of the Agreement page: pure functions from tables to spans of text."""

from collections.abc import Sequence

import pandas as pd

from fairviz.analyses.annotator_accuracy.raters import WORD_LIST, kind_of
from fairviz.annotation.agreement import Votes
from fairviz.annotation.voters import annotator_names
from fairviz.evaluation.study_facts import disagreement_text, speakers, told_voters
from fairviz.study.record import Study
from fairviz.ui.kept.labels import ALPHA
from fairviz.words.sentences import Sentence, Span, counted, out_of

MOST_REASONS = 5


def finding(votes: Votes, overall: pd.DataFrame, labels: str = "") -> Sentence:
    """Return on how many documents the voters disagree, and Krippendorff's alpha. labels: what differs, where not every
    label: `neutral against gendered`."""
    disputed, shared = int(votes.is_disputed.sum()), int(votes.is_shared.sum())
    told = disagreement_text(votes)
    if len(votes.annotators) < 2:
        return (Span(f"{told[:1].upper()}{told[1:]}", True), Span("."))
    text = (Span(told, True), Span(f", {labels}" if labels else ""))
    if not shared:
        return (*text, Span("."))
    alpha = overall[overall["coefficient"] == ALPHA].iloc[0]
    return (*text, Span(f" ({100 * disputed / shared:.0f} %); {ALPHA} is {value(alpha)}."))


def reasons(rows: pd.DataFrame) -> str:
    """Return why values or intervals are undefined: `cleo: no common documents; ben: one label only.` The first column
    names the rows."""
    texts = [f"{name}: {reason}" for name, reason in zip(rows.iloc[:, 0], rows["reason"], strict=True) if reason]
    more = f" and {len(texts) - MOST_REASONS:,} more" if len(texts) > MOST_REASONS else ""
    return f"{'; '.join(texts[:MOST_REASONS])}{more}." if texts else ""


def confusion_note(votes: Votes, confused: pd.DataFrame) -> str:
    """Return on how many documents the voters disagree, and the two labels that are confused most often."""
    if not len(confused):
        return f"{disagreement_text(votes)}."
    pair = confused.iloc[0]
    return f"{disagreement_text(votes)}, most often {pair['first']} against {pair['second']} ({pair['documents']:,})."


def value(row: pd.Series) -> str:
    """Return `0.648 (0.615 to 0.680)`, or `undefined: one label only`."""
    if pd.isna(row["value"]):
        return f"undefined: {row['reason']}"
    bounds = f" ({row['ci_low']:.3f} to {row['ci_high']:.3f})" if pd.notna(row["ci_low"]) else ""
    return f"{row['value']:.3f}{bounds}"


def votes_note(label_count: int, labelled: int, ties: int, method: str) -> str:
    """Return how many of the documents with a vote the consensus labels, and the number of ties."""
    text = f"{method}: {out_of(label_count, labelled, 'document')}"
    if method == "majority" and ties:
        text += f", {counted(ties, 'tie')} left open"
    return f"{text}."


def reference_note(study: Study, reference: str, label_count: int, voters: Sequence[str] = ()) -> str:
    """Return `343 of 343 documents labelled by project (model with a reader).` The word list
    also labels documents that no annotator labelled."""
    if reference == WORD_LIST and reference not in annotator_names(study):
        return f"{counted(label_count, 'document')} labelled by {WORD_LIST} ({kind_of(study, reference)})."
    labelled = study.labels["doc_id"].nunique()
    return f"{out_of(label_count, labelled, 'document')} labelled by {speakers(study, reference, voters)}."


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
