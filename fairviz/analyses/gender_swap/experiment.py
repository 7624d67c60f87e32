"""The long part: the collection is changed and ranked again, with genders swapped and several times as a placebo."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import ClassVar

import numpy as np
import pandas as pd

from fairviz import declared
from fairviz.analyses.gender_swap.triples import triple_scores
from fairviz.errors import FairvizError, expect
from fairviz.measures.rank_overlap import PERSISTENCE, overlap_over_ties, rank_biased_overlap
from fairviz.models.reading_time import elapsed_on_one_core
from fairviz.parameters import check_parameters
from fairviz.rankers.grammar import RankerChoice
from fairviz.rankers.ranking import DEPTH, documents_with_text, rank, reading_seconds, reads, unread_texts
from fairviz.rankers.record import analyser
from fairviz.study.record import Study
from fairviz.study.tables import ranked
from fairviz.words.counterparts import KINDS, Counterparts, Edit, apply_edits, find_edits, packaged
from fairviz.words.counting import GSR_LEXICON
from fairviz.words.gsr_words import english_stop_words
from fairviz.words.vectors import GLOVE, Embedding, load_embedding

PARTS = ("title", "text")
Edits = tuple[list[Edit], list[Edit]]  # of the title and of the text
NEIGHBOURS = 10
FREQUENT = 50_000  # GloVe's first words, from which neighbours are taken
_SPARE = 20  # neighbours that are looked at beyond, as some are forms of the word or words of the queries
_BLOCK, _GROUP = 256, 64  # words, and columns of cosines
_WORD = re.compile(r"[^\W\d_]{3,}")
SWAP, ANY, SPARED = "swap", "placebo", "placebo, query words spared"
PRIMARY, SECOND = ANY, SPARED  # the placebo that decides on gender, and the one that is shown beside it
ARMS = (SWAP, ANY, SPARED)
SEEDS = declared.GENDER_SWAP["seeds"].default
Array = np.ndarray
Progress = Callable[[str, int, int], None]
LOADING = 4.0  # seconds of a core: import and word vectors of the first placebo
LEARNING = 1.4e-4  # for a replaced word whose neighbours are looked up
REPLACING = 6e-5  # for a replaced word whose neighbours are known
RANKING = 3e-7  # for a character that a ranker ranks: 0.12 for newswire
COMPARING = 2e-4  # for two lists of a query
STARTING = 0.015  # for a ranker on a collection


@dataclass(frozen=True, eq=False)
class Collection:
    """The study with changed documents. edits: of each document that changed, by its id."""

    study: Study
    edits: Mapping[str, Edits]

    @property
    def counts(self) -> dict[str, int]:
        """The number of replaced words in each document that changed."""
        return {name: len(title) + len(text) for name, (title, text) in self.edits.items()}


def texts_of(study: Study) -> dict[str, tuple[str, str]]:
    """Title and text of each document that has text, by its id. Raises FairvizError where none has."""
    rows = study.documents[study.documents["text"].notna()] if study.has("documents") else study.documents
    if rows.empty:
        raise FairvizError(
            f"{study.name} has no text of documents to replace words in",
            "Add documents.tsv with the columns doc_id and text.",
        )
    titles = rows["title"].fillna("").tolist()
    return dict(zip(rows["doc_id"], zip(titles, rows["text"], strict=True), strict=True))


def substituted(study: Study, counterparts: Counterparts) -> Collection:
    """Return the study with every gender word and name of its documents replaced by its counterpart.

    Raises FairvizError if no document has text, or none has a word of the pairs.
    """
    texts = texts_of(study)
    edits_by_document = {
        name: (find_edits(title, counterparts), find_edits(text, counterparts)) for name, (title, text) in texts.items()
    }
    changed = {name: parts for name, parts in edits_by_document.items() if parts[0] or parts[1]}
    if not changed:
        raise FairvizError(
            f"nothing changes: none of the {len(texts):,} documents of {study.name} holds a word of the pairs",
            "Give pairs of words that its texts hold.",
        )
    return Collection(with_edits(study, changed), changed)


def with_edits(study: Study, changed: Mapping[str, Edits]) -> Study:
    """The study with these pieces of its documents replaced."""
    documents = study.documents
    columns = {}
    for place, part in enumerate(PARTS):
        pairs = zip(documents["doc_id"].tolist(), documents[part].tolist(), strict=True)
        edited_texts = [
            apply_edits(text, changed[name][place]) if name in changed and isinstance(text, str) else text
            for name, text in pairs
        ]
        columns[part] = pd.Series(edited_texts, index=documents.index, dtype=documents[part].dtype)
    mark = sha256(f"{study.fingerprint} + {sorted(changed.items())}".encode("utf-8", "surrogatepass"))
    edited = documents.assign(**columns)  # word counts would be of the old text
    return replace(study, documents=edited, word_counts=None, fingerprint=mark.hexdigest())


@dataclass(frozen=True, eq=False)
class NearWords:
    """Content words and their nearest neighbours. taboo: words in lower case that are neither replaced nor put in."""

    embedding: Embedding
    taboo: frozenset[str]
    known: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def is_content(self, word: str) -> bool:
        """Return True if the word, in lower case, may be replaced."""
        return word not in self.taboo and word in self.embedding.rows

    def learn(self, words: Iterable[str]) -> None:
        """Looks up the neighbours of these words, many at once."""
        new = [word for word in dict.fromkeys(words) if word not in self.known]
        names, rows = _frequent(self.embedding, self.taboo)
        vectors = self.embedding.vectors[rows]  # (C, n)
        count = min(2 * _SPARE, len(names))
        for start in range(0, len(new), _BLOCK):
            block = new[start : start + _BLOCK]
            cosines = self.embedding.vectors[[self.embedding.rows[word] for word in block]] @ vectors.T  # (B, C)
            best = _largest(cosines, count)
            order = np.argsort(-np.take_along_axis(cosines, best, axis=1), axis=1, kind="stable")
            for word, places in zip(block, np.take_along_axis(best, order, axis=1).tolist(), strict=True):
                stem = stem_of(word)
                self.known[word] = tuple(names[place] for place in places if stem_of(names[place]) != stem)


def _largest(values: np.ndarray, count: int) -> np.ndarray:
    """Return the places of the largest values of each row, (B, count), in ascending order.

    They are in the `count` groups of columns with the largest maxima, so that few values are sorted. values: (B, C).
    """
    groups = -(-values.shape[1] // _GROUP)
    padded = np.full((len(values), groups * _GROUP), -np.inf, dtype=values.dtype)
    padded[:, : values.shape[1]] = values
    maxima = padded.reshape(len(values), groups, _GROUP).max(axis=2)
    group_places = np.argpartition(maxima, -min(count, groups), axis=1)[:, -min(count, groups) :]
    places = (group_places[:, :, None] * _GROUP + np.arange(_GROUP)).reshape(len(values), -1)
    best = np.argpartition(np.take_along_axis(padded, places, axis=1), -count, axis=1)[:, -count:]
    return np.sort(np.take_along_axis(places, best, axis=1), axis=1)


@lru_cache(maxsize=4)
def _frequent(embedding: Embedding, taboo: frozenset[str]) -> tuple[list[str], np.ndarray]:
    """The words that may be put in, and their rows (C,)."""
    row_by_word = {
        word: row
        for word, row in embedding.rows.items()
        if row < FREQUENT and _WORD.fullmatch(word) and word not in taboo
    }
    return list(row_by_word), np.array(list(row_by_word.values()), dtype=np.int64)


@lru_cache(maxsize=1)
def _analyser():
    return analyser()


@lru_cache(maxsize=200_000)
def stem_of(word: str) -> str:
    """The word's stem, as lexical rankers search for it; empty for one that they do not search for."""
    return "".join(_analyser()(word))


