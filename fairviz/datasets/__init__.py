"""Built-in studies and public data sets. To add a data set: a file with its record, and a line in `registry.DATASETS`.

May import models, measures and the rooms below them; it never imports annotation.
"""

from fairviz.datasets.additions import attach, check_new, check_new_annotators, save_labels, save_runs
from fairviz.datasets.opening import open_undecided
from fairviz.datasets.record import Dataset, Progress, RemoteFile
from fairviz.datasets.registry import DATASETS, fetch
from fairviz.datasets.stored import resolve, stored_names
from fairviz.home import BUILTIN, data_home, studies_folder
from fairviz.home.permissions import additions_folder

__all__ = [
    "BUILTIN",
    "DATASETS",
    "Dataset",
    "Progress",
    "RemoteFile",
    "additions_folder",
    "attach",
    "check_new",
    "check_new_annotators",
    "data_home",
    "fetch",
    "open_undecided",
    "resolve",
    "save_labels",
    "save_runs",
    "stored_names",
    "studies_folder",
]
