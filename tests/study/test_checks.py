"""The report on a study, line by line, and ids: those that are one in two spellings, and those that nearly join."""

import re
from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.datasets import BUILTIN
from fairviz.errors import FairvizError, UsageError, use_one_of
from fairviz.evaluation.settings import Settings, from_query
from fairviz.study.checks import check, near_misses
from fairviz.study.record import Study
from fairviz.study.study import add_documents, add_labels, add_runs, make_study, open_study_folder, save_study
from fairviz.words.counting import Lexicon
from tests.conftest import Call
from tests.made import qrels_of, runs_of
from tests.study.loaders.files import fill


def report(study: Study) -> dict[tuple[str, str], tuple[int, str]]:
    found = check(study)
    assert list(found.columns) == ["part", "item", "count", "detail", "remedy"]
    rows = {(row.part, row.item): (row.count, row.detail) for row in found.itertuples()}
    assert len(rows) == len(found), "no line stands twice"
    return rows


def frame(columns: str, *rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=columns.split())


RUN = "system query_id doc_id rank score"
RUNS = frame(
    RUN,
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


def test_a_warning_has_a_remedy_and_a_clean_study_or_a_lacking_part_has_none() -> None:
    assert check(ODD)["remedy"].ne("").tolist() == [False] * 9 + [True] * 18
    queries, qrels = frame("query_id text", ("1", "x")), frame("query_id doc_id relevance", ("1", "d1", 1))
    documents, runs = frame("doc_id text", ("d1", "x"), ("d2", "y")), frame(
        RUN, ("a", "1", "d1", 1, 2.0), ("a", "1", "d2", 2, 1.0)
    )  # fmt: skip
    for parts in (
        {"queries": queries, "documents": documents, "runs": runs, "qrels": qrels},
        {"queries": queries},
        {"documents": frame("doc_id text", ("1", ""))},
        {"labels": frame("doc_id label", ("1", "male"), ("2", "female"))},
        {"qrels": qrels},
    ):
        assert check(make_study("s", **parts))["remedy"].eq("").all(), list(parts)


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
    assert report(make_study("s", runs=frame(RUN, *rows))) == {
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
    gaps = frame(RUN, *((system, "1", document, 2, 1.0) for system in "abc" for document in "de"))
    found = report(make_study("s", runs=gaps))
    assert {key: value for key, value in found.items() if "runs:" in key[1]} == {
        ("runs", "3 runs: lists"): (1, "2 documents each"),
        ("runs", "3 runs: tied neighbours"): (1, "pairs with the same score"),
        ("runs", "3 runs: lists with gaps or repeats in their ranks"): (1, "ranks are renumbered"),
    }
    lacking = frame(RUN, *((system, query, "d", 1, 1.0) for system, query in ("a1", "a2", "b1", "c1")))
    found = report(make_study("s", runs=lacking))
    assert found["runs", "2 runs: queries that are lacking"] == (1, "2; in each of b, c")


# --- Ids that nearly join, over all joins and in every way that they may differ.

NUMBERS = [str(number) for number in range(1, 41)]


def run_of(ids: list[str], query: str = "q", system: str = "a") -> pd.DataFrame:
    return runs_of({(system, query): ids})


def labels_of(ids: list[str], annotator: str = "x") -> pd.DataFrame:
    return pd.DataFrame({"doc_id": ids, "annotator": annotator, "label": "female"})


def documents_of(ids: list[str], titles: list[str] | None = None) -> pd.DataFrame:
    return pd.DataFrame({"doc_id": ids, "title": titles or "", "text": "she"})


def sentences(**parts: object) -> list[str]:
    return [miss.sentence for miss in near_misses(make_study("x", **parts))]


@pytest.mark.parametrize(
    ("ids", "way"),
    [
        (["7", "other"] + [f"{number}.0" for number in NUMBERS[7:]], "without .0 ('8.0', for '8' in the runs)"),
        ([f" {number} " for number in NUMBERS], "without blanks (' 1 ', for '1' in the runs)"),
        ([f"{number}\u200b" for number in NUMBERS], "without blanks"),
        ([f"00{number}" for number in NUMBERS], "without leading zeros ('001', for '1' in the runs)"),
        ([f'"{number}"' for number in NUMBERS], "without quotation marks"),
        ([f"doc-{number}" for number in NUMBERS], "without 'doc-' in front ('doc-1', for '1' in the runs)"),
        ([f"{number}.txt" for number in NUMBERS], "without '.txt' at the end ('1.txt', for '1' in the runs)"),
        (["".join(chr(0xFF10 + int(digit)) for digit in number) for number in NUMBERS], "in one Unicode form"),
    ],
)
def test_numbers_written_otherwise_are_named_with_their_count(ids: list[str], way: str) -> None:
    (sentence,) = sentences(runs=run_of(NUMBERS), labels=labels_of(ids))
    count = len([one for one in ids if one not in ("7", "other")])
    assert sentence.startswith(f"{count} of {len(ids)} doc_ids of the labels would match {way}")


def test_several_ways_are_counted_apart_and_together_and_other_exchanges_are_named() -> None:
    start = "1 of 4 doc_ids of the labels would match"
    assert sentences(runs=run_of(["d1", "d2", "a_1", "b2"]), labels=labels_of(["d1 ", "D2", "a-1", "B2 "])) == [
        f"{start} without blanks ('d1 ', for 'd1' in the runs).",
        f"{start} in lower case ('D2', for 'd2' in the runs).",
        f"{start} with the same signs between their parts ('a-1', for 'a_1' in the runs).",
        f"{start} without blanks and in lower case ('B2 ', for 'b2' in the runs).",
    ]
    documents = documents_of(["d1", "d2"], ["Alpha", "Beta"])
    assert sentences(runs=run_of(["d1", "d2"]), documents=documents, labels=labels_of(["alpha", "Beta"])) == [
        "2 of 2 doc_ids of the labels would match by the title in place of the id ('alpha', of 'd1' in the documents)."
    ]
    assert sentences(runs=run_of(["d1", "d2"]), qrels=qrels_of({"d1": ["q"], "d2": ["q"]})) == [
        "2 of 2 rows of the qrels would match with query and document exchanged."
    ]
    labels = pd.concat([labels_of(NUMBERS, "good"), labels_of([f"D{number}" for number in NUMBERS], "bad")])
    (sentence,) = sentences(runs=run_of(NUMBERS), labels=labels)
    assert sentence.startswith("40 of 40 doc_ids of the labels by bad would match without 'D' in front")
    for labelled in (["x1", "x2"], ["d3"], ["d41", "d42"], [f"e{number}" for number in NUMBERS]):
        found = sentences(runs=run_of([f"d{number}" for number in NUMBERS]), labels=labels_of(labelled))
        assert found == [], "ids that join or are others are not named"
    for name in BUILTIN:
        assert near_misses(fairviz.open_study(name)) == ()


@pytest.mark.parametrize(
    ("part", "parts"),
    [
        ("runs", {"runs": run_of(["D1", "D2"]), "documents": documents_of(["d1", "d2"])}),
        ("runs", {"runs": run_of(["d"], "Q"), "queries": pd.DataFrame({"query_id": ["q"], "text": "x"})}),
        ("runs", {"runs": [run_of(["d"], "Q"), run_of(["d"], "q", "b")]}),
        ("qrels", {"runs": run_of(["d"], "Q"), "qrels": qrels_of({"q": ["d"]})}),
        ("qrels", {"runs": run_of(["D"], "q"), "qrels": qrels_of({"q": ["d"]})}),
        ("labels", {"runs": run_of(["D"]), "labels": labels_of(["d"])}),
        ("labels", {"documents": documents_of(["D"]), "labels": labels_of(["d"])}),
    ],
)
def test_every_join_is_looked_at(part: str, parts: dict) -> None:
    found = near_misses(make_study("x", **parts))
    assert {miss.part for miss in found} == {part}
    assert all("in lower case" in miss.sentence for miss in found)


def test_check_names_near_misses_first_and_sends_to_them() -> None:
    study = make_study("x", runs=run_of(["D1", "D2"]), documents=documents_of(["d1", "d2"]))
    warned = check(study).query("remedy != ''")
    assert warned[["item", "count"]].values.tolist()[0] == ["ids that nearly match", 2]
    assert "2 of 2 doc_ids of the runs would match in lower case" in warned["detail"].tolist()[0]
    assert set(warned["remedy"].iloc[1:]) == {"They nearly match: see above."}
    study = make_study("x", runs=run_of(["d1"]), qrels=qrels_of({"q": ["d1", "d2", "d3"]}))
    (row,) = check(study).query("item == 'judged documents that no run has'").to_dict("records")
    assert (row["count"], row["detail"], row["remedy"]) == (2, "d2, d3", "")


# --- Ids as the parts of a study share them: whole numbers written as such, and one Unicode form.

LISTED = "q Q0 10 1 3.0 a\nq Q0 11 2 2.0 a\nq Q0 12 3 1.0 a\n"
IDS = [10.0, 11.0, 12.0]
LABELS = ["female", "male", "neutral"]
COMPOSED, APART = "é", "e\u0301"  # one letter, as one code point and as two


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_floats_of_a_file_are_whole_numbers_with_a_notice(tmp_path: Path, ending: str) -> None:
    path = fill(tmp_path, {"runs/a.run": LISTED}) / f"labels.{ending}"
    table = pd.DataFrame({"doc_id": IDS, "label": LABELS})
    if ending == "parquet":
        table.to_parquet(path)
    else:
        path.write_text(table.to_csv(index=False) if ending == "csv" else table.to_json(orient="records", lines=True))
    study = open_study_folder(tmp_path)
    assert study.labels["doc_id"].tolist() == ["10", "11", "12"]
    assert study.warnings == (f"labels.{ending}: 3 doc_ids ending in .0 read as whole numbers, '10.0' as '10'.",)


def test_floats_of_frames_and_added_rows_and_runs_are_whole_numbers_with_a_notice(tmp_path: Path, call: Call) -> None:
    documents = pd.DataFrame({"doc_id": IDS, "text": ["a", "b", None]})
    runs = pd.DataFrame({"query_id": 1.0, "doc_id": IDS, "score": [3, 2, 1]})
    labels = pd.DataFrame({"doc_id": ["10.0", "11.0", "12.0"], "annotator": "x", "label": LABELS})
    study = make_study("frames", documents=documents, runs=runs, labels=labels)
    more = make_study("added", documents=pd.DataFrame({"doc_id": [10, 11], "text": ["a", "b"]}))
    more = add_labels(add_documents(more, documents.tail(1)), labels.assign(doc_id=IDS))
    more = add_runs(more, runs.assign(system="s", rank=[1, 2, 3]))
    for one in (study, more):
        for part in ("documents", "runs", "labels"):
            assert getattr(one, part)["doc_id"].tolist() == ["10", "11", "12"]
        assert one.runs["query_id"].tolist() == ["1", "1", "1"]
        assert len(one.warnings) == 4
    for value in (10.5, float("inf"), 2.0**60):
        with pytest.raises(FairvizError, match="doc_id"):
            make_study("x", documents=pd.DataFrame({"doc_id": [1.0, value], "text": "t"}))
    # and of runs that a verb evaluates beside those of the study
    fill(tmp_path / "study", {"runs/a.run": LISTED, "qrels.txt": "q 0 10 1\n"})
    (tmp_path / "new.run").write_text(re.sub(r"Q0 (\d+)", r"Q0 \1.0", LISTED))
    found = call("evaluate", tmp_path / "study", "RR --format csv --runs", tmp_path / "new.run")
    assert "new,RR@10,1.0" in found.out


def test_a_point_stays_where_another_part_has_it_with_a_fraction(tmp_path: Path) -> None:
    """Passages 12.0 and 12.1 of document 12: judgements of first passages alone are no whole numbers."""
    run = "q Q0 12.0 1 2.0 a\nq Q0 12.1 2 1.0 a\n"
    study = open_study_folder(fill(tmp_path, {"runs/a.run": run, "qrels.txt": "q 0 12.0 1\n"}))
    assert study.qrels["doc_id"].tolist() == ["12.0"]
    assert study.runs["doc_id"].tolist() == ["12.0", "12.1"]
    assert not study.warnings
    (tmp_path / "labels.jsonl").write_text('{"doc_id": 1, "label": "f"}\n{"doc_id": 1.5, "label": "f"}\n')
    with pytest.raises(FairvizError, match=r"labels.jsonl:2: the doc_id is a fraction.*'1.5'"):
        open_study_folder(tmp_path)


def test_ids_and_names_in_two_unicode_forms_are_one(tmp_path: Path) -> None:
    files = {
        "study.toml": f'groups = ["{APART}", "b"]\nneutral = "n"\n'
        f'[attributes."r{APART}gion"]\nlevels = ["{APART}", "x"]\n',
        "queries.tsv": f"query_id\ttext\nq{COMPOSED}\tx\n",
        "documents.tsv": f"doc_id\ttext\tr{COMPOSED}gion\nd{COMPOSED}\t{APART}\t{COMPOSED}\nd2\ty\tx\n",
        "labels.csv": f"doc_id,annotator,label\nd{COMPOSED},Zo{APART},{APART}\nd2,Zo{COMPOSED},b\n",
        "qrels.txt": f"q{APART} 0 d{APART} 1\n",
        f"runs/mod{APART}le.run": f"q{APART} Q0 d{APART} 1 2.0 t\nq{APART} Q0 d2 2 1.0 t\n",
    }
    study = open_study_folder(fill(tmp_path, files))
    assert (study.systems, study.groups) == ((f"mod{COMPOSED}le",), (COMPOSED, "b"))
    assert study.labels[["annotator", "label"]].values.tolist() == [[f"Zo{COMPOSED}", COMPOSED], [f"Zo{COMPOSED}", "b"]]
    assert study.documents["text"].tolist() == [APART, "y"], "texts are shown as they are"
    assert [*study.attributes] == [f"r{COMPOSED}gion"]
    scores = fairviz.evaluate(study, ["CWEx@2", "nDCG@2"], annotator=f"Zo{APART}", systems=[f"mod{APART}le"])
    assert scores["value"].notna().all()
    assert scores["labelled"].tolist()[0] == 2
    assert check(study).query("remedy != ''")["item"].tolist() == ["noticed while reading"], "how a group was spelt"
    for letter in (COMPOSED, APART):
        assert len(fairviz.contributions(study, "CWEx@2", f"mod{letter}le", f"q{letter}")) == 2
    assert open_study_folder(save_study(study, tmp_path.parent / "saved")).systems == study.systems


def test_runs_and_documents_whose_names_differ_by_the_form_alone_are_refused(tmp_path: Path) -> None:
    fill(tmp_path, {f"runs/{letter}.run": f"q Q0 d 1 {score} t\n" for letter, score in ((COMPOSED, 1), (APART, 2))})
    with pytest.raises(FairvizError, match="a second run called"):
        open_study_folder(tmp_path)
    table = pd.DataFrame({"query_id": ["q"], "doc_id": ["d"], "score": [1.0]})
    with pytest.raises(UsageError, match="two runs are called"):
        make_study("x", runs={COMPOSED: table, APART: table.assign(doc_id="e")})
    with pytest.raises(FairvizError, match="more than once"):
        make_study("x", documents=pd.DataFrame({"doc_id": [COMPOSED, APART], "text": ["a", "b"]}))
    scores = pd.DataFrame({"system": [COMPOSED, APART], "query_id": "q", "measure": "nDCG@10", "value": [0.1, 0.2]})
    with pytest.raises(UsageError, match="two Unicode forms"):
        fairviz.compare(scores)


def test_settings_and_messages_take_names_in_either_form() -> None:
    chosen, ignored = from_query({"systems": [f"mod{APART}le"], "annotator": [f"Zo{APART}"], "query": [f"q{APART}"]})
    assert (chosen.systems, chosen.annotator, chosen.query) == ((f"mod{COMPOSED}le",), f"Zo{COMPOSED}", f"q{COMPOSED}")
    assert not ignored
    assert Settings(systems=[f"mod{APART}le"]) == Settings(systems=(f"mod{COMPOSED}le",))
    remedy = use_one_of([f"mod{COMPOSED}le", "bm25"], f"mod{APART}le")
    assert f"mod{COMPOSED}le" not in remedy
    assert "NFC" in remedy
    assert use_one_of(["İstanbul", "bm25"], "istanbul").startswith("Did you mean İstanbul?")
