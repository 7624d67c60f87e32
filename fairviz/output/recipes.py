"""Recipes: the Python that computes the numbers of a panel again, and the shell command that prints them, to copy.

A recipe is made from the function that the page calls and from its arguments, so it runs under the settings of the
page. Pinned values are not part of it. A call whose table no verb prints has no command: never one that prints
something else.
"""

import ast
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from fairviz.analyses import ANALYSES
from fairviz.analyses.annotator_accuracy import comparisons
from fairviz.analyses.annotator_accuracy.comparisons import Comparison
from fairviz.analyses.gender_swap.answer import counterfactual
from fairviz.analyses.mitigations.bench import mitigation_bench
from fairviz.analyses.record import Analysis
from fairviz.analyses.running import analyse
from fairviz.analyses.sensitivity.mapping import robustness
from fairviz.annotation.voters import with_labels_alongside
from fairviz.comparison.atlas import atlas
from fairviz.comparison.compare import by_query, compare
from fairviz.comparison.family import How, candidates, clusters_of
from fairviz.comparison.tails import tails
from fairviz.correction.corrected import corrected
from fairviz.datasets.stored import resolve
from fairviz.evaluation.contributions import contributions
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import CHOICES, SHOWN_ONLY, Settings, parts_of
from fairviz.home import BUILTIN
from fairviz.installed import EXTENSIONS, bundled
from fairviz.measures import Question, parse
from fairviz.orders.ties import ties
from fairviz.statistics.families import Tests
from fairviz.study.record import Study
from fairviz.words.sentences import shortest

FOLDER = "FOLDER"  # placeholder for the folder of a study that was only uploaded
MOST_CHARACTERS = 30_000  # of a command: systems limit the length of an argument
PARTS = ("study", "filter_values", "custom_bias")  # fields that are written with another, or as the argument STUDY
ALL_FIELDS = tuple(name for name, choice in CHOICES.items() if not choice.shown_only and name not in PARTS)
OF_TESTS = tuple(name for name in ALL_FIELDS if "tests" in CHOICES[name].reads and name not in ("tests", "columns"))
OF_NAMES = tuple(name for name in ALL_FIELDS if name != "columns")  # of measures by their names, without parameters
NOT_WRITTEN = object()  # the value of a setting for which the verb has no option
_WIDTH = 96
_STARTS = ("study", "settings")  # the variables that most programs begin with
_COMMON_NAMES = ("info", "table")  # of several modules, so they are written with their module


@dataclass(frozen=True, eq=False)
class Call:
    """A call that a recipe writes: an argument that is one becomes a variable with the parameter's name."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any]

    @property
    def given(self) -> dict[str, Any]:
        """The value of each parameter, defaults included; those of `**choices` under their names."""
        bound = signature(self.function).bind(*self.arguments, **self.keywords)
        bound.apply_defaults()
        return {**bound.arguments, **self.keywords}


@dataclass(frozen=True)
class Line:
    """A command before it is written.

    words: the arguments behind the study. options: by their names; a list repeats the option, a tuple has all values
    behind one, True is a flag, and empty values, False and None are left out. fields: the settings that the numbers
    depend on, each an option of the verb or in `words` and `options`. placed: those of them that are in `words` and
    `options`.
    """

    verb: str
    study: Study
    settings: Settings
    words: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    fields: Collection[str] = ()
    placed: Collection[str] = ()

    def text(self) -> str:
        """Return the command, quoted for the shell; empty if it cannot be written."""
        words = ["fairviz", self.verb, place_of(self.study) or FOLDER, *self.words]
        if any(word.startswith("-") for word in words):
            return ""
        options = [(f"--{name.replace('_', '-')}", value) for name, value in self.options.items()]
        for name, choice in CHOICES.items():
            value = getattr(self.settings, name)
            if name in self.fields and name not in (*PARTS, *self.placed) and value != choice.default:
                options.append(_option_of(self.verb, name, value, self.settings))
        for name, value in options:
            if (written := _words_of(name, value)) is None:
                return ""
            words += written
        text = " ".join(map(_quoted, words))
        return text if len(text) <= MOST_CHARACTERS else ""


def _option_of(verb: str, name: str, value: Any, settings: Settings) -> tuple[str, Any]:
    """Return the verb's option for a setting, and its value."""
    choice = CHOICES[name]
    if name == "filter_column":
        choice, value = CHOICES["filter_values"], [f"{value}={each}" for each in settings.filter_values]
    is_file = name == "stop_words" and " " not in value  # a list of one word, which would be read as a file's name
    if is_file or not choice.option or (choice.verbs and verb not in choice.verbs):
        return name, NOT_WRITTEN
    if name == "position_bias" and value == "custom":
        return choice.option, ",".join(map(shortest, settings.custom_bias))
    if name == "systems" and not any("," in each for each in value):
        return choice.option, ",".join(value)
    return choice.option, list(value) if isinstance(value, tuple) else value


