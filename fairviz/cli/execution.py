"""Options that choose where work is done: processes of this machine, or a Dask cluster."""

import argparse
import os

from fairviz.cli.record import whole_number
from fairviz.errors import UsageError
from fairviz.evaluation.formats import say
from fairviz.scoring.executors import PATIENCE, Executor, local, on_cluster

VARIABLE = "DASK_SCHEDULER_ADDRESS"


def add_execution(parser: argparse.ArgumentParser) -> None:
    """Add --workers, --scheduler and --scheduler-file, of which one may be given, and --patience."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--workers", type=whole_number, metavar="N", help="processes (default: one for each core)")
    where.add_argument("--scheduler", metavar="ADDRESS", help=f"a Dask cluster (default: ${VARIABLE})")
    where.add_argument("--scheduler-file", metavar="FILE", help="the file that `dask scheduler` wrote")
    parser.add_argument(
        "--patience", type=whole_number, default=PATIENCE, metavar="SECONDS",
        help="give up a cluster that has no worker for so long (default: %(default)s)",
    )  # fmt: skip


def scheduler_of(arguments: argparse.Namespace) -> str:
    """Return the scheduler's address or file, empty for this machine. Raises UsageError for a file that is not
    there."""
    file = arguments.scheduler_file
    if file and not os.path.isfile(file):
        raise UsageError(f"{file} is not there", f"Start it: `dask scheduler --scheduler-file {file}`.")
    default = "" if arguments.workers else os.environ.get(VARIABLE, "")
    return file or arguments.scheduler or default


def executor_of(arguments: argparse.Namespace, most: int | None = None) -> Executor:
    """Return what does the work. most: processes of this machine. Raises FairvizError for a missing Dask."""
    if scheduler := scheduler_of(arguments):
        return on_cluster(scheduler, say, arguments.patience)
    workers = arguments.workers or os.cpu_count() or 1
    return local(workers if most is None else min(workers, most))
