"""The time that an experiment takes, estimated before it runs."""

from collections.abc import Sequence

from fairviz.analyses.counterfactuals.collection import Collection
from fairviz.analyses.counterfactuals.experiment import Plan
from fairviz.analyses.counterfactuals.placebo import near_words, placebos, words_of_queries
from fairviz.models.reading_time import elapsed_on_one_core
from fairviz.rankers.grammar import Choice
from fairviz.rankers.ranking import documents_with_text, reading_seconds, reads, unread_texts
from fairviz.study.record import Study

LOADING = 4.0  # seconds of a core: import and word vectors of the first placebo
LEARNING = 1.4e-4  # for a replaced word whose neighbours are looked up
REPLACING = 6e-5  # for a replaced word whose neighbours are known
RANKING = 3e-7  # for a character that a ranker ranks: 0.12 for newswire
COMPARING = 2e-4  # for two lists of a query
STARTING = 0.015  # for a ranker on a collection


def run_seconds(
    study: Study, choices: Sequence[Choice], plan: Plan, swap: Collection, placebo_texts: Sequence[str] | None
) -> float | None:
    """Return the seconds of `experiment`; None if a model's time is unknown.

    swap: the collection with genders swapped. placebo_texts: the changed texts of all placebos, None for unknown ones,
    which then count as unread and as long as the swapped ones. Raises FairvizError without MiniLM.
    """
    swapped = changed_texts(swap)
    if placebo_texts is None:
        placebo_texts = [f"{number} {text}" for number in range(2 * plan.seeds) for text in swapped]
    reading = reading_seconds(study, choices, others=[*swapped, *placebo_texts])
    if reading is None:
        return None
    words = 2 * plan.seeds * sum(swap.counts.values())
    editing = REPLACING * words if near_words.cache_info().currsize else LEARNING * words + LOADING
    characters = sum(map(len, documents_with_text(study).texts))
    lists = len(choices) * len(study.queries)
    ranking = (RANKING * characters + STARTING) * len(choices) * (2 + 2 * plan.seeds)
    return reading + elapsed_on_one_core(editing + ranking + COMPARING * lists * (1 + 2 * plan.seeds))


def are_swapped_read(study: Study, choices: Sequence[Choice], swap: Collection) -> bool:
    """Return whether each model among the rankers has read the swapped texts, and is one whose texts are known."""
    return all(unread_texts(study, choice, others=changed_texts(swap)) == [] for choice in filter(reads, choices))


def changed_texts(collection: Collection) -> list[str]:
    """Return the texts of the documents that changed."""
    return list(documents_with_text(collection.study, collection.edits).texts)


def placebo_texts(study: Study, plan: Plan, swap: Collection) -> list[str]:
    """Return the changed texts of all placebos of a plan."""
    near, spared = near_words(plan.counterparts), words_of_queries(study)
    return [
        text
        for words in (frozenset[str](), spared)
        for placebo in placebos(study, swap.counts, near, range(plan.seeds), words)
        for text in changed_texts(placebo)
    ]
