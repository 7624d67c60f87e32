"""The folder for what the program fetches or writes."""

import os
from pathlib import Path


def data_home() -> Path:
    """The folder for what the program fetches or writes: FAIRVIZ_HOME, or else the user's data folder."""
    given = os.environ.get("FAIRVIZ_HOME", "").strip()
    if given:
        return Path(given).expanduser()
    from platformdirs import user_data_path

    return user_data_path("fairviz", appauthor=False)
