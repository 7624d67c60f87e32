"""The sentence of a map of choices, and the lines below it: no order is claimed that no corrected test supports."""

import numpy as np

from fairviz.analyses.sensitivity.computed_grid import UNREAD, ComputedGrid
from fairviz.analyses.sensitivity.levels import LABELS
from fairviz.analyses.sensitivity.shares import Shares
from fairviz.words.sentences import agreeing, counted, decimal, listed

Spans = list[tuple[str, bool]]  # pieces of a sentence; names of systems are strong
MOST = 0.5  # a choice with more than this share decides most


def sentence(results: ComputedGrid) -> Spans:
    """`A is fairer than B under 412 of 540 combinations; the tokenizer decides most of the rest (61 % …). …`."""
    counts = results.counts
    if not counts.defined:
        return [(f"{_no(counts.done)} for both systems, so they cannot be compared.", False)]
    leader, other, won, lost = _leader(results)
    of = f"{counted(counts.defined, 'combination')}"
    so_far = "" if counts.done == counts.all else " computed so far"
    if won == lost:
        head: Spans = [(leader, True), (" and ", False), (other, True)]
        head.append((f" are each fairer under {won:,} of {of}{so_far}", False))
    else:
        head = [(leader, True), (" is fairer than ", False), (other, True)]
        head.append((f" under {won:,} of {of}{so_far}", False))
    return [*head, (f"{_rest(results, won)} {_tested(results, leader)}", False)]


def plain(results: ComputedGrid) -> str:
    """The sentence as text."""
    return "".join(text for text, _ in sentence(results))


def _no(done: int) -> str:
    return "None of the combinations has a value" if done else "No combination is computed yet that has a value"


def _leader(results: ComputedGrid) -> tuple[str, str, int, int]:
    """Return the system that is fairer more often, the other, and the two numbers."""
    (first, second), counts = results.pair, results.counts
    return (first, second, counts.a, counts.b) if counts.a >= counts.b else (second, first, counts.b, counts.a)


def _rest(results: ComputedGrid, won: int) -> str:
    """Return the choice that decides the exceptions, in words; without exceptions, the choice that moves the size of
    the difference."""
    if won < results.counts.defined:
        text = decides(results.order_shares, "the rest", "of the variance of the order")
        return f". {text[0].upper()}{text[1:]}."
    if not results.shares.alone:
        return ". No choice moves the difference."
    return f". No choice reverses the order; {decides(results.shares, 'its size', 'of the variance')}."


def decides(shares: Shares, what: str, of: str) -> str:
    """Return the choice that decides most of this, in words: one, two together, or none alone."""
    ranked = sorted(shares.alone.items(), key=lambda each: -each[1])
    if not ranked:
        return f"no choice decides {what}"
    first, one = ranked[0]
    if one > MOST:
        return f"{LABELS[first]} decides most of {what} ({percent(one)} {of})"
    if len(ranked) > 1 and one + ranked[1][1] > MOST:
        second, other = ranked[1]
        return f"{LABELS[first]} and {LABELS[second]} together decide most of {what} ({percent(one)} and " \
               f"{percent(other)} {of})"  # fmt: skip
    if shares.together > MOST:
        return f"no choice alone decides {what}; combinations of choices do ({percent(shares.together)} {of})"
    return f"no choice decides most of {what}: {LABELS[first]} comes first ({percent(one)} {of})"


def percent(share: float) -> str:
    """`61 %`; `under 1 %` for what is not 0."""
    return "under 1 %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


def _tested(results: ComputedGrid, leader: str) -> str:
    """Return the number of combinations with a significant order, in words."""
    counts = results.counts
    untested = next((name for name in results.pair if not results.grid.how.is_tested(name)), "")
    named = results.grid.how.tests.baseline
    if untested:
        return f"By the means only: {untested} is not tested."
    if named and named not in results.pair:
        return f"By the means only: the tests are of differences to {named}."
    if not counts.family:
        return "By the means only: too few common queries for a test."
    same, opposite = (
        (counts.a_tested, counts.b_tested) if leader == results.pair[0] else (counts.b_tested, counts.a_tested)
    )
    where = f"of {counted(counts.family, 'tested combination')}"
    if not same and not opposite:
        return f"The difference is significant in 0 {where}. This describes; it does not test."
    return (
        f"The difference is significant in {same:,} {where}, and reversed in {opposite:,}. This describes; it does "
        "not test."
    )


