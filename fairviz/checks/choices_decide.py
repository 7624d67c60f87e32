"""FV105: whether another choice, one at a time, makes another system lead."""

from collections.abc import Iterator

from fairviz.analyses.sensitivity.levels import choice_text, level_text, levels_of
from fairviz.checks.context import Context, fairest
from fairviz.checks.record import Check, Finding, Link
from fairviz.errors import FairvizError
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question
from fairviz.words.sentences import counted

CHOICES = ("lexicon", "tokenizer", "tau", "annotator", "unlabelled", "ties")


def _neighbours(context: Context) -> Iterator[tuple[str, Settings, str]]:
    """Yield the settings that differ in one choice: its name, the settings, and the level in words."""
    for name in CHOICES:
        for level in levels_of(context.study, context.settings, name):
            if level != getattr(context.settings, name):
                changed = context.settings.changed(**{name: level})
                yield name, changed, f"{choice_text(name)} {level_text(context.study, context.settings, name, level)}"


def _leaders(context: Context, settings: Settings, questions: list[Question]) -> dict[str, str]:
    """The fairest of the tested systems by the name of the measure; measures without their data are left out."""
    try:
        means = summarise(evaluate(context.study, questions, settings)).dropna(subset=["value"])
    except FairvizError:  # of one of them
        alone = [_leaders(context, settings, [question]) for question in questions if len(questions) > 1]
        return {name: leader for leaders in alone for name, leader in leaders.items()}
    by_measure = dict(list(means[means["system"].isin(context.systems)].groupby("measure", observed=True)))
    return {
        question.name: str(rows["system"].iloc[fairest(question, rows)])
        for question in questions
        if (rows := by_measure.get(question.text)) is not None
    }


def _run(context: Context) -> Finding | None:
    questions = [question for question in context.questions if question.measure and question.direction != "none"]
    now, tried, changed = _leaders(context, context.settings, questions), 0, []
    fields: list[str] = []
    names: list[str] = []
    for field, settings, level in _neighbours(context):
        tried += 1
        for name, leader in _leaders(context, settings, questions).items():
            if name in now and leader != now[name]:
                changed.append(f"with {level}, {leader} has the fairest {name} in place of {now[name]}")
                fields.append(field)
                names.append(name)
                break
    if not changed:
        return None
    return Finding(
        f"Another leader by one other choice: {changed[0]}. So {len(changed)} of {counted(tried, 'other choice')} "
        "change which system is the fairest in some measure.",
        {"choices tried": tried, "choices that change a leader": len(changed)},
        "Report the choices beside the conclusion, or that it holds under some of them only.",
        Link("sensitivity", {"robustness_choices": list(dict.fromkeys(fields))}),
        tuple(dict.fromkeys(names)),
    )


CHOICES_DECIDE = Check(
    "FV105",
    "another choice makes another system lead",
    "Does the fairest system stay the fairest under other choices?",
    ("runs", "two systems", "measures"),
    "issue",
    _run,
    means="One choice at a time is changed to each of its usual levels: word list, tokenizer, τ, annotator, what lacks "
    "a label, and the order of ties. Under at least one of them another system has the fairest mean.",
    harmless="The two systems are not significantly different, and no claim is made about which of them is fairer.",
    advice="See on Sensitivity which choice decides, and say in the text under which choices the conclusion holds.",
    slow=True,
)
