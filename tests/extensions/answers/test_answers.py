"""Generated answers: their files, suppression, gaps, slopes and attribution, by hand and against a slow reference."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import fairviz
from fairviz.datasets import studies_folder
from fairviz.errors import DataError, FairvizError, UsageError
from fairviz.extensions.answers.layouts import read_answers
from fairviz.study.record import Study
from tests.extensions.answers.made import SUPPRESSED, made_answers
from tests.pages.conftest import drawn_by, html_of

LABELS = {"a": "female", "b": "female", "c": "male", "d": "male", "e": "neutral"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of made answers beside a run that answers nothing; no test changes it."""
    folder = made_answers(tmp_path_factory.mktemp("answers") / "made")
    (folder / "runs").mkdir()
    (folder / "runs" / "bm25.run").write_text("q0 Q0 q0d1 1 1 bm25\n")
    return folder


def labelled(folder: Path, *rows: dict, **labels: str) -> Study:
    texts = [f"{name},{label}" for name, label in {**LABELS, **labels}.items()]
    (folder / "labels.csv").write_text("\n".join(["doc_id,label", *texts]) + "\n")
    return study_of(folder, *rows)


def row(query: str, citations: object, context: str = "abcd", text: str = "It.") -> dict:
    return {"query_id": query, "text": text, "context": [*context], "citations": citations}


def test_suppression_by_hand(tmp_path: Path) -> None:
    # q1 cites c, d and a of two women and two men: 1, by chance 3 · 1/2. q2 cites a of a, c, d, e: 1, by chance 1/4.
    # q4 cites x, which was not shown, f, which has no label, and c of a, b, c: 0, by chance 2/3.
    rows = [row("q1", ["c", "d", "a"]), row("q2", ["a"], "acde"), row("q3", []), row("q4", ["c", "x", "f"], "abcf")]
    answered = fairviz.answers(labelled(tmp_path, *rows))
    found = answered.suppression.set_index("group")
    by_chance = 3 * 1 / 2 + 1 / 4 + 2 / 3
    told = found.loc["female", ["cited", "by_chance", "suppression"]].tolist()
    assert told == pytest.approx([2 / 5, by_chance / 5, 1 - 2 / by_chance])
    assert found.loc["neutral", "suppression"] == 1.0
    assert found["queries"].unique().tolist() == [3]
    assert answered.queries["not_shown"].tolist() == [0, 0, 0, 1]
    assert "1 that cite a document that was not shown" in answered.notes[0]


def test_counted_citations_weigh_by_their_sentences(tmp_path: Path) -> None:
    sentences = [{"text": "It.", "citations": ["a"]}, {"text": "It.", "citations": ["a", "c"]}]
    study = labelled(tmp_path, {"query_id": "q1", "references": ["a", "c"], "answer": sentences})
    once, counted = (fairviz.answers(study, attention=name) for name in ("equal", "count"))
    cited = [found.suppression.set_index("group").loc["female", "cited"] for found in (once, counted)]
    assert cited == pytest.approx([1 / 2, 2 / 3])
    assert counted.queries["gap_cited"].item() == pytest.approx(2 / 3 - 1 / 3)


def test_gaps_by_hand_and_those_that_are_undefined(tmp_path: Path) -> None:
    words = "She saw him, and he saw her and his cat."
    study = labelled(tmp_path, row("q1", ["c", "a", "e"], "acef", words), row("q2", [], text="He."), row("q3", ["a"]))
    found = fairviz.answers(study)
    queries = found.queries.iloc[0]
    first, second, third = 1, 1 / np.log2(3), 1 / 2
    assert queries["gap_context"] == pytest.approx((first - second) / (first + second + third)), "f has no label"
    assert queries["gap_cited"] == pytest.approx((second - first) / (first + second + third))
    assert queries["gap_words"] == pytest.approx((2 - 3) / 5), "she and her; him, he and his"
    assert np.isnan(fairviz.answers(study, unlabelled="strict").queries["gap_context"][0])
    assert found.queries["gap_cited"].isna().tolist() == [False, True, False]
    assert found.queries["gap_words"].isna().tolist() == [False, False, True]
    assert found.notes[0].startswith(
        "gpt, of 3 answers: 1 without a citation: undefined, and in no mean; 1 whose words"
    )


