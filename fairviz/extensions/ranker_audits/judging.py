"""A ranker's preference in each pair: by its scores, or by its answers to both orders."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from fairviz.extensions.ranker_audits.rankers.pairwise import NAME as ASKED
from fairviz.extensions.ranker_audits.rankers.pairwise import Pair, compared
from fairviz.extensions.ranker_audits.shares import Estimate, consistency, estimate, first_named, means_by_query
from fairviz.models.asking import Answered, Spent
from fairviz.models.replies import EMPTY, REFUSED, TOO_LONG, UNANSWERED, UNPARSED
from fairviz.rankers.grammar import RankerChoice
from fairviz.rankers.ranking import check_parts, documents_with_text, queries_of, texts_of
from fairviz.rankers.record import Collection, Found
from fairviz.study.record import Study
from fairviz.study.tables import RUNS, conform

CANDIDATES = "audit"  # the run that a ranker of another run's top is given
BACKGROUND = 20  # documents in it beside those of the pairs, so that scores have a spread
Count = Callable[[int, int], None]
Array = np.ndarray
GROUP, OTHER, TIED, NOT_FOUND = "group", "other", "tied", "not found"
STANDARD_DEVIATIONS, LOG_ODDS = "standard deviations", "log-odds"
EQUAL = 1e-6  # of scores, relative to the larger one: below what 32-bit floats can tell apart
WORK = ("asking", "scoring", "encoding")
Progress = Callable[[str, int, int], None]
ALWAYS_FIRST, ALWAYS_SECOND, LEANS_FIRST, LEANS_SECOND, NO_LEANING, NO_ORDER, NOTHING = (
    "always the first", "always the second", "leans to the first", "leans to the second", "no position bias found",
    "sees no order", "no answer",
)  # fmt: skip
HALF = 0.5  # share of answers that are read, or of pairs with one winner, below which preferences are none
ALWAYS = 0.9  # share of answers that name one place, from which on they say no more than the place
LOST = (UNPARSED, REFUSED, EMPTY, TOO_LONG, UNANSWERED)
COLUMNS = (
    "system", "pairs", "answers", "read", *(name.replace(" ", "_") for name in LOST), "not_found", "tied",
    "first_named", "first_named_low", "first_named_high", "position_log_odds", "consistent", "consistent_low",
    "consistent_high", "verdict", "asked_now", "tokens_in", "tokens_out", "seconds",
)  # fmt: skip


def scored(
    study: Study,
    choice: RankerChoice,
    pairs: pd.DataFrame,
    say: Callable[[str], None],
    progress: Count,
    encoding: Count,
) -> pd.DataFrame:
    """Return a row for each pair: score and other_score of its two documents, NaN for one that the ranker does not
    find, and spread, the standard deviation of the ranker's scores over all that it finds for the query (NaN where
    these are equal).

    A ranker that reads the top of another run, as cross_encoder does, is given the documents of the query's pairs and
    BACKGROUND others. Raises FairvizError where the study lacks what the ranker needs.
    """
    names_by_query = {
        str(query): set(part["doc_id"]) | set(part["other_doc_id"])
        for query, part in pairs.groupby("query_id", sort=False)
    }
    scores: dict[tuple[str, str], float] = {}
    spreads: dict[str, float] = {}
    for query, hits in scored_lists(study, choice, names_by_query, say, progress, encoding):
        rows = np.flatnonzero(np.isin(hits.documents.astype(str), list(names_by_query[query])))
        scores |= {(query, str(hits.documents[row])): float(hits.scores[row]) for row in rows.tolist()}
        spreads[query] = spread_of(hits.scores)
    table = {
        name: [scores.get(key, np.nan) for key in zip(pairs["query_id"], pairs[column], strict=True)]
        for name, column in (("score", "doc_id"), ("other_score", "other_doc_id"))
    }
    return pd.DataFrame(table | {"spread": [spreads.get(query, np.nan) for query in pairs["query_id"]]})


def scored_lists(
    study: Study,
    choice: RankerChoice,
    names_by_query: Mapping[str, set[str]],
    say: Callable[[str], None],
    progress: Count,
    encoding: Count,
    versions: frozenset[str] = frozenset(),
) -> Iterator[tuple[str, Found]]:
    """Yield each query that has names with all documents that the ranker finds for it, and their scores.

    A ranker that reads the top of another run is given these names and BACKGROUND others. versions: documents that are
    in no background. Raises FairvizError where the study lacks what the ranker needs.
    """
    check_parts(study, choice)
    texts = texts_of(study, [choice], [])
    runs, parameters = study.runs, choice.parameters
    if {"run", "n"} <= set(parameters):  # whole lists of the run of candidates
        others = texts.names[~np.isin(texts.names.astype(str), list(versions))] if versions else texts.names
        runs = _candidate_run(others, names_by_query)
        longest = max(map(len, names_by_query.values())) + BACKGROUND
        parameters = {**parameters, "run": CANDIDATES, "n": float(longest)}
    find = choice.ranker.prepare(Collection(study, texts, runs, say, encoding), parameters)
    queries = [query for query in queries_of(study) if query.query_id in names_by_query]
    for done, query in enumerate(queries, start=1):
        yield query.query_id, find(query)
        progress(done, len(queries))


def _candidate_run(others: Array, names_by_query: Mapping[str, set[str]]) -> pd.DataFrame:
    """Return a run of each query's names and, behind them, BACKGROUND of the others, spread over the collection."""
    background = others[:: max(len(others) // BACKGROUND, 1)][:BACKGROUND].tolist()
    rows = [
        (CANDIDATES, query, name, place, -float(place))
        for query, names in names_by_query.items()
        for place, name in enumerate(dict.fromkeys([*sorted(names), *background]), start=1)
    ]
    return conform(pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]), RUNS)


