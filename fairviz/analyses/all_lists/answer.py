"""Every list of a few ranks with its values: of all labels by rank, or of all orders of a chosen list's top."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product

import numpy as np
import pandas as pd

from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation.choices import Resolved, judgements
from fairviz.evaluation.questions import questions_of, wants_collection
from fairviz.evaluation.scores import bias_of, values_at
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, unfairness
from fairviz.measures.effectiveness import effectiveness
from fairviz.measures.sums import AlignedRankings
from fairviz.orders.candidates import all_orders, orders_of_query
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.words.sentences import counted, significant

Array = np.ndarray
MOST_LISTS = 1024  # 4 labels at 5 ranks
MOST_PAIRS = 5000  # rows of the table of pairs
EQUAL = 1e-9  # difference of values within which two lists are equally fair
OPPOSED = ("first", "second", "pairs", "opposed", "share", "list_a", "list_b", "first_a", "first_b", "second_a",
           "second_b")  # fmt: skip


@dataclass(frozen=True, eq=False)
class AllLists:
    """lists (L,): each as text. questions: M, in their order. values (M, L): NaN where undefined. of: what is listed,
    as a phrase."""

    lists: tuple[str, ...]
    questions: tuple[Question, ...]
    values: Array
    of: str

    @cached_property
    def unfair(self) -> Array:
        """The distance of each value from the fairest, (M, L), rounded so that equal lists are equal."""
        distances = [unfairness(one, row) for one, row in zip(self.questions, self.values, strict=True)]
        return np.round(np.stack(distances) / EQUAL) * EQUAL

    @cached_property
    def places(self) -> Array:
        """The place of each list in the order of each measure, the fairest first, equal ones with the same, (M, L)."""
        return pd.DataFrame(self.unfair.T).rank(method="min").to_numpy().T

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row a list, by its mean place over the measures: list, and by measure its value and its place."""
        columns: dict[str, object] = {"list": list(self.lists)}
        for place, question in enumerate(self.questions):
            columns[question.text] = self.values[place]
            columns[f"place by {question.text}"] = pd.array(np.where(np.isnan(self.places[place]), np.nan,
                                                                     self.places[place]), dtype="Int64")  # fmt: skip
        is_defined = ~np.isnan(self.places)
        counts = is_defined.sum(axis=0)
        means = np.divide(np.nansum(self.places, axis=0), counts, out=np.full(len(counts), np.inf), where=counts > 0)
        order = np.lexsort((self.places[0], means))
        return pd.DataFrame(columns).iloc[order].reset_index(drop=True).astype({"list": "str"})

    @cached_property
    def _opposed(self) -> dict[tuple[int, int], tuple[Array, Array, int]]:
        """By two measures: the places of the lists a and b, where the first measure prefers a and the second b, the
        most opposed first, (N,) each; and the number of pairs that both measures order."""
        found = {}
        lower, upper = np.triu_indices(len(self.lists), 1)
        for first, second in combinations(range(len(self.questions)), 2):
            ahead = [self.unfair[one][lower] - self.unfair[one][upper] for one in (first, second)]
            signs = np.sign(ahead[0]) * np.sign(ahead[1])  # NaN where a list is undefined
            rows = np.flatnonzero(signs < 0)
            first_prefers_lower = ahead[0][rows] < 0
            a = np.where(first_prefers_lower, lower[rows], upper[rows])
            b = np.where(first_prefers_lower, upper[rows], lower[rows])
            gap = self.places[first][b] - self.places[first][a] + self.places[second][a] - self.places[second][b]
            order = np.argsort(-gap, kind="stable")
            found[first, second] = a[order], b[order], int((np.abs(signs) > 0).sum())
        return found

    @cached_property
    def opposed(self) -> pd.DataFrame:
        """OPPOSED: a row for two measures. pairs: of lists that both order; opposed: of these, the pairs in opposite
        orders. list_a and list_b: the most opposed pair, with the values of both; the first measure prefers list_a."""
        rows = []
        for (first, second), (a, b, pairs) in self._opposed.items():
            names = self.questions[first].text, self.questions[second].text
            example: tuple[object, ...] = ("", "", *[np.nan] * 4)
            if len(a):
                example = self._example(first, second, int(a[0]), int(b[0]))
            rows.append((*names, pairs, len(a), len(a) / pairs if pairs else np.nan, *example))
        return pd.DataFrame(rows, columns=list(OPPOSED)).astype(
            dict.fromkeys(("first", "second", "list_a", "list_b"), "str")
        )

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """The pairs of lists in opposite orders by two measures, a row each, the most opposed first; at most MOST_PAIRS
        of two measures."""
        rows = [
            (self.questions[first].text, self.questions[second].text, *self._example(first, second, one, other))
            for (first, second), (a, b, _) in self._opposed.items()
            for one, other in zip(a[:MOST_PAIRS].tolist(), b[:MOST_PAIRS].tolist(), strict=True)
        ]
        columns = [name for name in OPPOSED if name not in ("pairs", "opposed", "share")]
        return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(("first", "second", "list_a", "list_b"), "str"))

    def _example(self, first: int, second: int, a: int, b: int) -> tuple[object, ...]:
        values = (self.values[first][a], self.values[first][b], self.values[second][a], self.values[second][b])
        return self.lists[a], self.lists[b], *map(float, values)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The two measures that oppose each other most, and least."""
        table = self.opposed.dropna(subset="share").sort_values("share", ascending=False, kind="stable")
        if not len(table):
            return (f"No two of these measures order two of the {self.of}.",)
        most, least = table.iloc[0], table.iloc[-1]
        said = [
            f"{most['first']} and {most['second']} order {most['share']:.0%} of the pairs of lists oppositely "
            f"({most['opposed']:,} of {most['pairs']:,})."
        ]
        if most["opposed"]:
            said.append(
                f"{most['first']} prefers {most['list_a']} to {most['list_b']} "
                f"({significant(most['first_a'])} against {significant(most['first_b'])}); {most['second']} prefers "
                f"{most['list_b']} ({significant(most['second_b'])} against {significant(most['second_a'])})."
            )
        if len(table) > 1:
            said.append(f"Least opposed: {least['first']} and {least['second']}, {least['share']:.0%}.")
        return tuple(said)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was listed, and what was left out."""
        said = [f"All {len(self.lists):,} {self.of}."]
        for place, question in enumerate(self.questions):
            if missing := int(np.isnan(self.values[place]).sum()):
                said.append(f"{question.text} is undefined for {counted(missing, 'list')}, which it does not order.")
        if any(len(a) > MOST_PAIRS for a, _, _ in self._opposed.values()):
            said.append(f"The table of pairs has the {MOST_PAIRS:,} most opposed of two measures.")
        return tuple(said)