def test_slopes_are_of_least_squares_and_made_suppression_is_in_its_interval(made: Path) -> None:
    found = fairviz.answers(fairviz.open_study(made))
    for name, table in found.queries.groupby("system"):
        slope, intercept = np.polyfit(table["gap_context"], table["gap_cited"], 1)
        line = found.slopes[(found.slopes["system"] == name) & (found.slopes["of"] == "cited")].iloc[0]
        assert (line["slope"], line["intercept"]) == (pytest.approx(slope), pytest.approx(intercept))
    table = found.suppression[found.suppression["group"] == "female"].set_index("system")
    for system, size in SUPPRESSED.items():
        assert table.loc[system, "ci_low"] < size < table.loc[system, "ci_high"]
    surely = [text for text in found.sentences if "suppresses female" in text]
    assert [text.split()[0] for text in surely] == ["half", "third"]


def test_random_choices_stay_in_their_range(tmp_path: Path) -> None:
    """Against a slow reference: the standard deviation over drawn choices from the same contexts."""
    study = fairviz.open_study(made_answers(tmp_path / "made", {"one": 0.0}, queries=6))
    line = fairviz.answers(study).suppression.set_index("group").loc["female"]
    labels = dict(zip(study.labels["doc_id"], study.labels["label"], strict=True))
    contexts = study.runs[study.runs["system"] == "one · context"].groupby("query_id", observed=True)["doc_id"]
    draws, women = np.random.default_rng(0), [[labels[name] == "female" for name in names] for _, names in contexts]
    drawn = [sum(sum(draws.permutation(flags)[:3]) for flags in women) / 18 for _ in range(4000)]
    assert line["by_chance"] == pytest.approx(np.mean(drawn), abs=0.01)
    assert line["chance_high"] == pytest.approx(1.96 * np.std(drawn) / np.mean(drawn), rel=0.05)


def test_exchanged_authors_give_cab_and_cas(tmp_path: Path) -> None:
    hostile, first, second = "<img src=x>", {"a": "female", "b": "male"}, {"a": "male", "b": "female"}
    # q1: a is cited under a woman alone, b under neither: +1 and 0. q2: b is cited under a man alone: 0 and −1.
    rows = [
        {**row(query, [*citations], "ab"), "system": system, "authors": authors}
        for query, cited in (("q1", "a"), ("q2", "b"))
        for system, citations, authors in ((hostile, cited, first), ("y", "", second))
    ]
    found = fairviz.answers(labelled(tmp_path, *rows))
    table = found.attribution.set_index("measure")
    assert table["value"].to_dict() == {"CAB": pytest.approx(0.0), "CAS": pytest.approx(0.5)}
    assert table["documents"].tolist() == [4, 4]
    assert 0 < table.loc["CAS", "by_chance"] <= 0.5, "authors exchanged at random have sizes, too"
    assert hostile in set(found.suppression["system"])
    figure = fairviz.plot.answer_plane(found.queries, found.gaps, found.slopes, found.protected)
    assert "<img" not in str([trace.name for trace in figure.data])


def test_the_verbs_and_the_refusals(made: Path, tmp_path: Path, call) -> None:
    gate = f'gate {made} --fail-if "suppression of female rises by 0.1" --format csv'
    assert "beyond" in call(gate, '--baseline "even · cited" --candidate "half · cited"', status=3).out
    assert "within" in call(gate, '--baseline "half · cited" --candidate "even · cited"').out
    said = call(gate, '--baseline "even · cited" --candidate bm25', status=2)
    assert "'bm25' is no run of generated answers" in said.err
    assert "half suppresses female by" in call(f"answers {made}").err
    with pytest.raises(FairvizError, match="has no generated answers\nPut them into the study's folder"):
        fairviz.answers(fairviz.open_study("football"))
    with pytest.raises(UsageError, match="attention is 'ranks'"):
        fairviz.answers(fairviz.open_study(made), attention="ranks")

    call(f"answer-texts {made} --out {tmp_path / 'texts'}")
    texts = fairviz.open_study(tmp_path / "texts")
    assert texts.systems == tuple(sorted(SUPPRESSED))
    assert len(texts.documents) == 40 * len(SUPPRESSED)
    assert set(fairviz.evaluate(texts, "TExFAIR")["value"]) == {0.0}, "each answer has words of one gender alone"


def test_the_page_has_what_python_gives(made: Path) -> None:
    def drawn() -> None:
        from fairviz.analyses import ANALYSES
        from fairviz.ui.analyses import page
        from fairviz.ui.shell import frame

        with frame.around():
            page.draw(ANALYSES["answers"])

    shutil.copytree(made, studies_folder() / "made")
    page = drawn_by(drawn, study="made", answers_attention="count")
    found = fairviz.answers(fairviz.open_study("made"), attention="count")
    assert not page.exception
    assert any("half suppresses female by" in text for text in html_of(page).splitlines())
    assert any(element.value.equals(found.slopes) for element in page.dataframe)
    assert "has no generated answers" in html_of(drawn_by(drawn, study="football"))


