"""The Trade-off page under a hand on its sliders, in a real browser against a real server.

`python -m benchmarks.browser STUDY …` (folders or names; by default newswire, Grep-BiasIR where it was fetched, and a
made-up study of 12 × 1,765 × 1,000 written to a temporary folder). For alpha, the cutoff and rbp's p: from a move of
the pointer to the frame that shows it, all cards together; from letting go to the page as the server draws it; and
from a key on the slider to the last change of the page, each to a value that was not there before. A key's move ends
with the last change of the page before it has been still for half a second. Prints median and 95th percentile.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import numpy as np

from benchmarks.synthetic import made_up
from fairviz.datasets import data_home, resolve
from fairviz.study.study import save_study
from fairviz.ui.kit import charts, wide
from fairviz.ui.kit.components import compact
from fairviz.ui.shell import legend
from fairviz.ui.shell.live import component
from fairviz.ui.shell.menus import JAVASCRIPT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

ROOT = Path(__file__).parent.parent
MOVES, DRAGGED = 12, 60
PATIENCE = 300_000
SLIDERS = {"cutoff": "cutoff", "alpha": "alpha", "p": "bias_parameter"}  # the key of each in the sidebar
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
WATCH = """() => {
  window.lastChange = performance.now();
  new MutationObserver(() => { window.lastChange = performance.now(); })
    .observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
}"""
STILL = "() => performance.now() - window.lastChange > 500"
HERE = "key => Boolean(window.fairvizLive && window.fairvizLive.payloads[key])"
KNOB = "node => { const at = node.closest('[style*=left]').getBoundingClientRect(); return at.x + at.width / 2; }"
# The message that is posted while a frame is drawn arrives when that frame is painted.
TIMED = """() => {
  const live = window.fairvizLive, show = live.show.bind(live), clear = live.clear.bind(live);
  window.timed = {frames: [], painted: 0, released: 0, settled: 0};
  let moved = 0, before = null;
  window.addEventListener('pointermove', event => { moved ||= event.timeStamp; }, true);
  window.addEventListener('pointerup', () => { window.timed.released = performance.now(); }, true);
  live.show = (payload, stop, ...rest) => {
    show(payload, stop, ...rest);
    if (stop === before || !moved) return;
    const start = moved, channel = new MessageChannel();
    [before, moved] = [stop, 0];
    channel.port1.onmessage = () => {
      window.timed.frames.push(performance.now() - start);
      window.timed.painted = stop;
    };
    channel.port2.postMessage(0);
  };
  live.clear = back => { if (live.shown) window.timed.settled = performance.now(); clear(back); };
}"""


def free_port() -> int:
    """A port that nothing listens to."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return free.getsockname()[1]


