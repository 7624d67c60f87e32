"""FV117: whether a machine's labels that count were made with knowledge of the groups."""

import re

from fairviz.annotation.rules import neutral_or_prevailing, prevailing
from fairviz.annotation.voters import is_machine, kind_of
from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.words.sentences import listed, percent

SAME = 0.95  # share of the documents with a group, by label or by words, in which labels are those of the word list
_GROUPS = r"(?:groups?|genders?|pairs?|versions?|variants?)(?![a-z])"
_KNEW = re.compile(rf"(?:knowledge of|knew|knows|knowing|aware of|was told)(?: [\w-]+){{0,3}}? {_GROUPS}")
_NOT = re.compile(r"\b(?:without|not|no|never|nothing|blind\w*)\b")


def _is_told(description: str) -> bool:
    """Return whether a sentence of the description tells of knowledge of the groups, and does not deny it."""
    sentences = re.split(r"[.;:]", description.lower())
    return any(_KNEW.search(sentence) and not _NOT.search(sentence) for sentence in sentences)


def _run(context: Context) -> Finding | None:
    study, names = context.study, context.labellers
    knowing = [name for name in names if is_machine(study, name) and _is_told(study.annotators[name].description)]
    if knowing:
        return Finding(
            f"{listed(knowing)} labelled with knowledge of the groups, as the description of the annotator has it. "
            "Differences between the groups may then come from what the machine was told and not from the documents.",
            {"annotators with knowledge of the groups": len(knowing), "annotators that count": len(names)},
            "Have the texts labelled without it (fairviz annotate sends a document's title and text alone), or let "
            "people's labels of a drawn sample correct the means (--corrected-by).",
            Link("agreement"),
        )
    words = [question.name for question in context.questions if question.family == "words"]
    if not words or any(kind_of(study, name) != "rule" for name in names):
        return None
    codes, counts = context.rankings.labels.largest, context.rankings.words.counts
    is_read = (codes >= 0) & context.rankings.words.known
    same = 0.0
    for by_words in (prevailing(counts), neutral_or_prevailing(counts, context.settings.tau)):
        is_of_group = is_read & ((codes > 0) | (by_words > 0))
        if is_of_group.any():
            same = max(same, float((codes == by_words)[is_of_group].mean()))
    if same < SAME:
        return None
    return Finding(
        f"The labels of {listed(names)} are those that counting gender words gives, in {percent(same)} of the "
        f"documents of a group. Measures of labels and {listed(words)} then count the same words, and one does not "
        "confirm the other.",
        {"same labels": same},
        "Report one of the two kinds of measures, or let labels count that people or a model gave by reading.",
        Link("agreement"),
        tuple(words),
    )


LABELS_OF_WORDS = Check(
    "FV117",
    "a machine labelled with knowledge of the groups",
    "Did the machine label without knowledge of the groups?",
    ("runs", "machine labels", "measures of labels"),
    "issue",
    _run,
    means="The description of a rule or model whose labels count says that it knew the groups, or which version of a "
    "pair a document is. Or the labels are a rule's, and are those that counting the words of the word list gives "
    f"({percent(SAME)} or more of the documents with a group), while measures of words stand beside them. What a "
    "model was told is nowhere recorded but in its description; fairviz annotate sends title and text alone.",
    harmless="Only one kind of measure is reported, and labels are said to be those of a word list.",
    advice="Let people or a model label by reading, and see on Agreement how far the rule is from them. Write into the "
    "description of an annotator (study.toml) what it was told.",
)
