"""What every test may use: published research data beside the repository, where there is any."""

import os
from pathlib import Path

import pytest

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
