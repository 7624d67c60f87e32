"""The texts of generated answers as a study of their own, in which measures of words apply to them."""

from dataclasses import replace

import pandas as pd

from fairviz.errors import expect
from fairviz.evaluation.settings import Settings
from fairviz.extensions.answers.suppression import answers_of
from fairviz.study.record import A_STUDY, Study
from fairviz.study.study import make_study


def answer_texts(study: Study) -> Study:
    """Return the texts of a study's generated answers as a study: a document an answer, a run a system.

    Measures of words then apply to the answers, with a background of answers alone, and comparisons test systems query
    by query.

    Parameters
    ----------
    study : Study
        Opened from a folder with answers/NAME.jsonl.

    Returns
    -------
    Study
        Called NAME-answers, with the queries, groups and word list of the study. A document's id is `SYSTEM/QUERY`.

    Raises
    ------
    FairvizError
        For a study without answers.

    Examples
    --------
    >>> import json, pathlib, tempfile, fairviz
    >>> folder = pathlib.Path(tempfile.mkdtemp(), "toy")
    >>> (folder / "answers").mkdir(parents=True)
    >>> rows = [{"query_id": "q1", "text": "He won, and he knew.", "citations": ["d1"]},
    ...         {"query_id": "q2", "text": "It won.", "citations": ["d2"]}]
    >>> _ = (folder / "answers" / "gpt.jsonl").write_text("\\n".join(map(json.dumps, rows)))
    >>> texts = fairviz.answer_texts(fairviz.open_study(folder))
    >>> fairviz.evaluate(texts, "TExFAIR")["value"].tolist()
    [0.0, 1.0]
    """
    expect("study", study, Study, A_STUDY)
    answers = [one for by_query in answers_of(study, Settings()).values() for one in by_query.values()]
    documents = pd.DataFrame(
        {"doc_id": [f"{one.system}/{one.query_id}" for one in answers], "text": [one.text for one in answers]}
    )
    runs = pd.DataFrame({
        "system": [one.system for one in answers], "query_id": [one.query_id for one in answers],
        "doc_id": documents["doc_id"], "rank": 1, "score": 1.0,
    })  # fmt: skip
    fields = ("groups", "neutral", "protected", "targets", "licence", "citation")
    made = make_study(
        f"{study.name}-answers",
        queries=study.queries if study.has("queries") else None,
        documents=documents,
        runs=runs,
        lexicon=study.lexicon,
        **{name: getattr(study, name) for name in fields},
    )
    return replace(made, title=f"Generated answers of {study.title or study.name}")
