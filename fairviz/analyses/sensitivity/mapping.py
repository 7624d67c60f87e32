"""From a study and its choices to the map: `fairviz.robustness`."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from fairviz.analyses.sensitivity.grid import grid_of
from fairviz.analyses.sensitivity.result import Robustness
from fairviz.analyses.sensitivity.work import Work
from fairviz.declared import SENSITIVITY
from fairviz.errors import UsageError, expect
from fairviz.errors import value_text as written
from fairviz.evaluation.choices import chosen_queries
from fairviz.evaluation.questions import chosen_settings, texts_of
from fairviz.evaluation.settings import Level, Settings
from fairviz.study.record import Study
from fairviz.words.sentences import seconds_text

USUAL = ("tokenizer", "tau", "lexicon", "annotator", "unlabelled", "cutoff", "position_bias", "alpha")

MOST = SENSITIVITY["most"].default


def robustness(
    study: Study,
    systems: Sequence[str],
    measures: str | Sequence[str] = "CWEx",
    choices: Mapping[str, Iterable[Level] | None] | Sequence[str] = USUAL,
    settings: Settings | None = None,
    *,
    most: int = MOST,
    told: Callable[[int, int], object] = lambda done, count: None,
    **others: object,
) -> Robustness:
    """Compare two systems under every combination of choices.

    The fairer one, its tests, and the choices that carry the difference.
    Ctrl-C ends it early; combinations computed by then are returned.

    Parameters
    ----------
    study : Study
        With runs of both systems.
    systems : sequence of str
        Two systems, A and B.
    measures : str or sequence of str
        One or several, which are a choice too.
    choices : mapping or sequence of str
        Names of Settings' fields with their levels, as {"tau": [0, 1], "tokenizer": None}, None for the usual levels,
        or names alone. The present level is always among them, and a choice that a measure does not read does not
        multiply its combinations.
    settings : Settings, optional
        The present choices; the defaults if None.
    most : int
        The largest number of combinations.
    told : callable
        Called with the numbers of combinations done and in all.
    **others
        Fields of Settings to change.

    Returns
    -------
    Robustness
        With the table of combinations, the chance that A is fairer, and each choice's share of the variance.

    Raises
    ------
    FairvizError
        If the study lacks what a measure needs or has one system.
    UsageError
        For an unknown choice, level, system or measure, and for more than `most` combinations, with an estimate of the
        seconds that they would take.

    Examples
    --------
    >>> import fairviz
    >>> study = fairviz.open_study("newswire")
    >>> table = fairviz.robustness(study, ["w2v_add", "bm25"], choices={"cutoff": [5, 10]}).table
    >>> table[["cutoff", "fairer"]].values.tolist()
    [['5', 'w2v_add'], ['10', 'w2v_add']]
    """
    settings = chosen_settings(study, settings, others)
    expect("systems", systems, (list, tuple), "Give two names, as ['bm25', 'tfidf'].")
    expect("choices", choices, (Mapping, list, tuple), "Give names with levels, as {'tau': [0, 1]}, or names alone.")
    SENSITIVITY["most"].check(most)
    if not callable(told) or isinstance(told, type):
        raise UsageError(
            f"told is {written(told)}", "Give a function of two numbers: finished combinations, and all of them."
        )
    wanted = dict(choices) if isinstance(choices, Mapping) else dict.fromkeys(choices)
    grid = grid_of(study, systems, texts_of(measures), wanted, settings)
    work = Work(grid)
    check_count(work, most)
    try:
        work.run(told)
    except KeyboardInterrupt:
        if not work.finished:
            raise
    return result_of(work)


def check_count(work: Work, most: int) -> None:
    """Raises UsageError where there are more combinations than `most`, with how long they would take."""
    count = work.grid.count
    if count > most:
        raise UsageError(
            f"these choices make {count:,} combinations, {seconds_text(work.estimate())} on this machine",
            f"Vary fewer choices or levels, or allow this many: most={count} (--most {count}).",
        )


def result_of(work: Work) -> Robustness:
    """Return the combinations computed so far."""
    done, grid = work.done.copy(), work.grid
    queries = len(chosen_queries(grid.study, grid.settings))
    return Robustness(grid, {name: values.copy() for name, values in work.columns.items()}, done, queries)