def lines(results: ComputedGrid) -> list[str]:
    """Return notes: the count of combinations, and the undefined ones by choice."""
    grid, counts = results.grid, results.counts
    notes = [combinations_text(results), *([family_line(results)] if counts.family else [])]
    values = results.scale[results.defined & ~np.isnan(results.scale)]
    if len(values):
        unit = "in standard deviations of its differences by query" if results.standardised else "in the measure's unit"
        low, high = (decimal(value, sign="+") for value in (values.min(), values.max()))
        notes.append(f"By how much {grid.pair[0]} is fairer runs from {low} to {high}, {unit}.{_values(results)}")
    if counts.undefined:
        have, do = ("has", "does") if counts.undefined == 1 else ("have", "do")
        notes.append(
            f"{counts.undefined:,} of {counts.done:,} computed combinations {have} no value for one system and {do} "
            f"not count{_blamed(results, results.done & ~results.defined)}."
        )
    if counts.thin:
        thin = results.defined & (results.columns["queries"] < 0.5 * results.queries)
        notes.append(
            f"{counted(counts.thin, 'combination')} {agreeing(counts.thin, 'rests', 'rest')} on fewer than half of "
            f"the {results.queries:,} queries{_blamed(results, thin)}."
        )
    return notes


def family_line(results: ComputedGrid) -> str:
    """Return what is tested together: of a family across measures too each combination has one measure."""
    how, others = results.grid.how, len(results.grid.systems) - 1
    named = f" with {how.tests.baseline}" if how.tests.baseline else f" of {counted(others + 1, 'system')}"
    pairs = "1 pair" if others == 1 else f"all pairs{named}"
    method = how.method_text([branch.question for branch in results.grid.branches])
    return f"Each combination is a family of its own: {pairs} in one measure, {method}."


def _values(results: ComputedGrid) -> str:
    """` NFaiRR of A runs from 0.412 to 0.803, that of B from …`, where there is one measure."""
    if results.standardised:
        return ""
    spans = []
    for name in ("value_a", "value_b"):
        values = results.columns[name][results.defined]
        spans.append(f"from {decimal(values.min())} to {decimal(values.max())}")
    first, second = results.pair
    return f" {results.grid.branches[0].question.name} of {first} runs {spans[0]}, that of {second} {spans[1]}."


def combinations_text(results: ComputedGrid) -> str:
    """Return the number of distinct combinations, the choices without effect, and those with one level, in words."""
    grid = results.grid
    touched = {name for branch in grid.branches for name in branch.names}
    single = [LABELS[name] for name, levels in grid.choices.items() if len(levels) < 2]
    idle = [LABELS[name] for name, levels in grid.choices.items() if name not in touched and len(levels) > 1]
    text = f"{counted(grid.count, 'distinct combination')}"
    if grid.asked > grid.count:
        text += f" of {grid.asked:,}: a choice that a measure does not read does not multiply its combinations"
    if idle:
        text += f"; nothing here changes with {listed(idle)}"
    if single:
        text += f"; there is one level alone of {listed(single)}"
    return f"{text}."


def _blamed(results: ComputedGrid, marked: np.ndarray) -> str:
    """`, all of them with unlabelled=strict`: the levels that all marked combinations share, where some are not."""
    table, rows = results.drawn, marked[results.done]
    shared = {name: set(table.loc[rows, name]) for name in results.varied}
    named = [
        f"{name}={next(iter(levels))}" for name, levels in shared.items() if len(levels) == 1 and UNREAD not in levels
    ]
    return f", all of them with {' and '.join(named)}" if named and not rows.all() else ""
