"""Rows of audits in tests over all verbs, names, figures and pages; see `tests/extension_rows.py`."""

import fairviz
from fairviz.extensions.ranker_audits.declared import AUDIT, AUDIT_LISTS
from fairviz.extensions.ranker_audits.list_plan import ListwisePlan
from fairviz.extensions.ranker_audits.pairs import PairwisePlan
from fairviz.extensions.ranker_audits.rankers.listwise import permutation_of, prompt
from fairviz.extensions.ranker_audits.rankers.pairwise import prompt_text, read_answer
from fairviz.models.answers import Answers
from fairviz.models.asking import _Job
from tests.figures.empty_tables import table

BASE = {"audit": ["football", "--with", "bm25"]}
GRAMMARS = {
    "llm_pairwise": ["rank", "football", "--with", "llm_pairwise(model='x',prompt='{}')"],
    "llm_listwise": ["rank", "football", "--with", "llm_listwise(model='x',template='{}')"],
}
TABLES = {"AUDIT": AUDIT, "AUDIT_LISTS": AUDIT_LISTS}
VERBS = {"AUDIT_LISTS": ["audit"]}
OWN = {"--windows": "a window and a step, which it reads itself"}
PYTHON = {
    "AUDIT": PairwisePlan,
    "AUDIT_LISTS": lambda **given: ListwisePlan(**({"window": 10_000, "step": 1} | given)),
}
SIGNATURES = {"AUDIT": fairviz.audit, "AUDIT_LISTS": fairviz.audit}
PUBLIC = {"audit": ""}
GOOD = {"audit": lambda folder: {"study": fairviz.open_study("football"), "rankers": "bm25"}}
NOTHING = {  # what `info` of a figure makes of tables without a row
    "pairs_and_lists": lambda file: file.info(table(*file.COLUMNS), "female", "male"),
    "protected_ranks": lambda file: file.info(table("system", "attribute", "after"), "female", 5.0),
    "list_moves": lambda file: file.info(table("before", "after"), "female", {}),
}
NEEDS = {"audit": "bi_encoder needs"}  # a verb and a page whose default rankers need a layer
OPENED = {  # a file that no visitor may open: what it is called, and what opens it
    "pairs.txt": ("prompt for pairs", prompt_text),
    "template.txt": ("template", prompt),
}
REPLIES = {  # the values that are read off any reply
    "llm_listwise": lambda reply: vars(permutation_of(reply, 3)).values(),
    "llm_pairwise": lambda reply: vars(read_answer(reply)).values(),
}
_AUDIT = ("audit", "football", "--with", "llm(model='MODEL',url='ADDRESS')", "--queries", "1", "--per-query", "1",
          "--no-anchor", "--no-neutral")  # fmt: skip
ASKING = {  # a command that asks a language model, and where Ctrl-C is pressed in it
    "audit, after storing": (_AUDIT, [(Answers, "add", 1, "after")]),
    "audit, inside a wait": (_AUDIT, [(_Job, "_try", 1, "after")]),
}
