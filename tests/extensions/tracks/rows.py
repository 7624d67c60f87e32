"""Rows of the tracks in tests over all verbs, names and measures; see `tests/extension_rows.py`."""

import fairviz
from fairviz.extensions.tracks.declared import TRACK
from tests.extensions.tracks.files import fairweb_files, track_files

BASE = {"trec-fair": ["mine"], "fairweb": ["mine"]}
NOT_RUN = {"trec-fair": "it needs the files of the track", "fairweb": "it needs the files of the task"}
GRAMMARS = {  # calls with pipes in place of files
    "trec-fair": ["trec-fair", "mine", "--topics", "{}", "--runs", "{}", "--attributes", "{}"],
    "fairweb": ["fairweb", "mine", "--memberships", "{}", "--qrels", "{}", "--runs", "{}"],
}
TABLES = {"TRACK": TRACK}
VERBS = {"TRACK": ["trec-fair"]}
PYTHON = {"TRACK": lambda **given: fairviz.track_scores(fairviz.open_study("football"), **given)}
SIGNATURES = {"TRACK": fairviz.track_scores}
PUBLIC = {"track_scores": "", "read_trec_fair": "", "read_fairweb": ""}
GOOD = {  # arguments of public functions, from a folder for files
    "read_fairweb": fairweb_files,
    "read_trec_fair": track_files,
    "track_scores": lambda folder: {"study": fairviz.read_trec_fair(**track_files(folder))},
}
FAIREST = {  # of a measure: its fairest value for two documents
    # grades 1 and 2 of 2 at ranks 1 and 2: ERR 1/4 + 3/4 · 3/4 / 2, and GF 1/4 + 9/16 with equal shares
    "GFR": (1 / 4 + 9 / 32 + 1 / 4 + 9 / 16) / 2,
}
TAKEN_APART = dict.fromkeys(
    ("GFR", "GFR(user='irbu',distance='rnod')", "GFR(attributes='level+origin')"), "questions whose parts are compared"
)
