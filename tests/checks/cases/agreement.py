"""One annotator, two who agree, and two who do not."""

from tests.checks.cases import LABELS, Case, labelled, sound


def triggers() -> Case:
    return Case(sound(labels=labelled({"ann": LABELS})), says="ann alone labelled")


def triggers_where_voters_disagree() -> Case:
    swapped = {"f": "male", "m": "female", "n": "neutral"}
    says = "2 voters agree little (Krippendorff's alpha 0.0"
    return Case(sound(labels=labelled({"ann": LABELS, "bob": swapped})), says=says)


def triggers_without_common_documents() -> Case:
    labels = labelled({"ann": {"f": "female", "n": "neutral"}, "bob": {"m": "male"}})
    return Case(sound(labels=labels), says="No document has labels of two of the voters")


def passes() -> Case:
    return Case(sound())


def passes_with_few_differences() -> Case:
    return Case(sound(labels=labelled({"ann": LABELS, "bob": LABELS | {"n": "female"}})))
