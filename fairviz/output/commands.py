"""Commands: the shell command that prints the table of a panel, made from the call that computes it.

A call whose table no verb prints has no command: never one that prints something else.
"""

import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from pathlib import Path
from typing import Any

from fairviz.analyses import ANALYSES
from fairviz.analyses.annotator_accuracy import comparisons
from fairviz.analyses.annotator_accuracy.comparisons import Comparison
from fairviz.analyses.audit.auditing import ATTRIBUTION, LISTWISE, PAIRWISE, audit
from fairviz.analyses.counterfactuals.answer import counterfactual
from fairviz.analyses.finetuning.mended import mend
from fairviz.analyses.mitigations.bench import mitigation_bench
from fairviz.analyses.record import Analysis
from fairviz.analyses.running import analyse
from fairviz.analyses.sensitivity.mapping import robustness
from fairviz.comparison.atlas import atlas
from fairviz.comparison.compare import by_query, compare
from fairviz.comparison.curves import over_cutoffs, with_and_without_rbdf
from fairviz.comparison.track import track_scores
from fairviz.correction.corrected import corrected
from fairviz.datasets.stored import resolve
from fairviz.evaluation.contributions import contributions
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import summarise
from fairviz.evaluation.settings import CHOICES, Settings, parts_of
from fairviz.measures import Question, parse
from fairviz.orders.ties import ties
from fairviz.study.record import Study
from fairviz.words.sentences import shortest

FOLDER = "FOLDER"  # placeholder for the folder of a study that was only uploaded
MOST_CHARACTERS = 30_000  # of a command: systems limit the length of an argument
PARTS = ("study", "filter_values", "custom_bias")  # fields that are written with another, or as the argument STUDY
ALL_FIELDS = tuple(name for name, choice in CHOICES.items() if not choice.shown_only and name not in PARTS)
OF_TESTS = tuple(name for name in ALL_FIELDS if "tests" in CHOICES[name].reads and name not in ("tests", "columns"))
OF_NAMES = tuple(name for name in ALL_FIELDS if name != "columns")  # of measures by their names, without parameters


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
        named = [(f"--{name.replace('_', '-')}", value) for name, value in self.options.items()]
        options = [*named, *self._of_settings()]
        if any(value is NOT_WRITTEN for _, value in options):
            return ""
        words = ["fairviz", self.verb, place_of(self.study) or FOLDER, *self.words]
        if any(word.startswith("-") for word in words):
            return ""
        for name, value in options:
            if isinstance(value, tuple) and any(each.startswith("-") for each in value):
                return ""
            words += [name, *value] if isinstance(value, tuple) and value else []
            for each in value if isinstance(value, list) else [] if isinstance(value, tuple) else [value]:
                words += _option(name, each)
        text = " ".join(map(_quoted, words))
        return text if len(text) <= MOST_CHARACTERS else ""

    def _of_settings(self) -> list[tuple[str, Any]]:
        """Return the options of the settings that differ from their defaults."""
        options = []
        for name in CHOICES:
            value = getattr(self.settings, name)
            if name in self.fields and name not in (*PARTS, *self.placed) and value != CHOICES[name].default:
                options.append(_setting(self.verb, name, value, self.settings))
        return options


NOT_WRITTEN = object()  # the value of a setting for which the verb has no option


def place_of(study: Study) -> str | None:
    """Return the name or the folder by which the study opens again; None for one that was only uploaded."""
    if study.folder is None:
        return study.name if study.name.startswith("ir_datasets:") else None
    return study.name if study.read_only or resolve(study.name) == study.folder else str(Path(study.folder).absolute())


def _option(name: str, value: Any) -> list[str]:
    if value is True:
        return [name]
    if value is None or value is False or value == "":
        return []
    text = str(value)
    return [f"{name}={text}"] if text.startswith("-") else [name, text]


def _quoted(word: str) -> str:
    """Return the word for the shell, a text with quotes of its own in double ones where no sign is special there."""
    return f'"{word}"' if "'" in word and not {*word} & {*'"$`!\\'} else shlex.quote(word)


def _setting(verb: str, name: str, value: Any, settings: Settings) -> tuple[str, Any]:
    """Return the option of a setting and its value."""
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


