"""Files of generated answers, `answers/NAME.jsonl`: one JSON object a line, in four layouts.

- TREC RAG 2024: `{"topic_id", "references": [doc_id], "answer": [{"text", "citations": [place in references]}]}`
- TREC RAG 2025 and NeuCLIR: the same with `"citations": [doc_id]`; the id may be in `"metadata"`, as `narrative_id`,
  and sentences may be under `"sentences"` or `"responses"`
- RAGTIME: `"responses": [{"text", "citations": {doc_id: confidence}}]`
- plain: `{"query_id", "system", "text", "context": [doc_id], "citations": [doc_id]}`, where `system` may be left out

Any may have `"authors": {doc_id: group}`, whom the prompt named as the author of a document.

`references` or `context` are the documents that the system was shown, in their order. A whole number among citations is
a place in `references`, from 0; beside `context` it is a document's id.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.errors import BadLines, display_path, problem
from fairviz.normal_form import normal_form
from fairviz.study.loaders import Form, Loader
from fairviz.study.loaders.archive import packed_names
from fairviz.study.loaders.lines import decode, numbered_lines
from fairviz.study.loaders.runs import ranked as as_run
from fairviz.study.loaders.runs import stack_runs, system_name
from fairviz.study.loaders.source import read_bytes
from fairviz.study.tables import system_of_run

FOLDER = "answers"
NONE = "has no generated answers"
HOW = 'Put them into the study\'s folder as answers/NAME.jsonl, with "context" or "references" and citations.'
SUFFIXES = packed_names(".jsonl")
CONTEXT, CITED = " · context", " · cited"
QUERY_IDS = ("query_id", "topic_id", "qid", "narrative_id", "request_id", "id")
SENTENCES = ("answer", "responses", "sentences")
REMEDIES = {
    "JSON": 'Write one object a line: {"query_id": "q1", "text": "…", "context": ["d1", "d2"], "citations": ["d2"]}.',
    "query": "Name the query as query_id, topic_id, narrative_id or request_id.",
    "answer": 'Write the answer as "text", or as "answer": [{"text": "…", "citations": ["d2"]}].',
    "citations": 'Write citations as ids, as places in "references" from 0, or as {"d2": 0.9}.',
    "documents": 'Write "context" or "references" as a list of ids, each once.',
    "authors": 'Write authors as {"d1": "female", "d2": "male"}.',
    "again": "Keep one answer for each query of a system.",
}


@dataclass(frozen=True)
class Answer:
    """One answer: its text, the documents that the system was shown (None where the file does not say), those that each
    sentence cites, and the group that the prompt gave as a document's author, by document."""

    system: str
    query_id: str
    text: str
    context: tuple[str, ...] | None
    citations: tuple[tuple[str, ...], ...]
    authors: Mapping[str, str]

    @property
    def counts(self) -> dict[str, int]:
        """How many sentences cite each document, by first citation."""
        counts: dict[str, int] = {}
        for sentence in self.citations:
            for document in sentence:
                counts[document] = counts.get(document, 0) + 1
        return counts


class _FaultError(ValueError):
    """What is wrong with a line, with the value."""

    def __init__(self, text: str, value: object = None) -> None:
        super().__init__(text)
        self.value = None if value is None else json.dumps(value, ensure_ascii=False)


def read_answers(path: str | Path, root: str | Path | None = None) -> list[Answer]:
    """Return the answers of a file. Raises DataError that names every bad line: of no such layout, a citation of a
    place beyond the references, and a second answer of a system to a query."""
    file, system = display_path(path, root), normal_form(system_name(path, SUFFIXES))
    bad_lines, answers, seen = BadLines(file, REMEDIES), list[Answer](), set[tuple[str, str]]()
    for number, line in numbered_lines(decode(read_bytes(path, root), file)):
        try:
            answer = _answer(line, system)
            if (answer.system, answer.query_id) in seen:
                raise _FaultError(f"{answer.system} answers the query again", answer.query_id)
            seen.add((answer.system, answer.query_id))
            answers.append(answer)
        except _FaultError as fault:
            bad_lines.add(number, str(fault), fault.value)
    bad_lines.raise_collected()
    if not answers:
        raise problem(file, "there is no answer", REMEDIES["JSON"])
    return answers


