"""Notes beside measures: labelled ranks, unanswered queries, and how the word list matches the documents."""

from collections.abc import Sequence

from fairviz.evaluation.choices import Resolved, chosen_lexicon
from fairviz.evaluation.missing import near_miss_note
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.speakers import labels_note
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, kept
from fairviz.ui.kept.tables import scores
from fairviz.words.counting import ListUse, document_text, list_use

_LISTS = Entries("word lists", session=6, spinner="Looking for the words in the documents …")


@kept(_LISTS, reads=lambda study, settings: (chosen_lexicon(study, settings), settings.tokenizer))
def word_list_use(study: Study, settings: Settings) -> ListUse:
    """Return how the word list that counts matches the study's documents."""
    texts = document_text(study.documents).dropna()
    lexicon = chosen_lexicon(study, settings)
    return list_use(lexicon, settings.tokenizer, study.groups, texts if len(texts) else None)


def coverage_note(study: Study, settings: Settings, questions: Sequence[Question]) -> str:
    """`1,170 of 1,170 ranks labelled: gold (people).`, and what else is to be known of the measures, such as ids that
    nearly join; empty for nothing.

    One measure for each cutoff is evaluated: all measures of labels look at the same places.
    """
    texts = tuple(question.text for question in questions if question.per_query)
    near = near_miss_note(study, scores(study, texts, settings)) if texts else ""
    notes = " ".join(filter(None, (Resolved(study, settings).notes_on(questions), near)))
    by_cutoff = {question.cutoff: question.text for question in questions if question.family == "labels"}
    if not by_cutoff:
        return notes
    note = labels_note(study, settings, scores(study, tuple(by_cutoff.values()), settings))
    return " ".join(filter(None, (note[:1].upper() + note[1:], notes)))
