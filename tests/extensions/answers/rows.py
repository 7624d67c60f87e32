"""Rows of generated answers in tests over all verbs and names; see `tests/extension_rows.py`."""

import fairviz
from fairviz.extensions.answers.declared import ANSWERS
from tests.extensions.answers.made import made_answers

BASE = {"answer-texts": ["mine", "--out", "new"]}
NOT_RUN = dict.fromkeys(("answers", "answer-texts"), "it needs a study with answers")
PUBLIC = {"answers": "", "answer_texts": ""}
GOOD = dict.fromkeys(
    ("answers", "answer_texts"), lambda folder: {"study": fairviz.open_study(made_answers(folder / "made"))}
)
TABLES = {"ANSWERS": ANSWERS}
SIGNATURES = {"ANSWERS": fairviz.answers}
