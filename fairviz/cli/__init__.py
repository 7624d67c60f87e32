"""Verbs of the command line. To add one: a file with its record, and its name in GROUPS.

Each analysis in ANALYSES has a verb without a file of its own. Packages of others add verbs by records of their own and
by their analyses; neither is loaded for a verb of the program.

May import everything but ui.
"""

from functools import cache, partial

from fairviz.analyses import ANALYSES
from fairviz.analyses.finetuning.analysis import FINETUNING
from fairviz.analyses.mitigations.analysis import BENCH
from fairviz.cli.analysis import ATLAS, EXPLAIN, GSR, SENSITIVITY, command_of
from fairviz.cli.annotate import ADJUDICATIONS, AGREE, ANNOTATE, CONSENSUS
from fairviz.cli.audit import AUDIT
from fairviz.cli.compare import COMPARE, GATE
from fairviz.cli.data import ATTACH, CHECK, FAIRWEB, FETCH, SCORE, TREC_FAIR
from fairviz.cli.evaluate import EVALUATE
from fairviz.cli.rankers import RANK, SENSES, TRAIN_BACKPACK
from fairviz.cli.record import Command, adopt
from fairviz.cli.serve import APP, SERVE
from fairviz.cli.share import BACKUP, CAPSULE, DOCS, REPLAY, REPORT
from fairviz.cli.study_form import STUDY_FORM
from fairviz.installed import OWN, Registry, owner_of, record_fault

GROUPS: dict[str, tuple[Command, ...]] = {
    "From runs to a finding": (APP, CHECK, EVALUATE, COMPARE, GATE, REPORT),
    "Look closer": (
        EXPLAIN,
        GSR,
        ATLAS,
        SENSITIVITY,
        *(command_of(one) for one in ANALYSES.own.values() if one not in (BENCH, FINETUNING)),
    ),
    "Data": (FETCH, ATTACH, SCORE, TREC_FAIR, FAIRWEB),
    "Label": (ANNOTATE, STUDY_FORM, AGREE, CONSENSUS, ADJUDICATIONS),
    "Rankers": (RANK, AUDIT, command_of(BENCH), command_of(FINETUNING), TRAIN_BACKPACK, SENSES),
    "Share and serve": (CAPSULE, REPLAY, SERVE, BACKUP, DOCS),
}
COMMANDS: dict[str, Command] = {command.name: command for commands in GROUPS.values() for command in commands}
NAMED = COMMANDS | {alias: command for command in COMMANDS.values() for alias in command.aliases}


def _reserved(name: str) -> str:
    """Return what has the name of a verb beside the records of verbs; empty for nothing."""
    aliased = NAMED.get(name)
    analysis = ANALYSES.get(name)
    return f"{aliased.name} (package {OWN})" if aliased else str(owner_of(analysis)) if analysis else ""


VERBS: Registry[Command] = Registry("fairviz.verbs", Command, COMMANDS, partial(adopt, groups=tuple(GROUPS)), _reserved)


@cache
def all_groups() -> dict[str, tuple[Command, ...]]:
    """Return the verbs by group with those of packages. An analysis with the name of another verb has none."""
    groups = dict(GROUPS)
    for analysis in ANALYSES.values():
        if analysis.name in NAMED and analysis.package:
            record_fault("fairviz.analyses", f"{owner_of(analysis)} has no verb: the name is in use by {OWN}.")
        elif analysis.package:
            groups["Look closer"] += (command_of(analysis),)
    for command in VERBS.values():
        if command.package:
            groups[command.group] += (command,)
    return groups


__all__ = ["COMMANDS", "GROUPS", "NAMED", "Command", "all_groups"]
