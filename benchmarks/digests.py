"""`python -m benchmarks.digests > FILE`: a digest of every public table and of what every verb prints.

Run it before and after a change that may not change a number, and compare the two files with `diff`. A line is a
study, a question, a column with its type, and the SHA-256 of its bytes. Sums may differ between machines: compare
files of one machine.
"""

import contextlib
import hashlib
import io
import re
import shlex
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import fairviz
from fairviz.cli.main import main
from fairviz.errors import FairvizError
from fairviz.measures import MEASURES
from fairviz.study.record import Study

BUILT_IN = ("newswire", "football", "occupations", "recruitment", "traits")
SETTINGS: tuple[dict[str, object], ...] = (
    {},
    {"cutoff": 5, "alpha": 0.25, "position_bias": "rbp(p=0.8)", "tau": 0},
    {"tokenizer": "whitespace", "unlabelled": "neutral", "ties": "score"},
    {"annotator": "majority", "tests": "bonferroni"},
)
VERBS = (
    "evaluate {study} CWEx NFaiRR TExFAIR nDCG RaB AWRF",
    "evaluate {study} CWEx NFaiRR --chance",
    "evaluate {study} CWEx NFaiRR --range",
    "evaluate {study} CWEx NFaiRR --tie-range",
    "compare {study} CWEx NFaiRR TExFAIR nDCG RaB",
    "compare {study} CWEx nDCG --tests \"maxT(family='measures')\" --baseline {first}",
    "explain {study} CWEx --system {first}",
    "gsr {study}",
    "atlas {study} NFaiRR TExFAIR CWEx",
    "robustness {study} --systems {first},{second} --measure CWEx --choice alpha=0,1 --choice cutoff=5,10",
    "never-shown {study}",
    "agree {study}",
    "agree {study} --table pairs",
    "consensus {study}",
    "agree {study} --table ties",
    "check {study}",
    "gate {study} --baseline {first} --candidate {second} --fail-if 'CWEx falls by 0.05'",
)


def made_up() -> Iterator[Study]:
    """Yield studies with tied scores, gaps in the ranks, queries without lists, and missing labels."""
    for seed in range(3):
        random = np.random.default_rng(seed)
        queries = [f"q{number}" for number in range(12)]
        documents = [f"d{number}" for number in range(40)]
        rows = []
        for system in ("a", "b", "c", "d"):
            for query in queries[random.integers(3) :]:
                listed = random.permutation(documents)[: random.integers(1, 25)]
                scores = np.sort(random.integers(0, 12, len(listed)))[::-1]
                rows += [(system, query, document, rank, score)
                         for rank, (document, score) in enumerate(zip(listed, scores, strict=True), 1)]  # fmt: skip
        words = ("she", "he", "her", "him", "nurse", "coach", "car", "team")
        groups = ("female", "male", "neutral")
        labels = [(document, annotator, random.choice(groups)) for annotator in ("x", "y") for document in documents
                  if random.random() < 0.7]  # fmt: skip
        yield fairviz.make_study(
            f"made-up-{seed}",
            queries=pd.DataFrame({"query_id": queries, "text": [f"about {query}" for query in queries]}),
            documents=pd.DataFrame(
                {"doc_id": documents, "text": [" ".join(random.choice(words, 9)) for _ in documents]}
            ),
            runs=pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]),
            qrels=pd.DataFrame(
                [(query, document, int(random.integers(0, 3))) for query in queries for document in documents[:9]],
                columns=["query_id", "doc_id", "relevance"],
            ),
            labels=pd.DataFrame(labels, columns=["doc_id", "annotator", "label"]),
        )


def digest(column: pd.Series | pd.Index) -> str:
    values = np.asarray(column)
    data = values.tobytes() if values.dtype.kind in "biufM" else "\0".join(map(str, values)).encode("utf-8", "replace")
    return hashlib.sha256(data).hexdigest()[:16]


def show(study: str, question: str, answer: Callable[..., object], *arguments: object, **choices: object) -> None:
    """Print a line for each column of a table, or the error in its place."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = answer(*arguments, **choices)
    except FairvizError as error:
        print(f"{study} | {question} | {type(error).__name__} | {hashlib.sha256(str(error).encode()).hexdigest()[:16]}")
        return
    columns = {f"index {name}": table.index.get_level_values(name) for name in table.index.names}
    columns |= dict(table.items())
    for name, column in columns.items():
        print(f"{study} | {question} | {name} {column.dtype} | {digest(column)}")


def tables(study: Study) -> None:
    for part in ("queries", "documents", "runs", "qrels", "labels"):
        show(study.name, part, getattr, study, part)
    for changed in SETTINGS:
        tests = {"tests": changed["tests"]} if "tests" in changed else {}
        for measure in MEASURES:
            question = f"{measure} {', '.join(f'{name}={value}' for name, value in changed.items())}"
            show(study.name, f"evaluate {question}", fairviz.evaluate, study, measure, **changed)
            try:
                scores = fairviz.evaluate(study, measure, **changed)
            except FairvizError:
                continue
            show(study.name, f"summarise {question}", fairviz.summarise, scores)
            show(study.name, f"compare {question}", fairviz.compare, scores, draws=999, **tests)
            for ask in (fairviz.chance, fairviz.ranges, fairviz.ties):
                show(study.name, f"{ask.__name__} {question}", ask, study, measure, **changed)
            if not changed:
                show(study.name, f"contributions {measure}", fairviz.contributions, study, measure, study.systems[0])
    show(study.name, "achievable_front", fairviz.achievable_front, study)
    show(study.name, "front_distances", fairviz.front_distances, study)


def verbs(study: Study, place: str) -> None:
    """Print what verbs print. Paths and seconds are left out."""
    for verb in VERBS:
        line = verb.format(study=place, first=study.systems[0], second=study.systems[-1])
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            try:
                status = main(shlex.split(line))
            except SystemExit as end:
                status = end.code
        text = re.sub(r"\d+(\.\d+)? s\b", "", f"{out.getvalue()}\n{errors.getvalue()}".replace(place, study.name))
        print(f"{study.name} | fairviz {verb} | status {status} | {hashlib.sha256(text.encode()).hexdigest()[:16]}")


def run() -> None:
    for name in (*BUILT_IN, *sys.argv[1:]):
        tables(fairviz.open_study(name))
        verbs(fairviz.open_study(name), name)
    with tempfile.TemporaryDirectory() as folder:
        for study in made_up():
            tables(study)
            verbs(study, str(fairviz.save_study(study, Path(folder, study.name))))


if __name__ == "__main__":
    run()
