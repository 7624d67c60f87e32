"""adjudications: export and import of the decisions of the label room."""

import argparse

from fairviz.cli.record import Command, add_study
from fairviz.errors import UsageError
from fairviz.evaluation.formats import say
from fairviz.words.sentences import counted


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=("export", "import"),
        help="export writes every decision with its time and author; import adds what is not there yet, "
        "and refuses documents that are not in the study",
    )
    add_study(parser)
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a file that ends in .csv or .jsonl; in CSV, texts that a spreadsheet would run begin with an "
        "apostrophe, and a last column guarded_by_apostrophe marks their rows",
    )
    parser.add_argument(
        "--labels",
        action="store_true",
        help="export the long table that agreement is computed from: doc_id, annotator, label",
    )


def _run(arguments: argparse.Namespace) -> int:
    from fairviz.annotation.adjudications import export_decisions, export_labels, history, import_decisions
    from fairviz.evaluation.opening import open_study

    if arguments.what == "import" and arguments.labels:
        raise UsageError("--labels goes with export", "Leave it out: import reads either kind of file.")
    study = open_study(arguments.study)
    if arguments.what == "import":
        count = import_decisions(study, arguments.file)
        say(f"added {counted(count, 'decision')} to {study.name}")
        return 0
    if arguments.labels:
        say(f"wrote {export_labels(study, arguments.file)}: {len(study.labels):,} labels")
        return 0
    file = export_decisions(study, arguments.file)
    say(f"wrote {file}: {len(history(study)):,} rows")
    return 0


ADJUDICATIONS = Command(
    "adjudications",
    "write the decisions of the label room to a file, or add those of a file",
    _add_arguments,
    _run,
    example="adjudications export football decisions.csv",
)
