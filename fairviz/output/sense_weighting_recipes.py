"""Python programs that reproduce the panels of the page Backpack; each assigns its numbers to `table`."""

from collections.abc import Mapping, Sequence

from fairviz.evaluation.settings import Settings
from fairviz.number_texts import shortest
from fairviz.output.recipes import program
from fairviz.study.record import Study


def steered(study: Study, settings: Settings, model: str, seeds: Sequence[str], part: str) -> str:
    """Return the program for every measure over the weight of a Backpack's gender senses. part: `table` or `seeds`."""
    arguments: dict[str, object] = {"model": model} if model else {}
    arguments |= {"seeds": list(seeds)} if seeds else {}
    call = f"fairviz.steer({_given('study', arguments)}, settings=settings)"
    return program(study, settings, [], [f"table = {call}.{part}"])


def weighted_lists(study: Study, query: str, model: str, weights: Sequence[float], depth: int) -> str:
    """Return the program for one query's lists at several weights of a Backpack's gender senses."""
    model_argument = f", model={model!r}" if model else ""
    rankers = ",".join(f"backpack(weight={shortest(weight)}{model_argument})" for weight in dict.fromkeys(weights))
    imports = ["from fairviz.rankers import parse_rankers", "from fairviz.rankers.ranking import rank"]
    lines = [
        f"runs = rank(study, parse_rankers({rankers!r}), {depth}).runs",
        f"table = runs[runs['query_id'] == {query!r}]",
    ]
    return program(study, Settings(), imports, lines)


def weighted_scores(study: Study, query: str, model: str, documents: Sequence[str]) -> str:
    """Return the program for scores of documents for one query over the weight of a Backpack's gender senses."""
    call = f"fairviz.steer({_given('study', {'model': model} if model else {})})"
    lines = [
        f"lists = {call}.lists",
        f"scores = lists.scores({query!r}, lists.weights)",
        "table = pd.DataFrame(scores, index=lists.weights, columns=lists.read.documents)",
        f"table = table[{list(documents)!r}].rename_axis('weight').reset_index()",
    ]
    return program(study, Settings(), ["import pandas as pd"], lines)


def senses(model: str) -> str:
    """Return the program for the gender of each sense of a Backpack."""
    imports = "from fairviz.rankers.backpack.loading import loaded\nfrom fairviz.rankers.backpack.words import "
    return f"{imports}sensitivity_table\n\ntable = sensitivity_table(loaded({model!r}))\n"


def neighbours(model: str, word: str, count: int) -> str:
    """Return the program for the nearest words of each sense of a word."""
    imports = "from fairviz.rankers.backpack.loading import loaded\nfrom fairviz.rankers.backpack.neighbours import "
    return f"{imports}nearest\n\ntable = nearest(loaded({model!r}), {word!r}, {count})\n"


def _given(first: str, given: Mapping[str, object]) -> str:
    return ", ".join([first, *(f"{name}={value!r}" for name, value in given.items())])
