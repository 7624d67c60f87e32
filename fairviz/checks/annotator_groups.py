"""FV120: whether a verdict changes if only one group of annotators had labelled."""

from collections.abc import Sequence

import numpy as np

from fairviz.analyses.annotator_groups.answer import annotator_columns, groups_of, verdicts_under
from fairviz.analyses.label_effects.replacing import all_together
from fairviz.annotation.voters import voters_of
from fairviz.checks.context import Context
from fairviz.checks.record import Check, Finding, Link
from fairviz.comparison.pairs import AHEAD, BEHIND
from fairviz.correction.sampling import of_labels
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.study.record import Study
from fairviz.words.sentences import counted

Verdicts = dict[tuple[str, str], tuple[str, int]]
FEWEST = 3  # people of a group
RANDOM = 5  # groups of as many people, drawn at random


def _groups(context: Context) -> list[tuple[str, tuple[str, ...]]]:
    """Return the groups of enough people, as `gender women`, each with its members."""
    study, voters = context.study, context.settings.voters
    return [
        (f"{column} {value}", members) for column in annotator_columns(study, voters)
        for value, members in groups_of(study, column, voters).items() if len(members) >= FEWEST
    ]  # fmt: skip


def _no_groups(context: Context) -> str:
    return "" if _groups(context) else f"annotators.csv has no group of {FEWEST} voters or more beside another"


def _run(context: Context) -> Finding | None:
    study = context.study
    settings = all_together(study, context.settings).changed(annotator="majority")
    people, generator = voters_of(study, settings.voters), np.random.default_rng(0)
    changes: list[tuple[bool, str]] = []
    verdicts = by_chance = 0
    for question in of_labels(context.questions):
        everyone = verdicts_under(study, settings, question)
        for name, members in _groups(context):
            verdicts += len(everyone)
            for pair, before, after in _changed(study, settings, question, everyone, members):
                text = f"{' against '.join(pair)} by {question.name}: {before} with everyone, {after} with {name} alone"
                changes.append(({before, after} == {AHEAD, BEHIND}, text))
            for _ in range(RANDOM):
                some = generator.choice(people, len(members), replace=False)
                by_chance += len(_changed(study, settings, question, everyone, some.tolist()))
    if not changes:
        return None
    turned = [text for is_turned, text in changes if is_turned]
    return Finding(
        f"{len(changes)} of {counted(verdicts, 'verdict')} would change if one group of annotators alone had labelled, "
        f"and {by_chance / RANDOM:.1f} with random groups of as many people: {(turned or [changes[0][1]])[0]}.",
        {"verdicts": verdicts, "verdicts that change": len(changes), "verdicts turned round": len(turned),
         "verdicts that change with random groups": by_chance / RANDOM},
        "Report the verdict by group, or collect more labels of the group that decides.",
        Link("agreement", {"agreement_tab": "Groups"}),
    )  # fmt: skip


def _changed(
    study: Study, settings: Settings, question: Question, everyone: Verdicts, members: Sequence[str]
) -> list[tuple[tuple[str, str], str, str]]:
    """Return the pairs whose verdict is another where these members alone label, with both verdicts."""
    found = verdicts_under(study, settings.changed(voters=tuple(members)), question)
    both = [(pair, verdict, found[pair][0]) for pair, (verdict, _) in everyone.items() if pair in found]
    return [row for row in both if row[1] != row[2]]


ANNOTATOR_GROUPS = Check(
    "FV120",
    "a verdict changes if one group of annotators alone labelled",
    "Do verdicts stay where only one group of annotators had labelled?",
    ("runs", "two systems", "measures of labels", "labels", _no_groups),
    "issue",
    _run,
    means=f"annotators.csv puts the annotators in groups; those of {FEWEST} people or more are asked. With the "
    "majority of one group in place of everyone's, the verdict on two systems is another: a difference is significant "
    "no more, or only then, or is turned round.",
    harmless="As many change with random groups of as many people: then few labels decide, and not who gave them. Or "
    "no claim is made about these two systems.",
    advice="See on Agreement, tab Groups, how far values move, with intervals over queries and annotators. Say in the "
    "text whose labels the conclusion rests on.",
    slow=True,
)