@contextmanager
def served(home: Path) -> Iterator[str]:
    """A server of its own on a free port; gives its address."""
    port = free_port()
    command = [sys.executable, "-m", "fairviz.ui.shell.server", "run", "app.py", "--server.port", str(port)]
    server = subprocess.Popen(
        [*command, "--server.headless", "true", "--server.fileWatcherType", "none"],
        cwd=ROOT, env={**os.environ, "FAIRVIZ_HOME": str(home)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        address = f"http://localhost:{port}"
        for _ in range(120):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1)
                break
            except OSError:
                time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait()


def slider(page: "Page", key: str) -> "Locator":
    """The thumb of a slider of the sidebar."""
    return page.get_by_test_id("stSidebar").locator(f".st-key-{key}").get_by_role("slider")


def pressed(page: "Page", key: str) -> list[float]:
    """Milliseconds of MOVES moves of a slider by key, each on to a value that the server has not seen."""
    thumb, seen, times = slider(page, key), set(), []
    for _ in range(MOVES):
        seen.add(thumb.get_attribute("aria-valuetext"))
        thumb.focus()
        page.wait_for_function(STILL, timeout=PATIENCE)
        start = page.evaluate("performance.now()")
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(250)
        page.wait_for_function(STILL, timeout=PATIENCE)
        if thumb.get_attribute("aria-valuetext") in seen:
            raise SystemExit(f"the slider {key} did not move on from {sorted(seen)[-1]}")
        times.append(page.evaluate("window.lastChange") - start)
    return times


def near(page: "Page", key: str) -> None:
    """The hand comes near a slider, and what it needs arrives."""
    page.locator(f".st-key-{key} [data-testid=stSlider]").hover()
    page.wait_for_function(HERE, arg=key, timeout=PATIENCE)


def dragged(page: "Page", key: str) -> tuple[list[float], float]:
    """Milliseconds from a move of the pointer to the painted frame, for DRAGGED stops to and fro, and from letting go
    to the page as the server draws it."""
    track = page.locator(f".st-key-{key} [data-orientation=horizontal]").last.bounding_box()
    if track is None:
        raise SystemExit(f"there is no slider {key} on the page")
    page.evaluate("window.timed.frames = []")
    y = track["y"] + track["height"] / 2
    page.mouse.move(slider(page, key).evaluate(KNOB), y)
    page.mouse.down()
    places = np.linspace(track["x"], track["x"] + track["width"], DRAGGED // 2)
    for x in (*places, *places[-2::-1] + 2):
        page.mouse.move(float(x), y)
        page.wait_for_timeout(40)
    page.wait_for_function("window.timed.frames.length > 0", timeout=PATIENCE)
    times = page.evaluate("window.timed.frames")
    page.mouse.up()
    page.wait_for_function(
        "!window.fairvizLive.shown && window.timed.settled > window.timed.released", timeout=PATIENCE
    )
    settled = page.evaluate("window.timed.settled - window.timed.released")
    page.wait_for_function(STILL, timeout=PATIENCE)
    return times, settled


def told(times: Sequence[float]) -> str:
    """`median 12 ms, 95th percentile 20 ms of 60`."""
    return f"median {np.median(times):.0f} ms, 95th percentile {np.percentile(times, 95):.0f} ms of {len(times)}"


def opened(browser: "Browser", address: str, name: str) -> "tuple[Page, float]":
    """The page at rest, and how many seconds that took."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    start = time.perf_counter()
    page.goto(f"{address}/tradeoff?study={quote(name)}&position_bias={quote('rbp(p=0.5)')}")
    page.wait_for_selector(".js-plotly-plot .main-svg", timeout=PATIENCE)
    painted = time.perf_counter() - start
    if name not in page.get_by_test_id("stSidebar").inner_html():
        raise SystemExit(f"the app did not open {name}")
    page.evaluate(WATCH)
    page.wait_for_function(STILL, timeout=PATIENCE)
    return page, painted


def report(name: str, address: str) -> list[str]:
    """The lines on one study."""
    from playwright.sync_api import sync_playwright

    lines = [f"Trade-off page on {name}"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        page, seconds = opened(browser, address, name)
        lines.append(f"  first figure, the study opened: {seconds:.1f} s")
        start = time.perf_counter()
        for label, key in SLIDERS.items():
            near(page, key)
            lines.append(f"  {label}: what it needs is here {time.perf_counter() - start:.1f} s later")
        page.evaluate(TIMED)
        for label, key in SLIDERS.items():
            near(page, key)  # what was let go before has changed what this slider needs
            times, settled = dragged(page, key)
            lines.append(f"  {label} dragged: {told(times)} frames from pointer to paint; settled in {settled:.0f} ms")
        for label, key in SLIDERS.items():
            lines.append(f"  {label}: {told(pressed(page, key))} moves from key to the last change")
        browser.close()
    return lines


def scripts() -> int:
    """Bytes of the app's own scripts that the page loads, as they are sent."""
    files = (component.SCRIPT, legend.SCRIPT, wide.SCRIPT, charts.EXPORT_SCRIPT, charts.COPY_SCRIPT)
    loaded = [JAVASCRIPT, *(script.read_text(encoding="utf-8") for script in files)]
    return sum(len(compact(script).encode()) for script in loaded)


def run(names: list[str]) -> list[str]:
    """Every named study; without names newswire, Grep-BiasIR, if it was fetched, and the large made-up one."""
    lines = [f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; own scripts: {scripts() / 1000:.1f} kB"]
    with served(data_home()) as address:
        for name in names or ["newswire", *(["grep-biasir"] if resolve("grep-biasir") else [])]:
            lines += report(name, address)
    if not names:
        with tempfile.TemporaryDirectory() as folder:
            large = made_up(12, 1765, 1000)
            save_study(large, Path(folder, "studies", large.name))
            with served(Path(folder)) as address:
                lines += report(large.name, address)
    return lines


if __name__ == "__main__":
    print("\n".join(run(sys.argv[1:])), flush=True)
