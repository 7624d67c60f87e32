"""Names with parameters, `bm25(k1=1.2),vote(lexicon(tau=0),mentions)`: the form of rankers, annotators and measures.

Values are Python literals. A text is in quotes, or a word without blanks, commas, brackets and quotes.
"""

import ast
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from pathlib import PurePosixPath
from typing import Any

from fairviz.errors import UsageError, value_text

LONGEST = 20_000  # letters of a text
_RECORD_NAME = re.compile(r"[A-Za-z][A-Za-z_0-9]*")
_ADDRESS = re.compile(r"[a-z][a-z0-9-]*")
_NOT_IN_NAMES = re.compile(r"[^\w.+-]+")
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_WORD = r"[\w./~\\][^\s,()'\"\[\]{}*]*"
_QUOTED_OR_WORD = re.compile(rf"{_QUOTED}|(=\s*)({_WORD})(?=\s*(?:[,)]|$))")
_UNREADABLE = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)


@dataclass(frozen=True)
class Parameter:
    """A parameter of a public function, a plan, an analysis, a ranker, an annotator or a measure.

    default: its type is that of all values: a flag, a number, a text, or a tuple of several texts, which are words of
    the verb; None for a text that the study sets, or without a number. help: a phrase that continues the name, for
    verbs and pages. Numbers are in [low, high], without the ends where `above` and `below`; integers where `whole`;
    `such` is an example. optional: whether None, for no number, is a value. choices: the possible texts, such as the
    names of a registry, all if empty. required: whether the user must set a value. named: whether a value other than
    the default is part of the run's or annotator's name. told: whether descriptions contain the default. names: what a
    text is the name of, or the letter of a number in the help of a verb. pattern: of the whole text. remedy: how to
    write the text.
    """

    name: str
    default: Any
    help: str = ""
    low: float = 0.0
    high: float = 1.0
    whole: bool = False
    choices: Collection[str] = ()
    required: bool = False
    named: bool = True
    told: bool = True
    names: str = "text"
    pattern: str = ""
    remedy: str = "Use a text in quotes."
    above: bool = False
    below: bool = False
    such: float | None = None
    optional: bool = False

    @property
    def is_text(self) -> bool:
        return isinstance(self.default, str) or (self.default is None and not self.optional)

    @property
    def kind(self) -> str:
        """`flag`, `integer`, `number`, `several`, `choice`, or what the text names."""
        if isinstance(self.default, tuple):
            return "several"
        if isinstance(self.default, bool):
            return "flag"
        if self.is_text:
            return "choice" if self.choices else self.names
        return "integer" if self.whole else "number"

    @property
    def assignment(self) -> str:
        """The default as written on the command line: k1=0.9, model='minilm'."""
        return f"{self.name}={format_value(self.default)}"

    @property
    def described(self) -> str:
        """The default, the help, and the possible values, as the help of a command lists them."""
        span = ", ".join(self.choices) if self.is_text else f"{self.low:.12g} to {self.high:.12g}"
        return f"{self.assignment}: {self.help}" + (f" ({span})" if span else "")

    @property
    def range_text(self) -> str:
        """The range of a number, as errors of verbs and of Python name it.

        >>> Parameter("draws", 10_000, low=99, high=100_000, whole=True, such=9999).range_text
        'a whole number from 99 to 100,000, such as 9999'
        """
        low, high = f"{self.low:,.12g}", f"{self.high:,.12g}"
        if self.above:
            ends = f"between {low} and {high}" if self.below else f"above {low}, and up to {high}"
        else:
            ends = f"from {low} to {high}"
        such = "" if self.such is None else f", such as {self.such:.12g}"
        return f"a {'whole ' if self.whole else ''}number {ends}{such}"

    @property
    def ends(self) -> tuple[Any, Any]:
        """The least and the greatest number in the type of the values, as a control of a page takes them."""
        kind = int if self.whole else float
        return kind(self.low), kind(self.high)

    def accepts(self, value: object) -> bool:
        """Return whether the value is valid."""
        if self.kind == "several":
            return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
        if isinstance(self.default, bool) or isinstance(value, bool):
            return isinstance(self.default, bool) and isinstance(value, bool)
        if self.is_text:
            is_known = not self.choices or value in self.choices
            return isinstance(value, str) and is_known and bool(re.fullmatch(self.pattern or "(?s:.*)", value))
        if not isinstance(value, Real) or not self.low <= value <= self.high:  # type: ignore[operator]
            return value is None and self.optional
        is_an_end = (self.above and value == self.low) or (self.below and value == self.high)
        return not is_an_end and (not self.whole or isinstance(value, Integral) or float(value).is_integer())

    def check(self, value: object) -> None:
        """Raise UsageError, with the name, for an argument that is no valid value; 3.0 is no whole number here."""
        is_of_type = not self.whole or value is None or isinstance(value, Integral)
        if not is_of_type or not self.accepts(value):
            raise UsageError(f"{self.name} is {value_text(value)}", self._correction)

    def read(self, value: Any, problem: str) -> Any:
        """Return the value in the type of the default. Raises UsageError, with the problem, for an invalid one."""
        if not self.accepts(value):
            raise UsageError(problem, self._correction)
        return value if self.is_text or value is None else self.number_type(value)

    @property
    def number_type(self) -> Callable[[Any], Any]:
        """The type of the numbers."""
        return (int if self.whole else float) if self.default is None else type(self.default)

    @property
    def _correction(self) -> str:
        """The remedy for an invalid value."""
        if isinstance(self.default, bool):
            return "Use True or False."
        if self.is_text:
            return f"Use one of {', '.join(map(repr, self.choices))}." if self.choices else self.remedy
        return f"Use {self.range_text}."


