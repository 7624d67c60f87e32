"""The achievable front in the scatter plot of Trade-off, on request."""

from fairviz.comparison.pareto_front import distance_table, front_choice
from fairviz.errors import FairvizError
from fairviz.evaluation.questions import ask
from fairviz.figures import best_achievable as achieved
from fairviz.measures import Question
from fairviz.measures.rankings import targets
from fairviz.ui.kept import orders
from fairviz.ui.kit import pick
from fairviz.ui.kit.glossary import term
from fairviz.ui.tradeoff.deck import Deck

KEY = "tradeoff_front"
LABEL = "best achievable"
HELP = f"{term('achievable front')} Tooltips show the distance from its middle (DPFR). It takes some seconds."
NO_FRONT = "Choose effectiveness across, and up a measure that is fairest at its end."


def best_achievable(deck: Deck, x: str, y: str) -> achieved.BestAchievable | None:
    """Draw the switch, and return the front of the two measures if it is on; None where they have none."""
    question = distance_question(deck, x, y)
    is_on = pick.toggle(KEY, LABEL, disabled=question is None, help=HELP if question else NO_FRONT)
    if question is None or not is_on:
        return None
    answer = orders.front(deck.study, question, deck.settings)
    rows = distance_table(answer).set_index("system")[["value", "ci_low", "ci_high"]]
    distances = {str(name): tuple(row) for name, row in zip(rows.index, rows.to_numpy(), strict=True)}
    corners, middle = answer.front.tolist(), answer.middle.tolist()
    return achieved.info(question.text, corners, middle, distances, exact=all(answer.exact))


def distance_question(deck: Deck, x: str, y: str) -> Question | None:
    """Return the distance from the front of the measures on two axes; None where they have no front."""
    across, up = deck.axes[x], deck.axes[y]
    if across.family != "effectiveness" or up.family == "effectiveness":
        return None
    try:
        question = ask(f"DPFR({across.text},{up.text})", deck.settings)
        front_choice(question, deck.settings).unit(targets(deck.study))
    except FairvizError:
        return None
    return question
