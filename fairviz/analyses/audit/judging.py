"""A ranker's preference in each pair: by its scores, or by its answers to both orders."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from fairviz.analyses.audit.scoring import scored
from fairviz.models.asking import Answered, Spent
from fairviz.rankers.grammar import Choice
from fairviz.rankers.pairwise import NAME as ASKED
from fairviz.rankers.pairwise import Pair, compared
from fairviz.rankers.ranking import documents_with_text
from fairviz.study.record import Study

GROUP, OTHER, TIED, NOT_FOUND = "group", "other", "tied", "not found"
STANDARD_DEVIATIONS, LOG_ODDS = "standard deviations", "log-odds"
EQUAL = 1e-6  # of scores, relative to the larger one: below what 32-bit floats can tell apart
WORK = ("asking", "scoring", "encoding")
Progress = Callable[[str, int, int], None]
Array = np.ndarray


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
    study: Study, choice: Choice, pairs: pd.DataFrame, progress: Progress, say: Callable[[str], None], spent: Spent
) -> Judged:
    """Return the ranker's preferences. progress(what, done, in all); say(message). Raises FairvizError if the study
    lacks its inputs, or it cannot be reached."""
    asking, scoring, encoding = (partial(progress, f"{choice.system}: {what}") for what in WORK)
    if choice.ranker.name == ASKED:
        return _judge_by_model(study, choice, pairs, asking, spent)
    table = scored(study, choice, pairs, say, scoring, encoding)
    return by_scores(choice.system, *(table[name].to_numpy() for name in ("score", "other_score", "spread")))


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
    return Judged(system, _twice(wins), _twice(outcomes), _twice(gaps), texts, STANDARD_DEVIATIONS)


def _twice(values: Array) -> Array:
    return np.stack([values, values], axis=1)


def _judge_by_model(
    study: Study, choice: Choice, pairs: pd.DataFrame, progress: Callable[[int, int], None], spent: Spent
) -> Judged:
    answers = compared(texts_of_pairs(study, pairs), choice.parameters, progress, spent)
    named = np.select([answers.wins == 1, answers.wins == 0], [GROUP, OTHER], "")
    outcomes = np.where(named == "", answers.outcomes, named).astype(object)
    return Judged(choice.system, answers.wins, outcomes, answers.log_odds, answers.texts, LOG_ODDS, answers.answered)


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
            }
            columns |= {
                "outcome": judgement.outcomes[:, place],
                "wins": judgement.wins[:, place],
                "gap": judgement.gaps[:, place],
            }
            parts.append(pd.DataFrame(columns | {"text": judgement.texts[:, place]}))
    return pd.concat(parts, ignore_index=True)
