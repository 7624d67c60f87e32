"""FV110: whether NFaiRR's ideal depends on the runs that are loaded."""

from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.words.sentences import counted


def _no_normalised_measure(context: Context) -> str:
    is_asked = any(question.name == "NFaiRR" for question in context.questions)
    return "" if is_asked else "NFaiRR is not among the measures, or its data is not in this study"


def _run(context: Context) -> Finding | None:
    if context.settings.background != "candidates":
        return None
    fewest = min((len(one) for one in context.rankings.lists.candidates if len(one)), default=0)
    if fewest >= context.study.documents["text"].notna().sum():
        return None  # they are the whole collection
    runs = len(context.study.run_names)
    return Finding(
        f"The ideal of NFaiRR is drawn from the documents that the {counted(runs, 'loaded run')} returned: with "
        "another run beside them every value changes, and values of two studies cannot be compared.",
        {"runs": runs},
        "Use a background that stays: the collection (--background collection), or one run that every study has "
        "(--background run:NAME).",
        Link("sensitivity", {"robustness_choices": ["background"]}),
        ("NFaiRR",),
    )


BACKGROUND = Check(
    "FV110",
    "NFaiRR depends on loaded runs",
    "Is the background of NFaiRR the same in every study?",
    ("runs", "texts", _no_normalised_measure),
    "tip",
    _run,
    means="NFaiRR divides FaiRR by its best value over a set of background documents. With `candidates` this set is of "
    "the documents in the loaded runs, so that adding or removing a run moves every system's value.",
    harmless="Systems of the same study are compared with each other only: the ideal is then the same for all of them "
    "in each query, and their order hardly depends on it.",
    advice="Name the background beside the value, or use the collection where all its texts are here.",
)
