"""Rows of fine-tuning in tests over all verbs; see `tests/extension_rows.py`."""

import fairviz
from fairviz.extensions.finetuning.declared import FINETUNING
from fairviz.extensions.finetuning.pairs import FinetuningPlan

BASE = {"finetuning": ["football"]}
NOT_RUN = {"finetuning": "it trains for a minute"}
FREE_TEXT = {("finetuning", "name"): "of the adapter"}
ZERO_IS_A_VALUE = {("finetuning", "--strength"): 0, ("finetuning", "--seed"): 0}
FORMER = {"mend": "finetuning"}
TABLES = {"FINETUNING": FINETUNING}
PYTHON = {"FINETUNING": FinetuningPlan}
SIGNATURES = {"FINETUNING": fairviz.mend}
PUBLIC = {"mend": "a training of minutes"}  # public names, with the reason why their example is not run