@lru_cache(maxsize=2)
def near_words(counterparts: Counterparts) -> NearWords:
    """The content words of GloVe, without stop words and gender words, with the neighbours looked up so far. Raises
    FairvizError where it is not there."""
    gendered = counterparts.vocabulary | {word for word, _ in GSR_LEXICON.words}
    return NearWords(load_embedding(GLOVE), english_stop_words() | gendered)


def words_of_queries(study: Study) -> frozenset[str]:
    """The stems of all words of the queries, which a placebo may spare."""
    return frozenset(stem for text in study.queries["text"].fillna("") for stem in _analyser()(text))


@dataclass(frozen=True)
class Place:
    """A word that may be replaced: in the title (0) or the text (1), from where to where, in lower case."""

    part: int
    start: int
    end: int
    word: str


Draw = tuple[list[Place], np.ndarray]  # words to replace, and a number in [0, 1[ for each


def placebos(
    study: Study, counts: Mapping[str, int], near: NearWords, seeds: Sequence[int], spared: frozenset[str] = frozenset()
) -> list[Collection]:
    """Return, for each seed, the study with the given number of content words of each document replaced by near ones.

    spared: stems that are neither replaced nor put in. Where a document has too few content words, all of them are
    replaced: `Collection.counts` has their number.
    """
    texts = texts_of(study)
    draws_by_seed: list[dict[str, Draw]] = [{} for _ in seeds]
    for name, count in counts.items():
        places = _places_of(texts[name], near, spared)
        for seed, draws in zip(seeds, draws_by_seed, strict=True):
            draws[name] = _drawn_places(seed, name, places, count)
    near.learn(place.word for draws in draws_by_seed for places, _ in draws.values() for place in places)
    return [_with_near_words(study, texts, draws, near, spared) for draws in draws_by_seed]


