"""No test runs twice: a plugin of pytest, loaded by `-p tests.once`.

`--ran=FILE` adds the tests of this run to the file; `--not-again=FILE` leaves out the tests in it, but those marked
`whole`, which read whatever is there: extensions, files, records.
"""

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ran", type=Path, help="the file to which the tests of this run are added")
    parser.addoption("--not-again", type=Path, help="the file of tests that are left out")


@pytest.hookimpl(trylast=True)  # once marks have been selected
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    earlier, file = config.getoption("--not-again"), config.getoption("--ran")
    if earlier is not None and earlier.exists():
        ran = set(earlier.read_text(encoding="utf-8").splitlines())
        again = [item for item in items if item.nodeid in ran and not item.get_closest_marker("whole")]
        config.hook.pytest_deselected(items=again)
        left_out = {item.nodeid for item in again}
        items[:] = [item for item in items if item.nodeid not in left_out]
    worker = getattr(config, "workerinput", {}).get("workerid", "gw0")
    if file is not None and worker == "gw0":  # all workers collect the same
        with file.open("a", encoding="utf-8") as stream:
            stream.write("".join(f"{item.nodeid}\n" for item in items))  # at once: other runs may write, too
