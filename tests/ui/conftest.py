"""Pages are tested here as in tests/pages: one that raises fails its test, and what tests only read is made once."""

from tests.pages.conftest import no_exception, quick, seen, whole

__all__ = ["no_exception", "quick", "seen", "whole"]
