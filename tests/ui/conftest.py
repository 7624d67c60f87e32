"""A page that raises fails its test here too, and the runs that tests only read are shared."""

from tests.pages.conftest import no_exception as no_exception
from tests.pages.conftest import seen as seen