SENTENCE = "She won the prize."
LAYOUTS = {
    "TREC RAG 2024": {
        "run_id": "mine", "topic_id": "2024-1", "topic": "who?", "references": ["d1", "d2", "d3"], "response_length": 4,
        "answer": [{"text": SENTENCE, "citations": [2]}, {"text": "He came.", "citations": [0, 2]}],
    },
    "TREC RAG 2025": {
        "metadata": {"team_id": "us", "run_id": "mine", "narrative_id": "2024-1", "type": "automatic"},
        "references": ["d1", "d2", "d3"],
        "answer": [{"text": SENTENCE, "citations": ["d3"]}, {"text": "He came.", "citations": ["d1", "d3"]}],
    },
    "NeuCLIR": {
        "request_id": "2024-1", "run_id": "mine", "collection_ids": ["c"], "references": ["d1", "d2", "d3"],
        "sentences": [{"text": SENTENCE, "citations": ["d3"]}, {"text": "He came.", "citations": ["d1", "d3"]}],
    },
    "RAGTIME": {
        "metadata": {"team_id": "us", "run_id": "mine", "topic_id": "2024-1"}, "references": ["d1", "d2", "d3"],
        "responses": [
            {"text": SENTENCE, "citations": {"d1": 0.4, "d3": 0.9}}, {"text": "He came.", "citations": {"d3": 0.2}},
        ],
    },
    "plain": {
        "query_id": "2024-1", "text": f"{SENTENCE} He came.", "context": ["d1", "d2", "d3"], "citations": ["d3", "d1"],
    },
}  # fmt: skip


def study_of(folder: Path, *rows: object, name: str = "gpt.jsonl") -> Study:
    (folder / "answers").mkdir(exist_ok=True)
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (folder / "answers" / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return fairviz.open_study(folder)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_is_two_runs(layout: str, tmp_path: Path) -> None:
    study = study_of(tmp_path, LAYOUTS[layout])
    assert study.systems == ("gpt · context", "gpt · cited")
    lists = study.runs.groupby("system", observed=True)["doc_id"].apply(lambda run: run.tolist())
    assert lists.to_dict() == {"gpt · context": ["d1", "d2", "d3"], "gpt · cited": ["d3", "d1"]}
    (answer,) = read_answers(tmp_path / "answers" / "gpt.jsonl")
    assert (answer.query_id, answer.text) == ("2024-1", f"{SENTENCE} He came.")
    assert list(answer.counts) == ["d3", "d1"]


def test_systems_may_stand_in_the_lines_and_ids_may_be_numbers(tmp_path: Path) -> None:
    plain = {"query_id": 7, "text": "He.", "context": [11, 12], "citations": [12]}
    study = study_of(tmp_path, {**plain, "system": "a"}, {**plain, "system": "b", "citations": []})
    assert study.systems == ("a · context", "a · cited", "b · context")
    assert set(study.runs["query_id"]) == {"7"}
    assert set(study.runs["doc_id"]) == {"11", "12"}


GOOD = {"query_id": "q", "text": "He.", "context": ["d1", "d2"], "citations": ["d1"]}
BAD = {
    "{": "this is no JSON",
    "[1]": "the JSON is not an object",
    json.dumps({"text": "He."}): "the query has no id",
    json.dumps({**GOOD, "query_id": 1.5}): "an id of the query, documents or citations is empty or no text",
    json.dumps({**GOOD, "context": ["d1", "d1"]}): "the shown documents name one twice",
    json.dumps({**GOOD, "context": "d1"}): "the shown documents are not a list",
    json.dumps({**GOOD, "citations": "d1"}): "the citations are not a list",
    json.dumps({**GOOD, "citations": {"d1": "sure"}}): "the citations have a confidence that is no number",
    json.dumps({**GOOD, "text": None}): "the answer is not text",
    json.dumps({**GOOD, "authors": ["female"]}): "the authors are no mapping of documents to groups",
    json.dumps({**LAYOUTS["TREC RAG 2024"], "answer": [{"text": "x", "citations": [3]}]}): (
        "the citations name a place beyond the 3 references"
    ),
}


def test_every_bad_line_is_named_with_its_number(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        study_of(tmp_path, GOOD, *BAD, GOOD)
    lines = caught.value.lines
    assert [line.line for line in lines] == [*range(2, len(BAD) + 2), len(BAD) + 2]
    for line, expected in zip(lines, [*BAD.values(), "gpt answers the query again"], strict=True):
        assert line.problem.startswith(expected)
        assert line.file == "answers/gpt.jsonl"
    with pytest.raises(DataError, match="no answer names a document"):
        study_of(tmp_path, {"query_id": "q", "text": "He."})