def spread_of(scores: Array) -> float:
    """Return the standard deviation of scores; NaN where they are equal, or fewer than two."""
    if len(scores) < 2:
        return float("nan")
    spread = float(np.std(scores.astype(np.float64)))
    return spread if spread > 1e-9 * max(float(np.abs(scores).max()), 1e-9) else float("nan")


@dataclass(frozen=True, eq=False)
class Judged:
    """A ranker's preferences in P pairs, (P, 2): the document of `group` comes first in the first column, that of
    `other` in the second; for a ranker with scores the columns are equal.

    wins: 1 where the group's document is preferred, 0 where the other, 0.5 where they tie, NaN without an answer.
    outcomes: `group`, `other`, `tied`, `not found` (neither is, which is a tie), or the reason for a missing answer.
    gaps: the preference for the group's document in `unit`; NaN where unknown. texts: a model's answers. answered:
    requests, tokens and seconds, None for a ranker without requests.
    """

    system: str
    wins: Array
    outcomes: Array
    gaps: Array
    texts: Array
    unit: str
    answered: Answered | None = None

    @property
    def sees_order(self) -> bool:
        """Return True if the answer may depend on the order of the documents."""
        return self.answered is not None


def judged(
    study: Study,
    choice: RankerChoice,
    pairs: pd.DataFrame,
    progress: Progress,
    say: Callable[[str], None],
    spent: Spent,
) -> Judged:
    """Return the ranker's preferences. progress(what, done, in all); say(message). Raises FairvizError if the study
    lacks its inputs, or it cannot be reached."""
    asking, scoring, encoding = (partial(progress, f"{choice.system}: {what}") for what in WORK)
    if choice.ranker.name == ASKED:
        return _judged_by_model(study, choice, pairs, asking, spent)
    table = scored(study, choice, pairs, say, scoring, encoding)
    return by_scores(choice.system, *(table[name].to_numpy() for name in ("score", "other_score", "spread")))


def _judged_by_model(study: Study, choice: RankerChoice, pairs: pd.DataFrame, progress: Count, spent: Spent) -> Judged:
    """Return the preferences in a language model's answers to both orders of each pair."""
    answers = compared(texts_of_pairs(study, pairs), choice.parameters, progress, spent)
    named = np.select([answers.wins == 1, answers.wins == 0], [GROUP, OTHER], "")
    outcomes = np.where(named == "", answers.outcomes, named).astype(object)
    return Judged(choice.system, answers.wins, outcomes, answers.log_odds, answers.texts, LOG_ODDS, answers.answered)


def by_scores(system: str, scores: Array, other_scores: Array, spread: Array) -> Judged:
    """Return preferences from the scores of the group's and the other document, (P,), and the spread of the query's
    scores.

    Scores that differ by less than the precision of 32-bit floats are equal. A missing document is below a found one by
    an unknown gap; two missing ones tie.
    """
    is_found, is_other_found = ~np.isnan(scores), ~np.isnan(other_scores)
    both, neither = is_found & is_other_found, ~(is_found | is_other_found)
    apart = np.where(both, scores - other_scores, 0.0)
    largest = np.maximum(np.abs(np.nan_to_num(scores)), np.abs(np.nan_to_num(other_scores)))
    apart = np.where(np.abs(apart) <= EQUAL * largest, 0.0, apart)
    wins = np.where(both | neither, 0.5 + np.sign(apart) / 2, is_found.astype(np.float64))
    outcomes = np.select([neither, wins == 1, wins == 0], [NOT_FOUND, GROUP, OTHER], TIED).astype(object)
    gaps = np.where(both | neither, np.divide(apart, spread, out=np.zeros_like(apart), where=apart != 0), np.nan)
    texts = np.full((len(wins), 2), "", dtype=object)
    return Judged(
        system, _in_both_orders(wins), _in_both_orders(outcomes), _in_both_orders(gaps), texts, STANDARD_DEVIATIONS
    )