def check_parameters(record: object, table: Mapping[str, Parameter], *names: str) -> None:
    """Raise UsageError for the first field of the record, or value of a mapping, that its parameter in the table
    refuses. names: those to check, by default all."""
    for name in names or table:
        table[name].check(record[name] if isinstance(record, Mapping) else getattr(record, name))


@dataclass(frozen=True)
class Call:
    """A name with what is in its brackets: values by name, and other calls before them.

    A value without a name is a call with that value as its name.
    """

    name: str
    arguments: Mapping[str, Any]
    others: tuple["Call", ...] = ()


def check_record(record: Any) -> None:
    """Raise ValueError, with the reason, for a record of others whose name or parameters could not be written in a
    call."""
    if not isinstance(record.name, str) or not _RECORD_NAME.fullmatch(record.name):
        raise ValueError(f"its name is {record.name!r}, and not letters, digits and underscores")
    check_types(record.parameters)


def check_types(parameters: Iterable[object]) -> None:
    """Raise ValueError, with the reason, for parameters of a record of others that are none."""
    if not all(type(parameter) is Parameter for parameter in parameters):
        raise ValueError(f"a parameter is not a {Parameter.__module__}.{Parameter.__name__}")


def check_address(name: object) -> None:
    """Raise ValueError, with the reason, for the name of a record of others that is no verb and no address."""
    if not isinstance(name, str) or not _ADDRESS.fullmatch(name):
        raise ValueError(f"its name is {name!r}, and not lower-case letters, digits and hyphens")