def _answer(line: str, system: str) -> Answer:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise _FaultError(f"this is no JSON ({error})") from error
    if not isinstance(row, dict):
        raise _FaultError("the JSON is not an object", row)
    named = {**(row["metadata"] if isinstance(row.get("metadata"), dict) else {}), **row}
    query = next((_id(named[name]) for name in QUERY_IDS if named.get(name) not in (None, "")), None)
    if query is None:
        raise _FaultError("the query has no id")
    context = _documents(row)
    places = context if "references" in row and "context" not in row else None
    key = next((name for name in SENTENCES if isinstance(row.get(name), list)), "")
    sentences = (
        row[key] if key else [{"text": row.get("text", row.get("answer")), "citations": row.get("citations", [])}]
    )
    texts, citations = [], []
    for sentence in sentences:
        if not isinstance(sentence, dict) or not isinstance(sentence.get("text"), str):
            raise _FaultError("the answer is not text", sentence)
        texts.append(sentence["text"].strip())
        citations.append(tuple(dict.fromkeys(_cited(sentence.get("citations") or [], places))))
    authors = row.get("authors", {})
    if not isinstance(authors, dict) or not all(isinstance(group, str) for group in authors.values()):
        raise _FaultError("the authors are no mapping of documents to groups", authors)
    own = named.get("system")
    name = system if own in (None, "") else normal_form(_id(own))
    text = " ".join(filter(None, texts))
    return Answer(
        name, query, text, context, tuple(citations), {normal_form(one): group for one, group in authors.items()}
    )


def _documents(row: Mapping[str, Any]) -> tuple[str, ...] | None:
    given = row.get("context", row.get("references"))
    if given is None:
        return None
    if not isinstance(given, list):
        raise _FaultError("the shown documents are not a list", given)
    documents = [_id(name) for name in given]
    if repeated := next((name for place, name in enumerate(documents) if name in documents[:place]), None):
        raise _FaultError("the shown documents name one twice", repeated)
    return tuple(documents)


def _cited(citations: object, places: Sequence[str] | None) -> Iterator[str]:
    """Yield the documents of a sentence's citations: those of a mapping by falling confidence."""
    if isinstance(citations, dict):
        if not all(isinstance(sure, int | float) and not isinstance(sure, bool) for sure in citations.values()):
            raise _FaultError("the citations have a confidence that is no number", citations)
        yield from (normal_form(name) for name in sorted(citations, key=lambda name: -citations[name]))
        return
    if not isinstance(citations, list):
        raise _FaultError("the citations are not a list", citations)
    for one in citations:
        if places is None or not isinstance(one, int) or isinstance(one, bool):
            yield _id(one)
        elif 0 <= one < len(places):
            yield places[one]
        else:
            raise _FaultError(f"the citations name a place beyond the {len(places)} references", one)


def _id(value: object) -> str:
    """Return an id of JSON as text. Raises _FaultError for what is neither text nor a whole number."""
    if isinstance(value, str) and value.strip():
        return normal_form(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise _FaultError("an id of the query, documents or citations is empty or no text", value)


def read_answer_runs(path: str | Path, root: str | Path | None = None) -> pd.DataFrame:
    """Return the answers of a file as runs: of each system `NAME · context`, what it was shown in its order, and
    `NAME · cited`, what it cites by first citation. Raises: see `read_answers`."""
    lists: dict[str, list[tuple[str, str, int]]] = {}
    for answer in read_answers(path, root):
        for ending, documents in ((CONTEXT, answer.context or ()), (CITED, answer.counts)):
            rows = lists.setdefault(f"{answer.system}{ending}", [])
            rows += [(answer.query_id, document, rank) for rank, document in enumerate(documents, 1)]
    tables = []
    for system, rows in lists.items():
        if rows:
            frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "rank"]).assign(score=lambda run: -run["rank"])
            tables.append(as_run(frame.astype({"query_id": "str", "doc_id": "str", "score": "float64"}), system))
    if not tables:
        remedy = 'Add "references", the ids of the documents shown, or citations.'
        raise problem(display_path(path, root), "no answer names a document", remedy)
    return stack_runs(tables)


def answering(run: str) -> str:
    """Return the system whose context or citations a run is; empty for another run.

    >>> answering("gpt · cited"), answering("bm25")
    ('gpt', '')
    """
    name = system_of_run(run)
    return next((name.removesuffix(ending) for ending in (CONTEXT, CITED) if name.endswith(ending)), "")


FILES = "`answers/NAME.jsonl`"
ANSWER_RUNS = Loader(
    "runs",
    SUFFIXES,
    read_answer_runs,
    forms=(
        Form("TREC RAG 2024", FILES, "`topic_id`, `references`, `answer` with `text` and `citations` by place"),
        Form("TREC RAG 2025, NeuCLIR", FILES, "the same with citations by id"),
        Form("RAGTIME", FILES, "`responses` with `text` and `citations` as `{doc_id: confidence}`"),
        Form("plain answers", FILES, "`query_id`, `text`, `context`, `citations`, and perhaps `system`"),
    ),
    folder=FOLDER,
    several=True,
)
