"""What every test may use: published research data beside the repository, where there is any."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fairviz.errors import FairvizError

if TYPE_CHECKING:
    from fairviz.words.vectors import Embedding

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of published data sets (`../shared/data`, or FAIRVIZ_TEST_DATA); skips where there is none."""
    folder = Path(os.environ.get("FAIRVIZ_TEST_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no published data at {folder}: this test reads real data and was not run")
    return folder


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test touches the data folder of the person who runs it."""
    monkeypatch.setenv("FAIRVIZ_HOME", str(tmp_path / "fairviz-home"))


@pytest.fixture(scope="session")
def google_news(tmp_path_factory: pytest.TempPathFactory) -> "Embedding":
    """The Google News subset, of the person who runs the tests or else fetched; skips where neither can be."""
    from fairviz.datasets import fetch
    from fairviz.words.vectors import GOOGLE_NEWS, google_news_path, load_embedding

    with pytest.MonkeyPatch.context() as patch:
        if not google_news_path().is_file():
            patch.setenv("FAIRVIZ_HOME", str(tmp_path_factory.mktemp("google-news")))
            patch.setenv("PIP_RETRIES", "1")
            try:
                fetch(GOOGLE_NEWS)
            except FairvizError as error:
                pytest.skip(f"{GOOGLE_NEWS} is neither fetched nor to be had, so this was not tested: {error.message}")
        return load_embedding(GOOGLE_NEWS)
