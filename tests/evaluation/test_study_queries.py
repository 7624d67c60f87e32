"""What is computed depends on the study: its queries and its runs, never on which systems are shown."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison.gate import gate_background
from fairviz.comparison.never_shown import pool_exposure
from fairviz.errors import FairvizError
from fairviz.evaluation.choices import unanswered_note
from fairviz.evaluation.contributions import anatomy
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES
from fairviz.output.report import report
from fairviz.study.loaders.runs import stack_runs
from fairviz.study.record import Study
from tests.conftest import Call
from tests.made import labels_of, qrels_of, runs_of

WORDS = ["she", "he", "a woman", "the man", "weather", "her mother"]
SYSTEMS = ("a", "b", "c", "pl")
EFFECTIVENESS = ["nDCG@10", "AP@10", "P@5", "RR@10", "R@10", "Success@3"]


def made(seed: int, queries: bool = True) -> Study:
    """Eight queries, of which each system answers some: q7 none, q6 is not judged; pl has two draws."""
    generator = np.random.default_rng(seed)
    names, query_ids = [f"d{place}" for place in range(12)], [f"q{place}" for place in range(8)]
    lists = {
        (run, query): generator.permutation(names)[: generator.integers(2, 9)]
        for run in ("a", "b", "c", "pl/seed1", "pl/seed2")
        for query in query_ids[:7]
        if generator.uniform() < 0.7
    }
    judged = {query: {name: int(generator.integers(0, 3)) for name in names[::2]} for query in (*query_ids[:6], "q7")}
    parts = {"queries": pd.DataFrame({"query_id": query_ids, "text": [f"a {word}" for word in WORDS + WORDS[:2]]})}
    return fairviz.make_study(
        "gaps", runs=runs_of(lists), qrels=qrels_of(judged),
        documents=pd.DataFrame({"doc_id": names, "text": [WORDS[place % 6] for place in range(12)]}),
        labels=labels_of(dict(zip(names, ["female", "male", "neutral"] * 4, strict=True))),
        **(parts if queries else {}),
    )  # fmt: skip


def of_runs(study: Study, *runs: str) -> Study:
    table = study.runs[study.runs["system"].isin(runs)]
    table = table.assign(system=table["system"].cat.remove_unused_categories())
    return replace(study, runs=table.reset_index(drop=True), fingerprint="")


def without(study: Study, system: str, queries: set[str]) -> Study:
    """The study in which a system leaves these queries unanswered."""
    runs = study.runs[~((study.runs["system"] == system) & study.runs["query_id"].isin(queries))]
    return replace(study, runs=runs.reset_index(drop=True), fingerprint="")


# --- as trec_eval -c ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seed", "queries"), [(0, True), (1, False), (2, True), (3, False)])
def test_effectiveness_is_over_all_judged_queries(seed: int, queries: bool) -> None:
    study = made(seed, queries)
    qrels = [ir_measures.Qrel(*row) for row in study.qrels.itertuples(index=False, name=None)]
    measures = [ir_measures.parse_measure(text) for text in EFFECTIVENESS]
    for name in "abc":
        rows = study.runs[study.runs["system"] == name]
        run = [ir_measures.ScoredDoc(str(row.query_id), str(row.doc_id), row.score) for row in rows.itertuples()]
        judged = study.qrels["query_id"].nunique()
        wanted = dict.fromkeys(map(str, measures), 0.0)
        for result in ir_measures.iter_calc(measures, qrels, run):
            wanted[str(result.measure)] += result.value / judged
        for one in (study, of_runs(study, name)):
            scores = fairviz.evaluate(one, EFFECTIVENESS, systems=[name])
            found = fairviz.summarise(scores).set_index("measure")["value"]
            assert found.to_dict() == pytest.approx(wanted)


def test_a_run_without_hard_queries_has_one_value_alone_and_beside_another(newswire: Study) -> None:
    shorter, values = without(newswire, "bm25", set(sorted(newswire.queries["query_id"])[:10])), []
    for one in (of_runs(shorter, "bm25"), of_runs(shorter, "bm25", "random"), shorter):
        row = fairviz.summarise(fairviz.evaluate(one, "nDCG@10", systems=["bm25"])).iloc[0]
        values.append((round(row["value"], 3), row["queries"], row["undefined"]))
    assert values == [(0.647, 40, 0)] * 3
    row = fairviz.summarise(fairviz.evaluate(of_runs(shorter, "bm25"), "CWEx")).iloc[0]
    assert (row["queries"], row["undefined"]) == (30, 10)


# --- shown systems ----------------------------------------------------------------------------------------------------


def by_list(table: pd.DataFrame, systems: tuple[str, ...]) -> dict[tuple, list]:
    keys = [name for name in ("measure", "system", "query_id") if name in table]
    kept = table[table["system"].isin(systems)]
    numbers = kept.select_dtypes(["number", "bool"])
    rows = zip(kept[keys].astype("str").itertuples(index=False, name=None), numbers.to_numpy(float), strict=True)
    return {key: row.tolist() for key, row in rows}


PER_LIST = [f"{name}@5" for name, measure in MEASURES.items() if measure.per_query]
OF_ORDERS = ["CWEx@3", "NFaiRR@3", "TExFAIR@3"]
FRONTS = [
    *(f"DPFR(nDCG@5,CWEx@5,candidates='{source}')" for source in ("study", "run", "judged")),
    "DPFR(P@3,NFaiRR@3,candidates='run')",
]
VERBS: dict[str, Callable[[Study, tuple[str, ...]], pd.DataFrame]] = {
    "evaluate": lambda study, shown: fairviz.evaluate(study, [*PER_LIST, *EFFECTIVENESS], systems=list(shown)),
    "summarise": lambda study, shown: fairviz.summarise(
        fairviz.evaluate(study, [*PER_LIST, "GSR@5", *EFFECTIVENESS], systems=list(shown))
    ),
    "draws": lambda study, shown: fairviz.summarise(
        fairviz.evaluate(study, ["CWEx@5", "EE_L@5", "nDCG@5"], systems=list(shown), by_draw=True)
    ),
    "chance": lambda study, shown: fairviz.chance(study, OF_ORDERS, systems=list(shown)),
    "ranges": lambda study, shown: fairviz.ranges(study, OF_ORDERS, systems=list(shown)),
    "ties": lambda study, shown: fairviz.ties(study, [*OF_ORDERS, "nDCG@3"], systems=list(shown)),
    **{
        text: lambda study, shown, text=text: fairviz.front_distances(study, text, systems=list(shown))
        for text in FRONTS
    },
    "fronts by query": lambda study, shown: pd.concat(
        [fairviz.front_distances(study, text, systems=list(shown), per_query=True) for text in FRONTS[1:3]]
    ),
    "never shown": lambda study, shown: pd.DataFrame(
        {"system": name, "shown": int((~pool.never(name)).sum()), "exposure": pool.exposure(name).sum()}
        for pool in [pool_exposure(study, Settings(systems=shown))]
        for name in shown
    ),
    "explain": lambda study, shown: pd.DataFrame(
        {"system": name, "total": anatomy(study, "NFaiRR@5", name, None, Settings(systems=shown)).total}
        for name in shown
    ),
}


@pytest.mark.parametrize(
    ("verb", "queries"),
    [*((verb, True) for verb in VERBS), *((verb, False) for verb in ("summarise", "chance", "ties"))],
)
def test_no_value_depends_on_which_systems_are_shown_or_on_their_order(verb: str, queries: bool) -> None:
    study = made(11, queries)
    if not queries and verb == "summarise":
        study = replace(study, queries=made(11).queries)  # GSR needs their text
    systems = SYSTEMS[:3] if verb == "chance" else SYSTEMS  # a band is of one list, not of draws
    whole = by_list(VERBS[verb](study, systems), systems)
    assert len(whole) >= len(systems)
    assert any(np.isfinite(row).any() for row in whole.values())
    for shown in [("a",), (systems[-1], "b", "a")]:
        found = by_list(VERBS[verb](study, shown), shown)
        assert found.keys() == {key for key in whole if set(key) & set(shown)}
        for key, row in found.items():
            assert row == pytest.approx(whole[key], nan_ok=True, abs=1e-12), (shown, key)


def test_not_answering_hard_queries_brings_no_system_nearer_to_the_front(newswire: Study) -> None:
    """The documents stay candidates, as a copy of the run lists them."""
    two = of_runs(newswire, "bm25", "tfidf")
    copy = two.runs[two.runs["system"] == "tfidf"].assign(system="copy").astype({"system": "category"})
    study = replace(two, runs=stack_runs([two.runs, copy]), fingerprint="")
    values = fairviz.evaluate(study, "nDCG", systems=["tfidf"]).set_index("query_id")["value"].astype(float)
    shorter = without(study, "tfidf", set(values.nsmallest(10).index.astype("str")))
    for text in FRONTS[:3]:
        whole, found = (
            fairviz.front_distances(one, text, systems=["tfidf", "bm25"]).set_index("system")
            for one in (study, shorter)
        )
        assert found.loc["tfidf", "value"] > whole.loc["tfidf", "value"]
        assert found["queries"].tolist() == [40, 40]
        assert found.loc["bm25", "value"] == pytest.approx(whole.loc["bm25", "value"])


# --- what is told --------------------------------------------------------------------------------------------------


def test_the_number_of_unanswered_queries_stands_beside_the_values(tmp_path: Path, call: Call, newswire: Study) -> None:
    names = sorted(newswire.queries["query_id"])
    runs = without(of_runs(newswire, "bm25", "tfidf"), "bm25", set(names[:10])).runs
    queries = newswire.queries[newswire.queries["query_id"] != names[-1]]
    parts = {part: getattr(newswire, part) for part in ("qrels", "labels", "documents")}
    shorter = fairviz.make_study("shorter", runs=runs, queries=queries, annotator="project", **parts)
    folder = fairviz.save_study(shorter, tmp_path / "shorter")
    note = (
        "Unanswered of 39 queries: bm25 10; 0 for effectiveness, undefined for other measures. 1 query of runs not "
        "among the study's: counted nowhere."
    )
    assert f"note: {note}" in call("evaluate", folder, "nDCG CWEx").err
    assert f"note: {note}" in call("compare", folder, "nDCG CWEx --baseline bm25").err
    assert note.replace("'", "&#39;") in report(shorter, ["CWEx"]).replace("&#x27;", "&#39;")
    alone = unanswered_note(shorter, ["tfidf"], shorter.query_ids)
    assert alone == "1 query of runs not among the study's: counted nowhere."
    assert unanswered_note(newswire, newswire.systems, newswire.query_ids) == ""


def test_runs_and_queries_with_other_ids_are_refused() -> None:
    study = made(1)
    other = replace(study, queries=study.queries.assign(query_id="x" + study.queries["query_id"]), fingerprint="")
    with pytest.raises(FairvizError, match="answer none of its queries: they have 'q0', and the queries 'xq0'"):
        fairviz.evaluate(other, "CWEx")


def test_compare_has_the_background_of_the_gate(call: Call, newswire: Study) -> None:
    gate = "gate newswire --baseline bm25 --candidate rrf --fail-if 'NFaiRR falls by 0.5' --format csv"
    at_gate = call(gate).frame.iloc[0]
    compare = "compare newswire NFaiRR --baseline bm25 --format csv --background"
    compared = call(compare, [gate_background(newswire, "bm25")]).frame.set_index("system").loc["rrf"]
    assert compared["difference"] == pytest.approx(at_gate["difference"])
    assert compared["value"] == pytest.approx(at_gate["value"])
