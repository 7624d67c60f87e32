"""Rows of the Backpack in tests over all verbs, names, rankers and figures; see `tests/extension_rows.py`."""

import fairviz
from fairviz.extensions.backpack import training
from fairviz.extensions.backpack.declared import BACKPACK, SENSES
from fairviz.extensions.backpack.figures.weight_curves import Axis
from fairviz.extensions.backpack.loading import model_folder
from fairviz.extensions.backpack.training import Recipe
from fairviz.extensions.backpack.words import nearest
from tests.figures.empty_tables import table

BASE = {"train-backpack": ["mine"], "senses": ["nurse"]}
NOT_RUN = {"train-backpack": "it trains for minutes", "senses": "it loads a model for half a minute"}
GRAMMARS = {"backpack": ["rank", "football", "--with", "backpack(model='{}')"]}  # calls with pipes in place of files
TABLES = {"BACKPACK": BACKPACK, "SENSES": SENSES}
VERBS = {"BACKPACK": ["train-backpack"]}
PYTHON = {
    "BACKPACK": Recipe,
    "SENSES": lambda **given: nearest(None, "nurse", given["nearest"]),  # type: ignore[arg-type]
}
SIGNATURES = {"BACKPACK": Recipe}
PUBLIC = {"steer": ""}
GOOD = {"steer": lambda folder: {"study": fairviz.open_study("football"), "weights": [0.5]}}  # from a folder for files
READERS = {"backpack": "backpack needs"}  # rankers with a page that need the layer [models]
OPENED = {"backpack": ("Backpack", model_folder)}  # what opens a path that a visitor names
OTHER_SETTINGS = {"backpack": {"cutoff": "60"}}  # of a page, for which its packaged result is not
TRAIN = ("train-backpack", "football", "--minutes", "0.1")
INTERRUPTED = {"train-backpack, while it reads": (TRAIN, [(training, "read_corpus", 1, "before")])}
STOPPED = {
    "train-backpack": "stopped: texts read and steps up to the last checkpoint are kept; run the same command to resume"
}


_WEIGHTS = table("measure", "ranker", "model", "senses", "weight", "value", "ci_low", "ci_high").astype(
    {"model": "str"}
)
_AXIS = Axis("nDCG", "nDCG@10", "higher")
NOTHING = {  # what `info` makes of tables without a row
    "weight_plane": lambda file: file.info(_WEIGHTS, _AXIS, [_AXIS], 1.0),
    "weight_curves": lambda file: file.info(_WEIGHTS, [_AXIS], 1.0),
    "weight_scores": lambda file: file.info({}, {}, ("female",), (), 1.0),
    "sense_bars": lambda file: file.info(table("sense", "sensitivity", "ci_low", "ci_high", "pairs"), []),
}