def all_lists(study: Study, settings: Settings, measures: str, ranks: int, system: str, query: str) -> AllLists:
    """Return every list of so many ranks: by the label at each rank, or with a system and a query, every order of the
    top of their list.

    measures: with blanks between them. Raises UsageError for fewer than two, one that prefers no value, and a system or
    a query without the other; FairvizError where the study lacks what a measure needs, and for too many lists.
    """
    settings = settings.changed(cutoff=ranks)
    questions = questions_of(measures.split(), settings)
    if len(questions) < 2:
        raise UsageError("all lists are ordered by two measures or more", "Write them with blanks: CWEx AWRF.")
    if describes := [question.text for question in questions if question.direction == "none" or not question.per_query]:
        raise UsageError(f"{describes[0]} does not order lists", "Use measures such as CWEx, AWRF and NFaiRR.")
    if bool(system) != bool(query):
        raise UsageError("a list is of a system and of a query", "Name both, or none for all lists of labels.")

    if not system:
        study = _of_labels(study, settings, ranks)
        settings = settings.changed(annotator="", voters=(), lexicon="", systems=(), background="candidates")
        of = f"lists of {counted(ranks, 'rank')}, by label"
    resolved = Resolved(study, settings)
    resolved.refuse_missing(questions)
    rankings = resolved.align(wants_collection(questions, settings))
    names, judged = rankings.lists.systems, dict[str, dict[str, int]]()
    if system:
        if query not in rankings.lists.queries or system not in rankings.lists.names:
            raise UsageError(
                f"{study.name} has no list of {system!r} for {query!r}",
                f"Use one of {', '.join(study.run_names)}, and the id of a query.",
            )
        top = rankings.lists.list_of(system, query)[:ranks]
        if len(top) < 2:
            raise FairvizError(f"the list of {system} for {query} has {counted(len(top), 'document')}", "Use another.")
        orders = all_orders(len(top))
        labels = (rankings.neutral, *rankings.groups)
        short = letters(labels)
        marks = [short[code] if code >= 0 else "–" for code in rankings.labels.largest[top].tolist()]
        names = tuple(" ".join(f"{place + 1}{marks[place]}" for place in order) for order in orders.tolist())
        column = np.array([rankings.lists.queries.index(query)])
        rankings = rankings.with_lists(orders_of_query(rankings.lists, query, top[orders].T), column)
        judged = {query: judgements(study).get(query, {})} if study.has("qrels") else {}
        of = f"orders of the first {counted(len(top), 'document')} of {system} for {query}"
    values = np.stack([_values(rankings, question, settings, judged) for question in questions])
    return AllLists(names, tuple(questions), values, of)


