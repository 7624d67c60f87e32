"""Verbs that look closer: explain, gsr, atlas, robustness, and one for each registered analysis."""

import argparse
import textwrap
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any

from fairviz import declared, interrupts
from fairviz.analyses import Analysis
from fairviz.analyses.record import Origin
from fairviz.cli.options import (
    add_choices,
    open_under_settings,
    opened,
    scores_of,
    settings_of,
    study_of,
    systems_in,
    values_of,
)
from fairviz.cli.record import (
    Command,
    add_excel,
    add_measures,
    add_output,
    add_parameter,
    add_parameters,
    add_study,
    format_epilog,
    lexicon_text,
    print_notes,
    write,
    write_result,
)
from fairviz.errors import UsageError
from fairviz.evaluation.formats import FORMATS, ProgressLine, ProgressLines, emit, say
from fairviz.words.sentences import first_listed

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.analyses.running import Answer
    from fairviz.study.record import Study
    from fairviz.words.genderedness import GenderDirection


MOST_WORDS = 10  # without a vector that gsr names
GSR_READS = (  # the fields that GSR reads
    "systems", "filter_values", "cutoff", "ties", "embedding", "query_terms", "stop_words", "list_weights",
)  # fmt: skip
ATLAS_TABLES = {
    "correlations": "Pearson's r and Kendall's tau of two measures over the queries of each system, and Kendall's tau "
    "between the orders of the systems (the default)",
    "queries": "the queries on which two measures order two systems oppositely, the clearest first, on how many of all "
    "queries they do, and whether their means do; of all pairs of systems, or of the two --systems",
}
ATLAS_EPILOG = (
    "All tables go by fairness: a measure whose least value is fairest counts backwards, one that is fairest at 0 or 1 "
    "by its distance from there, so that measures which agree have positive correlations.",
)
SENSITIVITY_EPILOG = (
    "Prints who is fairer under how many combinations, in how many the difference is significant, and each choice's "
    "share of the variance; --output writes every combination as CSV.",
    "A choice that is ticked without levels (--choice tau) has its usual ones. The present level, which the options "
    "above set, is always among them. A choice that a measure does not read does not multiply its combinations. "
    "Without --choice, the usual choices are varied. Levels of the word list are study, gsr or a file; of the "
    "annotator, default, a name, majority or dawid-skene.",
    "Ctrl-C stops it: finished combinations are printed and written.",
)


