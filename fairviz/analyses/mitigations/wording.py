"""The distance of a ranker's scores of the same text in the wordings of two genders, one number for each query.

Only where a study has documents in three wordings (Grep-BiasIR); a re-ranker gives ranks and no scores of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fairviz.analyses.counterfactuals.triples import triples
from fairviz.measures import Question
from fairviz.measures.record import RATIO_PAPER, Measure
from fairviz.rankers.grammar import Choice
from fairviz.rankers.ranking import rank
from fairviz.study.record import Study

Array = np.ndarray
NAME = "WordingGap"


def _no_compute(*_: object) -> Array:
    raise ValueError(f"{NAME} is computed from scores of wordings, not from rankings")


WORDING_GAP = Measure(
    name=NAME,
    summary="how far apart the scores of the same text in two genders' wordings are",
    compute=_no_compute,
    parameters=(),
    needs=("labels", "documents"),
    direction="lower",
    bounds=(0.0, np.inf),
    formula=r"\frac1{\lvert P_q\rvert}\sum_{(f,m)\in P_q}\frac{\lvert s(q,f)-s(q,m)\rvert}{\sigma}",
    paper=RATIO_PAPER,
    equation="none; a magnitude beside the paper's shares",
    decided="In standard deviations of the query's scores of all found documents. So rankers of different scales "
    "compare, and shrinking all scores changes nothing.",
    example="Scores 0.5 and 0.4 where the query's scores spread by 0.2: 0.5 standard deviations.",
)
QUESTION = Question(NAME, NAME, {}, None, WORDING_GAP)


def has_wordings(study: Study) -> bool:
    """Return True if the study has texts in the wordings of two genders."""
    return len(study.groups) == 2 and not triples(study).empty


def wording_gaps(
    study: Study,
    choices: Sequence[Choice],
    queries: Sequence[str],
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Array]:
    """The gap of each query (Q,) by system, NaN for a query without such texts; of rankers with scores of their own."""
    scoring = [choice for choice in choices if "runs" not in choice.ranker.needs]
    table = triples(study)
    if not scoring or table.empty:
        return {}
    chosen_queries = study.queries[study.queries["query_id"].isin(list(queries))]
    runs = rank(replace(study, queries=chosen_queries, fingerprint=""), scoring, len(study.documents), progress).runs
    runs = runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    return {str(system): _gaps(part, table, study, queries) for system, part in runs.groupby("system", sort=False)}


def _gaps(run: pd.DataFrame, table: pd.DataFrame, study: Study, queries: Sequence[str]) -> Array:
    """The mean over each query's texts of |score in one wording - score in the other| over the query's deviation."""
    spread = run.groupby("query_id")["score"].std(ddof=0)
    score = run.set_index(["query_id", "doc_id"])["score"]
    one, other = (
        score.reindex(pd.MultiIndex.from_frame(table[["query_id", group]])).to_numpy() for group in study.groups
    )
    gaps = pd.Series(np.abs(one - other)).groupby(table["query_id"].to_numpy()).mean()
    return (gaps / spread.where(spread > 0)).reindex(list(queries)).to_numpy(dtype=np.float64)
