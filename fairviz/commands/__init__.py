"""The verbs of the command line. To add one: a file with its record, and a line in COMMANDS."""

from fairviz.commands.adjudications import ADJUDICATIONS
from fairviz.commands.agree import AGREE
from fairviz.commands.app import APP
from fairviz.commands.attach import ATTACH
from fairviz.commands.check import CHECK
from fairviz.commands.consensus import CONSENSUS
from fairviz.commands.evaluate import EVALUATE
from fairviz.commands.fetch import FETCH
from fairviz.commands.gsr import GSR
from fairviz.commands.rank import RANK
from fairviz.commands.record import Command

COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (EVALUATE, CHECK, FETCH, ATTACH, RANK, GSR, AGREE, CONSENSUS, ADJUDICATIONS, APP)
}

__all__ = ["COMMANDS", "Command"]