def _add_explain(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("measure", metavar="MEASURE", help="such as 'CWEx(alpha=0.5)@10'; without @k it takes --k")
    option("--system", required=True, metavar="NAME", help="the system whose value is split")
    option("--query", metavar="ID", help="one query's list, rank by rank (default: the mean, query by query)")
    option("--against", metavar="NAME", help="another system: split the difference of the two")
    add_choices(parser)
    add_output(parser)


def _run_explain(arguments: argparse.Namespace) -> int:
    from fairviz.measures import parse

    parse(arguments.measure, arguments.k)
    settings = settings_of(arguments)
    from fairviz.evaluation.contributions import anatomy

    study = study_of(arguments)
    result = anatomy(study, arguments.measure, arguments.system, arguments.query, settings, against=arguments.against)
    say(f"note: {result.sentence}")
    parameters = [("system", arguments.system), ("query", arguments.query or ""), ("against", arguments.against or "")]
    write_result(result.table, arguments, study, parameters, settings=settings, measures=[result.measure])
    return 0


EXPLAIN = Command(
    "explain", "split a value into its parts, rank by rank or query by query", _add_explain, _run_explain,
    example="explain newswire CWEx --system bm25 --query q22",
)  # fmt: skip


def _add_gsr(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    add_choices(parser, GSR_READS)
    add_parameters(parser, declared.GSR, "depth")
    option("--pairs", metavar="PAIRS", help="female-male pairs that make the direction: 'she-he, her-his, …'")
    add_parameters(parser, declared.GSR, "left_out")
    option("--per-query", action="store_true", help="one row a system and query: g of the query and of its list")
    add_output(parser)


def _run_gsr(arguments: argparse.Namespace) -> int:
    from fairviz.words.genderedness import PAIRS, parse_pairs

    pairs = parse_pairs(arguments.pairs) if arguments.pairs is not None else PAIRS
    from fairviz.evaluation.gsr import gsr, gsr_points, leave_out, unknown_words, why_undefined
    from fairviz.evaluation.settings import Settings
    from fairviz.words.genderedness import gender_direction
    from fairviz.words.vectors import load_embedding

    study, settings = open_under_settings(arguments, Settings(gsr_depth=arguments.depth, **values_of(arguments)))
    direction = gender_direction(load_embedding(settings.embedding), pairs)
    _print_direction(direction)
    points = leave_out(gsr_points(study, settings, direction=direction), arguments.left_out)
    _print_unknown_words(unknown_words(study, settings, direction))
    print_notes(why_undefined(points).values())
    parameters = (("k", arguments.k), ("left_out", arguments.left_out), ("pairs", arguments.pairs or ""))
    write_result(points if arguments.per_query else gsr(points), arguments, study, parameters, settings=settings)
    return 0


def _print_direction(direction: "GenderDirection") -> None:
    missing = ", ".join("-".join(pair) for pair in direction.missing)
    share, count = f"{100 * direction.explained[0]:.1f} %", f"{len(direction.pairs)} pairs"
    exception = f", without {missing}, which the vectors lack" if missing else ""
    say(f"{direction.embedding.name}: the gender direction explains {share} of the variance of {count}{exception}.")


def _print_unknown_words(unknown: "pd.DataFrame") -> None:
    for part in ("queries", "documents"):
        words = unknown.loc[unknown["part"] == part, "word"].tolist()
        if words:
            say(f"{len(words):,} different words of {part} have no vector: {first_listed(words, MOST_WORDS)}.")


GSR = Command(
    "gsr", "test whether systems answer gendered queries with gendered language", _add_gsr, _run_gsr,
    example="gsr newswire",
)  # fmt: skip


def _add_atlas(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    add_measures(parser)
    option = parser.add_argument
    option("--table", choices=tuple(ATLAS_TABLES), default="correlations", help="see below (default: %(default)s)")
    option("--systems", dest="pair", nargs=2, default=[], metavar=("A", "B"), help="only these two of --table queries")
    add_parameters(parser, declared.ATLAS)
    add_choices(parser)
    add_output(parser)


def _run_atlas(arguments: argparse.Namespace) -> int:
    from fairviz.comparison.atlas import atlas_of
    from fairviz.comparison.family import untested

    if arguments.pair and arguments.table != "queries":
        raise UsageError("--systems A B belongs to --table queries", "Write --table queries --systems bm25 tfidf.")
    study, settings = opened(arguments)
    scores = scores_of(study, settings, arguments)
    disagreement = atlas_of(scores, arguments.correction, untested(study, settings))
    parameters = [("table", arguments.table), ("systems", ", ".join(arguments.pair))]
    if arguments.table == "queries":
        table, where = disagreement.queries(*arguments.pair), "is not in this table"
    else:
        table, where = disagreement.correlations, "is in the order of systems only"
        parameters.append(("correction", arguments.correction))
    if disagreement.without:
        say(f"note: {', '.join(disagreement.without)} has no value for a query, and {where}.")
    write_result(table, arguments, study, parameters, settings=settings, measures=list(disagreement.measures))
    return 0


ATLAS = Command(
    "atlas", "find where measures disagree, by query and by system", _add_atlas, _run_atlas, ATLAS_EPILOG,
    tables=ATLAS_TABLES, example="atlas newswire NFaiRR TExFAIR CWEx",
)  # fmt: skip


def _add_sensitivity(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("--systems", dest="pair", required=True, metavar="A,B", help="the two systems")
    option("--measure", action="append", default=[], metavar="MEASURE", help="such as CWEx; may be given several "
           "times, and is then a choice too (default: CWEx)")  # fmt: skip
    option("--choice", action="append", default=[], metavar="NAME[=LEVEL,…]", help="what is varied, such as tau=0,1; "
           "may be given several times")  # fmt: skip
    add_parameters(parser, declared.SENSITIVITY)
    add_choices(parser)
    option("--output", metavar="FILE", help="write every combination to this file, as CSV")
    add_excel(parser)
    option("--provenance", action=argparse.BooleanOptionalAction, help="write into the file how it was made, in last "
           "columns (default: yes)")  # fmt: skip
    parser.set_defaults(format="csv")


def _run_sensitivity(arguments: argparse.Namespace) -> int:
    from fairviz.analyses.sensitivity.levels import read_levels

    levels = read_levels(arguments.choice, lexicon_text)
    study, settings = open_under_settings(arguments)
    from fairviz.analyses.sensitivity.mapping import USUAL, robustness
    from fairviz.analyses.sensitivity.result import lines
    from fairviz.evaluation.exports import origin

    with closing(ProgressLine("combinations")) as progress:
        result = robustness(
            study, systems_of(study, arguments.pair), arguments.measure or ["CWEx"],
            levels or dict.fromkeys(USUAL), settings, most=arguments.most, told=progress,
        )  # fmt: skip
    findings = [*textwrap.wrap(result.sentence, 100), *(f"  {line}" for line in lines(result))]
    emit("\n".join([*findings, "", FORMATS["table"](result.share_table)]))
    grid, counts = result.grid, result.counts
    if arguments.output is not None:
        measures = tuple(result.table["measure"].unique())
        parameters = (("systems", ", ".join(grid.pair)), ("varied", ", ".join(grid.choices)))
        write(result.table, arguments, lambda: origin(grid.study, grid.settings, measures, parameters))
        say(f"wrote {arguments.output}: {counts.done:,} combinations")
    if counts.done == counts.all:
        return 0
    say(f"stopped: {counts.done:,} of {counts.all:,} combinations are computed, and the figures are of these.")
    return interrupts.STATUS


def systems_of(study: "Study", text: str, option: str = "--systems") -> list[str]:
    """Return the two names in `A,B`; names may contain commas. Raises UsageError that names the option."""
    names = systems_in(study, text)
    if len(names) != 2:
        raise UsageError(f"{option} is {text[:80]!r}", "Write two names with a comma between them, as bm25,tfidf.")
    return names


def _sensitivity_epilog() -> str:
    from fairviz.analyses.sensitivity.levels import CHOICES

    paragraphs = [textwrap.fill(paragraph, 100) for paragraph in SENSITIVITY_EPILOG]
    rows = ["Choices:", *(f"  {name}: {levels.question}" for name, levels in CHOICES.items())]
    return "\n\n".join([*paragraphs, "\n".join(rows)])


SENSITIVITY = Command(
    "sensitivity", "compare two systems under every combination of choices", _add_sensitivity, _run_sensitivity,
    _sensitivity_epilog, aliases=("robustness",),
    example="sensitivity newswire --systems bm25,w2v_add --measure NFaiRR --choice tau=0,1",
)  # fmt: skip


def command_of(analysis: Analysis) -> Command:
    """Return the verb of a registered analysis, made from its record: `fairviz NAME STUDY`, with its parameters as
    options."""
    return Command(
        analysis.name, analysis.summary, partial(_add_analysis, analysis), partial(_run_analysis, analysis),
        partial(_analysis_epilog, analysis), analysis.stopped, example=analysis.example or f"{analysis.name} football",
        aliases=analysis.aliases, group=analysis.group,
    )  # fmt: skip


def _add_analysis(analysis: Analysis, parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    for parameter in analysis.parameters:
        add_parameter(parser, parameter, analysis.options.get(parameter.name, ""), f"parameter_{parameter.name}")
    tables = tuple(analysis.tables)
    parser.add_argument("--table", choices=tables, default=tables[0], help="see below (default: %(default)s)")
    if analysis.reads != () or analysis.result:
        add_choices(parser, () if analysis.result or analysis.reads is None else analysis.reads)
    add_output(parser)


def _run_analysis(analysis: Analysis, arguments: argparse.Namespace) -> int:
    from fairviz.analyses.running import analyse
    from fairviz.evaluation.exports import origin

    settings = settings_of(arguments)
    values = {parameter.name: getattr(arguments, f"parameter_{parameter.name}") for parameter in analysis.parameters}
    values = {name: value for name, value in values.items() if value is not None}
    contents = analysis.read_values(values)  # refuses a bad file before the study is opened
    study, settings = open_under_settings(arguments, settings)
    with closing(ProgressLines()) as progress:
        answer = analyse(study, analysis.name, settings, progress=progress, **contents)
    _say_findings(answer, arguments.study)
    table = answer.table(arguments.table)
    about = _origin_of(answer, table, values)
    write(table, arguments, lambda: origin(study, settings, about.measures, about.parameters))
    return 0


def _say_findings(answer: "Answer", study: str) -> None:
    """Print the notes, and the lines of the record's `said` or else the findings. study: the argument STUDY."""
    analysis = answer.analysis
    if analysis.said is None:
        for line in (*analysis.notes(answer.value), *answer.sentences):
            say(f"note: {line}")
        return
    print_notes(analysis.notes(answer.value))
    for line in analysis.said(answer.value, study):
        say(line)


def _origin_of(answer: "Answer", table: "pd.DataFrame", values: Mapping[str, Any]) -> Origin:
    """Return the provenance of a table: by the record's `origin`, else the values and the measures in the table."""
    if answer.analysis.origin is not None:
        return answer.analysis.origin(answer.value, values)
    measures = [text for text in table["measure"].unique() if "@" in text] if "measure" in table else []
    return Origin(list(values.items()), measures)


def _analysis_epilog(analysis: Analysis) -> str:
    details = analysis.details() if callable(analysis.details) else analysis.details
    return format_epilog(details or (analysis.question,), {name: table.help for name, table in analysis.tables.items()})
