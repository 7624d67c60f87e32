"""The record of the analysis `replace-people`; see `fairviz.analyses.record`."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from fairviz import declared
from fairviz.analyses.record import Analysis, ArgumentsOf, Control, Drawing, Progress, Table
from fairviz.analyses.views import FigureView, Fold, TableView, TextView, View

if TYPE_CHECKING:
    from fairviz.analyses.replace_people.answer import Replacement
    from fairviz.evaluation.settings import Settings
    from fairviz.figures.style import Theme
    from fairviz.study.record import Study

DETAILS = (
    "The Alternative Annotator Test (Calderon, Reichart and Dror, ACL 2025). Each person in turn is left out; the "
    "other people tell whether the model or that person is closer to them. The model passes where it wins against half "
    "of the people or more (ω). ρ, how often the model is at least as close, compares models.",
    "ε is how much closer a person may be, for what people cost: 0.1 for crowds, 0.15 for skilled people, 0.2 for "
    "experts. Tests: t, below 30 documents Wilcoxon's; over people Benjamini and Yekutieli's. Wilcoxon's passes too "
    "easily: exact_rate is ω by a test that keeps its level.",
)
EXPERTISE = {"crowd": 0.1, "skilled": 0.15, "experts": 0.2}
TEXTS = {name: f"{name}, ε = {epsilon:g}" for name, epsilon in EXPERTISE.items()}
MODELS = "a row a rule or model: whether it passes, ω (winning_rate; exact_rate by exact tests), ρ (advantage)"
PERSONS = "a row a model and person: on how many documents each is closer to the other people, and the tests"


def _compute(study: "Study", settings: "Settings", progress: Progress, *, epsilon: float) -> "Replacement":
    from fairviz.analyses.replace_people.answer import replace_people

    progress("comparing people", 0, 1)
    answer = replace_people(study, settings, epsilon=epsilon)
    progress("comparing people", 1, 1)
    return answer


def _call(study: "Study", settings: "Settings", values: Mapping[str, Any]) -> ArgumentsOf:
    from fairviz.analyses.replace_people.answer import replace_people

    return replace_people, (study, settings), dict(values)


def _curve(answer: "Replacement", theme: "Theme") -> Drawing:
    from fairviz.figures import winning_rate

    rates = winning_rate.info(answer.curve, answer.epsilon)
    return Drawing(winning_rate.draw(rates, theme), rates.alt)


def _views(answer: "Replacement", _: Mapping[str, Any]) -> Sequence[View]:
    from fairviz.figures import winning_rate

    rates, fold = winning_rate.info(answer.curve, answer.epsilon), Fold("Person by person", "replace_people_persons")
    return [
        TextView(answer.sentences, "finding"),
        TextView(answer.notes, "note"),
        FigureView(
            "replace_people_curve", answer.curve, partial(winning_rate.draw, rates), rates.alt,
            {"table": "found.curve"}, below=[TextView(["ω: share of people against whom the model wins."])],
        ),
        TableView(
            "replace_people_models", answer.models, "A row a rule or model.", recipe={"table": "found.models"},
            text=f"{MODELS[:1].upper()}{MODELS[1:]}.",
        ),
        TableView(
            "replace_people_rows", answer.persons, "A row a model and person.", recipe={"table": "found.persons"},
            text=f"{PERSONS[:1].upper()}{PERSONS[1:]}.", fold=fold,
        ),
    ]  # fmt: skip


REPLACE_PEOPLE = Analysis(
    name="replace-people",
    title="May a model replace people?",
    question="May the labels of a model take the place of people's?",
    summary="test whether a rule or model may replace people who label",
    compute=_compute,
    tables={
        "models": Table(lambda answer: answer.models, MODELS),
        "persons": Table(lambda answer: answer.persons, PERSONS),
        "curve": Table(lambda answer: answer.curve, "ω of each rule or model over ε from 0 to 0.5"),
    },
    sentences=lambda answer: answer.sentences,
    parameters=tuple(declared.REPLACE_PEOPLE.values()),
    needs={"labels": "by people and by a model"},
    reads=("voters",),
    figures={"Winning rate over ε": _curve},
    notes=lambda answer: answer.notes,
    details=DETAILS,
    example="replace-people my-study",
    page="annotate",
    quick=True,
    group="Label",
    manual="how-to/several-annotators",
    views=_views,
    controls=(
        Control(
            "epsilon", "select", "annotators_epsilon", "People are", "How much closer than the model a person may be.",
            offers=tuple(EXPERTISE), texts=TEXTS, value=EXPERTISE.__getitem__,
        ),
    ),
    call=_call,
)  # fmt: skip
