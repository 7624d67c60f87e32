"""FV104: whether people correct the labels of a rule or a model."""

from fairviz.annotation.voters import PHRASES, is_machine, is_person, kind_of
from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.words.sentences import listed


def _run(context: Context) -> Finding | None:
    machines = [name for name in context.labellers if is_machine(context.study, name)]
    if len(machines) < len(context.labellers) or context.settings.corrected_by:
        return None  # a consensus with others among the voters is no machine's alone
    kinds = listed(list(dict.fromkeys(PHRASES[kind_of(context.study, name)] for name in machines)))
    people = [name for name in context.study.annotators if is_person(context.study, name)]
    remedy = (
        f"Correct them by the labels of {people[0]} (--corrected-by {people[0]}), or let {people[0]}'s labels count."
        if people
        else "Let people label a drawn sample (fairviz sample), and correct the means by it (--corrected-by)."
    )
    return Finding(
        f"The labels of {listed(machines)} ({kinds}) count, which no people corrected: their errors move "
        "every mean of labels, and no interval contains them.",
        {"machines whose labels count": len(machines), "annotators who are people": len(people)},
        remedy,
        Link("agreement"),
    )


MACHINE_LABELS = Check(
    "FV104",
    "labels of machines alone, uncorrected",
    "Do people stand behind the labels that count?",
    ("runs", "machine labels", "measures of labels"),
    "issue",
    _run,
    means="All labels that count are of rules or models. Where these err more often in one system's documents than in "
    "another's, the difference between the systems is partly theirs. Intervals over queries do not contain it.",
    harmless="The question is about the machine's labels themselves, or its errors are known to be as frequent in "
    "every system and group.",
    advice="Draw a sample with fairviz sample, let people label it, and correct the means by prediction-powered "
    "inference (--corrected-by). What if shows how many wrong labels would change a conclusion.",
)
