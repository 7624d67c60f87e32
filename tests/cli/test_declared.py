"""Declared parameters: a verb and Python take the same range and default, and refuse it with the same sentence."""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import fairviz
from fairviz import declared
from fairviz.analyses import ANALYSES
from fairviz.analyses.gender_swap.experiment import SwapPlan
from fairviz.analyses.mitigations.bench import mitigation_bench
from fairviz.annotation.forms.collecting import collect
from fairviz.annotation.forms.database import DESIGNS
from fairviz.annotation.forms.drawing import SamplePlan, check
from fairviz.comparison.conditions import read_condition
from fairviz.comparison.gate import gate
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.gsr import gsr_points, leave_out
from fairviz.evaluation.settings import Settings
from fairviz.models.asking import Budget
from fairviz.output.capsule import capsule, read_capsule, replay
from fairviz.parameters import Parameter
from fairviz.statistics.paired import CORRECTIONS
from fairviz.study.record import Study
from tests.cli.test_hostile_arguments import BASE, verbs
from tests.conftest import refused
from tests.extension_rows import rows

TABLES = {name: table for name, table in vars(declared).items() if name.isupper() and isinstance(table, dict)}
TABLES |= rows("TABLES")
VERBS = {  # a table's verbs, where the table is not called as its verb
    "FORM": ["study-form"], "COLLECT": ["study-form"],
    "SAMPLE": ["study-form"], "PROCESSES": ["evaluate"], **rows("VERBS"),
}  # fmt: skip
NOT_OPTIONS = {("SAMPLE", "seed")}  # the verb has one --seed, of the form
OWN = {"--undefined", "--url", "--address", "--port", "--tau", *rows("OWN")}
NOT_PYTHON = ("price_in", "price_out", "form")
CASES = [
    (table, name, verb)
    for table, parameters in TABLES.items()
    for name in parameters
    for verb in VERBS.get(table, [table.lower().replace("_", "-")])
    if (table, name) not in NOT_OPTIONS
]


@cache
def football() -> Study:
    return fairviz.open_study("football")


def _annotate(**given: Any) -> None:
    limits = {name.removeprefix("most_"): given.pop(name) for name in tuple(given) if name.startswith("most_")}
    fairviz.annotate(football(), "lexicon", budget=Budget(**limits), **given)


def _gate(**given: Any) -> None:
    gate(football(), "left", "right", [read_condition("CWEx@4 falls by 0.1", Settings())], Settings(), **given)


PYTHON: Mapping[str, Callable[..., object]] = {  # what takes the numbers of a table in Python
    "COMPARE": lambda **given: fairviz.compare(fairviz.evaluate(football(), "CWEx@4"), **given),
    "GATE": _gate,
    "GSR": lambda left_out: leave_out(gsr_points(football(), Settings()), left_out),
    "SENSITIVITY": lambda **given: fairviz.robustness(football(), ["left", "right"], choices={"tau": [1]}, **given),
    "ANNOTATE": _annotate,
    "FORM": lambda **given: check(football(), SamplePlan(**given)),
    "COLLECT": lambda **given: collect(football(), **given),
    "SAMPLE": lambda budget: fairviz.draw_sample(football(), "queries", "CWEx@4", budget, annotator="lexicon"),
    "GENDER_SWAP": SwapPlan,
    "RANK": lambda **given: fairviz.rank(football(), **given),
    "BENCH": lambda **given: mitigation_bench(football(), "balanced(run='left')", "CWEx@4", **given),
    "REPLAY": lambda **given: replay(read_capsule(capsule(football(), ["CWEx@4"], figures=False)), football(), **given),
    **rows("PYTHON"),
}
SIGNATURES: Mapping[str, Callable[..., object]] = {
    "COMPARE": fairviz.compare, "GATE": gate, "SENSITIVITY": fairviz.robustness,
    "ANNOTATE": fairviz.annotate, "FORM": SamplePlan, "COLLECT": collect, "SAMPLE": fairviz.draw_sample,
    "GENDER_SWAP": SwapPlan, "RANK": fairviz.rank, "BENCH": mitigation_bench,
    "REPLAY": replay, **rows("SIGNATURES"),
}  # fmt: skip


def ends(parameter: Parameter) -> tuple[list[float], list[float]]:
    """The least and the greatest number of the range, and the next ones beyond it."""
    if parameter.whole:
        low, high = parameter.ends
        return [low, high], [low - 1, high + 1]
    little = (parameter.high - parameter.low) / 1_000_000
    inside = [parameter.low + little * parameter.above, parameter.high - little * parameter.below]
    low, high = math.nextafter(parameter.low, -math.inf), math.nextafter(parameter.high, math.inf)
    return inside, [parameter.low if parameter.above else low, parameter.high if parameter.below else high]


