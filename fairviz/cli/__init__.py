"""Verbs of the command line. To add one: a file with its record, and its name in GROUPS.

Each analysis in ANALYSES has a verb without a file of its own.

May import everything but ui.
"""

from fairviz.analyses import ANALYSES
from fairviz.cli.analysis import ATLAS, EXPLAIN, GSR, SENSITIVITY, command_of
from fairviz.cli.annotate import ADJUDICATIONS, AGREE, ANNOTATE, CONSENSUS
from fairviz.cli.audit import AUDIT
from fairviz.cli.compare import COMPARE, GATE
from fairviz.cli.data import ATTACH, CHECK, FAIRWEB, FETCH, SCORE, TREC_FAIR
from fairviz.cli.evaluate import EVALUATE
from fairviz.cli.rankers import BENCH, FINETUNING, RANK, SENSES, TRAIN_BACKPACK
from fairviz.cli.record import Command
from fairviz.cli.serve import APP, SERVE
from fairviz.cli.share import BACKUP, CAPSULE, DOCS, REPLAY, REPORT
from fairviz.cli.study_form import STUDY_FORM

GROUPS: dict[str, tuple[Command, ...]] = {
    "From runs to a finding": (APP, CHECK, EVALUATE, COMPARE, GATE, REPORT),
    "Look closer": (EXPLAIN, GSR, ATLAS, SENSITIVITY, *map(command_of, ANALYSES.values())),
    "Data": (FETCH, ATTACH, SCORE, TREC_FAIR, FAIRWEB),
    "Label": (ANNOTATE, STUDY_FORM, AGREE, CONSENSUS, ADJUDICATIONS),
    "Rankers": (RANK, AUDIT, BENCH, FINETUNING, TRAIN_BACKPACK, SENSES),
    "Share and serve": (CAPSULE, REPLAY, SERVE, BACKUP, DOCS),
}
COMMANDS: dict[str, Command] = {command.name: command for commands in GROUPS.values() for command in commands}
NAMED = COMMANDS | {alias: command for command in COMMANDS.values() for alias in command.aliases}

__all__ = ["COMMANDS", "GROUPS", "NAMED", "Command"]
