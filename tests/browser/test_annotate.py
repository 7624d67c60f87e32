"""The Annotators page in a browser, with a slow server: progress moves, the app is usable meanwhile, Stop stops, and
nothing that was answered is asked twice; a process that is killed in the middle loses nothing."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairviz.home import BUILTIN
from fairviz.models.asking import CONCURRENCY
from tests.browser.conftest import Visitor, running
from tests.model_server import ModelServer, model_server

pytestmark = pytest.mark.browser
HERE = {"NO_PROXY": "127.0.0.1,localhost", "FAIRVIZ_API_KEY": ""}


class Gate:
    """Lets as many answers through as were allowed."""

    def __init__(self, server: ModelServer) -> None:
        self._open = threading.Semaphore(0)
        self.answered: list[str] = []
        server.answer = self._answer

    def _answer(self, prompt: str) -> str:
        self._open.acquire()
        self.answered.append(prompt)
        return "Female" if " she " in prompt.rpartition("<document>")[2] else "Neutral"

    def allow(self, answers: int = 10_000) -> None:
        self._open.release(answers)


@pytest.fixture
def slow() -> Iterator[tuple[ModelServer, Gate]]:
    with model_server() as server:
        gate = Gate(server)
        yield server, gate
        gate.allow()


def begin(visitor: Visitor, server: ModelServer, study: str, queries: int) -> None:
    """Names the model, and presses the button."""
    visitor.open(f"/annotate?study={study}")
    open_form(visitor)
    visitor.page.get_by_test_id("stPopoverButton").filter(has_text="Parameters").click()
    for name, value in (("with", f"llm(model='slow',url='{server.address}')"), ("queries", str(queries))):
        with visitor.asking():
            field(visitor, name).fill(value)
            field(visitor, name).press("Enter")
        visitor.page.keyboard.press("Escape")
    visitor.shows("questions to ask. About")
    press(visitor)


def open_form(visitor: Visitor) -> None:
    """It is open already where nothing has labels of two annotators."""
    if not visitor.page.locator(".st-key-annotate_go button").is_visible():
        visitor.page.get_by_text("Label with rules and models").click()


def field(visitor: Visitor, name: str):
    return visitor.page.locator(f".st-key-annotate_{name} input")


def press(visitor: Visitor) -> None:
    button = visitor.page.locator(".st-key-annotate_go button")
    visitor.still(button)  # the form opens slowly
    with visitor.asking():
        button.click()


@pytest.fixture
def copied(home: Path) -> Iterator[str]:
    """The name of a copy of football, whose labels other tests do not read."""
    folder = home / "studies" / "copied"
    shutil.copytree(BUILTIN["football"], folder)
    yield folder.name
    shutil.rmtree(folder)


def test_progress_moves_the_app_is_usable_and_stop_stops(visitor: Visitor, slow, copied: str) -> None:
    server, gate = slow
    begin(visitor, server, copied, 1)
    visitor.shows("Questions answered: 0 of")
    gate.allow(3)
    visitor.shows("Questions answered: 3 of")
    visitor.go("Overview")
    visitor.assert_well()
    visitor.shows("Do measures agree?")
    visitor.go("Annotate")
    visitor.shows("Questions answered: 3 of")
    visitor.page.get_by_role("button", name="Stop", exact=True).click()
    visitor.shows("Stopped: no label was written.")  # though the server still holds its answers back
    visitor.settle(0)
    gate.allow()
    open_form(visitor)
    press(visitor)
    visitor.shows("questions sent now")
    visitor.shows("llm-model=slow")
    visitor.settle(0)
    visitor.assert_well()
    again = len(gate.answered) - len(set(gate.answered))
    assert again <= CONCURRENCY, "only what was under way at Stop is asked again"
    assert "llm(model='slow'" in visitor.page.locator(".st-key-annotate_card").inner_text()
    assert "127.0.0.1" not in visitor.page.url, "a server is in no link"
    first = visitor.page.locator(".st-key-annotators_apart_shown canvas").first
    visitor.still(first)
    first.click(position={"x": 18, "y": 50}, force=True)
    visitor.arrived("Read")
    visitor.shows("llm-model=slow")
    visitor.assert_well()


@pytest.mark.lengthy
def test_a_process_that_is_killed_in_the_middle_loses_nothing(browser, chromium, slow, tmp_path: Path) -> None:
    server, gate = slow
    with running(tmp_path, **HERE) as (address, process):
        visitor = Visitor(browser, address)
        begin(visitor, server, "newswire", 3)
        gate.allow(5)
        visitor.shows("Questions answered: 5 of")
        process.kill()
        process.wait()
        visitor.context.close()
    before = set(gate.answered[:5])
    asked = len(server.bodies)
    gate.allow()
    with running(tmp_path, **HERE) as (address, _):
        visitor = Visitor(browser, address)
        begin(visitor, server, "newswire", 3)
        visitor.shows("questions sent now")
        visitor.settle(0)
        first = visitor.page.locator(".st-key-annotators_apart_shown canvas").first
        visitor.still(first)
        first.click(position={"x": 18, "y": 50}, force=True)
        visitor.arrived("Read")
        visitor.page.locator("details.fv-beside[open]", has_text="logprob-model=smollm2").wait_for()
        visitor.assert_well()
        visitor.context.close()
    assert not before & set(server.prompts()[asked:])
    assert (tmp_path / "additions" / "newswire" / "labels.csv").is_file()