def _words_of(name: str, value: Any) -> list[str] | None:
    """Return an option with its values as words; None if it cannot be written."""
    if value is NOT_WRITTEN:
        return None
    if isinstance(value, tuple):
        if any(each.startswith("-") for each in value):
            return None
        return [name, *value] if value else []
    words: list[str] = []
    for each in value if isinstance(value, list) else [value]:
        if each is True:
            words.append(name)
        elif each is not None and each is not False and each != "":
            words += [f"{name}={each}"] if str(each).startswith("-") else [name, str(each)]
    return words


def _quoted(word: str) -> str:
    """Return a word for the shell; one with quotes of its own is in double ones where no sign is special there."""
    return f'"{word}"' if "'" in word and not {*word} & {*'"$`!\\'} else shlex.quote(word)


def place_of(study: Study) -> str | None:
    """Return the name or the folder by which the study opens again; None for one that was only uploaded."""
    if study.folder is None:
        return study.name if study.name.startswith("ir_datasets:") else None
    return study.name if study.read_only or resolve(study.name) == study.folder else str(Path(study.folder).absolute())


def _of_scores(verb: str, scores: Mapping[str, Any], more: Collection[str] = (), **options: Any) -> Line:
    """Return the line of a verb that takes measures. scores: study, measures and settings of the call. more: fields
    beside those that the values of the measures depend on other than by their texts."""
    settings = scores["settings"] or Settings()
    measures = scores["measures"] if isinstance(scores["measures"], list | tuple) else [scores["measures"]]
    questions = [ask(measure, settings) for measure in measures]
    parts = {"lists", "collection", "corrected"}.union(*map(parts_of, questions))
    written = {name for name in ALL_FIELDS if "text" in CHOICES[name].reads and "collection" not in CHOICES[name].reads}
    read = {name for name in ALL_FIELDS if not parts.isdisjoint(CHOICES[name].reads)} - written
    if any(question.parameters.get("stop_words") == "own" for question in questions):
        read.add("stop_words")
    return Line(verb, scores["study"], settings, [question.text for question in questions], options, {*read, *more})


