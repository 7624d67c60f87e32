"""Arguments of every verb: pipes, devices, endless names and numbers, bytes that are no UTF-8; and declared parameters,
of which a verb and Python take the same range and default and refuse others with the same sentence."""

import argparse
import functools
import inspect
import math
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
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
from fairviz.cli import all_commands
from fairviz.cli.main import main, parser
from fairviz.comparison.conditions import read_condition
from fairviz.comparison.gate import gate
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation import opening
from fairviz.evaluation.gsr import gsr_points, leave_out
from fairviz.evaluation.settings import CHOICES, Settings
from fairviz.home import data_home
from fairviz.models.asking import Budget
from fairviz.output.capsule import capsule, read_capsule, replay
from fairviz.parameters import Parameter
from fairviz.statistics.paired import CORRECTIONS
from fairviz.study.record import Study
from tests.conftest import Call, refused
from tests.extension_rows import rows

STUDY = "football"
BASE = {  # arguments that a verb takes; its own example where nothing shorter is needed here
    **{verb: shlex.split(command.example)[1:] for verb, command in all_commands().items()},
    "evaluate": [STUDY, "GSR@4"],
    "compare": [STUDY, "CWEx@4"],
    "explain": [STUDY, "CWEx@4", "--system", "left"],
    "atlas": [STUDY, "CWEx@4", "TExFAIR@4"],
    "sensitivity": [STUDY, "--systems", "left,right"],
    **{name: [STUDY] for name in (*ANALYSES, "bench", "check", "gsr", "agree", "consensus")},
    "gate": [STUDY, "--baseline", "left", "--candidate", "right", "--fail-if", "CWEx falls by 0.1"],
    "capsule": [STUDY, "-o", "c.zip", "--no-figures"],
    "replay": ["none.zip"],
    "report": [STUDY, "-o", "r.html"],
    "fetch": ["grep-biasir"],
    "attach": ["mine", "--collection", "none.tsv"],
    "rank": [STUDY, "--with", "bm25"],
    "annotate": [STUDY],
    "study-form": [STUDY],
    "adjudications": ["import", STUDY, "none.csv"],
    "app": ["--study", "none"],
    "docs": [],
    **rows("BASE"),
}
FREE_TEXT = rows("FREE_TEXT")  # options that any text is right for
# What names a file or a folder, by its place in the help; the text of the grammars is in GRAMMARS below.
PATHS = ("FILE", "RUN", "BIAS", "STUDY", "VECTORS", "CAPSULE", "FOLDER", "DIR", "MODEL", "PROMPT", "TARGETS")
WRITTEN = ("output", "outcomes", "report")  # a pipe may well be written to
UNREAD = {("evaluate", "embedding")}
LONG = "n" * 5000
NOT_UTF8 = os.fsdecode(b"a\xffb")
OPENED: list[str] = []
WATCHED: set[str] = set()


def _watch(event: str, arguments: tuple) -> None:
    """Refuse to open a watched path in a way that may wait for ever, and note it."""
    if event == "open" and WATCHED and isinstance(arguments[0], (str, bytes)):
        path, flags = os.fsdecode(arguments[0]), arguments[2]
        if path in WATCHED and not flags & os.O_NONBLOCK:
            OPENED.append(path)
            raise AssertionError(f"{path} was opened")


sys.addaudithook(_watch)


@pytest.fixture
def pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A named pipe, the opening of which fails instead of waiting; the working folder holds nothing else to read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "qrels.txt").write_text("1 0 d1 1\n")
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    WATCHED.update((path, "/dev/zero"))
    OPENED.clear()
    yield path
    WATCHED.clear()


@functools.cache
def verbs() -> dict[str, argparse.ArgumentParser]:
    """The parser of each verb, which no test changes."""
    parsers = next(one for one in parser()._actions if isinstance(one, argparse._SubParsersAction)).choices
    for one in parsers.values():
        one.complete()
    return parsers


def given(verb: str, action: argparse.Action, value: str) -> list[str]:
    """The arguments of the verb with this value in the place of one of them."""
    arguments = list(BASE[verb])
    if action.option_strings:
        option = next((name for name in action.option_strings if name in arguments), None)
        if option is None:
            return [verb, *arguments, action.option_strings[-1], *[value] * (action.nargs == 2), value]
        arguments[arguments.index(option) + 1] = value
        return [verb, *arguments]
    positional = [one.dest for one in verbs()[verb]._actions if not one.option_strings]
    place = positional.index(action.dest)
    arguments[place : place + 1] = [value]
    return [verb, *arguments]


def taking_text(verb: str) -> list[argparse.Action]:
    """What the verb takes as free text."""
    return [one for one in verbs()[verb]._actions if one.nargs != 0 and not one.choices and one.type is None]


