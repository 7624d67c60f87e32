"""Audits by authors' names of the verb audit."""

import argparse
from typing import TYPE_CHECKING

from fairviz.cli.record import print_notes
from fairviz.errors import UsageError
from fairviz.evaluation.formats import say, to_table

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from fairviz.analyses.audit.attribution import AttributionAudit
    from fairviz.analyses.audit.attribution_plan import AttributionPlan
    from fairviz.study.record import Study

NAME_TABLES = {
    "names": "preference, gap, size and places between genders, within them, and beyond the latter (the default)",
    "unnamed": "what female, male and any names do to the document as it is",
    "integrity": "shares of unusable answers, as of a pairwise audit",
    "versions": "a row a ranker and comparison of two versions, with the names",
    "answers": "a row a ranker, comparison and order, with the model's text",
}


def add_name_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of audits by authors' names."""
    option = parser.add_argument
    option("--names", metavar="FILE",
           help="authors in place of the packaged ones: lines gender,name (attribution)")  # fmt: skip
    option("--template", default="", metavar="TEXT",
           help="a version's text, with {name} and {text} (attribution; default: 'By {name}. {text}')")  # fmt: skip
    option("--candidates", default="auto", metavar="WHICH", help="pairs, relevant, or the run whose top is compared "
           "(attribution; auto: the first of these)")  # fmt: skip


def check_name_options(arguments: argparse.Namespace) -> None:
    """Raise UsageError for options of another kind of audit than this one."""
    if arguments.kind == "attribution":
        if arguments.by:
            raise UsageError("--by goes with pairwise and listwise audits", "Leave it out.")
        return
    for name in ("names", "template"):
        if getattr(arguments, name):
            raise UsageError(f"--{name} goes with an attribution audit", "Add --kind attribution, or leave it out.")


def plan_names(study: "Study", arguments: argparse.Namespace) -> "tuple[AttributionPlan, Callable]":
    """Return the plan of an audit by authors' names and the function that runs it. Raises DataError for a faulty file
    of names."""
    from fairviz.analyses.audit.attribution import audit_attribution
    from fairviz.analyses.audit.attribution_plan import TEMPLATE, AttributionPlan
    from fairviz.study.loaders.word_files import read_names
    from fairviz.words.author_names import packaged_names

    names = read_names(arguments.names) if arguments.names else packaged_names()
    return AttributionPlan(
        arguments.candidates, arguments.per_query, arguments.queries, names, arguments.template or TEMPLATE,
        arguments.annotator, arguments.seed, arguments.most_requests, tuple(arguments.voters),
    ), audit_attribution  # fmt: skip


def conclude_names(
    audit: "AttributionAudit", plan: "AttributionPlan", arguments: argparse.Namespace
) -> "tuple[pd.DataFrame, list[tuple[str, object]]]":
    """Print the findings; return the requested table and the parameters that it depends on."""
    from fairviz.analyses.audit.attribution import ERRORS_ARE_CLUSTERED, family_note

    print_notes(audit.messages)
    say(f"Integrity:\n{to_table(audit.integrity.dropna(axis='columns', how='all'))}")
    print_notes((*audit.sentences, ERRORS_ARE_CLUSTERED, family_note(audit.table)))
    tables: dict[str, Callable[[], pd.DataFrame]] = {
        "names": lambda: audit.table,
        "unnamed": lambda: audit.unnamed,
        "integrity": lambda: audit.integrity,
        "versions": audit.comparisons,
        "answers": lambda: audit.answers,
    }
    table = tables[arguments.table or next(iter(NAME_TABLES))]()
    return table, [("kind", "attribution"), ("candidates", plan.candidates), ("template", plan.template),
                   ("names", f"{len(plan.names.female)} female, {len(plan.names.male)} male"),
                   ("per query", plan.per_query), ("seed", plan.seed)]  # fmt: skip
