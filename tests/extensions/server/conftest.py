"""The browser of tests/browser, for two people on a server."""

from tests.browser.conftest import browser, chromium

__all__ = ["browser", "chromium"]
