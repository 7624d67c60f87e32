"""check: the content of a study, and inconsistencies in it."""

import argparse

from fairviz.cli.record import Command, add_output, add_study, print_notes
from fairviz.evaluation.formats import FORMATS, emit


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_study(parser)
    add_output(parser)


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.evaluation.opening import open_study
    from fairviz.study.checks import check

    study = open_study(arguments.study)
    print_notes(study.notices)
    emit(FORMATS[arguments.format](check(study)), arguments.output)
    return 0


def _epilog() -> str:
    """Return the files of a study folder, by part."""
    from fairviz.study.loaders import loaders
    from fairviz.study.loaders.archive import UNPACKERS, packing_of

    endings: dict[str, list[str]] = {}
    for loader in loaders():
        endings.setdefault(loader.part, []).extend(ending for ending in loader.suffixes if not packing_of(ending))
    lines = [f"  {'runs/NAME' if part == 'runs' else part}: {' '.join(suffixes)}" for part, suffixes in endings.items()]
    return "\n".join(
        [
            "Files of a study's folder, every part optional; any other is named with the reason why it is not read:",
            "  study.toml",
            *lines,
            "  also runs/NAME and runs/input.NAME, qrels and qrels/test.tsv, topics.…, corpus.jsonl",
            f"  each but Parquet and study.toml also with {' '.join(UNPACKERS)} behind its name",
        ]
    )


CHECK = Command(
    "check",
    "check a study's files and how they fit together",
    _add_arguments,
    _run,
    _epilog,
    example="check football",
)
