"""Verbs of the command line. To add one: a file with its record, and its name in GROUPS.

Each analysis in ANALYSES has a verb without a file of its own. Extensions and packages of others add verbs by records
of their own and by their analyses; none is loaded for another verb of the program.

May import everything but ui.
"""

from collections.abc import Sequence
from functools import cache, partial

from fairviz.analyses import ANALYSES
from fairviz.analyses.annotator_groups.analysis import ANNOTATOR_GROUPS
from fairviz.analyses.gender_swap.analysis import COUNTERFACTUAL
from fairviz.analyses.mitigations.analysis import BENCH
from fairviz.analyses.never_shown.analysis import NEVER_SHOWN
from fairviz.analyses.replace_people.analysis import REPLACE_PEOPLE
from fairviz.analyses.wordings.analysis import WORDINGS
from fairviz.cli.analysis import ATLAS, EXPLAIN, GSR, SENSITIVITY, command_of
from fairviz.cli.annotate import ADJUDICATIONS, AGREE, ANNOTATE, CONSENSUS
from fairviz.cli.app import APP
from fairviz.cli.compare import COMPARE, GATE
from fairviz.cli.data import ATTACH, CHECK, FETCH
from fairviz.cli.evaluate import EVALUATE
from fairviz.cli.rankers import RANK
from fairviz.cli.record import Command, adopt
from fairviz.cli.share import CAPSULE, DOCS, REPLAY, REPORT
from fairviz.cli.study_form import STUDY_FORM
from fairviz.installed import OWN, Registry, bundled, owner_of, record_fault

GROUPS: dict[str, tuple[Command, ...]] = {
    "From runs to a finding": (APP, CHECK, EVALUATE, COMPARE, GATE, REPORT),
    "Look closer": (
        EXPLAIN,
        GSR,
        ATLAS,
        SENSITIVITY,
        command_of(COUNTERFACTUAL),
        command_of(NEVER_SHOWN),
        command_of(WORDINGS),
    ),
    "Data": (FETCH, ATTACH),
    "Label": (
        ANNOTATE,
        STUDY_FORM,
        AGREE,
        CONSENSUS,
        ADJUDICATIONS,
        command_of(REPLACE_PEOPLE),
        command_of(ANNOTATOR_GROUPS),
    ),
    "Rankers": (RANK, command_of(BENCH)),
    "Share and serve": (CAPSULE, REPLAY, DOCS),
}
COMMANDS: dict[str, Command] = {command.name: command for commands in GROUPS.values() for command in commands}
NAMED = {name: command for command in COMMANDS.values() for name in command.names}
ANALYSES_GROUP, VERBS_GROUP = "fairviz.analyses", "fairviz.verbs"  # of entry points


def _reserved(name: str) -> str:
    """Return what has the name of a verb beside the records of verbs; empty for nothing."""
    aliased = NAMED.get(name)
    analysis = ANALYSES.get(name)
    return f"{aliased.name} (package {OWN})" if aliased else str(owner_of(analysis)) if analysis else ""


VERBS: Registry[Command] = Registry(VERBS_GROUP, Command, COMMANDS, partial(adopt, groups=tuple(GROUPS)), _reserved)


def groups_for(asked: str) -> dict[str, tuple[Command, ...]]:
    """Return verbs by group, those that `asked` needs among them: for a verb of the program or an extension its own,
    else all."""
    if asked in NAMED:
        return GROUPS
    if asked in bundled(VERBS_GROUP):
        return _with([VERBS[asked]])
    if asked in bundled(ANALYSES_GROUP):
        return _with([command_of(ANALYSES[asked])])
    return all_groups()


@cache
def all_groups() -> dict[str, tuple[Command, ...]]:
    """Return the verbs by group with those of extensions and packages. An analysis with the name of another verb has
    none."""
    more = []
    for analysis in ANALYSES.values():
        if analysis.name in NAMED and analysis.package:
            record_fault(ANALYSES_GROUP, f"{owner_of(analysis)} has no verb: the name is in use by {OWN}.")
        elif analysis.name not in NAMED:
            more.append(command_of(analysis))
    more += [command for command in VERBS.values() if command.name not in NAMED]
    return _with(more)


def all_commands() -> dict[str, Command]:
    """Return the verbs of the program and its extensions by name, those of packages not among them."""
    return {command.name: command for group in all_groups().values() for command in group if not command.package}


def _with(commands: Sequence[Command]) -> dict[str, tuple[Command, ...]]:
    """Return GROUPS with these verbs too."""
    groups = dict(GROUPS)
    for command in commands:
        groups[command.group] += (command,)
    return groups


__all__ = ["COMMANDS", "GROUPS", "Command", "all_commands", "all_groups", "groups_for"]
