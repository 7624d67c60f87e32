"""The one place where errors meet the screen."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from fairviz.errors import FairvizError
from fairviz.ui import html

LOG = logging.getLogger("fairviz")
APOLOGY = "This page ran into a mistake of the program, not of your data. The details are on the server's console."
APOLOGY_REMEDY = "Reset the settings in the sidebar or choose another page; your study is unharmed."


@contextmanager
def boundary() -> Iterator[None]:
    """Shows what the user can mend with its remedy, and a short apology for a bug, whose details go to the console."""
    try:
        yield
    except FairvizError as error:
        html.message("error", error.message, error.remedy)
    except Exception:
        LOG.exception("a page failed")
        html.message("error", APOLOGY, APOLOGY_REMEDY)
