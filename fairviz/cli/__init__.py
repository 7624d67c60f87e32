"""Verbs of the command line. To add one: a file with its record, and its name in GROUPS.

Each analysis in ANALYSES has a verb without a file of its own.

May import everything but ui.
"""

from fairviz.analyses import ANALYSES
from fairviz.cli.adjudications import ADJUDICATIONS
from fairviz.cli.agree import AGREE
from fairviz.cli.analysis import command_of
from fairviz.cli.annotate import ANNOTATE
from fairviz.cli.app import APP
from fairviz.cli.atlas import ATLAS
from fairviz.cli.audit import AUDIT
from fairviz.cli.backup import BACKUP
from fairviz.cli.bench import BENCH
from fairviz.cli.capsule import CAPSULE, REPLAY
from fairviz.cli.check import CHECK
from fairviz.cli.compare import COMPARE
from fairviz.cli.consensus import CONSENSUS
from fairviz.cli.docs import DOCS
from fairviz.cli.evaluate import EVALUATE
from fairviz.cli.explain import EXPLAIN
from fairviz.cli.fairweb import FAIRWEB
from fairviz.cli.fetch import ATTACH, FETCH
from fairviz.cli.gate import GATE
from fairviz.cli.gsr import GSR
from fairviz.cli.mend import MEND
from fairviz.cli.rank import RANK
from fairviz.cli.record import Command
from fairviz.cli.report import REPORT
from fairviz.cli.robustness import ROBUSTNESS
from fairviz.cli.score import SCORE
from fairviz.cli.senses import SENSES
from fairviz.cli.serve import SERVE
from fairviz.cli.study_form import STUDY_FORM
from fairviz.cli.train_backpack import TRAIN_BACKPACK
from fairviz.cli.trec_fair import TREC_FAIR

GROUPS: dict[str, tuple[Command, ...]] = {
    "From runs to a finding": (APP, CHECK, EVALUATE, COMPARE, GATE, REPORT),
    "Look closer": (EXPLAIN, GSR, ATLAS, ROBUSTNESS, *map(command_of, ANALYSES.values())),
    "Data": (FETCH, ATTACH, SCORE, TREC_FAIR, FAIRWEB),
    "Label": (ANNOTATE, STUDY_FORM, AGREE, CONSENSUS, ADJUDICATIONS),
    "Rankers": (RANK, AUDIT, BENCH, MEND, TRAIN_BACKPACK, SENSES),
    "Share and serve": (CAPSULE, REPLAY, SERVE, BACKUP, DOCS),
}
COMMANDS: dict[str, Command] = {command.name: command for commands in GROUPS.values() for command in commands}

__all__ = ["COMMANDS", "GROUPS", "Command"]
