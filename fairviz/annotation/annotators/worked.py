"""Worked examples of prompts: documents that people labelled with a comment, balanced over the labels.

The draw depends on the study and the seed alone, so that answers are found again. What is drawn is not judged.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from fairviz.annotation.agreement import ordinary
from fairviz.annotation.voters import PEOPLE, voter_groups, voters_of
from fairviz.errors import FairvizError
from fairviz.parameters import Parameter
from fairviz.study.record import Study
from fairviz.words.counting import document_text
from fairviz.words.sentences import counted

COMMENTS = "rationale"  # the column of labels
EXAMPLES = Parameter(
    "examples", "", "people: their labels with comments are worked examples in the prompt, and these documents are not "
    "judged", choices=("", PEOPLE),
)  # fmt: skip
SHOTS = Parameter("shots", 2, "worked examples of each label", 1, 50, whole=True, told=False)
SEED = Parameter("seed", 0, "of the draw of worked examples", 0, 2**32 - 1, whole=True, told=False)
DRAWN = (EXAMPLES, SHOTS, SEED)


@dataclass(frozen=True)
class Example:
    """A document with the label that all people gave who labelled it, and the comment of one of them."""

    doc_id: str
    text: str
    label: str
    comment: str
    annotator: str


def worked_examples(study: Study, shots: int, seed: int) -> tuple[Example, ...]:
    """Draw this number of documents of each label, in random order, with one comment each.

    Answers to test questions, labels given with a suggestion in view, and people who fail test questions are left out,
    and so are documents on which people differ. Raises FairvizError without comments by people, and for a label with
    too few commented documents.
    """
    people = voter_groups(study)[PEOPLE]
    people = voters_of(study, people) if people else ()
    labels = ordinary(study.labels)
    labels = labels[labels["annotator"].isin(people)]
    if COMMENTS not in labels or not (labels[COMMENTS].fillna("").str.strip() != "").any():
        raise FairvizError(
            f"{study.name} has no labels by people with comments",
            f"Collect some with fairviz study-form, or add the column {COMMENTS} to their labels; annotators.csv "
            "declares who is a person.",
        )
    agreed = labels.groupby("doc_id")["label"].transform("nunique") == 1
    commented = labels[agreed & (labels[COMMENTS].fillna("").str.strip() != "")]
    texts = document_text(study.documents).set_axis(study.documents["doc_id"]).dropna()
    commented = commented[commented["doc_id"].isin(texts.index)]
    generator = random.Random(seed)
    drawn = []
    for label in (study.neutral, *study.groups):
        rows = commented[commented["label"] == label]
        names = list(dict.fromkeys(rows["doc_id"]))
        if len(names) < shots:
            raise FairvizError(
                f"people agree, with a comment, on {counted(len(names), 'document')} as {label}, not on {shots}",
                f"Ask for fewer: shots={len(names)}" if names else f"Collect comments on documents that are {label}.",
            )
        for name in generator.sample(names, shots):
            row = generator.choice(rows[rows["doc_id"] == name].to_dict("records"))
            drawn.append(Example(name, str(texts[name]), label, row[COMMENTS].strip(), row["annotator"]))
    generator.shuffle(drawn)
    return tuple(drawn)


def described(examples: Sequence[Example]) -> str:
    """Return `f1 (female, by ann), …` for each of the examples."""
    return ", ".join(f"{one.doc_id} ({one.label}, by {one.annotator})" for one in examples)