def remedy(table: str, name: str, value: float) -> str:
    """The remedy of Python where it refuses a number; empty where it takes it, or refuses something else."""
    try:
        PYTHON[table](**{name: value})
    except (FairvizError, AttributeError) as error:  # an AttributeError: a stand-in was used
        is_refused = isinstance(error, UsageError) and error.message.endswith(f" is {value!r}")
        return error.remedy if is_refused else ""  # type: ignore[union-attr]
    return ""


def numbers(cases: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    return [case for case in cases if not TABLES[case[0]][case[1]].is_text]


@pytest.mark.parametrize(("table", "name", "verb"), numbers(CASES))
def test_a_verb_and_python_take_and_refuse_the_same_numbers(
    table: str, name: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parameter = TABLES[table][name]
    option = f"--{name.replace('_', '-')}"
    inside, beyond = ends(parameter)
    is_in_python = table in PYTHON and name not in NOT_PYTHON
    sentence = f"Use {parameter.range_text}."
    if name == "power":  # its least value depends on the level
        inside, beyond, sentence = [0.06, 0.999], [0.0, 1.0], "Use a number between 0.05 and 1, such as 0.8."
    for value in inside:
        taken = vars(verbs()[verb].parse_args([*BASE[verb], f"{option}={value!r}"]))
        assert taken.get(name, taken.get(f"parameter_{name}")) == value
        assert not is_in_python or remedy(table, name, value) != sentence, value
    for value in (*beyond, math.nan):
        with pytest.raises(SystemExit) as stopped:
            verbs()[verb].parse_args([*BASE[verb], f"{option}={value!r}"])
        assert stopped.value.code == 2
        assert f"argument {option}: {str(value)!r} is not {parameter.range_text}\n" in capsys.readouterr().err
        assert not is_in_python or remedy(table, name, value) == sentence, value


@pytest.mark.parametrize("table", SIGNATURES)
def test_a_signature_has_the_default_of_the_declaration_and_of_the_verb(table: str) -> None:
    """A verb's option is the default too, or empty where it is not given."""
    (verb,) = VERBS.get(table, [table.lower().replace("_", "-")])
    defaults = {name: one.default for name, one in inspect.signature(SIGNATURES[table]).parameters.items()}
    declared_ones = {name: one.default for name, one in TABLES[table].items()}
    options = {one.dest.removeprefix("parameter_"): one.default for one in verbs()[verb]._actions}
    for name, default in defaults.items():
        if default is not inspect.Parameter.empty:
            assert declared_ones.get(name, default) == default, name
            assert not options.get(name) or options[name] == default, name


@pytest.mark.parametrize(("table", "name", "verb"), CASES)
def test_an_option_has_the_declared_default(table: str, name: str, verb: str) -> None:
    (action,) = [one for one in verbs()[verb]._actions if one.dest in (name, f"parameter_{name}")]
    assert action.default in (TABLES[table][name].default, None)
    assert TABLES[table][name].help in (action.help or "").replace("%%", "%")


@pytest.mark.whole
def test_every_number_of_a_verb_is_declared_or_a_setting() -> None:
    """An option with a range of its own would be a second declaration; those of an analysis are in its record."""
    from fairviz.evaluation.settings import CHOICES

    known = {(verb, f"--{name.replace('_', '-')}") for _, name, verb in CASES}
    known |= {(verb, choice.option) for verb in BASE for choice in CHOICES.values()}
    known |= {(one.name, f"--{each.name.replace('_', '-')}") for one in ANALYSES.values() for each in one.parameters}
    own = {
        (verb, action.option_strings[-1])
        for verb in BASE
        for action in verbs()[verb]._actions
        if action.type is not None and (verb, action.option_strings[-1]) not in known
    }
    assert {option for _, option in own} == OWN


@pytest.mark.whole
def test_choices_are_those_of_python() -> None:
    of_verbs = {(verb, one.dest): one.choices for verb in BASE for one in verbs()[verb]._actions if one.choices}
    assert set(declared.ATLAS["correction"].choices) == set(CORRECTIONS)
    assert of_verbs["study-form", "design"] == DESIGNS
    tau = replace(declared.TAU, name="tau")
    for value in ends(tau)[1]:
        with refused(f"tau is {value}\nUse {tau.range_text}."):
            Settings(tau=value)