def _places_of(texts: tuple[str, str], near: NearWords, spared: frozenset[str]) -> list[Place]:
    """Return the content words of a document's title and text, without those of a spared stem."""
    places = []
    for part, text in enumerate(texts):
        for match in _WORD.finditer(text):
            word = match[0].lower()
            if near.is_content(word) and stem_of(word) not in spared:
                places.append(Place(part, match.start(), match.end(), word))
    return places


def _drawn_places(seed: int, name: str, places: list[Place], count: int) -> Draw:
    """Return the places to replace in a document, in their order, and for each a number in [0, 1[ that selects the
    neighbour."""
    digest = sha256(name.encode("utf-8", "surrogatepass")).digest()[:8]
    generator = np.random.default_rng([seed, int.from_bytes(digest, "big")])
    chosen = np.sort(generator.permutation(len(places))[:count])
    return [places[place] for place in chosen.tolist()], generator.random(len(chosen))


def _with_near_words(
    study: Study,
    texts: Mapping[str, tuple[str, str]],
    draws: Mapping[str, Draw],
    near: NearWords,
    spared: frozenset[str],
) -> Collection:
    """Return the study with a near word at each place of a draw that has any."""
    changed: dict[str, Edits] = {}
    for name, (places, numbers) in draws.items():
        parts: Edits = ([], [])
        for place, number in zip(places, numbers.tolist(), strict=True):
            words = [word for word in near.known[place.word] if stem_of(word) not in spared][:NEIGHBOURS]
            if words:
                old, new = texts[name][place.part][place.start : place.end], words[int(number * len(words))]
                parts[place.part].append(Edit(place.start, place.end, _cased(new, old)))
        if parts[0] or parts[1]:
            changed[name] = parts
    return Collection(with_edits(study, changed), changed)


def _cased(new: str, old: str) -> str:
    if old.isupper():
        return new.upper()
    return new.capitalize() if old[0].isupper() else new


@dataclass(frozen=True)
class SwapPlan:
    """The plan: pairs and their kind (`both`, `words` or `names`), the number of placebos of each kind, the depth of
    the lists, and RBO's p. Raises UsageError for numbers that cannot be."""

    counterparts: Counterparts = field(default_factory=packaged)
    substitute: str = "both"
    seeds: int = SEEDS
    depth: int = DEPTH
    p: float = PERSISTENCE

    def __post_init__(self) -> None:
        check_parameters(self, declared.GENDER_SWAP)
        expect("substitute", self.substitute, str, f"Use one of {', '.join(KINDS)}.")


@dataclass(frozen=True, eq=False)
class Experiment:
    """The lists before and after, compared.

    values: system, query_id, arm (one of ARMS), seed, rbo, lowest and highest over the orders of ties; NaN where both
    lists are empty. original and swapped: the runs. collection: the swapped one. short: the mean number of replacements
    that the placebos lack for want of content words. triples: scores of documents in three wordings, empty where there
    are none (see `triples`). encoded: texts that a model has read.
    """

    study: Study
    plan: SwapPlan
    systems: tuple[str, ...]
    values: pd.DataFrame
    original: pd.DataFrame
    swapped: pd.DataFrame
    collection: Collection
    short: float
    triples: pd.DataFrame
    messages: tuple[str, ...]
    encoded: int

    MADE_ANEW: ClassVar = {  # of a packaged result
        "collection": lambda values, given: substituted(
            given["study"], values["plan"].counterparts.only(values["plan"].substitute)
        )
    }

    @property
    def counts(self) -> tuple[int, int, int]:
        """Documents with text, those that changed, and words replaced."""
        counts = self.collection.counts
        return int(self.study.documents["text"].notna().sum()), len(counts), sum(counts.values())


def experiment(
    study: Study, choices: Sequence[RankerChoice], plan: SwapPlan, progress: Progress | None = None
) -> Experiment:
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
        self,
        study: Study,
        choices: tuple[RankerChoice, ...],
        plan: SwapPlan,
        progress: Progress | None,
        collections: int,
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


def run_seconds(
    study: Study, choices: Sequence[RankerChoice], plan: SwapPlan, swap: Collection, placebo_texts: Sequence[str] | None
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


def are_swapped_read(study: Study, choices: Sequence[RankerChoice], swap: Collection) -> bool:
    """Return whether each model among the rankers has read the swapped texts, and is one whose texts are known."""
    return all(unread_texts(study, choice, others=changed_texts(swap)) == [] for choice in filter(reads, choices))


def changed_texts(collection: Collection) -> list[str]:
    """Return the texts of the documents that changed."""
    return list(documents_with_text(collection.study, collection.edits).texts)


def placebo_texts(study: Study, plan: SwapPlan, swap: Collection) -> list[str]:
    """Return the changed texts of all placebos of a plan."""
    near, spared = near_words(plan.counterparts), words_of_queries(study)
    return [
        text
        for words in (frozenset[str](), spared)
        for placebo in placebos(study, swap.counts, near, range(plan.seeds), words)
        for text in changed_texts(placebo)
    ]