def _in_both_orders(values: Array) -> Array:
    """Return values that do not depend on the order of a pair, (P,), as those of its two orders, (P, 2)."""
    return np.stack([values, values], axis=1)


def texts_of_pairs(study: Study, pairs: pd.DataFrame) -> list[Pair]:
    """Return the pairs as text: the query, and title and text of either document as one."""
    texts = documents_with_text(study, {*pairs["doc_id"], *pairs["other_doc_id"]}).by_name
    queries = dict(zip(study.queries["query_id"], study.queries["text"], strict=True))
    rows = zip(pairs["query_id"], pairs["doc_id"], pairs["other_doc_id"], strict=True)
    return [Pair(queries[query], texts[one], texts[other]) for query, one, other in rows]


def answers_of(judgements: Sequence[Judged], pairs: pd.DataFrame) -> pd.DataFrame:
    """Return a row for each system, pair and order, with what was shown first, the outcome, the gap and the model's
    text."""
    parts = []
    for judgement in judgements:
        for place, first_side in enumerate(("group", "other")):
            columns = {
                "system": judgement.system,
                "pair": pairs["pair"].to_numpy(),
                "shown_first": pairs[first_side].to_numpy(),
                "outcome": judgement.outcomes[:, place],
                "wins": judgement.wins[:, place],
                "gap": judgement.gaps[:, place],
                "text": judgement.texts[:, place],
            }
            parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def integrity_of(judgements: Sequence[Judged], pairs: pd.DataFrame) -> pd.DataFrame:
    """Return COLUMNS, a row for each system.

    answers: two a pair for a language model, one for a ranker with scores. read: those that could be parsed; the rest
    by reason. not_found: pairs of which a ranker finds neither document, which count as ties. first_named: the share
    that names the document shown first, one half without position bias (a model that leaves each pair as it is names it
    always); position_log_odds: the log-odds in favour of the first position; consistent: the share of pairs with the
    same winner in both orders. All three are means within queries first, with intervals over queries, and NaN for a
    ranker that sees no order.
    """
    codes = pd.factorize(pairs["query_id"])[0]
    rows = []
    for one in judgements:
        outcomes = one.outcomes if one.sees_order else one.outcomes[:, :1]
        row: dict[str, object] = {"system": one.system, "pairs": len(outcomes), "answers": outcomes.size}
        row["read"] = outcomes.size - int(np.isin(outcomes, LOST).sum())
        row |= {name.replace(" ", "_"): int((outcomes == name).sum()) for name in (*LOST, NOT_FOUND, TIED)}
        if one.answered is None:
            row |= {"verdict": NO_ORDER, "asked_now": 0, "tokens_in": 0, "tokens_out": 0, "seconds": 0.0}
        else:
            per_pair = [first_named(one.wins), consistency(one.wins), (one.gaps[:, 0] - one.gaps[:, 1]) / 2]
            by_query = means_by_query(np.stack(per_pair), codes)
            named, same, odds = (estimate(values, share=place < 2) for place, values in enumerate(by_query))
            row |= {**named.named("first_named"), **same.named("consistent"), "verdict": verdict_of(named)}
            row["position_log_odds"] = odds.value if one.unit == LOG_ODDS else np.nan
            row |= {"asked_now": one.answered.asked, "tokens_in": one.answered.tokens_in,
                    "tokens_out": one.answered.tokens_out, "seconds": one.answered.seconds}  # fmt: skip
        rows.append(row)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def verdict_of(named: Estimate) -> str:
    """Return the verdict on a model from its share of answers that name the first document."""
    if np.isnan(named.value):
        return NOTHING
    if named.value >= ALWAYS:
        return ALWAYS_FIRST
    if named.value <= 1 - ALWAYS:
        return ALWAYS_SECOND
    if named.low > 0.5:
        return LEANS_FIRST
    return LEANS_SECOND if named.high < 0.5 else NO_LEANING


def low_confidence_reason(row: dict) -> str:
    """Return the reason for which this system's preference cannot be read; empty for none.

    Where few answers name a document, where the place decides nearly every answer, or where less than half of the pairs
    have the same winner in both orders.
    """
    if row["verdict"] == NO_ORDER:
        return ""
    if row["verdict"] == NOTHING:
        return "none of its answers to pairs names a document."
    if row["read"] < HALF * row["answers"]:
        return "less than half of its answers to pairs name a document."
    by_place = row["verdict"] in (ALWAYS_FIRST, ALWAYS_SECOND) or row["consistent"] < HALF
    return "its answers to pairs go by the order in which they are shown." if by_place else ""


def readable(row: dict) -> bool:
    """Return True if this system's preferences can be read."""
    return not low_confidence_reason(row)
