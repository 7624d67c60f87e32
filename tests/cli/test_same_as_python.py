"""A verb prints the table that Python returns: every column and row in its order, every number to its last digit."""

from collections.abc import Callable

import pandas as pd
import pytest

import fairviz
from fairviz.comparison.compare import by_query
from fairviz.evaluation.gsr import gsr, gsr_points
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from tests.conftest import Call

ATLAS = ["CWEx", "NFaiRR", "GSR"]
LIKE_AUTHORS = "--k 5 --annotator lexicon --position-bias reciprocal"
AS_CHOSEN = {"cutoff": 5, "annotator": "lexicon", "position_bias": "reciprocal"}
NOT_A_SLOPE = "note: GSR@5 has no value for a query, and is not in this table.\n"
TABLES: list[tuple[str, str, Callable[[Study], pd.DataFrame], list[str]]] = [
    ("occupations", "evaluate CWEx(alpha=0.3)@2 TExFAIR@2 RaB@2 nDCG@2 --position-bias rbp(p=0.8)",
     lambda study: fairviz.summarise(fairviz.evaluate(
         study, ["CWEx(alpha=0.3)@2", "TExFAIR@2", "RaB@2", "nDCG@2"], position_bias="rbp(p=0.8)")), []),
    ("newswire", "evaluate CWEx --where category=sport --where category=crime",
     lambda study: fairviz.summarise(fairviz.evaluate(
         study, "CWEx", filter_column="category", filter_values=("sport", "crime"))), []),
    ("newswire", "evaluate TExFAIR --lexicon female:she|her;male:he|his --position-bias 1,0.5",
     lambda study: fairviz.summarise(fairviz.evaluate(
         study, "TExFAIR", lexicon="female:she|her;male:he|his", position_bias="custom", custom_bias=(1.0, 0.5))), []),
    *[
        ("occupations", f"evaluate CWEx nDCG --range{option} {'--per-query' * per_query}",
         lambda study, candidates=candidates, per_query=per_query: fairviz.ranges(
             study, ["CWEx", "nDCG"], candidates=candidates, per_query=per_query), [])
        for option, candidates, per_query in (("", "study", True), (" run", "run", False), (" judged", "judged", True))
    ],
    *[
        ("occupations", f"evaluate CWEx nDCG --tie-range {'--per-query' * per_query}",
         lambda study, per_query=per_query: fairviz.ties(study, ["CWEx", "nDCG"], per_query=per_query), [])
        for per_query in (False, True)
    ],
    ("newswire", "compare CWEx GSR --k 5 --annotator lexicon --baseline tfidf --tests \"bh(statistic='wilcoxon')\"",
     lambda study: fairviz.compare(fairviz.evaluate(study, ["CWEx", "GSR"], cutoff=5, annotator="lexicon"), "tfidf",
                                   tests="bh(statistic='wilcoxon')"),
     ["note: tests: all 21 pairs, Wilcoxon signed ranks, Benjamini-Hochberg; intervals: 95 % of one difference, "
      "uncorrected; ranks: not simultaneous, as the tests are not.\n"]),
    ("newswire", "compare CWEx RaB --slice category --margin 0.1 --margin RaB=0.5 --power 0.9 --level 0.9",
     lambda study: fairviz.compare(
         fairviz.evaluate(study, ["CWEx", "RaB"]), slices=study.queries.set_index("query_id")["category"],
         margin={"": 0.1, "RaB": 0.5}, power=0.9, level=0.9),
     ["note: queries by category: sport 6, politics 6, crime 6, health 5, "]),
    ("occupations", "compare CWEx nDCG --by-query",
     lambda study: by_query(fairviz.evaluate(study, ["CWEx", "nDCG"]), "", ""), []),
    ("newswire", "compare CWEx nDCG --by-query rrf --baseline bm25",
     lambda study: by_query(fairviz.evaluate(study, ["CWEx", "nDCG"]), "rrf", "bm25"), []),
    ("newswire", f"explain CWEx(alpha=0.3) --system bm25 --query q22 {LIKE_AUTHORS}",
     lambda study: fairviz.contributions(study, "CWEx(alpha=0.3)", "bm25", "q22", **AS_CHOSEN), []),
    ("newswire", "atlas CWEx NFaiRR GSR --k 5 --table correlations",
     lambda study: fairviz.atlas(study, ATLAS, cutoff=5).correlations,
     ["note: GSR@5 has no value for a query, and is in the order of systems only.\n"]),
    ("newswire", "atlas CWEx NFaiRR GSR --k 5 --table queries --systems bm25 w2v_add",
     lambda study: fairviz.atlas(study, ATLAS, cutoff=5).queries("bm25", "w2v_add"), [NOT_A_SLOPE]),
    *[
        ("football", f"gender-swap --ranker bm25 --seeds 1 --table {table}",
         lambda study, of=of: of(fairviz.counterfactual(study, "bm25", seeds=1)),
         ["note: 12 words and names replaced in 6 of 10 documents.\n"])
        for table, of in {"wide": lambda found: found.wide(), "queries": lambda found: found.queries}.items()
    ],
    ("newswire", "gsr --k 5", lambda study: gsr(gsr_points(study, Settings(cutoff=5))),
     ["glove: the gender direction explains 49.4 % of the variance of 10 pairs.\n",
      "different words of documents have no vector: traveland, almao, "]),
    ("newswire", "gsr --depth relevant --per-query",
     lambda study: gsr_points(study, Settings(gsr_depth="relevant")), []),
]  # fmt: skip


@pytest.mark.parametrize(("study", "line", "of", "notes"), TABLES, ids=[line for _, line, *_ in TABLES])
def test_the_table_is_that_of_python(
    study: str, line: str, of: Callable[[Study], pd.DataFrame], notes: list[str], call: Call,
    request: pytest.FixtureRequest,
) -> None:  # fmt: skip
    verb, _, options = line.partition(" ")
    said = call(verb, [study], options, "--format csv")
    assert said.out == of(request.getfixturevalue(study)).to_csv(index=False)
    for note in notes:
        assert note in said.err
