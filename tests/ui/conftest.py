"""A page that raises fails its test here too."""

from tests.pages.conftest import no_exception as no_exception
