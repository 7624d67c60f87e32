"""FV118: whether the settings at hand are those of the declared claim."""

from fairviz.checks.claim import declared_settings
from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import CHOICES
from fairviz.words.sentences import listed

READ = {  # what a measure of this family rests on, of the reads of a choice; parameters are in the measure's text
    "effectiveness": {"lists", "rankings"},
    "labels": {"lists", "rankings", "bias", "labels", "corrected"},
    "words": {"lists", "rankings", "bias", "words"},
    "relevance": {"lists", "rankings", "bias", "labels", "words", "corrected"},
}
NOT_OF_CLAIM = ("systems", "annotator", "lexicon", "background")  # compared by what they select, or as a parameter


def _undeclared(context: Context) -> str:
    return "" if context.study.claim else "the study declares no claim"


def _run(context: Context) -> Finding | None:
    if (claim := context.study.claim) is None:
        return None
    settings = context.settings
    before = Context(context.study, declared_settings(context.study, claim))
    declared = ask(claim.measure, before.settings)
    read, differing = READ[declared.family], []
    back: dict[str, object] = {}

    # The measure as it is shown: cutoff and parameters are those at hand, unless a column writes them.
    shown = [question for question in context.questions if question.name == declared.name]
    if all(question.text != declared.text for question in shown):
        now = shown[0] if shown else ask(declared.name, settings)
        if now.text != declared.text:
            differing.append(f"{now.text} (declared: {declared.text})")
        values = {"cutoff": declared.cutoff, **declared.parameters}
        back |= {name: values[name] for name in ("cutoff", "alpha", "tau") if values.get(name) is not None}
    if "labels" in read and context.annotator != before.annotator:
        differing.append(f"the labels of {context.annotator} (declared: {before.annotator})")
        back["annotator"] = claim.annotator
    if "words" in read and context.lexicon != before.lexicon:
        differing.append("another word list")
        back["lexicon"] = ""
    for name, one in CHOICES.items():
        if name in NOT_OF_CLAIM or not {*one.reads} & read or getattr(settings, name) == one.default:
            continue
        back[name] = one.default
        if not one.part_of:
            differing.append(f"{one.label} set to {getattr(settings, name)}")
    if not differing:
        return None
    return Finding(
        f"The settings leave the claim that was declared on {claim.date}: {listed(differing)}. What they show is "
        "exploratory, and neither confirms nor refutes the claim.",
        {"settings that differ": len(differing)},
        "Go back to the settings that were declared, or report this as exploration beside the verdict.",
        Link("overview", back),
    )


LEAVES_CLAIM = Check(
    "FV118",
    "the settings leave the declared claim",
    "Are the settings those of the declared claim?",
    (_undeclared,),
    "tip",
    _run,
    means="study.toml declares a claim, and the settings at hand are others: another annotator, cutoff, parameter, "
    "word list, tokenizer or selection of queries. The verdict is of the settings that were declared.",
    harmless="The values at hand are read as exploration, or to see how far the claim depends on the setting.",
    advice="Report the verdict as the test of the claim. Name other settings as exploratory, with their number.",
)
