"""FV118: whether the settings at hand are those of the declared claim."""

import numpy as np

from fairviz.checks.claim import declared_settings, worse_systems
from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.comparison.family import How
from fairviz.comparison.pairs import Part, false_stars
from fairviz.comparison.points import points_of
from fairviz.errors import FairvizError
from fairviz.evaluation.questions import ask
from fairviz.evaluation.settings import CHOICES
from fairviz.measures import Question
from fairviz.statistics.families import Tests
from fairviz.study.loaders.metadata import Claim
from fairviz.words.sentences import listed, percent

DRAWS = 2_000  # of random signs
MOST = 10  # settings looked at before that count, the last ones

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
    numbers, grown = {"settings that differ": float(len(differing))}, ""
    if error := _error(context, claim, declared):
        tried, chance, alone = error
        numbers |= {"settings tried": tried, "chance of a false star": chance, "of the claim alone": alone}
        grown = (
            f" If its systems did not differ, one of the {tried} settings tried, the claim's among them, would show "
            f"some star in {percent(chance)} of cases, and the claim alone in {percent(alone)}."
        )
    return Finding(
        f"The settings leave the claim that was declared on {claim.date}: {listed(differing)}. What they show is "
        f"exploratory, and neither confirms nor refutes the claim.{grown}",
        numbers,
        "Go back to the settings that were declared, or report this as exploration beside the verdict.",
        Link("overview", back),
    )


def _error(context: Context, claim: Claim, declared: Question) -> tuple[int, float, float] | None:
    """Return at how many settings the claim's systems were compared in its measure, the chance of a false star at any,
    and at the declared ones alone; None where they cannot be compared there.

    The claim's pairs are one family at each, tested as it is; a query has the same sign at all (`false_stars`).
    """
    try:
        names = (claim.better, *worse_systems(context.study, claim))
        own = declared_settings(context.study, claim)
        how = How(Tests(baseline=claim.better), ticked=names)
        tables: dict[bytes, tuple[list[Part], How]] = {}
        for settings in (own, *context.looked[-MOST:], context.settings):
            question = declared if settings is own else ask(declared.name, settings)
            scores = context.scored((question.text,), settings.changed(systems=names))
            points = points_of(scores[scores["system"].isin(names)])
            tables.setdefault(points.values.tobytes(), ([("", question, points)], how))
    except FairvizError:
        return None
    found = false_stars(list(tables.values()), DRAWS)
    if not all(map(len, found)):
        return None
    return len(tables), float(np.concatenate(found).any(axis=0).mean()), float(found[0].any(axis=0).mean())


LEAVES_CLAIM = Check(
    "FV118",
    "the settings leave the declared claim",
    "Are the settings those of the declared claim?",
    (_undeclared,),
    "tip",
    _run,
    means="study.toml declares a claim, and the settings at hand are others: another annotator, cutoff, parameter, "
    "word list, tokenizer or selection of queries. The verdict is of the settings that were declared. "
    "How often a star would appear somewhere among these and the settings looked at, if the claim's systems did not "
    "differ, is computed by random signs, as for FV116; the last ten settings count.",
    harmless="The values at hand are read as exploration, or to see how far the claim depends on the setting.",
    advice="Report the verdict as the test of the claim. Name other settings as exploratory, with their number.",
)
