"""Three annotators who differ, and a fourth with their majority, or with labels of his own."""

from fairviz.evaluation.settings import Settings
from fairviz.study.record import Annotator
from tests.checks.cases import LABELS, Case, labelled, sound

_READERS = {  # two of three call each kind what it is
    "ann": LABELS | {"f": "neutral"},
    "bob": LABELS | {"m": "neutral"},
    "cyd": LABELS | {"n": "female"},
}


def _with(fourth: Annotator, of: dict[str, str], settings: Settings = Settings(), says: str = "") -> Case:  # noqa: B008
    annotators = {name: Annotator(name, "person") for name in _READERS} | {fourth.name: fourth}
    return Case(sound(labels=labelled(_READERS | {fourth.name: of}), annotators=annotators), settings, says)


def triggers() -> Case:
    says = "final has the label of the majority of ann, bob, cyd in 100 % of 72 documents"
    return _with(Annotator("final", "person"), LABELS, says=says)


def triggers_where_it_is_the_labels_that_count() -> Case:
    return _with(Annotator("gold"), LABELS, Settings(annotator="gold"), "Who is compared with it meets his own vote")


def triggers_by_its_description_in_few_documents() -> Case:
    case = _with(Annotator("final", "person", "Majority of three readers."), LABELS)
    labels = case.study.labels[case.study.labels["doc_id"].str.startswith("q00")]
    return Case(sound(labels=labels, annotators=case.study.annotators), says="in 100 % of 6 documents")


def passes() -> Case:
    return _with(Annotator("dan", "person"), LABELS | {"f": "neutral"})


def passes_where_all_agree() -> Case:
    annotators = {name: Annotator(name, "person") for name in ("ann", "bob", "gold")}
    return Case(sound(labels=labelled(dict.fromkeys(annotators, LABELS)), annotators=annotators))


def passes_where_the_fourth_labels_less() -> Case:
    return _with(Annotator("dan", "person"), {"f": "female", "m": "male"})


def passes_with_a_gold_of_its_own() -> Case:
    return _with(Annotator("gold", "person"), LABELS | {"n": "male"})
