"""What the Agreement page says in sentences: pure functions from tables to spans of text."""

from collections.abc import Sequence

import pandas as pd

from fairviz.analyses.annotator_accuracy.raters import WORD_LIST, kind_of
from fairviz.annotation.electorate import annotator_names
from fairviz.evaluation.speakers import speakers, told_voters
from fairviz.study.record import Study
from fairviz.words.rich_text import Sentence, Span
from fairviz.words.sentences import counted

ALPHA = "Krippendorff's alpha"


def finding(overall: pd.DataFrame, divided: int, confused: pd.DataFrame) -> Sentence:
    """How far all annotators agree, on how many documents they part, and between which labels."""
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
    """What the page says of a study with one annotator."""
    rest = " The word list is compared with it below." if words else ""
    return f"Only {name} gave labels here, so there is nobody to agree with.{rest}"


def value(row: pd.Series) -> str:
    """`0.648 (0.615 to 0.680)`, or `undefined`."""
    if pd.isna(row["value"]):
        return "undefined, because only one label was given"
    bounds = f" ({row['ci_low']:.3f} to {row['ci_high']:.3f})" if pd.notna(row["ci_low"]) else ""
    return f"{row['value']:.3f}{bounds}"


def votes_note(said: int, labelled: int, ties: int, method: str) -> str:
    """How many documents the consensus labels, and how many it leaves open."""
    text = f"{method}: {said:,} of {labelled:,} labelled documents"
    if method == "majority" and ties:
        text += f", {counted(ties, 'tie is', 'ties are')} left open for an expert"
    return f"{text}."


def reference_note(study: Study, reference: str, known: int) -> str:
    """`Compared with 343 of 343 labelled documents, labels: project (language model and reader).` The word list also
    labels documents that nobody else does."""
    if reference == WORD_LIST and reference not in annotator_names(study):
        return f"Compared with {counted(known, 'document')}, labels: {WORD_LIST} ({kind_of(study, reference)})."
    labelled = study.labels["doc_id"].nunique()
    return f"Compared with {known:,} of {labelled:,} labelled documents, labels: {speakers(study, reference)}."


def who_votes(study: Study, voters: Sequence[str]) -> str:
    """Whose labels a consensus is made of, and where it is nobody's or one annotator's alone, what follows."""
    told = told_voters(study, voters)
    if len(voters) > 1:
        return f"Who votes: {told}."
    if not voters:
        return "Nobody votes: there are only a reader's decisions, or all failed the test questions."
    return f"Only {told} votes: a consensus would repeat those labels."


def quality_note(record: pd.DataFrame) -> str:
    """Who was dropped for failing test questions; empty where no test question was asked."""
    asked = record[record["test_questions"] > 0]
    if not len(asked):
        return ""
    dropped = asked[asked["dropped"]]
    names = ", ".join(
        f"{name} ({failed} of {tests})"
        for name, failed, tests in zip(dropped["annotator"], dropped["failed"], dropped["test_questions"], strict=True)
    )
    start = f"{counted(len(asked), 'annotator')} answered test questions. "
    if not names:
        return f"{start}Nobody failed more than 20 % of them."
    return f"{start}Left out of every consensus, for failing more than 20 %: {names}."
