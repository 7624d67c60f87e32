"""The app of the wheel, started in an empty folder: a visitor goes through every page."""

from pathlib import Path

import pytest

from tests.browser.conftest import PATHS, Visitor
from tests.test_installed import app

pytestmark = pytest.mark.browser


@pytest.mark.lengthy
def test_a_visitor_goes_through_every_page(installed: Path, tmp_path: Path, browser) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    with app(installed, folder) as address:
        visitor = Visitor(browser, address)
        visitor.open()
        # label.py is in no menu: it is reached by its link; studies.py and status.py are in the menu of a server
        for name in PATHS:
            visitor.go(name)
            visitor.assert_well()
        visitor.context.close()
    assert not list(folder.iterdir())
