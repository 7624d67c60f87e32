"""A small study to be labelled by people, saved, and people who answer."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from fairviz.annotation.forms import forms
from fairviz.annotation.forms.collecting import Collected, collect_named
from fairviz.annotation.forms.database import store
from fairviz.annotation.forms.drawing import SamplePlan
from fairviz.annotation.forms.forms import Link
from fairviz.datasets import save_labels
from fairviz.evaluation.opening import open_study
from fairviz.study.record import Annotator, Study
from fairviz.study.study import make_study, save_study

GROUPS = ("neutral", "female", "male")
KNOWN = 9  # documents that an expert labelled, each group in turn


@cache
def small(documents: int = 30, known: int = KNOWN, kind: str = "person") -> Study:
    """Three queries with ten documents each and one of no query; an expert labelled the last `known`; one without
    text. No test changes it."""
    ids = [f"secret-{place}" for place in range(documents)]
    labelled = ids[documents - known :]
    return make_study(
        "small",
        queries=pd.DataFrame({"query_id": ["q0", "q1", "q2"], "text": ["nurse", "chief", "boat"]}),
        documents=pd.DataFrame(
            {
                "doc_id": [*ids, "apart", "empty"],
                "title": "",
                "text": [*(f"text number {place}" for place in range(documents)), "text of no query", None],
            }
        ),
        runs=pd.DataFrame(
            [("bm25", f"q{place % 3}", name, place // 3 + 1, -float(place)) for place, name in enumerate(ids)],
            columns=["system", "query_id", "doc_id", "rank", "score"],
        ),
        labels=pd.DataFrame(
            {"doc_id": labelled, "annotator": "expert", "label": [GROUPS[place % 3] for place in range(known)]}
        ),
        annotators={"expert": Annotator("expert", kind)},  # type: ignore[arg-type]
    )


def saved(folder: Path, study: Study | None = None) -> Study:
    """The study as it is opened from a folder of its own."""
    save_study(study or small(), folder / "small")
    return open_study(str(folder / "small"))


def formed(study: Study, documents: int = 9, people: int = 3, test_every: int = 4, **others: float) -> tuple[Link, ...]:
    """The links of a new form."""
    form = forms.make_form(study, SamplePlan(documents, people, test_every, **others), "Read, then say.")
    return forms.links(study, form=form)


def bring_in(study: Study, save: Callable[..., Path] = save_labels, **wanted: Any) -> tuple[Path, Collected]:
    """Write people's answers into the study, as page and command line do; return the file and what it holds."""
    found, annotators, replaced = collect_named(study, **wanted)
    return save(study, found.labels, annotators, own=replaced), found


def answer_all(study: Study, link: Link, say: Callable[[str, str], str]) -> None:
    """A person who answers every question: say(doc_id, right answer or nothing), `?` where she cannot decide. All in
    one transaction, which is quicker than `answer`."""
    with store().writing() as database:
        asked = database.execute(
            "SELECT number, documents.doc_id, right_answer FROM questions JOIN links USING (token) JOIN documents"
            " ON documents.form = links.form AND documents.doc_id = questions.doc_id WHERE token = ?",
            (link.token,),
        ).fetchall()
        said = [(number, say(name, right)) for number, name, right in asked]
        rows = [
            (link.token, number, *(("undecided", "") if label == "?" else ("label", label))) for number, label in said
        ]
        insert = "INSERT INTO answers (token, number, said, label, comment, time) VALUES (?, ?, ?, ?, '', '')"
        database.executemany(insert, rows)
