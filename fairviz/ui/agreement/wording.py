"""Sentences of the Agreement page: pure functions from tables to spans of text."""

from collections.abc import Sequence

import pandas as pd

from fairviz.analyses.annotator_accuracy.raters import WORD_LIST, kind_of
from fairviz.annotation.voters import annotator_names
from fairviz.evaluation.speakers import speakers, told_voters
from fairviz.study.record import Study
from fairviz.words.sentences import Sentence, Span, counted

ALPHA = "Krippendorff's alpha"


def finding(overall: pd.DataFrame, divided: int, confused: pd.DataFrame) -> Sentence:
    """Return how far all annotators agree, on how many documents they disagree, and between which labels."""
    size, alpha = overall.iloc[0], overall[overall["coefficient"] == ALPHA].iloc[0]
    documents = int(size["documents"])
    start = f"{counted(size['annotators'], 'annotator')} gave {counted(size['votes'], 'label')}; "
    if not documents:
        return (Span(f"{start}no document has two of them, so there is nothing to compare."),)
    if not divided:
        return (
            Span(start),
            Span(f"they agree on all {counted(documents, 'document')} that several labelled", True),
            Span("."),
        )
    spans = [
        Span(start),
        Span(f"on {divided:,} of {counted(documents, 'document')} ({100 * divided / documents:.0f} %) they part", True),
    ]
    if len(confused):
        pair = confused.iloc[0]
        spans += [Span(", most often between "), Span(str(pair["first"]), True), Span(" and ")]
        spans += [Span(str(pair["second"]), True), Span(f" ({counted(pair['documents'], 'document')})")]
    spans.append(Span(f". {ALPHA} is {value(alpha)}."))
    return tuple(spans)


def alone(name: str, words: bool) -> str:
    """Return the sentence for a study with one annotator."""
    rest = " The word list is compared with it below." if words else ""
    return f"Only {name} gave labels here, so there is nobody to agree with.{rest}"


def value(row: pd.Series) -> str:
    """Return `0.648 (0.615 to 0.680)`, or `undefined` with its reason."""
    if pd.isna(row["value"]):
        return "undefined, because only one label was given"
    bounds = f" ({row['ci_low']:.3f} to {row['ci_high']:.3f})" if pd.notna(row["ci_low"]) else ""
    return f"{row['value']:.3f}{bounds}"


def votes_note(label_count: int, labelled: int, ties: int, method: str) -> str:
    """Return how many documents the consensus labels, and the number of ties."""
    text = f"{method}: {label_count:,} of {labelled:,} labelled documents"
    if method == "majority" and ties:
        text += f", {counted(ties, 'tie is', 'ties are')} left open for an expert"
    return f"{text}."


def reference_note(study: Study, reference: str, label_count: int) -> str:
    """Return `Compared with 343 of 343 labelled documents, labels: project (language model and reader).` The word
    list also labels documents that no annotator labelled."""
    if reference == WORD_LIST and reference not in annotator_names(study):
        return f"Compared with {counted(label_count, 'document')}, labels: {WORD_LIST} ({kind_of(study, reference)})."
    labelled = study.labels["doc_id"].nunique()
    return f"Compared with {label_count:,} of {labelled:,} labelled documents, labels: {speakers(study, reference)}."


def who_votes(study: Study, voters: Sequence[str]) -> str:
    """Return the annotators whose labels enter a consensus, and the consequence of fewer than two."""
    voters_text = told_voters(study, voters)
    if len(voters) > 1:
        return f"Who votes: {voters_text}."
    if not voters:
        return "Nobody votes: there are only a reader's decisions, or all failed the test questions."
    return f"Only {voters_text} votes: a consensus would repeat those labels."


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
        return f"{start}Nobody failed more than 20 % of them."
    return f"{start}Left out of every consensus, for failing more than 20 %: {names}."
