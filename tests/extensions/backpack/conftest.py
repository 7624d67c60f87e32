"""Fixtures of pages and of a browser."""

from tests.browser.conftest import browser, chromium
from tests.browser.test_questions import at_own_home
from tests.pages.conftest import no_exception, panels

__all__ = ["at_own_home", "browser", "chromium", "no_exception", "panels"]