def parse_calls(text: str) -> tuple[Call, ...]:
    """Return the calls of the text, with commas between them. Raises ValueError for anything else.

    >>> [(call.name, call.arguments) for call in parse_calls("bm25(k1=1.2),rrf(runs=bm25+tfidf)")]
    [('bm25', {'k1': 1.2}), ('rrf', {'runs': 'bm25+tfidf'})]
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a warning, such as that of a stray backslash, is an error
            if len(text) > LONGEST:
                raise ValueError("too long")
            listed = ast.parse(f"[{_QUOTED_OR_WORD.sub(_quote_word, text)}\n]", mode="eval").body
            if not isinstance(listed, ast.List):
                raise ValueError("no list of calls")
            return tuple(_read_call(node) for node in listed.elts)
    except _UNREADABLE as error:
        raise ValueError(f"cannot read {text[:120]!r}") from error


def parse_arguments(text: str) -> dict[str, Any]:
    """Return `alpha=0.5,group='female'` as values by name. Raises ValueError for anything else."""
    (call,) = parse_calls(f"f({text})")
    if call.others:
        raise ValueError(f"{text[:120]!r} has a value without a name")
    return dict(call.arguments)


def _quote_word(match: re.Match[str]) -> str:
    """Return the match with its word in quotes, unless the word is a literal itself."""
    equals, word = match.groups()
    if word is None:
        return match[0]
    try:
        ast.literal_eval(word)
    except _UNREADABLE:
        return f"{equals}{word!r}"
    return match[0]


def _read_call(node: ast.expr) -> Call:
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    if not isinstance(call.func, ast.Name):
        raise ValueError("no name")
    arguments = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg}
    if len(arguments) < len(call.keywords):
        raise ValueError("a name twice, or **")
    return Call(call.func.id, arguments, tuple(_read_unnamed(node) for node in call.args))


def _read_unnamed(node: ast.expr) -> Call:
    return _read_call(node) if isinstance(node, (ast.Call, ast.Name)) else Call(repr(ast.literal_eval(node)), {})


def values_of(call: Call, parameters: Sequence[Parameter], defaults: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a value for every parameter: that of the call, else of `defaults`, else the parameter's default.

    Raises UsageError for an unknown parameter, an invalid value and a missing required one.
    """
    by_name = {parameter.name: parameter for parameter in parameters}
    unknown = [other.name for other in call.others] + [name for name in call.arguments if name not in by_name]
    if unknown:
        by_its_name = ", each by its name" if call.others and parameters else ""
        takes = ", ".join(parameter.assignment for parameter in parameters) or "no parameter"
        raise UsageError(f"{call.name} has no parameter {unknown[0]!r}", f"{call.name} takes {takes}{by_its_name}.")
    values = {name: (defaults or {}).get(name, parameter.default) for name, parameter in by_name.items()}
    for name, value in call.arguments.items():
        values[name] = by_name[name].read(value, f"{call.name} cannot take {name}={format_value(value)[:80]}")
    for name, parameter in by_name.items():
        if parameter.required and not values[name]:
            raise UsageError(f"{call.name} needs {name}", f"Write it as {call.name}({name}='…'): {parameter.help}.")
    return values


def format_value(value: Any) -> str:
    """Return the value as a Python literal, but 1.0 as 1, so that equal numbers are equal texts."""
    return repr(int(value) if isinstance(value, float) and value.is_integer() else value)


def format_call(name: str, arguments: Mapping[str, Any], others: Iterable[str] = ()) -> str:
    """Return the call as `parse_calls` reads it.

    >>> format_call("lexicon", {"tau": 0.0}), format_call("bm25", {})
    ('lexicon(tau=0)', 'bm25')
    """
    inner = ",".join([*others, *(f"{key}={format_value(value)}" for key, value in arguments.items())])
    return f"{name}({inner})" if inner else name


def name_changes(parameters: Iterable[Parameter], values: Mapping[str, Any]) -> str:
    """Return the values other than the defaults as the end of a run's or annotator's name: `-k1=1.2`.

    A path is cut to its last part; characters unfit for a file name become underscores.
    """
    changed = {each.name: values[each.name] for each in parameters if each.named and values[each.name] != each.default}
    return "".join(f"-{name}={_name_part(value)}" for name, value in changed.items())


def _name_part(value: float | str) -> str:
    if not isinstance(value, str):
        return format_value(value)
    return _NOT_IN_NAMES.sub("_", PurePosixPath(value.replace("\\", "/")).name) or "_"