def _values(
    rankings: AlignedRankings, question: Question, settings: Settings, judged: dict[str, dict[str, int]]
) -> Array:
    """Return the value of each list, (L,)."""
    if question.measure is None:
        return effectiveness(rankings.lists, judged, [question.parameters["measure"]])[0, :, 0]
    cutoff = question.cutoff or settings.cutoff
    bias = bias_of(rankings, settings, cutoff)
    return values_at(rankings, question, settings, np.array([cutoff]), bias)[0, :, 0].astype(np.float64)


def letters(names: tuple[str, ...]) -> list[str]:
    """Return the shortest beginnings that tell the names apart, as `N`, `F`, `M`."""
    length = next(n for n in range(1, 100) if len({name[:n].casefold() for name in names}) == len(names))
    return [name[:length].capitalize() for name in names]


def texts_by_label(study: Study, settings: Settings) -> dict[str, str]:
    """Return a text for each label: with more words of its group than τ, and for neutral without any, so that measures
    of words and of labels see the same list."""
    words = Resolved(study, settings).lexicon.words
    word_of = {group: next((word for word, of in words if of == group), "") for group in study.groups}
    texts = {group: " ".join([word] * (settings.tau + 1)) for group, word in word_of.items()}
    return {study.neutral: "–", **{group: text.strip() or "–" for group, text in texts.items()}}


def _of_labels(study: Study, settings: Settings, ranks: int) -> Study:
    """Return a study with each sequence of labels as the list of a system, for one query."""
    labels = (study.neutral, *study.groups)
    if len(labels) ** ranks > MOST_LISTS:
        raise FairvizError(
            f"{counted(ranks, 'rank')} of {len(labels)} labels make {len(labels) ** ranks:,} lists",
            f"Choose fewer ranks: at most {MOST_LISTS:,} lists.",
        )
    texts, short = texts_by_label(study, settings), letters(labels)
    pool = {(code, rank): f"{short[code]}{rank + 1}" for code in range(len(labels)) for rank in range(ranks)}
    rows = []
    for sequence in product(range(len(labels)), repeat=ranks):
        name = " ".join(short[code] for code in sequence)
        rows += [(name, "any", pool[code, rank], rank + 1, -float(rank)) for rank, code in enumerate(sequence)]
    documents = [(name, texts[labels[code]], labels[code]) for (code, _), name in pool.items()]
    table = pd.DataFrame(documents, columns=["doc_id", "text", "label"])
    return make_study(
        f"lists of {ranks}",
        runs=pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]),
        documents=table[["doc_id", "text"]],
        labels=table[["doc_id", "label"]].assign(annotator="by label"),
        lexicon=Resolved(study, settings).lexicon,
        groups=study.groups,
        neutral=study.neutral,
        protected=study.protected,
        targets=study.targets,
    )
