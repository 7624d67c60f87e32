"""The report on a study, line by line."""

from pathlib import Path

import pandas as pd

from fairviz.study.checks import check
from fairviz.study.loaders import read_labels, read_run
from fairviz.study.loaders.runs import stack_runs
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.words.counting import Lexicon


def report(study: Study) -> dict[tuple[str, str], tuple[int, str]]:
    found = check(study)
    assert list(found.columns) == ["part", "item", "count", "detail", "remedy"]
    rows = {(row.part, row.item): (row.count, row.detail) for row in found.itertuples()}
    assert len(rows) == len(found), "no line stands twice"
    return {key: rows[key] for key in rows}


def frame(columns: str, *rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=columns.split())


RUNS = frame(
    "system query_id doc_id rank score",
    ("a", "1", "d1", 1, 9.0),
    ("a", "1", "d2", 2, 9.0),
    ("a", "1", "d3", 4, 7.0),
    ("a", "2", "d1", 1, 1.0),
    ("a", "3", "d4", 1, 1.0),
    ("b", "1", "d1", 2, 5.0),
    ("b", "1", "d5", 1, 4.0),
    ("b", "2", "d1", 1, 1.0),
)
ODD = make_study(
    "odd",
    queries=frame("query_id text", ("1", "x"), ("2", "x"), ("9", "x")),
    documents=frame(
        "doc_id title text", ("d1", "", "x"), ("d2", "", " "), ("d3", "", None), ("d4", "T", ""), ("d8", "", "")
    ),
    runs=RUNS,
    qrels=frame("query_id doc_id relevance", ("1", "d1", 1), ("1", "d2", 0), ("7", "d1", 2)),
    labels=frame(
        "doc_id annotator label", ("d1", "x", "male"), ("d2", "x", "male"), ("d1", "y", "female"), ("z", "y", "f")
    ),
    lexicon=Lexicon("mine", (("she", "female"),)),
    warnings=("labels.csv: something.",),
)


def test_every_line_of_an_odd_study() -> None:
    assert report(ODD) == {
        ("queries", "queries"): (3, ""),
        ("documents", "documents"): (5, ""),
        ("runs", "systems"): (2, "a, b"),
        ("runs", "lists of a"): (3, "1 to 3 documents each"),
        ("runs", "lists of b"): (2, "1 to 2 documents each"),
        ("qrels", "judged pairs"): (3, "2 relevant, in 2 queries"),
        ("labels", "labels by x"): (2, "male 2"),
        ("labels", "labels by y"): (2, "female 2"),
        ("lexicon", "words of mine"): (1, ""),
        ("study", "noticed while reading"): (1, "labels.csv: something."),
        ("queries", "in a run, without text"): (1, "3"),
        ("queries", "in no run"): (1, "9"),
        ("runs", "queries in one run only"): (1, "3"),
        ("runs", "queries that b lacks"): (1, "3"),
        ("runs", "lists of b shorter than another system's"): (1, "1"),
        ("documents", "in a run, not in documents"): (1, "d5"),
        ("documents", "in a run, text missing"): (1, "d3"),
        ("documents", "in a run, text empty"): (1, "d2"),
        ("runs", "tied neighbours of a"): (1, "pairs with the same score"),
        ("runs", "lists of a with gaps or repeats in their ranks"): (1, "ranks are renumbered"),
        ("runs", "neighbours of b whose ranks contradict their scores"): (1, "the score decides"),
        ("labels", "in a run, without a label by x"): (3, "5 of 8 ranks in the top 10 are labelled"),
        ("labels", "in a run, without a label by y"): (4, "4 of 8 ranks in the top 10 are labelled"),
        ("labels", "for documents in no run"): (1, "z"),
        ("qrels", "queries unknown to the study"): (1, "7"),
        ("qrels", "queries in a run, without judgements"): (2, "2, 3"),
        ("lexicon", "words in no document"): (1, "she"),
    }


