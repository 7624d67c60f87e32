"""The verb backup: the copy itself is in `backup`, which loads the databases."""

import argparse

from fairviz.cli.record import Command
from fairviz.evaluation.formats import say
from fairviz.home import expand_path
from fairviz.words.sentences import counted

BACKUP_EPILOG = (
    "The copy has decisions, labels, forms with their answers, people's private additions, the log of changes and "
    "models' answers. It does not have caches, nor fairviz.toml and the secret next to it: copy those yourself.",
    "To restore it, stop the servers and put FOLDER/data and FOLDER/studies where the originals were. Where a study is "
    "in another place then, fairviz study-form STUDY --moved-from PLACE takes its forms along.",
)


def _add_backup(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="the backup to make: a new folder")
    parser.add_argument("--studies", metavar="DIR", help="copy this folder of studies too, as fairviz serve has it")
    parser.add_argument("--all", action="store_true", help="copy caches and encoded texts too, which saves time later")


def _run_backup(arguments: argparse.Namespace) -> int:
    from fairviz.extensions.server.backup import back_up

    folder = expand_path(arguments.folder)
    studies = expand_path(arguments.studies) if arguments.studies else None
    counts = back_up(folder, studies, with_caches=arguments.all)
    parts = f"{counted(counts.databases, 'database')} and {counted(counts.files, 'file')}"
    say(f"wrote {folder}: {parts} ({counts.size:,} bytes)")
    return 0


BACKUP = Command(
    "backup", "copy the data folder while servers run", _add_backup, _run_backup, BACKUP_EPILOG,
    stopped="stopped: no backup was made", example="backup copy-of-monday", group="Share and serve",
)  # fmt: skip
