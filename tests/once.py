"""No test runs twice: a plugin of pytest, loaded by `-p tests.once`.

`--ran=FILE` adds the tests that this run did not skip to the file; `--not-again=FILE` leaves out the tests in it, but
those marked `whole`, which read whatever is there: extensions, files, records.
"""

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ran", type=Path, help="the file to which the tests of this run are added")
    parser.addoption("--not-again", type=Path, help="the file of tests that are left out")


@pytest.hookimpl(trylast=True)  # once marks have been selected
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    earlier = config.getoption("--not-again")
    if earlier is not None and earlier.exists():
        ran = set(earlier.read_text(encoding="utf-8").splitlines())
        again = [item for item in items if item.nodeid in ran and not item.get_closest_marker("whole")]
        config.hook.pytest_deselected(items=again)
        left_out = {item.nodeid for item in again}
        items[:] = [item for item in items if item.nodeid not in left_out]


def pytest_configure(config: pytest.Config) -> None:
    file = config.getoption("--ran")
    if file is not None and not hasattr(config, "workerinput"):  # workers report to the process that started them
        config.pluginmanager.register(Record(file))


class Record:
    """The tests that ran: one that is skipped where something is missing runs where all is there."""

    def __init__(self, file: Path) -> None:
        self.file, self.ran = file, dict[str, None]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and not report.skipped:
            self.ran[report.nodeid] = None

    def pytest_sessionfinish(self) -> None:
        with self.file.open("a", encoding="utf-8") as stream:
            stream.writelines(f"{test}\n" for test in self.ran)
