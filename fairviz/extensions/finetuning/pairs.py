"""Training pairs: for a query, one text in each gender's wording, and a neutral one if there is one.

In a study with documents in three wordings (Grep-BiasIR), they are the pairs. In other studies a document is paired
with itself, every gender word and first name replaced by its counterpart; the gender with more words defines the
wording.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from fairviz.analyses.gender_swap.triples import triples
from fairviz.errors import FairvizError, UsageError, expect
from fairviz.extensions.finetuning.declared import FINETUNING
from fairviz.models.sentence_encoder import MOST_LETTERS, is_adapter_name
from fairviz.parameters import check_parameters
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import documents_with_text
from fairviz.study.record import Study
from fairviz.words.counterparts import Counterparts, apply_edits, find_edits, packaged
from fairviz.words.counting import document_text
from fairviz.words.sentences import agreeing, counted, shortest

RANK, STRENGTH, STEPS = (FINETUNING[name].default for name in ("rank", "strength", "steps"))
_NO_NAME = re.compile(r"[^A-Za-z0-9._=+-]+")
WORDINGS, SUBSTITUTION = "wordings", "substitution"
TRAIN, HELD_OUT = "train", "held out"
LEAST_QUERIES = 10
LEAST_TRAINED = 5  # queries with pairs of their own required for training
TRAIN_SHARE = 0.8  # of queries, as in section 5 of the paper
MOST_OF_QUERY = 10  # pairs of one query, to limit its weight in training
COLUMNS = ("query_id", "female", "male", "neutral")


@dataclass(frozen=True)
class FinetuningPlan:
    """A training plan.

    rank: of the adapter's matrices. strength: the weight of the aim relative to the term that preserves the encoder's
    scores; 0 changes nothing. steps: of training; minutes: a time limit, None for no limit. seed: of the split of
    queries, the initial weights and the order of the pairs. name: of the adapter, "" for a name made of study, rank,
    strength, steps and seed. Raises UsageError for invalid numbers.
    """

    rank: int = RANK
    strength: float = STRENGTH
    minutes: float | None = None
    steps: int = STEPS
    seed: int = 0
    name: str = ""

    def __post_init__(self) -> None:
        check_parameters(self, FINETUNING)
        expect("name", self.name, str, "Give a name as text.")
        if self.name and not is_adapter_name(self.name):
            raise UsageError(
                f"name is {self.name[:100]!r}",
                "Use letters, digits and . _ = + -, the first a letter or a digit, 100 at most.",
            )

    def named(self, study: str) -> "FinetuningPlan":
        """Return the plan with a name, by default made of the study's name and the plan's numbers.

        >>> FinetuningPlan(seed=3).named("my study").name
        'my-study-rank4-strength1-steps40-seed3'
        """
        if self.name:
            return self
        suffix = f"-rank{self.rank}-strength{shortest(self.strength)}-steps{self.steps}-seed{self.seed}"
        study_name = _NO_NAME.sub("-", study).strip("-._=+")[: min(50, MOST_LETTERS - len(suffix))] or "study"
        return replace(self, name=study_name + suffix)

    def after(self, study: str, steps: int) -> "FinetuningPlan":
        """Return the plan, its default name with the completed steps if training ended early; other names do not
        change.

        >>> FinetuningPlan(seed=3).named("news").after("news", 12).name
        'news-rank4-strength1-steps12of40-seed3'
        """
        default_name = replace(self, name="").named(study).name
        if self.name != default_name or not 0 < steps < self.steps:
            return self
        return replace(self, name=default_name.replace(f"-steps{self.steps}-", f"-steps{steps}of{self.steps}-"))

    def digest(self, model: str, texts: Sequence[Sequence[str]]) -> str:
        """Return a hash of everything that the weights depend on, without the time limit, so that training can be
        resumed.

        model: the encoder's hash; texts: the training texts in order.
        """
        fields = {name: value for name, value in asdict(self).items() if name not in ("minutes", "name")}
        content = json.dumps([fields, model, texts], ensure_ascii=True)
        return hashlib.sha256(content.encode()).hexdigest()


def encoder_of(ranker: Any) -> str:
    """Return the model of `bi_encoder` or `bi_encoder(model='…')`.

    Raises UsageError for any other ranker, which has no trainable weights, and for a modified encoder.
    """
    remedy = "Give 'bi_encoder' or \"bi_encoder(model='…')\"."
    expect("ranker", ranker, str, remedy)
    choices = parse_rankers(ranker)
    if len(choices) != 1 or choices[0].ranker.name != "bi_encoder":
        raise UsageError(f"ranker is {ranker!r}, and only one bi_encoder can be trained", remedy)
    modifiers = [name for name in ("project", "keep", "adapter") if choices[0].parameters[name]]
    if modifiers:
        raise UsageError(f"ranker is {ranker!r}, which is changed already, by {modifiers[0]}", remedy)
    return str(choices[0].parameters["model"])


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of texts for training.

    table: COLUMNS, texts of one pair a row, neutral empty without such a wording; split: TRAIN or HELD_OUT of each
    query with a pair; queries: their texts; groups: the study's names of the columns female and male; source: WORDINGS
    or SUBSTITUTION; shared: pairs of training queries that were left out because a held-out query has one of their
    texts.
    """

    table: pd.DataFrame
    split: dict[str, str]
    queries: dict[str, str]
    groups: tuple[str, str]
    source: str
    shared: int

    def of(self, split: str) -> pd.DataFrame:
        """Return the pairs of the queries of TRAIN or HELD_OUT."""
        return self.table[self.table["query_id"].map(self.split) == split]


