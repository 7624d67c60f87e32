"""The Python that makes the panels of the page Backpack again; each program leaves its numbers in `table`."""

from collections.abc import Mapping, Sequence

from fairviz.evaluation.recipes import program
from fairviz.evaluation.settings import Settings
from fairviz.number_texts import shortest
from fairviz.study.study import Study


def steered(study: Study, settings: Settings, model: str, seeds: Sequence[str], part: str) -> str:
    """Every measure over the weight of a Backpack's gender senses. part: `table` or `seeds`."""
    given: dict[str, object] = {"model": model} if model else {}
    given |= {"seeds": list(seeds)} if seeds else {}
    call = f"fairviz.steer({_given('study', given)}, settings=settings)"
    return program(study, settings, [], [f"table = {call}.{part}"])


def weighted_lists(study: Study, query: str, model: str, weights: Sequence[float], depth: int) -> str:
    """One query's lists at several weights of a Backpack's gender senses."""
    named = f", model={model!r}" if model else ""
    asked = ",".join(f"backpack(weight={shortest(weight)}{named})" for weight in dict.fromkeys(weights))
    imports = ["from fairviz.rankers import parse_rankers", "from fairviz.rankers.ranking import rank"]
    lines = [
        f"runs = rank(study, parse_rankers({asked!r}), {depth}).runs",
        f"table = runs[runs['query_id'] == {query!r}]",
    ]
    return program(study, Settings(), imports, lines)


def weighted_scores(study: Study, query: str, model: str, documents: Sequence[str]) -> str:
    """The scores of documents for one query over the weight of a Backpack's gender senses."""
    call = f"fairviz.steer({_given('study', {'model': model} if model else {})})"
    lines = [
        f"lists = {call}.lists",
        f"scores = lists.scores({query!r}, lists.weights)",
        "table = pd.DataFrame(scores, index=lists.weights, columns=lists.read.documents)",
        f"table = table[{list(documents)!r}].rename_axis('weight').reset_index()",
    ]
    return program(study, Settings(), ["import pandas as pd"], lines)


def senses(model: str) -> str:
    """How much each sense of a Backpack carries gender."""
    imports = "from fairviz.rankers.backpack.loading import loaded\nfrom fairviz.rankers.backpack.words import "
    return f"{imports}sensitivity_table\n\ntable = sensitivity_table(loaded({model!r}))\n"


def neighbours(model: str, word: str, count: int) -> str:
    """The nearest words of each sense of a word."""
    imports = "from fairviz.rankers.backpack.loading import loaded\nfrom fairviz.rankers.backpack.neighbours import "
    return f"{imports}nearest\n\ntable = nearest(loaded({model!r}), {word!r}, {count})\n"


def _given(first: str, given: Mapping[str, object]) -> str:
    return ", ".join([first, *(f"{name}={value!r}" for name, value in given.items())])