def changed(function: Callable[..., Any], given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return options for the parameters of these names that differ from their defaults."""
    defaults = signature(function).parameters
    return {name: given[name] for name in names if given[name] != defaults[name].default}


def _compare(given: Mapping[str, Any]) -> Line | None:
    if given["chosen"]:  # a family with measures that are not in the table
        return None
    margins = given["margin"] or {}
    return _of_scores(
        "compare", given["scores"].given, OF_TESTS, baseline=given["baseline"],
        tests=given["tests"] if given["tests"] != "maxT" else "",
        margin=[f"{name}={value!r}" if name else repr(value) for name, value in margins.items()],
        power=given["power"], needed=given["needed"], slice=given["slices"] and given["slices"].given["column"],
    )  # fmt: skip


def _atlas(given: Mapping[str, Any], table: str) -> Line | None:
    if table != "found.correlations":
        return None
    return _of_scores("atlas", given, OF_TESTS, **changed(atlas, given, "correction"))


def _explain(given: Mapping[str, Any]) -> Line:
    options = {name: given[name] for name in ("system", "query", "against")}
    line = _of_scores("explain", {**given, "measures": given["measure"]}, **options)
    return replace(line, fields={*line.fields} - {"systems"})


def _points(given: Mapping[str, Any]) -> Line:
    settings = given["settings"] or Settings()
    depth = settings.gsr_depth if settings.gsr_depth != Settings.gsr_depth else ""
    fields = [name for name in ALL_FIELDS if {"gsr", "lists", "rankings"} & {*CHOICES[name].reads}]
    fields += ["cutoff", "query_terms", "stop_words", "list_weights"]
    options = {"per_query": True, "depth": depth, "pairs": settings.pairs}
    return Line("gsr", given["study"], settings, (), options, fields, ("gsr_depth", "pairs"))


def _slopes(given: Mapping[str, Any]) -> Line:
    left_out = given["points"].given
    line = _points(left_out["points"].given)
    return replace(line, options={**line.options, "per_query": False, "left_out": left_out["n"] or ""})


def _agreement(given: Mapping[str, Any]) -> Line:
    comparison, settings = given["comparison"], given["settings"]
    reference = comparison.reference
    if not reference and settings.annotator:
        reference = comparisons.reference_of(given["study"], settings, comparison)
    options = {
        "reference": reference, "by": comparison.by, "table": given["name"],
        "binary": comparison.binary, "without_empty": comparison.without_empty,
        "draw": comparison.draw if comparison.draw != Comparison.draw else "",
        "tau": settings.tau if settings.tau != Settings.tau else None,
    }  # fmt: skip
    return Line("agree", given["study"], settings, (), options, ("tokenizer", "lexicon", "voters"))


def _sensitivity(given: Mapping[str, Any], table: str) -> Line | None:
    """Return the line whose file holds every combination, which the verb does not print; its levels are texts."""
    if table != "found.table" or any("," in name for name in given["systems"]):
        return None
    levels = {name: [str(level) or "default" for level in values] for name, values in given["choices"].items()}
    if any("," in level for values in levels.values() for level in values) or "lexicon" in levels:
        return None
    options = {
        "systems": ",".join(given["systems"]), "measure": list(given["measures"]),
        "choice": [f"{name}={','.join(values)}" for name, values in levels.items()], "output": "combinations.csv",
    }  # fmt: skip
    return Line("robustness", given["study"], given["settings"], (), options, OF_NAMES)


def _analysis(given: Mapping[str, Any], table: str) -> Line | None:
    """Return the line of a registered analysis. Parameters that name a file have no value that can be written."""
    analysis = ANALYSES.get(given["name"])
    if analysis is None or {*given["values"]} & {*analysis.files}:
        return None
    return _line_of(analysis, given, given["values"], table)


def _counterfactual(given: Mapping[str, Any], table: str) -> Line | None:
    names = {"found.table": "crbo", "found.queries": "queries", "found.triples": "triples"}
    values = changed(counterfactual, given, "rankers", "substitute", "seeds", "depth", "p")
    if table not in names or given["words"] or given["names"]:
        return None
    return _line_of(ANALYSES["gender-swap"], given, values, f"found.table({names[table]!r})")


def _line_of(analysis: Analysis, given: Mapping[str, Any], values: Mapping[str, Any], table: str) -> Line:
    """Return the line of an analysis with these values of its parameters. table: `found.table('NAME')`."""
    options: dict[str, Any] = {}
    for name, value in values.items():
        option = analysis.options.get(name, f"--{name}").removeprefix("--")
        options |= {f"no-{option}" if value is False else option: True if value is False else value}
    name = table.removeprefix("found.table(").removesuffix(")").strip("'")
    fields = ALL_FIELDS if analysis.result or analysis.reads is None else analysis.reads
    shown = "" if name == next(iter(analysis.tables)) else name
    return Line(analysis.name, given["study"], given["settings"] or Settings(), (), options | {"table": shown}, fields)


def _bench(given: Mapping[str, Any], table: str) -> Line | None:
    names = {"found.table": "", "found.means": "means"}
    if table not in names:
        return None
    options = changed(mitigation_bench, given, "mitigations", "held_out", "seed", "depth")
    measures, options = list(given["measures"]), options | {"table": names[table]}
    return Line("bench", given["study"], given["settings"], measures, options, OF_NAMES)


# The line of each function whose whole value a verb prints, from the values of its parameters.
WHOLE: dict[Callable[..., Any], Callable[[Mapping[str, Any]], Line | None]] = {
    summarise: lambda given: _of_scores("evaluate", given["scores"].given),
    ties: lambda given: _of_scores("evaluate", given, tie_range=True, per_query=given["per_query"]),
    corrected: lambda given: (
        None if given["against"] or given["sample"] or given["target"] else _of_scores("evaluate", given)
    ),
    compare: _compare,
    tails: lambda given: _of_scores(
        "compare", given["scores"].given, OF_TESTS, baseline=given["baseline"], tails=given["system"] or True
    ),
    by_query: lambda given: _of_scores(
        "compare", given["scores"].given, OF_TESTS, baseline=given["baseline"], by_query=given["system"] or True
    ),
    contributions: _explain, gsr_points: _points, gsr: _slopes, comparisons.table: _agreement,
}  # fmt: skip
# The line of each function of whose value a verb prints a part, from the parameters and the part: an expression of
# `found`, the value.
PARTLY: dict[Callable[..., Any], Callable[[Mapping[str, Any], str], Line | None]] = {
    atlas: _atlas, robustness: _sensitivity, analyse: _analysis, counterfactual: _counterfactual,
    mitigation_bench: _bench,
}  # fmt: skip


def command_of(call: Call, table: str = "") -> str:
    """Return the shell command that prints the value of a call, or a part of it; empty if no verb prints it.

    table: the part, as an expression of `found`, the value of the call.

    >>> from fairviz.evaluation.opening import open_study
    >>> command_of(Call(ties, (open_study("football"), ["CWEx"], Settings(cutoff=5, ties="trec_eval")), {}))
    "fairviz evaluate football 'CWEx(alpha=0.5)@5' --tie-range --ties trec_eval"
    """
    line = None
    if partly := PARTLY.get(call.function) or _of_extension(call.function):
        line = partly(call.given, table)
    elif call.function in WHOLE and not table:
        line = WHOLE[call.function](call.given)
    if line is None or (line.settings.corrected_by and call.function is not corrected):  # the verb would correct means
        return ""
    return line.text()


def _of_extension(function: Callable[..., Any]) -> Callable[[Mapping[str, Any], str], Line | None] | None:
    """Return what makes the line of an extension's public function, as those of PARTLY; None for another function."""
    if not function.__module__.startswith(EXTENSIONS):
        return None
    entry = bundled("fairviz.lines").get(function.__name__)
    return entry.load() if entry is not None else None


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
    names |= {"clusters": call(clusters_of, study, how.clusters.column)} if how.clusters else {}
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
        """Return an argument as code. name: of its parameter, and of the variable that it becomes where it is a call or
        a collection.
        """
        if isinstance(value, Study):
            self.study = value
            self.start["study"] = f"fairviz.open_study({(place_of(value) or FOLDER)!r})"
            return "study"
        if isinstance(value, Settings):
            self.start["settings"] = _settings_code(value)
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
            return _broken("", [f"{key!r}: {self.item(each)}" for key, each in values.items()], "{}")
        return _broken("", [self.item(each) for each in values], "[]")

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


def _settings_code(settings: Settings) -> str:
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
