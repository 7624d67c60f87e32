"""Verbs about files: check, fetch and attach."""

import argparse
import textwrap
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.cli.options import add_choices, open_under_settings, settings_of, with_machine
from fairviz.cli.record import NOT_PASSED, Command, add_output, add_study, print_notes, write_result
from fairviz.declared import SEVERITIES
from fairviz.errors import UsageError
from fairviz.evaluation.formats import FORMATS, ProgressLine, emit, say

if TYPE_CHECKING:
    from fairviz.datasets import Dataset


def _add_check(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    option = parser.add_argument
    option("--claims", action="store_true", help="instead what would change a conclusion from the study: labels, "
           "words, queries, ties, chance; each finding with its code")  # fmt: skip
    option("--declare", metavar="CLAIM", help="first write this claim into study.toml, dated today, such as 'rrf is "
           "fairer than bm25 by more than 0.02 in CWEx@10', by the labels of --annotator; one that is there is kept as "
           "an earlier one")  # fmt: skip
    option("--fail-on", choices=SEVERITIES, help=f"with --claims: status {NOT_PASSED} where a finding is of this "
           "severity or a graver one, and is not muted in study.toml")  # fmt: skip
    option("--slow", action="store_true", help="with --claims: also checks that take longer")
    add_choices(parser)
    add_output(parser)


def _run_check(arguments: argparse.Namespace) -> int:
    from fairviz.evaluation.opening import open_study
    from fairviz.evaluation.settings import Settings
    from fairviz.study.checks import check

    if arguments.claims or arguments.declare is not None:
        return _run_claims(arguments)
    for option in ("fail_on", "slow"):
        if getattr(arguments, option):
            raise UsageError(
                f"--{option.replace('_', '-')} is of the checks of claims", "Add --claims, or leave it out."
            )
    if settings_of(arguments) != Settings():
        raise UsageError(
            "the files of a study are checked without any choice", "Add --claims, or leave the options out."
        )
    study = open_study(arguments.study)
    print_notes(study.notices)
    emit(FORMATS[arguments.format](check(study)), arguments.output)
    return 0


def _run_claims(arguments: argparse.Namespace) -> int:
    """Declare a claim, if one is given, and write the outcome of each check of claims."""
    from fairviz.checks.claim import verdict
    from fairviz.checks.context import Context
    from fairviz.checks.running import graver, outcomes, table

    if arguments.declare is not None:
        _declare(arguments)
    study, settings = open_under_settings(arguments)
    settings = with_machine(study, settings).changed(study=study.name)
    if (declared := verdict(study)) is not None:
        say(declared.text)
    found = outcomes(Context(study, settings), slow=arguments.slow)
    parameters = [("slow", arguments.slow)]
    write_result(table(found, settings), arguments, study, parameters, settings=settings)
    failing = graver(found, arguments.fail_on) if arguments.fail_on else []
    if failing:
        say(f"{', '.join(failing)}: findings of the severity {arguments.fail_on}"
            f"{' or a graver one' if arguments.fail_on != SEVERITIES[0] else ''}.")  # fmt: skip
    return NOT_PASSED if failing else 0


def _declare(arguments: argparse.Namespace) -> None:
    """Write the claim of --declare into the study's files."""
    from fairviz.checks.declare import declare, read_claim
    from fairviz.datasets.additions import save_claim
    from fairviz.evaluation.opening import open_study

    claim = read_claim(arguments.declare)
    study = open_study(arguments.study)
    declared = declare(study, **claim, annotator=arguments.annotator).claim
    if declared is not None:
        say(f"wrote {save_claim(study, declared)}")


def _check_epilog() -> str:
    """Return the files of a study folder, by part."""
    from fairviz.study.loaders import loaders
    from fairviz.study.loaders.archive import UNPACKERS, packing_of

    endings: dict[str, list[str]] = {}
    for loader in loaders():
        endings.setdefault(loader.part, []).extend(ending for ending in loader.suffixes if not packing_of(ending))
    lines = [f"  {'runs/NAME' if part == 'runs' else part}: {' '.join(suffixes)}" for part, suffixes in endings.items()]
    return "\n".join([
        "Files of a study's folder, every part optional; any other is named with the reason why it is not read:",
        "  study.toml",
        *lines,
        "  also runs/NAME and runs/input.NAME, qrels and qrels/test.tsv, topics.…, corpus.jsonl",
        f"  each but Parquet and study.toml also with {' '.join(UNPACKERS)} behind its name",
    ])  # fmt: skip


CHECK = Command(
    "check", "check a study's files and how they fit together", _add_check, _run_check, _check_epilog,
    example="check football",
)  # fmt: skip


def _add_fetch(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="the data set, see --list")
    parser.add_argument("--list", action="store_true", help="list the data sets that can be fetched, and stop")
    parser.add_argument("--from", dest="source", metavar="DIR", help="take the files from a local copy instead of the "
                        "network: a folder that holds them or clones of their repositories, or a zip of it; each is "
                        "checked by its SHA-256")  # fmt: skip
    parser.add_argument("--replace", action="store_true", help="fetch files again; additions are kept")


def _run_fetch(arguments: argparse.Namespace) -> int:
    from fairviz.datasets import DATASETS, fetch

    if arguments.list:
        for dataset in DATASETS.values():
            emit(_describe(dataset))
        return 0
    if not arguments.name:
        raise UsageError("fetch needs the name of a data set", f"Use one of {', '.join(DATASETS)}, or --list.")
    with closing(ProgressLine(f"fetching {arguments.name}")) as progress:
        folder = fetch(arguments.name, arguments.source, progress, report=say, replace=arguments.replace)
    dataset = DATASETS[arguments.name]
    say(f"{'The study' if dataset.kind == 'study' else 'The word vectors'} {dataset.name}: {folder}")
    say(f"Now: fairviz {dataset.then}")
    return 0


def _describe(dataset: "Dataset") -> str:
    """Return name, title, size, licence, homepage, state and citation in lines."""
    state = f"fetched: {dataset.folder}" if dataset.is_fetched else "not fetched"
    lines = [
        f"{dataset.name}: {dataset.title}",
        f"  {dataset.size / 1000:,.0f} kB, {dataset.licence}, {dataset.homepage}, {state}",
        *textwrap.wrap(f"Cite: {dataset.citation}", 116, initial_indent="  ", subsequent_indent="    "),
    ]
    return "\n".join(lines) + "\n"


def _add_attach(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    parser.add_argument("--collection", required=True, metavar="FILE", help="doc_id, a tab and the text on each line, "
                        "as MS MARCO's collection.tsv; may be compressed (.gz)")  # fmt: skip
    parser.add_argument("--replace", action="store_true", help="in place of the documents that the study has")


def _run_attach(arguments: argparse.Namespace) -> int:
    from fairviz.datasets import attach
    from fairviz.evaluation.opening import open_study

    study = open_study(arguments.study)
    with closing(ProgressLine("reading bytes")) as progress:
        file, count, count_named = attach(study, Path(arguments.collection), progress, replace=arguments.replace)
    say(f"wrote {file}: {count:,} of the {count_named:,} documents that {study.name} names")
    if count < count_named:
        say(f"{count_named - count:,} are not in {Path(arguments.collection).name}; they stay without text.")
    return 0


FETCH = Command(
    "fetch", "download a public data set: a study, or word vectors", _add_fetch, _run_fetch,
    stopped="stopped: whole files are kept; run the same command to resume", example="fetch --list",
)  # fmt: skip
ATTACH = Command(
    "attach", "give a study the text of its documents from a large collection", _add_attach, _run_attach,
    example="attach my-study --collection collection.tsv",
)  # fmt: skip
