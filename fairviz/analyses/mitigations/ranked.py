"""The runs that a bench compares: ranked one after the other, each with those before it to reorder."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from fairviz.analyses.mitigations.mitigation import Mitigation
from fairviz.errors import FairvizError
from fairviz.rankers.grammar import Choice
from fairviz.rankers.ranking import rank
from fairviz.rankers.record import silent
from fairviz.study.loaders.runs import stack_runs
from fairviz.study.record import Study
from fairviz.study.tables import RUNS, empty

Progress = Callable[[str, int, int], None]


def choices_of(mitigations: Sequence[Mitigation]) -> tuple[Choice, ...]:
    """All rankers, each once, those that others reorder before them."""
    bases = {one.base: one.base_choice for one in mitigations if one.base_choice is not None}
    return tuple((bases | {one.system: one.choice for one in mitigations}).values())


def ranked_all(
    study: Study, mitigations: Sequence[Mitigation], depth: int, progress: Progress | None, is_requested: bool
) -> tuple[pd.DataFrame, set[str], tuple[str, ...]]:
    """Return the runs, the systems that could not be ranked, and messages.

    A ranker without its inputs raises if it was requested by name; otherwise it is left out, with a message.
    """
    tell: Progress = progress or silent
    runs, failed, messages = empty(RUNS), set[str](), list[str]()
    for choice in choices_of(mitigations):
        if failed and str(choice.parameters.get("run", "")) in failed:
            failed.add(choice.system)
            continue
        ranking, encoding = (partial(tell, f"{what} {choice.system}") for what in ("ranking", "encoding"))
        study_so_far = with_runs(study, runs, (*study.systems, *runs["system"].cat.categories))
        try:
            ranked = rank(study_so_far, [choice], depth, ranking, encoding)
        except FairvizError as error:
            if is_requested:
                raise
            failed.add(choice.system)
            messages.append(f"{choice.system} is left out: {error.message}.")
            continue
        messages += ranked.messages
        runs = stack_runs([runs, ranked.runs]) if len(runs) else ranked.runs
    return runs, failed, tuple(messages)


def with_runs(study: Study, runs: pd.DataFrame, systems: Sequence[str]) -> Study:
    """The study with the runs of these systems alone: those made now, else its own.

    Those made now are drafts beside its own, so that what is tried moves no background and no candidates.
    """
    new_names = set(runs["system"].cat.categories)
    own_runs = study.runs[study.runs["system"].isin([name for name in systems if name not in new_names])]
    own_runs = own_runs.assign(system=own_runs["system"].cat.remove_unused_categories())
    tables = [table for table in (own_runs, runs) if len(table)]
    drafts = tuple(name for name in runs["system"].cat.categories if name not in study.run_names)
    return replace(
        study, runs=stack_runs(tables) if tables else empty(RUNS), drafts=(*study.drafts, *drafts), fingerprint=""
    )
