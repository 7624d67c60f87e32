"""Opening a study by name or by path, with the decisions of its readers."""

from pathlib import Path
from typing import TYPE_CHECKING

from fairviz.datasets.opening import open_undecided
from fairviz.home import home_trouble

if TYPE_CHECKING:
    from fairviz.study.record import Study


def open_study(name_or_path: str | Path) -> "Study":
    """Return the study of this name (built in, fetched or saved), of ir_datasets:NAME, or else in this folder.

    Parameters
    ----------
    name_or_path : str or Path
        A name takes precedence over a folder of the same name: write ./football for the folder.

    Returns
    -------
    Study
        With readers' decisions as the annotator `adjudicated`.

    Raises
    ------
    UsageError
        If there is neither.
    DataError
        For a folder that cannot be read as a study, with every bad line.

    Examples
    --------
    >>> import fairviz
    >>> fairviz.open_study("football").systems
    ('left', 'right')
    """
    from fairviz.annotation.adjudications import with_adjudications

    study = open_undecided(name_or_path)
    if study.read_only and home_trouble() is not None:
        return study  # its warnings report that the data folder was not read
    return with_adjudications(study)
