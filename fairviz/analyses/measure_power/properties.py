"""Properties that a measure of fairness may have, tried on all pairs of lists of a few ranks.

A list is a sequence of kinds of documents: a label and words that agree with it, or neither. Each property makes pairs
of lists from the short lists, and says how their values should compare. The first pair that contradicts it, of the
shortest lists, is the counterexample; without one, no list of so many ranks contradicts it, which is no proof.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from fairviz.analyses.all_lists.answer import letters, texts_by_label
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import Resolved
from fairviz.evaluation.scores import bias_of, values_at
from fairviz.evaluation.settings import Settings
from fairviz.measures import Question, unfairness
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.words.sentences import significant

Array = np.ndarray
Kinds = tuple[int, ...]  # of the documents of a list, best first: -1 without label and text, 0 neutral, 1 … the genders
RANKS = 3  # of the longest list from which pairs are made
EQUAL = 1e-9
CWEX, APPROACH = "CWEx (ICTIR 2025), equation 1", "here; the approach is that of Schumacher and others, 2212.14351"
DEFINITION = "here, from the definition of a measure of the first k ranks"
HOLDS, FAILS, NOT_APPLICABLE = "✓", "✗", "not applicable"
COLUMNS = ("property", "measure", "holds", "pairs", "before", "after", "value_before", "value_after", "source")


@dataclass(frozen=True)
class Made:
    """Lists made by a property. before and after: two lists, `other` a third one. cutoff: of both; 0 for each its own
    length."""

    before: Kinds
    after: Kinds
    other: Kinds = ()
    cutoff: int = 0


@dataclass(frozen=True)
class Property:
    """name: in a few words. make: from a list and the number of genders to what is made of it. expects: `fairer`, the
    list after is at least as fair as the one before; `equal`, as fair; `no worse`, at least as fair as the less fair
    of two. source: of the property."""

    name: str
    make: Callable[[Kinds, int], Iterator[Made]]
    expects: str
    source: str


def _neutral_up(kinds: Kinds, genders: int) -> Iterator[Made]:
    for rank in range(1, len(kinds)):
        if kinds[rank] == 0 and kinds[rank - 1] > 0:
            yield Made(kinds, (*kinds[: rank - 1], 0, kinds[rank - 1], *kinds[rank + 1 :]))


def _genders_swapped(kinds: Kinds, genders: int) -> Iterator[Made]:
    if any(kinds):
        yield Made(kinds, tuple(kind and kind % genders + 1 for kind in kinds))


def _repeated(kinds: Kinds, genders: int) -> Iterator[Made]:
    yield Made(kinds, kinds + kinds)


def _neutral_appended(kinds: Kinds, genders: int) -> Iterator[Made]:
    yield Made(kinds, (*kinds, 0))


def _merged(kinds: Kinds, genders: int) -> Iterator[Made]:
    for other in product(range(genders + 1), repeat=len(kinds)):
        if other > kinds:
            yield Made(kinds, tuple(kind for pair in zip(kinds, other, strict=True) for kind in pair), other)


def _relabelled(kinds: Kinds, genders: int) -> Iterator[Made]:
    for rank, kind in enumerate(kinds):
        if kind > 0:
            yield Made(kinds, (*kinds[:rank], 0, *kinds[rank + 1 :]))


def _stretched(kinds: Kinds, genders: int) -> Iterator[Made]:
    yield Made(kinds, tuple(kind for kind in kinds for _ in range(2)))


def _unlabelled_appended(kinds: Kinds, genders: int) -> Iterator[Made]:
    yield Made(kinds, (*kinds, -1))


def _equal_exchanged(kinds: Kinds, genders: int) -> Iterator[Made]:
    if len(set(kinds)) < len(kinds):
        yield Made(kinds, kinds)  # the documents of the second are others, of the same kinds


def _extended(kinds: Kinds, genders: int) -> Iterator[Made]:
    for kind in range(genders + 1):
        yield Made(kinds, (*kinds, kind), cutoff=len(kinds))


PROPERTIES = (
    Property("moving a neutral document up is not less fair", _neutral_up, "fairer", CWEX),
    Property("exchanging all genders changes nothing", _genders_swapped, "equal", APPROACH),
    Property("repeating the list changes nothing", _repeated, "equal", APPROACH),
    Property("appending a neutral document is not less fair", _neutral_appended, "fairer", CWEX),
    Property("merging two lists is not less fair than the less fair one", _merged, "no worse", APPROACH),
    Property("making a gendered document neutral is not less fair", _relabelled, "fairer", CWEX),
    Property("doubling each document in its place changes nothing", _stretched, "equal", APPROACH),
    Property("appending a document without label and text changes nothing", _unlabelled_appended, "equal", DEFINITION),
    Property("exchanging documents of one kind changes nothing", _equal_exchanged, "equal", DEFINITION),
    Property("documents below the cutoff change nothing", _extended, "equal", DEFINITION),
)


def properties_of(study: Study, settings: Settings, questions: Sequence[Question]) -> pd.DataFrame:
    """Return COLUMNS: a row a property and measure. holds: ✓, ✗, or not applicable; pairs: of lists, with values; the
    shortest counterexample, and its values. The groups, word list and targets are those of the study."""
    labels = (study.neutral, *study.groups)
    made = [
        (number, one)
        for number, rule in enumerate(PROPERTIES)
        for length in range(1, RANKS + 1)
        for kinds in product(range(len(labels)), repeat=length)
        for one in rule.make(kinds, len(study.groups))
    ]
    lists: dict[tuple[Kinds, int], int] = {}  # a list and its cutoff, by number of its query
    for _, one in made:
        for kinds in filter(None, (one.before, one.after, one.other)):
            lists.setdefault((kinds, one.cutoff or len(kinds)), len(lists))
    values, left_out = _values(study, settings, questions, list(lists))
    rows = []
    for number, rule in enumerate(PROPERTIES):
        of_rule = [one for place, one in made if place == number]
        at = np.array([[lists[kinds, one.cutoff or len(kinds)] if kinds else -1
                        for kinds in (one.before, one.after, one.other)] for one in of_rule])  # fmt: skip
        for place, question in enumerate(questions):
            own = np.append(values[place], np.nan)
            far = unfairness(question, own)
            before, after, other = far[at].T
            if rule.expects == "fairer":
                fails = after > before + EQUAL
            elif rule.expects == "equal":
                fails = np.abs(after - before) > EQUAL
            else:
                fails = after > np.fmax(before, other) + EQUAL
            defined = ~np.isnan(after) & ~np.isnan(before) & (~np.isnan(other) | (at[:, 2] < 0))
            found = np.flatnonzero(fails & defined)
            row: list[object] = [rule.name, question.text, HOLDS, int(defined.sum()), "", "", np.nan, np.nan]
            if left_out[place] or not defined.any():
                row[2] = NOT_APPLICABLE
            elif len(found):
                one, (first, second, _) = of_rule[found[0]], at[found[0]]
                names = [_text(kinds, labels) for kinds in (one.before, one.after, one.other) if kinds]
                row[2:] = [FAILS, int(defined.sum()), " and ".join([names[0], *names[2:]]), names[1],
                           float(own[first]), float(own[second])]  # fmt: skip
            rows.append((*row, rule.source))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(
        dict.fromkeys(("property", "measure", "holds", "before", "after", "source"), "str")
    )


def _text(kinds: Kinds, labels: Sequence[str]) -> str:
    """Return a list as text, `N F –`."""
    return " ".join("–" if kind < 0 else letters(tuple(labels))[kind] for kind in kinds)


def _values(
    study: Study, settings: Settings, questions: Sequence[Question], lists: Sequence[tuple[Kinds, int]]
) -> tuple[Array, list[bool]]:
    """Return the value of each list at its cutoff, (M, L), and whether a measure does not apply to lists alone: one of
    relevance or effectiveness, of a whole collection, or that prefers no value.

    Each list is the one of its query, so that its candidates are its own documents.
    """
    labels = (study.neutral, *study.groups)
    texts = texts_by_label(study, settings)
    documents = [(f"{kind}-{rank}", texts[labels[kind]], labels[kind]) for kind in range(len(labels))
                 for rank in range(2 * RANKS + 2)]  # fmt: skip
    rows = [("list", f"q{number:05}", f"{kind}-{rank}", rank + 1, -float(rank))
            for number, (kinds, _) in enumerate(lists) for rank, kind in enumerate(kinds)]  # fmt: skip
    table = pd.DataFrame(documents, columns=["doc_id", "text", "label"])
    made = make_study(
        "lists", runs=pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]),
        documents=table[["doc_id", "text"]], labels=table[["doc_id", "label"]].assign(annotator="by label"),
        lexicon=Resolved(study, settings).lexicon, groups=study.groups, neutral=study.neutral,
        protected=study.protected, targets=study.targets,
    )  # fmt: skip
    own = Settings(
        position_bias=settings.position_bias, custom_bias=settings.custom_bias, unlabelled=settings.unlabelled,
        tokenizer=settings.tokenizer, tau=settings.tau, alpha=settings.alpha,
    )  # fmt: skip
    resolved = Resolved(made, own)
    rankings = resolved.align()
    cutoffs = np.arange(1, 2 * RANKS + 2)
    places = np.array([cutoff for _, cutoff in lists]) - 1
    values, left_out = np.full((len(questions), len(lists)), np.nan), []
    for row, question in enumerate(questions):
        alone = question.measure is not None and question.per_query and question.direction != "none"
        applies = alone and "qrels" not in question.needs and not question.reads_collection
        applies = applies and not question.background.startswith("run:")
        left_out.append(not applies)
        if applies:
            bias = bias_of(rankings, own, int(cutoffs[-1]))
            every = values_at(rankings, question, own, cutoffs, bias)[:, 0]  # (C, L)
            values[row] = every[places, np.arange(len(lists))]
    return values, left_out


def sentence(table: pd.DataFrame, measure: str) -> str:
    """Return which properties a measure has, and one that it lacks with its counterexample."""
    own = table[(table["measure"] == measure) & (table["holds"] != NOT_APPLICABLE)]
    if not len(own):
        raise FairvizError(f"no property applies to {measure}", "Name a measure of labels or words.")
    holding = int((own["holds"] == HOLDS).sum())
    said = f"{measure} has {holding} of {len(own)} properties."
    lacking = own[own["holds"] == FAILS]
    if len(lacking):
        row = lacking.iloc[0]
        said += (
            f" Not this one: {row['property']}, {row['before']} ({significant(row['value_before'])}) to {row['after']} "
            f"({significant(row['value_after'])})."
        )
    return said
