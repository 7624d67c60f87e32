"""The long part: the collection is changed and ranked again, with genders swapped and several times as a placebo."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real

import numpy as np
import pandas as pd

from fairviz.analyses.counterfactuals.collection import Collection, substituted, texts_of
from fairviz.analyses.counterfactuals.placebo import near_words, placebos, words_of_queries
from fairviz.analyses.counterfactuals.triples import triple_scores
from fairviz.errors import FairvizError, UsageError, expect
from fairviz.measures.rank_overlap import PERSISTENCE, overlap_over_ties, rank_biased_overlap
from fairviz.rankers.grammar import Choice
from fairviz.rankers.ranking import DEPTH, rank
from fairviz.study.record import Study
from fairviz.study.tables import ranked
from fairviz.words.counterparts import KINDS, Counterparts, packaged

SWAP, ANY, SPARED = "swap", "placebo", "placebo, query words spared"
PRIMARY, SECOND = ANY, SPARED  # the placebo that decides on gender, and the one that is shown beside it
ARMS = (SWAP, ANY, SPARED)
SEEDS, MOST_SEEDS = 3, 100
Array = np.ndarray
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Plan:
    """The plan: pairs and their kind (`both`, `words` or `names`), the number of placebos of each kind, the depth of
    the lists, and RBO's p. Raises UsageError for numbers that cannot be."""

    counterparts: Counterparts = field(default_factory=packaged)
    substitute: str = "both"
    seeds: int = SEEDS
    depth: int = DEPTH
    p: float = PERSISTENCE

    def __post_init__(self) -> None:
        for name in ("seeds", "depth"):
            expect(name, getattr(self, name), Integral, "Use a whole number of 1 or more.")
        expect("p", self.p, Real, "Use a number between 0 and 1, such as 0.9.")
        expect("substitute", self.substitute, str, f"Use one of {', '.join(KINDS)}.")
        if not 1 <= self.seeds <= MOST_SEEDS:
            raise UsageError(f"seeds is {self.seeds}", f"Use a whole number from 1 to {MOST_SEEDS}.")
        if self.depth < 1:
            raise UsageError(f"depth is {self.depth}", "Use a whole number of 1 or more.")
        if not 0 < self.p < 1:
            raise UsageError(f"p is {self.p:g}", "Use a number between 0 and 1, such as 0.9.")


@dataclass(frozen=True, eq=False)
class Experiment:
    """The lists before and after, compared.

    values: system, query_id, arm (one of ARMS), seed, rbo, lowest and highest over the orders of ties; NaN where both
    lists are empty. original and swapped: the runs. collection: the swapped one. short: the mean number of replacements
    that the placebos lack for want of content words. triples: scores of documents in three wordings, empty where there
    are none (see `triples`). encoded: texts that a model has read.
    """

    study: Study
    plan: Plan
    systems: tuple[str, ...]
    values: pd.DataFrame
    original: pd.DataFrame
    swapped: pd.DataFrame
    collection: Collection
    short: float
    triples: pd.DataFrame
    messages: tuple[str, ...]
    encoded: int

    @property
    def counts(self) -> tuple[int, int, int]:
        """Documents with text, those that changed, and words replaced."""
        counts = self.collection.counts
        return int(self.study.documents["text"].notna().sum()), len(counts), sum(counts.values())


def experiment(study: Study, choices: Sequence[Choice], plan: Plan, progress: Progress | None = None) -> Experiment:
    """Ranks the study as it is, with genders swapped, and with placebos, and compares the lists of each query.

    Only texts that changed are read again by a model. progress(what, done, in all) is called all along. Raises
    FairvizError for a study without queries or text, for one in which nothing changes, and where a ranker lacks
    something.
    """
    if not study.has("queries"):
        raise FairvizError(
            f"{study.name} has no queries to rank for", "Add queries.csv with the columns query_id, text."
        )
    texts_of(study)
    counterparts = plan.counterparts.only(plan.substitute)
    swap = substituted(study, counterparts)
    worker = _Worker(study, tuple(choices), plan, progress, 2 + 2 * plan.seeds)
    original = worker.lists(study, "the collection as it is")
    swapped = worker.lists(swap.study, "genders swapped")
    parts = [worker.compared(original, swapped, SWAP, 0)]
    near, counts, lacking = near_words(plan.counterparts), swap.counts, []
    for arm, spared in ((ANY, frozenset[str]()), (SPARED, words_of_queries(study))):
        for seed, placebo in enumerate(placebos(study, counts, near, range(plan.seeds), spared)):
            lists = worker.lists(placebo.study, f"{arm}, seed {seed}")
            parts.append(worker.compared(original, lists, arm, seed))
            lacking.append(sum(counts.values()) - sum(placebo.counts.values()))
    return Experiment(
        study,
        plan,
        tuple(choice.system for choice in choices),
        pd.concat(parts, ignore_index=True),
        worker.kept["the collection as it is"],
        worker.kept["genders swapped"],
        swap,
        float(np.mean(lacking)),
        triple_scores(study, choices),
        tuple(dict.fromkeys(worker.messages)),
        worker.encoded,
    )


Lists = Mapping[tuple[str, str], tuple[list[str], Array]]


class _Worker:
    """Ranks one collection after the other, and counts."""

    def __init__(
        self, study: Study, choices: tuple[Choice, ...], plan: Plan, progress: Progress | None, collections: int
    ) -> None:
        self.choices, self.plan, self.progress = choices, plan, progress
        self.queries = study.queries["query_id"].tolist()
        self.collections, self.at, self.encoded = collections, 0, 0
        self.messages: list[str] = []
        self.kept: dict[str, pd.DataFrame] = {}

    def lists(self, study: Study, what: str) -> Lists:
        """The lists of every system and query, ids best first with their scores."""
        self.at += 1
        place = f"{what} ({self.at} of {self.collections})"

        def ranking(done: int, total: int) -> None:
            if self.progress:
                self.progress(f"ranking {place}", done, total)

        def encoding(done: int, total: int) -> None:
            self.encoded += total if done >= total else 0
            if self.progress:
                self.progress(f"encoding {place}", done, total)

        results = rank(study, self.choices, self.plan.depth, ranking, encoding)
        if self.at <= 2:
            self.messages += results.messages
            self.kept[what] = results.runs
        rows = ranked(results.runs)
        return {
            (str(system), str(query)): (part["doc_id"].tolist(), part["score"].to_numpy(dtype=np.float64))
            for (system, query), part in rows.groupby(["system", "query_id"], observed=True, sort=False)
        }

    def compared(self, first: Lists, second: Lists, arm: str, seed: int) -> pd.DataFrame:
        """RBO of the two lists of every system and query."""
        nothing: tuple[list[str], Array] = ([], np.zeros(0))
        rows = []
        for choice in self.choices:
            for query in self.queries:
                one, other = (lists.get((choice.system, query), nothing) for lists in (first, second))
                value = rank_biased_overlap(one[0], other[0], self.plan.p)
                low, high = overlap_over_ties(one[0], other[0], one[1], other[1], self.plan.p)
                rows.append((choice.system, query, arm, seed, value, low, high))
        return pd.DataFrame(rows, columns=["system", "query_id", "arm", "seed", "rbo", "lowest", "highest"])
