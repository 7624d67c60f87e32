"""What an encoder is trained on: for a query, one text in the wording of either gender, and neutral where there is one.

Where the study has documents in three wordings (Grep-BiasIR), they are the pairs. Elsewhere a document is paired with
itself, every gender word and first name replaced by its counterpart: what has more words of one group is its wording.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd

from fairviz.counterfactuals.triples import triples
from fairviz.errors import FairvizError
from fairviz.study.study import Study
from fairviz.words.counterparts import Counterparts, packaged
from fairviz.words.counting import document_text
from fairviz.words.substitution import apply_edits, find_edits

WORDINGS, SUBSTITUTION = "wordings", "substitution"
TRAIN, HELD_OUT = "train", "held out"
LEAST_QUERIES = 10
LEAST_TRAINED = 5  # queries that have pairs of their own to train on
TRAIN_SHARE = 0.8  # of queries, as in section 5 of the paper
MOST_OF_QUERY = 10  # pairs of one query, so that none is trained on more than ten others are
COLUMNS = ("query_id", "female", "male", "neutral")


@dataclass(frozen=True, eq=False)
class Pairs:
    """table: COLUMNS, texts of one pair a row, neutral empty where there is no such wording; split: TRAIN or HELD_OUT
    of each query with a pair; queries: their texts; groups: what the columns female and male are called in the study;
    source: WORDINGS or SUBSTITUTION; shared: pairs of training queries that were left out, since a held-out query has
    one of their texts too."""

    table: pd.DataFrame
    split: dict[str, str]
    queries: dict[str, str]
    groups: tuple[str, str]
    source: str
    shared: int

    def of(self, part: str) -> pd.DataFrame:
        """The pairs of the queries of TRAIN or HELD_OUT."""
        return self.table[self.table["query_id"].map(self.split) == part]


def pairs_of(study: Study, seed: int) -> Pairs:
    """The study's pairs, their queries split by the seed. Raises FairvizError where there are too few queries, or
    too few that share no text with those held out."""
    source, groups, table = WORDINGS, study.groups, _of_wordings(study)
    if table.empty:
        source, groups, table = SUBSTITUTION, ("female", "male"), _of_substitution(study)
    queries = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    asked = table["query_id"].map(lambda name: bool(queries.get(name, "").strip())).astype(bool)
    table = table[asked & (table["female"] != table["male"])].reset_index(drop=True)
    named = {name: queries[name] for name in dict.fromkeys(table["query_id"])}
    if len({_plain(text) for text in named.values()}) < LEAST_QUERIES:
        raise FairvizError(
            f"{study.name} has texts in the wordings of two genders for {len(named):,} "
            f"quer{'y' if len(named) == 1 else 'ies'}, too few to train on some and to hold out others",
            f"Use a study with such texts, or texts with gender words, for {LEAST_QUERIES} or more.",
        )
    split = split_of(named, seed)
    shared = _shared(study, table, split)
    return Pairs(table[~shared].reset_index(drop=True), split, named, (groups[0], groups[1]), source, int(shared.sum()))


def _shared(study: Study, table: pd.DataFrame, split: dict[str, str]) -> pd.Series:
    """Which pairs of training queries have a text of a held-out one. Raises FairvizError where these leave too few."""
    sides = table["query_id"].map(split)
    held = table[sides == HELD_OUT]
    seen = {text for name in COLUMNS[1:] for text in held[name] if text}
    shared = (sides == TRAIN) & table[list(COLUMNS[1:])].isin(seen).any(axis=1)
    left = table.loc[(sides == TRAIN) & ~shared, "query_id"].nunique()
    if left < LEAST_TRAINED:
        raise FairvizError(
            f"{study.name} has pairs to train on for {left:,} quer{'y' if left == 1 else 'ies'}, too few: "
            f"{int(shared.sum()):,} pairs have a text that a held-out query has too",
            "Use a study whose queries have texts of their own.",
        )
    return shared


def split_of(queries: dict[str, str], seed: int) -> dict[str, str]:
    """TRAIN or HELD_OUT for each query of {id: text}; queries of one text stay together.

    >>> Counter(split_of({str(n): f"query {n}" for n in range(10)}, 0).values())
    Counter({'train': 8, 'held out': 2})
    """
    texts = sorted({_plain(text) for text in queries.values()})
    order = np.random.default_rng(seed).permutation(len(texts)).tolist()
    trained = {texts[place] for place in order[: round(TRAIN_SHARE * len(texts))]}
    return {name: TRAIN if _plain(text) in trained else HELD_OUT for name, text in queries.items()}


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _of_wordings(study: Study) -> pd.DataFrame:
    """Pairs of documents in three wordings; empty where the study has none, or other than two genders."""
    nothing = pd.DataFrame(columns=list(COLUMNS))
    if len(study.groups) != 2:
        return nothing
    found = triples(study)
    texts = dict(zip(study.documents["doc_id"], document_text(study.documents).fillna(""), strict=True))
    written = {
        column: found[name].map(texts).fillna("")
        for column, name in zip(COLUMNS[1:], (*study.groups, study.neutral), strict=True)
    }
    table = pd.DataFrame({"query_id": found["query_id"], **written})
    return table[(table[["female", "male", "neutral"]] != "").all(axis=1)] if len(table) else nothing


def _of_substitution(study: Study) -> pd.DataFrame:
    """Documents of each query beside their counterparts, where the words of one gender outnumber the other's."""
    texts = document_text(study.documents).dropna()
    pairs, made = packaged(), dict[str, tuple[str, str] | None]()
    written = dict(zip(study.documents["doc_id"][texts.index], texts, strict=True))
    rows: list[tuple[str, str, str, str]] = []
    for query, names in _documents_of(study).items():
        held = 0
        for name in names:
            if name not in made:
                made[name] = _wordings(written.get(name, ""), pairs)
            both = made[name]
            if both is not None and held < MOST_OF_QUERY:
                rows.append((query, *both, ""))
                held += 1
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _wordings(text: str, pairs: Counterparts) -> tuple[str, str] | None:
    """The text as (female, male); None where it names no gender, or both alike."""
    changes = find_edits(text, pairs)
    female, male = _sides(pairs)
    sides: Counter[bool] = Counter()
    for change in changes:
        word = text[change.start : change.end].lower().removesuffix("'s").removesuffix("’s")
        if (word in female) != (word in male):
            sides[word in female] += 1
    if sides[True] == sides[False]:
        return None
    other = apply_edits(text, changes)
    return (text, other) if sides[True] > sides[False] else (other, text)


