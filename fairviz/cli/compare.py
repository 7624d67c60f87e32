"""compare and gate: systems against one of them, query by query, and whether a run may replace a baseline."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from fairviz import declared
from fairviz.cli.evaluate import corrected_table
from fairviz.cli.options import (
    add_choices,
    checked_choices,
    computable,
    correction_note,
    opened,
    scores_of,
    settings_of,
    study_of,
    with_machine,
)
from fairviz.cli.record import (
    NOT_PASSED,
    Command,
    add_measures,
    add_output,
    add_parameters,
    add_study,
    includes_origin,
    print_notes,
    refuse_conflicts,
    write,
    write_result,
)
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.formats import emit, say
from fairviz.words.sentences import counted, decimal

if TYPE_CHECKING:
    import pandas as pd

    from fairviz.comparison.compare import Comparison
    from fairviz.comparison.conditions import Condition
    from fairviz.comparison.gate import Gate
    from fairviz.evaluation.settings import Settings
    from fairviz.study.record import Study

STRIP = "strip"
STRIP_CONFLICTS = (STRIP, ("slice", "wide"), f"--format {STRIP} cannot show --{{}}", "Leave out one of the two.")
BY_QUERY_CONFLICTS = ("by_query", ("slice", "wide", "margin", "power", "needed", "corrected_by"),
                      "--by-query and --{} ask for different tables", "Give one of them.")  # fmt: skip
TAILS_CONFLICTS = ("tails", ("by_query", *BY_QUERY_CONFLICTS[1]), BY_QUERY_CONFLICTS[2].replace("by-query", "tails"),
                   "Give one of them.")  # fmt: skip
BY_QUERY = ("effect_size", "wins", "ties", "losses")  # of queries themselves, which corrected values are not
COMPARE_EPILOG = (
    "A difference is taken query by query, on the queries that both systems have a value for, and is tested at 1 - "
    "--level. By default all pairs of systems in a measure are one family, tested by single-step maxT: p and intervals "
    "then agree. --baseline changes which system the rows are against, not the tests; to test one baseline alone, "
    "declare it: --tests \"maxT(baseline='bm25')\". Other methods: holm, bonferroni, bh, tukey, none, with "
    "statistic='t', 'wilcoxon' or 'randomisation'; family='measures' makes one family across the "
    "measures that are named here.",
    "Not significantly different does not mean equal: --margin tests equivalence (the interval at 2 * --level - 1 is "
    "within the margin), and --power adds the minimum detectable difference.",
    "--background collection, or run:BASELINE without text, is the background of `gate`, which no other run changes.",
    "--slice compares within each value of a column of the queries; all slices of a measure are one family.",
    "DPFR is the distance from the achievable front of two measures: 'DPFR(nDCG,CWEx,weight=0.5)'. The reference "
    "point is at this share of the front's length, from its most effective end; candidates='run' or 'judged' takes "
    "other candidates than the study's. Contributions of queries are tested.",
    f"--format {STRIP} draws the systems in the order of each measure, a line a measure.",
)
UNDECIDED_STATUS = 1
CAUSES = (
    "fewer than ten queries in common, or fewer than half of all; a difference that is undefined, as a ratio of a mean "
    "of 0; 'never shown GROUP' on fewer than ten queries with relevant documents of the group; a measure undefined for "
    "more than --undefined of the queries in the candidate alone; a query that one of the two lacks, with "
    "--all-queries; a run file or study with errors, or without what a measure needs; a file that cannot be written"
)
GATE_EPILOG = (
    "A condition is a measure, words and a number. Of the difference, candidate minus baseline, query by query on the "
    "queries that both answer: 'CWEx falls by 0.02', 'RaB rises by 0.5', 'TED worse by 0.02', 'CWEx better by 0.1', "
    "where worse and better go by the direction of the measure; of a measure that is fairest at 0 or 1 it is the "
    "difference of the distances from there, as in `compare`. Of the candidate's value: 'CWEx below -0.2', 'TED above "
    "0.3'. DPFR is the distance from the achievable front: 'DPFR rises by 0.05', 'DPFR(P@5,NFaiRR) above 0.4'.",
    "'never shown GROUP' is the share of the relevant documents of a group that no list shows within k, over the "
    "queries that both answer: 'never shown female rises by 0.05', 'never shown female above 0.3'.",
    "A condition is met where the whole interval at --level is beyond the number: a number beyond it whose interval "
    "reaches back is only possible, and passes. 'falls by 0' means: falls significantly. p and interval are those of "
    "`compare` for the two systems alone; with many conditions a higher --level keeps false alarms rare.",
    "The background of NFaiRR is the collection, or without text what the baseline retrieves, so that it does not "
    "change with the candidate; `compare --background collection` gives the same numbers. --background names another.",
    "--claim takes the condition from [claim] of study.toml, and passes where the claim holds, as in `check --claims`: "
    "by the whole interval, corrected over its pairs. --candidate new.run stands in for the better system.",
    "Exit status: 0 passed; 3 a condition is met, or the claim does not hold; 1 no decision, for the causes that "
    "--strict lists; 2 a wrong argument, such as a condition that cannot be read.",
)


def _add_compare(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    add_measures(parser)
    option = parser.add_argument
    option(
        "--baseline", default="", metavar="NAME", help="the system to compare with (default: the best of each measure)"
    )
    add_parameters(parser, declared.COMPARE, "draws", "seed", "level")
    option("--margin", action="append", default=[], metavar="M", help="differences up to M do not matter: a number, or "
           "CWEx=0.01 for one measure; may be given several times")  # fmt: skip
    add_parameters(parser, declared.COMPARE, "power")
    option("--needed", action="store_true", help="also how many queries would make a difference significant, in its "
           "family, alone and by Bonferroni's correction")  # fmt: skip
    option("--slice", default="", metavar="COLUMN", help="apart for each value of a column of the queries")
    option("--by-query", nargs="?", const="", metavar="NAME", help="instead this system and --baseline on each query, "
           "the greatest difference first (default: the two best of each measure)")  # fmt: skip
    option("--tails", nargs="?", const="", metavar="NAME", help="instead the 10, 50 and 90 %% quantiles of this system "
           "and --baseline over queries (default: the two best of each measure)")  # fmt: skip
    option("--wide", action="store_true", help="one row a system and one column a measure, as a paper prints it")
    add_choices(parser)
    add_output(parser, STRIP)


def _run_compare(arguments: argparse.Namespace) -> int:
    from fairviz.comparison.compare import read_margins

    refuse_conflicts(vars(arguments) | {"strip": arguments.format == STRIP}, [STRIP_CONFLICTS])
    margin = read_margins(arguments.margin) if arguments.margin else None
    if arguments.corrected_by and arguments.slice:
        raise UsageError("--corrected-by corrects means over all queries", "Leave out --slice.")
    fronts = _split_fronts(arguments)
    study, settings = opened(arguments)
    if arguments.by_query is not None or arguments.tails is not None:
        return _by_query(study, settings, arguments)
    fronts = computable(study, settings, fronts, beside=True)
    if settings.corrected_by and _wrote_untested(study, settings, arguments):
        return 0
    scores, result = _compared(study, settings, arguments, fronts, margin)
    _write_compared(study, settings, arguments, scores, result)
    return 0


def _compared(
    study: "Study",
    settings: "Settings",
    arguments: argparse.Namespace,
    fronts: list[str],
    margin: dict[str, float] | None,
) -> "tuple[pd.DataFrame, Comparison]":
    """Return the scores and their comparison, and print its notes."""
    from fairviz.comparison.compare import check_how, compared_as, sizes, slices_of
    from fairviz.comparison.family import how_of
    from fairviz.comparison.finding import inseparable_line, orders
    from fairviz.comparison.pareto_front import with_fronts
    from fairviz.comparison.ranking_sentences import family_text, interval_note, rank_note
    from fairviz.evaluation.scores import refuse_alone, summarise
    from fairviz.output.comparison_tables import draws_note, notes

    scores = scores_of(study, settings, arguments)
    refuse_alone(scores)
    scores, front_notes = with_fronts(study, settings, scores, fronts)
    slices = slices_of(study, arguments.slice) if arguments.slice else None
    chosen = {name: getattr(arguments, name) for name in ("level", "draws", "seed", "needed")}
    how = replace(how_of(study, settings), **chosen)
    check_how(scores, how, arguments.baseline)
    result = compared_as(scores, how, arguments.baseline, slices=slices, margin=margin, power=arguments.power)
    slices_note, questions = "", [pairs.question for pairs in result.pairs]
    if slices is not None:
        counts = ", ".join(f"{name} {count:,}" for name, count in sizes(scores, slices).items())
        slices_note = f"queries by {slices.name}: {counts}."
    family = f"tests: {family_text(result)}; intervals: {interval_note(result)}; ranks: {rank_note(result)}."
    groups = "" if slices is not None else inseparable_line(orders(summarise(scores), questions, result))
    print_notes(filter(None, (*front_notes, family, draws_note(result), slices_note, groups, *notes(result))))
    return scores, result


def _write_compared(
    study: "Study", settings: "Settings", arguments: argparse.Namespace, scores: "pd.DataFrame", result: "Comparison"
) -> None:
    """Write the comparison as a strip, one row a system, or one row a pair."""
    from fairviz.comparison.finding import orders, strips
    from fairviz.evaluation.exports import headed, origin
    from fairviz.evaluation.scores import summarise
    from fairviz.output.comparison_tables import to_wide

    measures = tuple(result.table["measure"].unique())
    about = partial(origin, study, settings, measures, _parameters(result, arguments))
    if arguments.format == STRIP:
        text = strips(orders(summarise(scores), [pairs.question for pairs in result.pairs], result)) + "\n"
        emit(headed(text, about(), "table") if includes_origin(arguments) else text, arguments.output)
    elif arguments.wide:
        emit(to_wide(result, arguments.format, about() if includes_origin(arguments) else None), arguments.output)
    else:
        without = list(BY_QUERY) if settings.corrected_by else []
        write(result.table.drop(columns=without), arguments, about)


def _by_query(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> int:
    """Write the differences of two systems on each query, or their quantiles. Raises UsageError for options
    of a table of means."""
    from fairviz.comparison.compare import by_query
    from fairviz.comparison.family import candidates
    from fairviz.comparison.tails import tails

    of_tails = arguments.tails is not None
    if of_tails:
        refuse_conflicts(vars(arguments) | {"tails": True}, [TAILS_CONFLICTS])
    else:
        refuse_conflicts(vars(arguments) | {"by_query": True}, [BY_QUERY_CONFLICTS])
    scores, system = scores_of(study, settings, arguments), arguments.tails if of_tails else arguments.by_query
    pair, among = (system, arguments.baseline), candidates(study, settings)
    table = tails(scores, *pair, level=arguments.level, among=among) if of_tails else by_query(scores, *pair, among)
    parameters = [("system", system), ("baseline", arguments.baseline)]
    parameters += (
        [("level", arguments.level)] if of_tails and arguments.level != declared.COMPARE["level"].default else []
    )
    write_result(table, arguments, study, parameters, settings=settings, measures=table["measure"].unique())
    return 0


def _split_fronts(arguments: argparse.Namespace) -> list[str]:
    """Return the measures that are distances from a front, and leave the others; of a front alone its two measures."""
    from fairviz.measures import parse
    from fairviz.measures.front_distance import is_front

    fronts = [text for text in arguments.measures if is_front(text)]
    if fronts and (arguments.slice or arguments.corrected_by):
        option = "--slice" if arguments.slice else "--corrected-by"
        raise UsageError(f"{fronts[0]} is a distance of means over all queries", f"Leave out {option}.")
    questions = [parse(text, arguments.k) for text in fronts]
    own = [one.parameters[name].text for one in questions for name in ("effectiveness", "fairness")]
    arguments.measures = [text for text in arguments.measures if not is_front(text)] or list(dict.fromkeys(own))
    return fronts


def _wrote_untested(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> bool:
    """Write corrected differences from the baseline, and return True, where the sample allows no test."""
    from fairviz.correction.corrected import correction

    reason = correction(study, (), settings).no_tests
    if not reason:
        return False
    if not arguments.baseline:
        raise UsageError(f"{reason}, so no system is known to be the best", "Name one: --baseline NAME")
    print_notes([f"{reason}."])
    _write_corrected(study, settings, arguments)
    return True


def _write_corrected(study: "Study", settings: "Settings", arguments: argparse.Namespace) -> None:
    baseline = arguments.baseline
    table = corrected_table(study, settings, arguments, baseline, arguments.level)
    measures = table["measure"].unique()
    write_result(table, arguments, study, [("against", baseline)], settings=settings, measures=measures)


def _parameters(result: "Comparison", arguments: argparse.Namespace) -> tuple[tuple[str, object], ...]:
    """Return the parameters of the comparison for the provenance columns."""
    parameters: dict[str, object] = {"tests": result.how.tests.text, "pairs": result.family}
    options = {"slice_by": arguments.slice, "margins": ", ".join(arguments.margin), "power": arguments.power or ""}
    options |= {"needed": arguments.needed}
    options |= {"draws": arguments.draws} if arguments.draws != declared.COMPARE["draws"].default else {}
    options |= {"level": result.how.level} if result.how.level != declared.COMPARE["level"].default else {}
    return tuple((parameters | {name: value for name, value in options.items() if value}).items())


COMPARE = Command(
    "compare", "compare systems with one of them, query by query", _add_compare, _run_compare, COMPARE_EPILOG,
    example="compare newswire CWEx NFaiRR nDCG --baseline bm25",
)  # fmt: skip


def _add_gate(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    run = "a system of the study, or a run file that is read beside it"
    option("--baseline", default="", metavar="RUN", help=run)
    option("--candidate", default="", metavar="RUN", help=run)
    option("--fail-if", action="append", default=[], metavar="CONDITION", help="such as 'CWEx falls by 0.02'; may "
           "be given several times, and one that is met is enough")  # fmt: skip
    option("--claim", action="store_true", help="instead the claim that the study declares: it passes where the claim "
           "holds; --candidate and --baseline stand in for its systems")  # fmt: skip
    add_parameters(parser, declared.GATE, "level", "draws")
    option("--undefined", type=_percent, default=0.05, metavar="P", help="queries for which a measure may be undefined "
           "in the candidate alone (default: 5%%)")  # fmt: skip
    add_parameters(parser, declared.GATE, "most")
    option("--all-queries", action="store_true", help="status 1 where one of the two answers a query that the other "
           "does not")  # fmt: skip
    option("--strict", dest="data_error", action="store_const", const=NOT_PASSED, default=UNDECIDED_STATUS,
           help=f"status {NOT_PASSED} in place of {UNDECIDED_STATUS}, which all causes of no decision have: {CAUSES}",
           )  # fmt: skip
    option("--report", metavar="FILE", help="also write one page of HTML that needs nothing else")
    add_choices(parser)
    parser.set_defaults(background="")
    add_output(parser)


def _percent(text: str) -> float:
    """Return a share written as 5% or 0.05, from 0 to 1."""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a share: write 5% or 0.05")
    return share


def _run_gate(arguments: argparse.Namespace) -> int:
    return _write_gate(arguments, *(_gate_of_claim if arguments.claim else _gate_of_conditions)(arguments))


def _gate_of_claim(arguments: argparse.Namespace) -> "tuple[Study, Settings, Gate]":
    """Return the study, the settings of its claim, and the gate with its conditions. Raises UsageError for options that
    the claim has already."""
    from fairviz.checks.claim import claim_gate, declared_settings
    from fairviz.evaluation.settings import Settings

    arguments.background = arguments.background or Settings.background
    own = {name: getattr(arguments, name) != declared.GATE[name].default for name in ("level", "draws")}
    changed = next((f"--{name}" for name, is_changed in own.items() if is_changed), "")
    if arguments.fail_if or changed or settings_of(arguments) != Settings():
        what = "--fail-if" if arguments.fail_if else changed or "an option of the measures"
        raise UsageError(f"the claim has conditions and settings of its own, and {what} is given", "Leave one out.")
    study, baseline, candidate = study_of(arguments), "", ""
    if arguments.baseline:
        study, baseline = _with_run(study, arguments.baseline, "baseline")
    if arguments.candidate:
        study, candidate = _with_run(study, arguments.candidate, "candidate")
    found = claim_gate(study, baseline, candidate, most=arguments.most)
    settings = declared_settings(study, study.claim) if study.claim else Settings()
    return study, settings, found


def _gate_of_conditions(arguments: argparse.Namespace) -> "tuple[Study, Settings, Gate]":
    """Return the study, the settings, and the gate with the conditions of --fail-if."""
    from fairviz.comparison.conditions import read_condition
    from fairviz.comparison.gate import gate, gate_background

    for name in ("baseline", "candidate", "fail_if"):
        if not getattr(arguments, name):
            option = f"--{name.replace('_', '-')}"
            raise UsageError(
                f"gate needs {option}", f"Give {option}, or --claim for the claim that the study declares."
            )
    background = arguments.background
    arguments.background = background or "candidates"
    settings = settings_of(arguments)
    for text in arguments.fail_if:
        read_condition(text, settings)
    study = study_of(arguments)
    study, baseline = _with_run(study, arguments.baseline, "baseline")
    study, candidate = _with_run(study, arguments.candidate, "candidate")
    settings = settings.changed(background=gate_background(study, baseline, background))
    settings = with_machine(study, checked_choices(study, settings))
    conditions = tuple({text: read_condition(text, settings) for text in arguments.fail_if}.values())
    parameters = {"level": arguments.level, "draws": arguments.draws, "most": arguments.most}
    return study, settings, gate(study, baseline, candidate, conditions, settings, **parameters)


def _write_gate(arguments: argparse.Namespace, study: "Study", settings: "Settings", result: "Gate") -> int:
    """Write the result of a gate, and return the exit status."""
    from fairviz.comparison.gate import alone_notes, lost_notes, require_defined, require_same_queries
    from fairviz.evaluation.exports import origin
    from fairviz.output.gate_page import page

    notes = (
        *filter(None, [correction_note(study, settings)]),
        *_background_notes(settings.background, result.conditions),
        *result.front_notes,
        *alone_notes(result),
        *lost_notes(result),
    )
    for line in (*(f"note: {note}" for note in notes), *condition_lines(result)):
        say(line)

    recorded = {name: getattr(arguments, name) for name in ("level", "draws", "undefined")}
    recorded |= {"claim": study.claim.date} if arguments.claim and study.claim else {}
    provenance = tuple({"baseline": result.baseline, "candidate": result.candidate, **recorded}.items())
    about = partial(origin, study, settings, tuple(result.table["measure"].unique()), provenance)
    write(result.table, arguments, about)
    if arguments.report:
        emit(page(result, about()), arguments.report)
        say(f"wrote {arguments.report}")
    require_defined(result, arguments.undefined)
    if arguments.all_queries:
        require_same_queries(result)
    return {"beyond": NOT_PASSED, "undecided": arguments.data_error}.get(result.state, 0)


def _with_run(study: "Study", name: str, role: str) -> "tuple[Study, str]":
    """Return the study with the named run, and the name of its system: a system of the study, else that of a run file.

    A file whose system has the name of another is renamed `NAME (baseline)` or `NAME (candidate)`. Raises FairvizError
    if the name is neither a system nor a file, DataError for every bad line of the file.
    """
    from fairviz.study.loaders.runs import read_run
    from fairviz.study.study import add_runs

    if name in study.systems:
        return study, name
    if not os.path.isfile(name):
        raise FairvizError(
            f"the {role} {name!r} is neither a system of {study.name} nor a run file",
            f"Its systems are {', '.join(study.systems) or 'none'}; or name a file such as runs/new.run.",
        )
    table = read_run(name)
    system = str(table["system"].iloc[0]) if len(table) else ""
    if system in study.systems:
        system = f"{system} ({role})"
        table = table.assign(system=table["system"].cat.rename_categories([system]))
    return add_runs(study, table), system


def _background_notes(background: str, conditions: "Sequence[Condition]") -> list[str]:
    """Return a note if the background of a measure differs from the default of the pages."""
    names = [each.question.name for each in conditions if each.question.parameters.get("background") == background]
    if not names or background == "candidates":
        return []
    return [
        f"the background of {names[0]} is {background} here, and candidates on the pages; "
        f"`compare --background {background}` gives these numbers."
    ]


def condition_lines(result: "Gate") -> list[str]:
    """Return a line for each condition, with the measured value or the reason why there is none; below a violated one,
    the queries that changed most."""
    from fairviz.comparison.ranking_sentences import needed_text

    lines = []
    for row in result.table.to_dict("records"):
        is_difference = row["of"] == "difference"
        verb, sign, number = ("differs by", "+", row["difference"]) if is_difference else ("is", "", row["value"])
        count = counted(row["queries"], "common query")
        shown, low, high = (
            decimal(value, 4, sign).replace("−", "-") if value == value else "–"
            for value in (number, row["ci_low"], row["ci_high"])
        )
        if number == number:
            needed = needed_text(row["needed"], row["needed_low"], row["needed_high"])
            basis = "; ".join(filter(None, (count, row["warning"], needed)))
            interval = f"{100 * result.level:g} % interval {low} to {high}"
            measured = f"{row['measure']} {verb} {shown} ({interval}, {basis})"
        else:
            measured = f"{row['measure']} has no value to compare ({row['warning'] or count})"
        lines.append(f"{row['state']}: {row['condition']}: {measured}")
        if row["state"] in ("beyond", "possibly beyond") and row["moved"]:
            lines.append(f"  moved most: {row['moved']}")
    return lines


GATE = Command(
    "gate", "decide whether a run may replace a baseline: status 3 if not", _add_gate, _run_gate, GATE_EPILOG,
    example="gate newswire --baseline bm25 --candidate w2v_add --fail-if 'nDCG falls by 0.5'",
)  # fmt: skip