def pairs_of(study: Study, seed: int) -> Pairs:
    """Return the study's pairs, their queries split by the seed.

    Raises FairvizError if there are too few queries, or too few that share no text with held-out ones.
    """
    source, groups, table = WORDINGS, study.groups, _pairs_of_wordings(study)
    if table.empty:
        source, groups, table = SUBSTITUTION, ("female", "male"), _pairs_of_substitution(study)
    queries = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    has_text = table["query_id"].map(lambda name: bool(queries.get(name, "").strip())).astype(bool)
    table = table[has_text & (table["female"] != table["male"])].reset_index(drop=True)
    text_by_query = {name: queries[name] for name in dict.fromkeys(table["query_id"])}
    if len({_normalise(text) for text in text_by_query.values()}) < LEAST_QUERIES:
        raise FairvizError(
            f"{study.name} has texts in the wordings of two genders for {len(text_by_query):,} "
            f"{agreeing(len(text_by_query), 'query')}, too few to train on some and to hold out others",
            f"Use a study with such texts, or texts with gender words, for {LEAST_QUERIES} or more.",
        )
    split = split_of(text_by_query, seed)
    is_shared = _shared(study, table, split)
    own, shared = table[~is_shared].reset_index(drop=True), int(is_shared.sum())
    return Pairs(own, split, text_by_query, (groups[0], groups[1]), source, shared)


def _shared(study: Study, table: pd.DataFrame, split: dict[str, str]) -> pd.Series:
    """Return a mask of the pairs of training queries that share a text with a held-out one. Raises FairvizError if too
    few others remain."""
    sides = table["query_id"].map(split)
    held_out = table[sides == HELD_OUT]
    held_out_texts = {text for name in COLUMNS[1:] for text in held_out[name] if text}
    is_shared = (sides == TRAIN) & table[list(COLUMNS[1:])].isin(held_out_texts).any(axis=1)
    count = table.loc[(sides == TRAIN) & ~is_shared, "query_id"].nunique()
    if count < LEAST_TRAINED:
        raise FairvizError(
            f"{study.name} has pairs to train on for {counted(count, 'query')}, too few: "
            f"{int(is_shared.sum()):,} pairs have a text that a held-out query has too",
            "Use a study whose queries have texts of their own.",
        )
    return is_shared


