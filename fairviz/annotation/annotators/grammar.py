"""`classifier,vote(lexicon(tau=0),prototypes),llm(model='gpt-4o')`: annotators with their parameters."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from fairviz.annotation.annotators.record import Method, Parameter
from fairviz.errors import UsageError
from fairviz.words.sentences import shortest

LONGEST = 5000
_NOT_IN_NAMES = re.compile(r"[^\w.+-]+")
_REMEDY = "Write it as classifier,lexicon(tau=0),llm(model='smollm2',prompt='zero-shot')."


@dataclass(frozen=True)
class Choice:
    """An annotator with all its parameters, and the annotators in its brackets."""

    method: Method
    values: Mapping[str, Any]
    others: tuple["Choice", ...] = ()

    @property
    def name(self) -> str:
        """The annotator's name in the study: the method's, those of voters, and the parameters that are not at their
        default, `lexicon-tau=0`. A path is cut to its last part; characters unfit for a file name become _."""
        changed = [
            f"-{parameter.name}={_name_part(value)}"
            for parameter in self.method.parameters
            if parameter.named and (value := self.values[parameter.name]) != parameter.default
        ]
        return self.method.name + "".join(f"+{other.name}" for other in self.others) + "".join(changed)

    @property
    def kind(self) -> str:
        """`model` where a language model has a part in it, else `rule`."""
        return "model" if "model" in (self.method.kind, *(other.kind for other in self.others)) else "rule"

    def walk(self) -> Iterator["Choice"]:
        """Yield the annotators in its brackets, to any depth, then itself."""
        for other in self.others:
            yield from other.walk()
        yield self


def parse_annotators(text: str, methods: Mapping[str, Method]) -> tuple[Choice, ...]:
    """Return the annotators of the text, in its order. Raises UsageError for an unknown, wrong or repeated one."""
    choices = tuple(_choice(node, methods) for node in _nodes(text))
    if not choices:
        raise UsageError("no annotator is named", f"Use one or more of {', '.join(methods)}.")
    names = [choice.name for choice in choices]
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise UsageError(f"{repeated[0]} is named twice", "Name it once.")
    return choices


def _nodes(text: str) -> list[ast.expr]:
    if len(text) > LONGEST:
        raise UsageError(f"the annotators are {len(text):,} characters, more than {LONGEST:,}", "Name fewer at a time.")
    try:
        body = ast.parse(f"[{text}\n]", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(f"cannot read {text[:120]!r} as annotators", _REMEDY) from error
    if not isinstance(body, ast.List):
        raise UsageError(f"cannot read {text[:120]!r} as annotators", _REMEDY)
    return body.elts


def _choice(node: ast.expr, methods: Mapping[str, Method]) -> Choice:
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    if not isinstance(call.func, ast.Name):
        raise UsageError(f"cannot read {ast.unparse(node)[:120]!r} as an annotator", _REMEDY)
    name = call.func.id
    if name not in methods:
        raise UsageError(f"there is no annotator {name!r}", f"Use one or more of {', '.join(methods)}.")
    method = methods[name]
    if call.args and not method.votes:
        raise UsageError(
            f"{name} has no parameter {ast.unparse(call.args[0])!r}",
            f"{name} takes {_takes(method)}, each by its name.",
        )
    others = tuple(_choice(argument, methods) for argument in call.args)
    if method.votes and len(others) < 2:
        raise UsageError(f"{name} takes two annotators or more", "Write it as vote(lexicon(tau=0),classifier).")
    return Choice(method, _values(method, call.keywords), others)


def _values(method: Method, keywords: list[ast.keyword]) -> dict[str, Any]:
    parameters_by_name = {parameter.name: parameter for parameter in method.parameters}
    values: dict[str, Any] = {name: parameter.default for name, parameter in parameters_by_name.items()}
    for keyword in keywords:
        if keyword.arg is None or keyword.arg not in parameters_by_name:
            raise UsageError(
                f"{method.name} has no parameter {keyword.arg!r}", f"{method.name} takes {_takes(method)}."
            )
        values[keyword.arg] = _value(method, parameters_by_name[keyword.arg], keyword.value)
    for name, parameter in parameters_by_name.items():
        if parameter.required and not values[name]:
            raise UsageError(f"{method.name} needs {name}", f"Write it as {method.name}({name}='…'): {parameter.help}.")
    return values


def _value(method: Method, parameter: Parameter, node: ast.expr) -> float | str:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        value = None
    if parameter.is_text:
        if isinstance(value, str) and (not parameter.choices or value in parameter.choices):
            return value
        options = f"one of {', '.join(map(repr, parameter.choices))}" if parameter.choices else "a text in quotes"
        raise UsageError(f"{method.name} cannot take {parameter.name}={ast.unparse(node)[:80]}", f"Use {options}.")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not parameter.low <= value <= parameter.high or (parameter.whole and value != int(value)):
        raise UsageError(
            f"{method.name} cannot take {parameter.name}={ast.unparse(node)[:80]}",
            f"Use a {'whole ' if parameter.whole else ''}number from {parameter.low:.12g} to {parameter.high:.12g}.",
        )
    return float(value)


def _takes(method: Method) -> str:
    return ", ".join(parameter.shown for parameter in method.parameters) or "no parameter"


def _name_part(value: float | str) -> str:
    if not isinstance(value, str):
        return shortest(value)
    return _NOT_IN_NAMES.sub("_", PurePosixPath(value.replace("\\", "/")).name) or "_"