@lru_cache(maxsize=2)
def _sides(pairs: Counterparts) -> tuple[frozenset[str], frozenset[str]]:
    """The words and names of the pairs in lower case, female and male."""
    listed = [pair for some in (pairs.words, pairs.names) for pair in some]
    return frozenset(female.lower() for female, _ in listed), frozenset(male.lower() for _, male in listed)


def _documents_of(study: Study) -> dict[str, list[str]]:
    """The documents that belong to each query: those written for it, else those judged for it, the relevant ones first,
    else the first of the runs' lists."""
    documents, judged, runs = study.documents, study.qrels, study.runs
    if "query_id" in documents and documents["query_id"].notna().any():
        known = documents[documents["query_id"].notna()]
        return _grouped(zip(known["query_id"].astype("str"), known["doc_id"], strict=True))
    if len(judged):
        ordered = judged.sort_values(["relevance", "doc_id"], ascending=[False, True], kind="stable")
        return _grouped(zip(ordered["query_id"], ordered["doc_id"], strict=True))
    if len(runs):
        ordered = runs.sort_values(["rank", "doc_id"], kind="stable")
        return _grouped(zip(ordered["query_id"].astype("str"), ordered["doc_id"].astype("str"), strict=True))
    raise FairvizError(
        f"{study.name} does not say which documents belong to which query",
        "Add qrels.txt, or rank its documents first: fairviz rank STUDY --with bi_encoder.",
    )


def _grouped(rows: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, dict[str, None]] = {}
    for query, document in rows:
        found.setdefault(query, {})[document] = None
    return {query: list(names) for query, names in found.items()}