def test_a_warning_has_a_remedy_and_a_clean_study_has_none() -> None:
    """Parts that are lacking are no fault."""
    assert check(ODD)["remedy"].ne("").tolist() == [False] * 9 + [True] * 18
    clean = make_study(
        "clean",
        queries=frame("query_id text", ("1", "x")),
        documents=frame("doc_id text", ("d1", "x"), ("d2", "y")),
        runs=frame("system query_id doc_id rank score", ("a", "1", "d1", 1, 2.0), ("a", "1", "d2", 2, 1.0)),
        qrels=frame("query_id doc_id relevance", ("1", "d1", 1)),
    )
    assert check(clean)["remedy"].eq("").all()
    for part, table in (
        ("queries", frame("query_id text", ("1", "x"))),
        ("documents", frame("doc_id text", ("1", ""))),
        ("labels", frame("doc_id label", ("1", "male"), ("2", "female"))),
        ("qrels", frame("query_id doc_id relevance", ("1", "d", 1))),
    ):
        assert check(make_study("s", **{part: table}))["remedy"].eq("").all(), part


def test_ties_the_order_of_rows_and_many_names() -> None:
    runs = RUNS.head(3).assign(rank=[1, 2, 3], score=[5.0, 4.0, 5.0])  # ties are counted in the order of scores
    found = report(make_study("s", runs=runs))
    assert found["runs", "tied neighbours of a"][0] == 1
    assert found["runs", "neighbours of a whose ranks contradict their scores"][0] == 1
    shuffled = RUNS.sample(frac=1, random_state=3, ignore_index=True)
    assert report(make_study("s", runs=shuffled)) == report(make_study("s", runs=RUNS))
    queries = pd.DataFrame({"query_id": [str(place) for place in range(1, 1501)], "text": "x"})
    found = report(make_study("s", queries=queries, runs=RUNS))
    assert found["queries", "in no run"] == (1497, "4, 5, 6 and 1,494 more")


def test_lines_that_differ_by_the_run_alone_are_one() -> None:
    """Their names stand there where other runs say something else; a name with braces is a name."""
    rows = [(system, query, f"d{rank}", rank, 5.0 - rank) for system in "abc" for query in "12" for rank in (1, 2, 3)]
    rows += [("{}", "1", "d1", 1, 1.0), ("{}", "1", "d2", 2, 1.0)]
    found = report(make_study("s", runs=frame("system query_id doc_id rank score", *rows)))
    assert found == {
        ("queries", "queries"): (0, ""),
        ("documents", "documents"): (0, ""),
        ("runs", "systems"): (4, "a, b, c, {}"),
        ("runs", "3 runs: lists"): (2, "3 documents each; in each of a, b, c"),
        ("runs", "lists of {}"): (1, "2 documents each"),
        ("qrels", "judged pairs"): (0, ""),
        ("runs", "queries that {} lacks"): (1, "2"),
        ("runs", "lists of {} shorter than another system's"): (1, "1"),
        ("runs", "tied neighbours of {}"): (1, "pairs with the same score"),
    }
    gaps = frame("system query_id doc_id rank score", *((system, "1", "d", 2, 1.0) for system in "abc"))
    gaps = pd.concat([gaps, gaps.assign(doc_id="e", rank=2)])
    found = report(make_study("s", runs=gaps))
    assert {key: value for key, value in found.items() if "runs:" in key[1]} == {
        ("runs", "3 runs: lists"): (1, "2 documents each"),
        ("runs", "3 runs: tied neighbours"): (1, "pairs with the same score"),
        ("runs", "3 runs: lists with gaps or repeats in their ranks"): (1, "ranks are renumbered"),
    }
    lacking = frame("system query_id doc_id rank score", ("a", "1", "d", 1, 1.0), ("a", "2", "d", 1, 1.0),
                    ("b", "1", "d", 1, 1.0), ("c", "1", "d", 1, 1.0))  # fmt: skip
    assert report(make_study("s", runs=lacking))["runs", "2 runs: queries that are lacking"] == (
        1,
        "2; in each of b, c",
    )


def test_the_published_study(shared_data: Path) -> None:
    folder = shared_data / "fairness-retrieval-results" / "runs"
    runs = stack_runs([read_run(folder / f"{name}.run") for name in ("BM25", "advbert_L4")])
    labels = read_labels(shared_data / "msmgenderbias" / "MSMGenderBias.csv")
    found = report(make_study("qs2", runs=runs[runs["system"] == "BM25"], labels=labels))
    told = found["labels", "in a run, without a label by annotator"][1]
    assert told == "210 of 2,150 ranks in the top 10 are labelled"
    found = report(make_study("qs2", runs=runs))
    assert found["runs", "tied neighbours of advbert_L4"] == (5062, "pairs with the same score")
    assert found["runs", "lists of BM25"] == (215, "200 documents each")
