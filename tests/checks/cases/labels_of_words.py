"""Labels by a word list, by another rule, and by models that were and were not told the groups."""

from fairviz.study.record import Annotator
from tests.checks.cases import LABELS, Case, labelled, sound


def _by(kind: str, description: str = "", **other: str) -> Case:
    who = Annotator("bot", kind, description)  # type: ignore[arg-type]
    return Case(sound(labels=labelled({"bot": LABELS | other}), annotators={"bot": who}))


def triggers() -> Case:
    return _by("rule")._replace(says="are those that counting gender words gives, in 100 % of the documents")


def triggers_by_the_description() -> Case:
    return _by("model", "GPT-4o, with knowledge of the pair's groups.", n="male")._replace(says="bot labelled with")


def passes() -> Case:
    return _by("rule", n="male")


def passes_with_a_model_that_reads() -> Case:
    return _by("model", "Told to give the group of each document, without knowledge of the pair it is of.")


def passes_without_measures_of_words() -> Case:
    who = Annotator("bot", "rule")
    return Case(sound(labels=labelled({"bot": LABELS}), annotators={"bot": who}, documents=None))
