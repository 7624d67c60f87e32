"""Words of the list in the texts."""

from fairviz.evaluation.settings import Settings
from tests.checks.cases import Case, sound


def triggers() -> Case:
    return Case(sound(), Settings(lexicon="female:frau|male:mann"), "No word of the list")


def triggers_by_few() -> Case:
    study = sound()
    texts = ["She left.", *["The weather."] * (len(study.documents) - 1)]
    return Case(sound(documents=study.documents.assign(text=texts)), says="1 of 72 documents has a word")


def triggers_by_entries_that_never_match() -> Case:
    return Case(sound(), Settings(lexicon="female:she|*a|male:he"), "1 of 3 entries can never match")


def passes() -> Case:
    return Case(sound())
