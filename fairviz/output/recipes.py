"""Recipes: the Python that computes the numbers of a panel again, and the shell command that prints them, to copy.

A recipe is made from the function that the page calls and from its arguments, so it runs under the settings of the
page. Pinned values are not part of it.
"""

import ast
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from inspect import Parameter, signature
from typing import Any

from fairviz.annotation.voters import with_labels_alongside
from fairviz.comparison.compare import by_query, compare
from fairviz.comparison.family import How, candidates
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import CHOICES, SHOWN_ONLY, Settings
from fairviz.home import BUILTIN
from fairviz.measures import Question, parse
from fairviz.output.commands import FOLDER, Call, command_of, place_of
from fairviz.statistics.families import Tests
from fairviz.study.record import Study

_WIDTH = 96
_STARTS = ("study", "settings")  # the variables that most programs begin with
_COMMON_NAMES = ("info", "table")  # of several modules, so they are written with their module


@dataclass(frozen=True)
class Recipe:
    """A program and a shell command that make the numbers of a panel again.

    python: a program that assigns them to `table`; empty where only the page makes them. command: the shell command
    that prints them; empty where no verb does. study: of the numbers, None where they need none.
    """

    python: str = ""
    command: str = ""
    study: Study | None = None


def call(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Call:
    """Return the call of a function, for `recipe`. Keywords with the value of the default are left out."""
    return Call(function, arguments, keywords)


def recipe(
    function: Callable[..., Any] | Call,
    *arguments: Any,
    table: str = "",
    rows: Mapping[str, object] | None = None,
    lines: Sequence[str] = (),
    uses: Iterable[Callable[..., Any] | str] = (),
    **keywords: Any,
) -> Recipe:
    """Return a program that calls the function and assigns the numbers to `table`, and the command that prints them.

    arguments, keywords: of the function. A study, settings and measures are written as code that opens, sets and
    parses them; collections and calls as variables. table: an expression of `found`, the value of the call, if the
    table is only a part of it. lines: statements before that expression. uses: functions, and import statements, of
    these lines. rows: the value, or the list of values, of each column by which rows are kept; None for all rows.
    """
    program = _Program()
    outer_call = function if isinstance(function, Call) else Call(function, arguments, keywords)
    value = program.written(outer_call)
    program.lines += [f"found = {value}", *lines] if table or lines else [f"table = {value}"]
    program.lines += [f"table = {table}"] if table else []
    for column, row_values in (rows or {}).items():
        condition = f".isin({row_values!r})" if isinstance(row_values, list) else f" == {row_values!r}"
        program.lines += [] if row_values is None else [f"table = table[table[{column!r}]{condition}]"]
    for used in uses:
        program.imports.add(used) if isinstance(used, str) else program.name_of(used)
    is_whole = not lines and all(values is None for values in (rows or {}).values())
    command = command_of(outer_call, table) if is_whole else ""
    return Recipe(program.text(), command, program.study)


def scored(study: Study, settings: Settings, texts: Sequence[str]) -> Call:
    """Return the call that evaluates measures."""
    return call(evaluate, study, list(texts), settings)


def summarised(study: Study, settings: Settings, texts: Sequence[str]) -> Call:
    """Return the call that averages measures over queries, with the noise of stochastic systems if there are any."""
    return call(summarise, call(evaluate, study, list(texts), settings, by_draw=bool(study.draws)))


def with_alongside(study: Study) -> Study | Call:
    """Return the study, or for a built-in one the call that joins the labels stored next to it."""
    return call(with_labels_alongside, study) if study.name in BUILTIN else study


def comparison_recipe(
    study: Study, settings: Settings, texts: Sequence[str], baseline: str, how: How, **limits: Any
) -> Recipe:
    """Return the recipe for every system against a baseline, or against the best of each measure.

    limits: margin, power and slices.
    """
    every = (*texts, *how.beside(texts))
    tests = how.tests if set(every) & set(how.chosen) else replace(how.tests, family="pairs")
    chosen = list(how.chosen) if tests.family == "measures" and set(every) - set(how.chosen) else ()
    names: dict[str, Any] = {} if tests == Tests() else {"tests": tests.text}
    names |= {"ticked": list(how.ticked) or (), "chosen": chosen}
    names |= {"outside": list(how.outside) or ()}
    rows = {"measure": list(texts) if len(every) > len(texts) else None}
    return recipe(compare, scored(study, settings, every), baseline, rows=rows, **names, **limits)


def query_recipe(study: Study, settings: Settings, texts: Sequence[str], pair: tuple[str, str]) -> Recipe:
    """Return the recipe for two systems on every query. pair: the system and the baseline."""
    return recipe(by_query, scored(study, settings, texts), *pair, among=candidates(study, settings))


def joined(programs: Mapping[str, str]) -> str:
    """Return one program that runs these, each below a comment with its name; empty without any.

    All imports are at the top. A study or settings that are already assigned are not assigned again.
    """
    imports: set[str] = set()
    assigned: dict[str, str] = {}
    parts = []
    for name, program in programs.items():
        lines = [f"# {name}"]
        for node in ast.parse(program).body:
            code = ast.get_source_segment(program, node) or ""
            if isinstance(node, ast.Import | ast.ImportFrom):
                imports.add(code)
                continue
            target = code.partition(" = ")[0]
            if target not in _STARTS or assigned.get(target) != code:
                lines.append(code)
            assigned[target] = code
        parts.append("\n".join(lines))
    head = sorted(imports, key=lambda line: (line.startswith("from"), line))
    return "\n\n".join(["\n".join(head), *parts]) + "\n" if parts else ""


@dataclass
class _Program:
    """A program in the making: its imports, the study and the settings it starts from, its variables and lines."""

    imports: set[str] = field(default_factory=set)
    start: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    study: Study | None = None

    def written(self, call: Call) -> str:
        """Return the call as code."""
        parameters = signature(call.function).parameters
        positional = [name for name, each in parameters.items() if each.kind is not Parameter.VAR_KEYWORD]
        parts = [self.value(each, name) for each, name in zip(call.arguments, positional, strict=False)]
        for name, each in call.keywords.items():
            default = parameters[name].default if name in parameters else Parameter.empty
            if type(each) is not type(default) or each != default:
                parts.append(f"{name}={self.value(each, name)}")
        return _broken(self.name_of(call.function), parts)

    def value(self, value: Any, name: str) -> str:
        """Return an argument as code. name: of its parameter."""
        if isinstance(value, Study):
            self.study = value
            self.start["study"] = f"fairviz.open_study({(place_of(value) or FOLDER)!r})"
            return "study"
        if isinstance(value, Settings):
            self.start["settings"] = _settings(value)
            return "settings"
        if isinstance(value, Call):
            return self.variable(name, self.written(value))
        if isinstance(value, list | tuple | Mapping) and value:
            return self.variable(name, self.collection(value))
        return self.item(value)

    def variable(self, name: str, code: str) -> str:
        """Return the name of a variable with this value, assigned once."""
        if self.variables.get(name) != code:
            self.variables[name] = code
            self.lines.append(f"{name} = {code}")
        return name

    def collection(self, values: Sequence[Any] | Mapping[str, Any]) -> str:
        """Return a list or dictionary as code, one item a line if it is long."""
        if isinstance(values, Mapping):
            items, ends = [f"{key!r}: {self.item(each)}" for key, each in values.items()], "{}"
        else:
            items, ends = [self.item(each) for each in values], "[]"
        return _broken("", items, ends)

    def item(self, value: Any) -> str:
        """Return a single value as code."""
        if isinstance(value, Question):
            return f"{self.name_of(parse)}({value.text!r})"
        if is_dataclass(value):
            self.name_of(type(value))
        return repr(list(value)) if isinstance(value, tuple) else repr(value)

    def name_of(self, function: Callable[..., Any]) -> str:
        """Return the name that a program calls the function by, and import it."""
        module, name = function.__module__, function.__name__
        package = sys.modules[__name__.partition(".")[0]]
        if name in package.__all__ and getattr(package, name) is function:
            return f"{package.__name__}.{name}"
        if name in _COMMON_NAMES:
            place, _, module_name = module.rpartition(".")
            self.imports.add(f"from {place} import {module_name}")
            return f"{module_name}.{name}"
        self.imports.add(f"from {module} import {name}")
        return name

    def text(self) -> str:
        """Return the program."""
        body = [*(f"{name} = {code}" for name, code in sorted(self.start.items(), reverse=True)), *self.lines]
        public = ["import fairviz"] if "fairviz." in "\n".join(body) else []
        return "\n".join([*public, *sorted(self.imports), "", *body]) + "\n"


def _settings(settings: Settings) -> str:
    values = {name: getattr(settings, name) for name in CHOICES if name not in ("study", *SHOWN_ONLY)}
    changes = [f"{name}={value!r}" for name, value in values.items() if value != CHOICES[name].default]
    return _broken("fairviz.Settings", changes)


def _broken(name: str, parts: Sequence[str], ends: str = "()") -> str:
    """Return a call or a collection on one line, or with one part a line if it would be long."""
    line = f"{name}{ends[0]}{', '.join(parts)}{ends[1]}"
    if len(line) <= _WIDTH:
        return line
    inner = "".join(f"    {part},\n" for part in parts)
    return f"{name}{ends[0]}\n{inner}{ends[1]}"