def split_of(queries: dict[str, str], seed: int) -> dict[str, str]:
    """Return TRAIN or HELD_OUT for each query of {id: text}; queries with equal text are not separated.

    >>> Counter(split_of({str(n): f"query {n}" for n in range(10)}, 0).values())
    Counter({'train': 8, 'held out': 2})
    """
    texts = sorted({_normalise(text) for text in queries.values()})
    order = np.random.default_rng(seed).permutation(len(texts)).tolist()
    trained = {texts[place] for place in order[: round(TRAIN_SHARE * len(texts))]}
    return {name: TRAIN if _normalise(text) in trained else HELD_OUT for name, text in queries.items()}


def _normalise(text: str) -> str:
    return " ".join(text.lower().split())


def _pairs_of_wordings(study: Study) -> pd.DataFrame:
    """Return pairs of documents in three wordings; none if the study has no such documents or not two genders."""
    empty_table = pd.DataFrame(columns=list(COLUMNS))
    if len(study.groups) != 2:
        return empty_table
    triples_table = triples(study)
    texts = dict(zip(study.documents["doc_id"], document_text(study.documents).fillna(""), strict=True))
    written = {
        column: triples_table[name].map(texts).fillna("")
        for column, name in zip(COLUMNS[1:], (*study.groups, study.neutral), strict=True)
    }
    table = pd.DataFrame({"query_id": triples_table["query_id"], **written})
    return table[(table[["female", "male", "neutral"]] != "").all(axis=1)] if len(table) else empty_table


def _pairs_of_substitution(study: Study) -> pd.DataFrame:
    """Return pairs of each query's documents and their counterparts, if the words of one gender outnumber the
    other's.
    """
    pairs = packaged()
    female, male = _sides(pairs)
    texts, documents = documents_with_text(study).by_name, _documents_of(study)
    wordings: dict[str, tuple[str, str]] = {}  # (female, male) of the documents in which one gender prevails
    for name in dict.fromkeys(name for names in documents.values() for name in names):
        text = texts.get(name, "")
        changes = find_edits(text, pairs)
        words = [text[one.start : one.end].lower().removesuffix("'s").removesuffix("’s") for one in changes]
        sides = Counter(word in female for word in words if (word in female) != (word in male))
        if sides[True] != sides[False]:
            other = apply_edits(text, changes)
            wordings[name] = (text, other) if sides[True] > sides[False] else (other, text)
    rows = [
        (query, *wordings[name], "")
        for query, names in documents.items()
        for name in [name for name in names if name in wordings][:MOST_OF_QUERY]
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


@lru_cache(maxsize=2)
def _sides(pairs: Counterparts) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words and names of the pairs in lower case, female and male."""
    word_pairs = [pair for some in (pairs.words, pairs.names) for pair in some]
    return frozenset(female.lower() for female, _ in word_pairs), frozenset(male.lower() for _, male in word_pairs)


def _documents_of(study: Study) -> dict[str, list[str]]:
    """Return the documents of each query: those written for it, else those judged, relevant ones first, else the
    first of the runs' lists.
    """
    documents, qrels, runs = study.documents, study.qrels, study.runs
    if "query_id" in documents and documents["query_id"].notna().any():
        ordered = documents[documents["query_id"].notna()]
    elif len(qrels):
        ordered = qrels.sort_values(["relevance", "doc_id"], ascending=[False, True], kind="stable")
    elif len(runs):
        ordered = runs.sort_values(["rank", "doc_id"], kind="stable")
    else:
        raise FairvizError(
            f"{study.name} does not assign documents to queries",
            "Add qrels.txt, or rank its documents first: fairviz rank STUDY --with bi_encoder.",
        )
    doc_ids: dict[str, dict[str, None]] = {}
    for query, document in zip(ordered["query_id"].astype("str"), ordered["doc_id"].astype("str"), strict=True):
        doc_ids.setdefault(query, {})[document] = None
    return {query: list(names) for query, names in doc_ids.items()}