def status(arguments: list[str]) -> int:
    """The exit status; anything but an error for the person, or argparse's own, is raised."""
    try:
        return main(arguments)
    except SystemExit as stopped:
        return int(stopped.code or 0)


def shared(verb: str, action: argparse.Action) -> bool:
    """Whether the option is one of those that many verbs share, and which `evaluate` and `gsr` show for all."""
    own = {one.dest for one in verbs()[verb]._actions} - {one.dest for one in verbs()["evaluate"]._actions}
    return verb != "evaluate" and action.dest not in own and bool(action.option_strings)


@pytest.mark.parametrize("verb", BASE)
def test_pipes_devices_and_folders_are_refused_and_other_texts_end_in_a_status(
    verb: str, pipe: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lent, anew = opened(), opening.open_study
    monkeypatch.setattr(opening, "open_study", lambda name: lent if name == STUDY else anew(name))
    for action in taking_text(verb):
        if action.dest in WRITTEN or shared(verb, action):
            continue
        is_path = str(action.metavar or action.dest.upper()) in PATHS
        for value in (pipe, "/dev/zero", str(tmp_path)) * is_path:
            found = status(given(verb, action, value))
            assert (found in (1, 2)) or (verb, action.dest) in UNREAD, (action.dest, value)
            assert not OPENED, (action.dest, value)
            assert capfd.readouterr().err
        for value in (f"a/{LONG}" if is_path else LONG, NOT_UTF8):
            if (verb, action.dest) not in FREE_TEXT:
                assert status(given(verb, action, value)) in (0, 1, 2), (action.dest, value[:20])


GRAMMARS = [
    ["rank", STUDY, "--with", "bi_encoder(adapter='{}')"],
    ["rank", STUDY, "--with", "bi_encoder(model='{}')"],
    ["annotate", STUDY, "--with", "llm(model='x',prompt='{}')", "--estimate"],
    ["annotate", STUDY, "--with", "llm(model='{}.gguf')"],
    ["attach", "mine", "--collection", "{}"],
    ["adjudications", "import", STUDY, "{}"],
    *rows("GRAMMARS").values(),
]


@pytest.mark.parametrize("arguments", GRAMMARS, ids=lambda arguments: " ".join(arguments[:1] + arguments[-1:]))
def test_pipes_inside_of_a_grammar_are_refused(arguments: list[str], pipe: str) -> None:
    if ".gguf" in arguments[-1]:
        os.mkfifo(f"{pipe}.gguf")
        WATCHED.add(f"{pipe}.gguf")
    assert status([text.format(pipe) for text in arguments]) in (1, 2)
    assert not OPENED


def taking_numbers(verb: str) -> list[argparse.Action]:
    """The options of the verb that read a number."""
    found = []
    for action in verbs()[verb]._actions:
        for text in ("3", "0.5"):
            try:
                if isinstance(action.type(text), (int, float)):  # type: ignore[operator]
                    found.append(action)
                    break
            except (TypeError, ValueError, argparse.ArgumentTypeError):
                continue
    return found


ZERO_IS_A_VALUE = [
    ("annotate", "--price-in"), ("annotate", "--price-out"), ("study-form", "--test-every"), ("study-form", "--seed"),
    ("study-form", "--top"), ("gsr", "--left-out"), ("agree", "--tau"), *rows("ZERO_IS_A_VALUE"),
]  # fmt: skip
NO_CAPSULE = "(it is a pipe or a device)\nName a capsule that is there and can be read."


@pytest.mark.parametrize("verb", [verb for verb in BASE if taking_numbers(verb)])
def test_no_number_is_endless_and_zero_is_one(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    for action in taking_numbers(verb):
        for value in ("9" * 30, "9" * 5000, "1e999", "-1"):
            with pytest.raises(SystemExit) as stopped:
                verbs()[verb].parse_args([*BASE[verb], f"{action.option_strings[-1]}={value}"])
            assert stopped.value.code == 2
            last = capsys.readouterr().err
            assert f"{value[:40]!r}" in last, last
            assert len(last) < 250
        if (verb, action.option_strings[-1]) in ZERO_IS_A_VALUE:
            assert action.type("0") == 0


def test_a_refusal_is_one_line_and_its_remedy(pipe: str, call: Call) -> None:
    for line, message in (
        ("never-shown /proc/1/mem", "/proc/1/mem is a file, not a study folder\nGive the folder that holds it."),
        (f"report {pipe} -o r.html", f"{pipe} is a named pipe, not a study folder\nGive the folder that holds it."),
        ("replay /dev/zero", f"zero cannot be read {NO_CAPSULE}"),
        (f"study-form {STUDY} --guideline {pipe}",
         f"the guideline {pipe} cannot be read (it is a pipe or a device)\nName a text file."),
        (f"fetch grep-biasir --from {LONG}", f"there is no folder {LONG}\nGive the folder that holds queries.csv."),
    ):  # fmt: skip
        assert call(line, status=1).err.endswith(f"{message}\n")
        assert not OPENED


def test_a_study_whose_folder_is_named_in_other_bytes(tmp_path: Path, call: Call) -> None:
    """It is read and named with a replacement character; only labelling forms, whose database holds text, refuse it."""
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    (folder / "labels.csv").write_text("doc_id,label\nd1,neutral\n")
    (folder / "runs").mkdir()
    (folder / "runs" / "one.run").write_text("q1 Q0 d1 1 1 x\n")
    assert '"study": "caf\ufffd"' in call(f"evaluate {folder} CWEx --format json --provenance").out
    for arguments in ([str(folder), "--status"], [STUDY, "--moved-from", str(folder)]):
        told = call("study-form", arguments, status=1).err
        assert told.endswith("is not UTF-8\nRename it to label its documents.\n")
    call("study-form", [tmp_path / os.fsdecode(b"\xff")], status=2)


def test_a_data_folder_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    home, looked_up = str(data_home()), os.stat

    def denied(path: object, *more: object, **options: object) -> os.stat_result:
        if isinstance(path, (str, Path)) and str(path).startswith(f"{home}/"):
            raise PermissionError(13, "Permission denied")
        return looked_up(path, *more, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", denied)
    assert call("fetch --list", status=1).err == (
        f"the data folder {home} cannot be read (Permission denied)\n"
        "Make it a folder that you can read and write, or set FAIRVIZ_HOME to one.\n"
    )
    said = call("fetch grep-biasir --from /none", status=1)
    assert said.err.startswith("could not write grep-biasir: Permission denied")


# --- declared parameters ----------------------------------------------------------------------------------------

TABLES = {name: table for name, table in vars(declared).items() if name.isupper() and isinstance(table, dict)}
TABLES |= rows("TABLES")


@functools.cache
def opened() -> Study:
    return fairviz.open_study(STUDY)


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


def _annotate(**given: Any) -> None:
    limits = {name.removeprefix("most_"): given.pop(name) for name in tuple(given) if name.startswith("most_")}
    fairviz.annotate(opened(), "lexicon", budget=Budget(**limits), **given)


def _gate(**given: Any) -> None:
    gate(opened(), "left", "right", [read_condition("CWEx@4 falls by 0.1", Settings())], Settings(), **given)


PYTHON: Mapping[str, Callable[..., object]] = {  # what takes the numbers of a table in Python
    "COMPARE": lambda **given: fairviz.compare(fairviz.evaluate(opened(), "CWEx@4"), **given),
    "GATE": _gate,
    "GSR": lambda left_out: leave_out(gsr_points(opened(), Settings()), left_out),
    "SENSITIVITY": lambda **given: fairviz.robustness(opened(), ["left", "right"], choices={"tau": [1]}, **given),
    "ANNOTATE": _annotate,
    "FORM": lambda **given: check(opened(), SamplePlan(**given)),
    "COLLECT": lambda **given: collect(opened(), **given),
    "SAMPLE": lambda budget: fairviz.draw_sample(opened(), "queries", "CWEx@4", budget, annotator="lexicon"),
    "GENDER_SWAP": SwapPlan,
    "RANK": lambda **given: fairviz.rank(opened(), **given),
    "BENCH": lambda **given: mitigation_bench(opened(), "balanced(run='left')", "CWEx@4", **given),
    "REPLAY": lambda **given: replay(read_capsule(capsule(opened(), ["CWEx@4"], figures=False)), opened(), **given),
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


@pytest.mark.parametrize("table", TABLES)
def test_a_signature_and_a_verb_have_the_default_of_the_declaration(table: str) -> None:
    """A verb's option is the default too, or empty where it is not given."""
    defaults = {name: one.default for name, one in TABLES[table].items()}
    for name, verb in [(name, verb) for of, name, verb in CASES if of == table]:
        (action,) = [one for one in verbs()[verb]._actions if one.dest in (name, f"parameter_{name}")]
        assert action.default in (defaults[name], None), name
        assert TABLES[table][name].help in (action.help or "").replace("%%", "%")
    if table in SIGNATURES:
        for name, one in inspect.signature(SIGNATURES[table]).parameters.items():
            assert one.default in (inspect.Parameter.empty, defaults.get(name, one.default)), name


@pytest.mark.whole
def test_every_number_of_a_verb_is_declared_or_a_setting() -> None:
    """An option with a range of its own would be a second declaration; those of an analysis are in its record."""
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
