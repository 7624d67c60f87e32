"""Files of generated answers in each layout become the same runs; every bad line is named."""

import json
from pathlib import Path

import pytest

import fairviz
from fairviz.errors import DataError
from fairviz.extensions.answers.layouts import read_answers
from fairviz.study.record import Study

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
