"""Draws of stochastic rankers: the runs NAME/seed1, NAME/seed2, … are rankings of one system, NAME."""

import re
from collections.abc import Iterable

_DRAW = re.compile(r"(.+)/(seed[^/]*)", re.DOTALL)


def system_of_run(run: str) -> str:
    """Return the system of a run: the part before the slash for a draw, else the run's own name.

    >>> system_of_run("plackett-luce/seed1"), system_of_run("castorini/bm25")
    ('plackett-luce', 'castorini/bm25')
    """
    match = _DRAW.fullmatch(run)
    return match[1] if match else run


def is_draw(run: str) -> bool:
    """Return whether the run is a draw of a stochastic ranker."""
    return _DRAW.fullmatch(run) is not None


def is_draw_file(name: str) -> bool:
    """Return whether a file of this name, in a folder of runs, is a draw."""
    return name.startswith("seed")


def runs_by_system(runs: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the runs of each system, in the order of the first run of each: its draws, or itself.

    >>> runs_by_system(["bm25", "pl/seed1", "pl/seed2"])
    {'bm25': ('bm25',), 'pl': ('pl/seed1', 'pl/seed2')}
    """
    grouped: dict[str, list[str]] = {}
    for run in runs:
        grouped.setdefault(system_of_run(run), []).append(run)
    return {system: tuple(names) for system, names in grouped.items()}


def expanded(systems: Iterable[str], runs: Iterable[str]) -> tuple[str, ...]:
    """Return the runs of these systems, each system's draws in place of its name."""
    grouped = runs_by_system(runs)
    return tuple(run for system in systems for run in grouped.get(system, (system,)))
