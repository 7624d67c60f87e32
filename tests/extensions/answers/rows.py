"""Rows of generated answers in tests over all verbs and names; see `tests/extension_rows.py`."""

import pandas as pd

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
NOTHING = {  # what `info` of a figure makes of tables without a row
    "answer_plane": lambda file: file.info(
        pd.DataFrame(columns=["system", "query_id", "gap_context", "gap_cited"]),
        pd.DataFrame(columns=["system", "of", "gap", "ci_low", "ci_high"]),
        pd.DataFrame(columns=["system", "of", "slope", "ci_low", "ci_high", "intercept"]),
        "female",
    ),
}