def _fields(questions: Sequence[Question]) -> tuple[str, ...]:
    """Return the settings that the values of the questions depend on other than by their texts."""
    parts = {"lists", "collection", "corrected"}.union(*map(parts_of, questions))
    has_own_list = any(question.parameters.get("stop_words") == "own" for question in questions)
    written = {name for name in ALL_FIELDS if "text" in CHOICES[name].reads and "collection" not in CHOICES[name].reads}
    read = {name for name in ALL_FIELDS if not parts.isdisjoint(CHOICES[name].reads)} - written
    return (*read, *(["stop_words"] if has_own_list else []))


def _of_scores(verb: str, scores: Mapping[str, Any], **options: Any) -> Line:
    """Return the line of a verb that takes measures. scores: study, measures and settings of the call."""
    settings = scores["settings"] or Settings()
    measures = scores["measures"] if isinstance(scores["measures"], list | tuple) else [scores["measures"]]
    questions = [ask(measure, settings) for measure in measures]
    return Line(verb, scores["study"], settings, [question.text for question in questions], options, _fields(questions))


def _changed(function: Callable[..., Any], given: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return options for the parameters of these names that differ from their defaults."""
    defaults = signature(function).parameters
    return {name: given[name] for name in names if given[name] != defaults[name].default}


def _evaluate(given: Mapping[str, Any]) -> Line:
    return _of_scores("evaluate", given["scores"].given)


def _ties(given: Mapping[str, Any]) -> Line:
    return _of_scores("evaluate", given, tie_range=True, per_query=given["per_query"])


def _corrected(given: Mapping[str, Any]) -> Line | None:
    if given["against"] or given["sample"] or given["target"]:
        return None
    return _of_scores("evaluate", given)


def _compare(given: Mapping[str, Any]) -> Line | None:
    if given["chosen"]:  # a family with measures that are not in the table
        return None
    margins = given["margin"] or {}
    options = {
        "baseline": given["baseline"], "tests": given["tests"] if given["tests"] != "maxT" else "",
        "margin": [f"{name}={value!r}" if name else repr(value) for name, value in margins.items()],
        "power": given["power"], "slice": given["slices"] and given["slices"].given["column"],
    }  # fmt: skip
    line = _of_scores("compare", given["scores"].given, **options)
    return replace(line, fields=(*line.fields, *OF_TESTS))


def _by_query(given: Mapping[str, Any]) -> Line:
    line = _of_scores("compare", given["scores"].given, baseline=given["baseline"], by_query=given["system"] or True)
    return replace(line, fields=(*line.fields, *OF_TESTS))


def _atlas(given: Mapping[str, Any], table: str) -> Line | None:
    names = {"found.correlations": "", "found.orders": "orders"}
    if table not in names:
        return None
    line = _of_scores("atlas", given, table=names[table], **_changed(atlas, given, "correction"))
    return replace(line, fields=(*line.fields, *OF_TESTS))


def _curves(given: Mapping[str, Any]) -> Line | None:
    """Return the line of the curves; the verb draws each measure that has RBDF with and without it."""
    line = _of_scores("atlas", given, table="curves")
    with_rbdf = [text for text in line.words if parse(text).parameters.get("rbdf") is not False]
    return replace(line, words=with_rbdf) if with_and_without_rbdf(with_rbdf) == list(line.words) else None


def _explain(given: Mapping[str, Any]) -> Line:
    options = {name: given[name] for name in ("system", "query", "against")}
    line = _of_scores("explain", {**given, "measures": given["measure"]}, **options)
    return replace(line, fields=[name for name in line.fields if name != "systems"])


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
    values = _changed(counterfactual, given, "rankers", "substitute", "seeds", "depth", "p")
    if table not in names or given["words"] or given["names"]:
        return None
    return _line_of(ANALYSES["counterfactual"], given, values, f"found.table({names[table]!r})")


def _line_of(analysis: Analysis, given: Mapping[str, Any], values: Mapping[str, Any], table: str) -> Line:
    """Return the line of an analysis with these values of its parameters. table: `found.table('NAME')`."""
    options: dict[str, Any] = {}
    for name, value in values.items():
        option = analysis.options.get(name, f"--{name}").removeprefix("--")
        options |= {f"no-{option}" if value is False else option: True if value is False else value}
    name = table.removeprefix("found.table(").removesuffix(")").strip("'")
    fields = ALL_FIELDS if analysis.result else analysis.reads
    shown = "" if name == next(iter(analysis.tables)) else name
    return Line(analysis.name, given["study"], given["settings"] or Settings(), (), options | {"table": shown}, fields)


def _bench(given: Mapping[str, Any], table: str) -> Line | None:
    names = {"found.table": "", "found.means": "means"}
    if table not in names:
        return None
    options = _changed(mitigation_bench, given, "mitigations", "held_out", "seed", "depth")
    measures, options = list(given["measures"]), options | {"table": names[table]}
    return Line("bench", given["study"], given["settings"], measures, options, OF_NAMES)


def _mend(given: Mapping[str, Any], table: str) -> Line | None:
    options = _changed(mend, given, "ranker", "rank", "strength", "minutes", "steps", "seed", "name")
    return Line("mend", given["study"], given["settings"], (), options, OF_NAMES) if table == "found.table" else None


def _audit(given: Mapping[str, Any], table: str) -> Line | None:
    tables = {
        PAIRWISE: {"found.table": "shares", "found.integrity": "integrity"},
        LISTWISE: {
            "found.by_attribute()": "exposure", "found.by_window()": "windows", "found.integrity": "integrity"
        },
        ATTRIBUTION: {"found.table": "names", "found.unnamed": "unnamed", "found.integrity": "integrity"},
    }  # fmt: skip
    name = tables[given["kind"]].get(table, "")
    if not name or given["embedding"] or given["names"]:
        return None
    numbers = ("kind", "per_query", "queries", "annotator", "window", "step", "per_list", "candidates", "template")
    options = _changed(audit, given, *numbers, "seed") | {"with": given["rankers"], "table": name}
    options |= {"no_neutral": not given["neutral"], "every_column": name in ("shares", "exposure", "windows")}
    options |= {"pairs": given["source"].replace(" ", "-")} if given["source"] != "auto" else {}
    return Line("audit", given["study"], Settings(), (), options)


def _track(given: Mapping[str, Any], table: str) -> Line | None:
    if table != "found.table" or not isinstance(given["targets"], str):
        return None
    options = _changed(track_scores, given, "unknown", "targets", "several", "k", "ideal")
    return Line("trec-fair", given["study"], Settings(), (), options)


# The line of each function whose whole value a verb prints, from the values of its parameters.
WHOLE: dict[Callable[..., Any], Callable[[Mapping[str, Any]], Line | None]] = {
    summarise: _evaluate, ties: _ties, corrected: _corrected, compare: _compare, by_query: _by_query,
    over_cutoffs: _curves, contributions: _explain, gsr_points: _points, gsr: _slopes, comparisons.table: _agreement,
}  # fmt: skip
# The line of each function of whose value a verb prints a part, from the parameters and the part: an expression of
# `found`, the value.
PARTLY: dict[Callable[..., Any], Callable[[Mapping[str, Any], str], Line | None]] = {
    atlas: _atlas, robustness: _sensitivity, analyse: _analysis, counterfactual: _counterfactual,
    mitigation_bench: _bench, mend: _mend, audit: _audit, track_scores: _track,
}  # fmt: skip


def command_of(call: Call, table: str = "") -> str:
    """Return the shell command that prints the value of a call, or a part of it; empty if no verb prints it.

    table: the part, as an expression of `found`, the value of the call.

    >>> from fairviz.evaluation.opening import open_study
    >>> command_of(Call(ties, (open_study("football"), ["CWEx"], Settings(cutoff=5, ties="trec_eval")), {}))
    "fairviz evaluate football 'CWEx(alpha=0.5)@5' --tie-range --ties trec_eval"
    """
    line = None
    if call.function in PARTLY:
        line = PARTLY[call.function](call.given, table)
    elif call.function in WHOLE and not table:
        line = WHOLE[call.function](call.given)
    if line is None or (line.settings.corrected_by and call.function is not corrected):  # the verb would correct means
        return ""
    return line.text()
