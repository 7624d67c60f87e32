"""From letting go of a slider to the redrawn Trade-off page, in a real browser against a real server.

`python -m benchmarks.browser STUDY …` (a folder or a name; by default Grep-BiasIR where it was fetched, and a made-up
study of 12 × 1,765 × 1,000 written to a temporary folder). A move is a key press on a slider; it ends with the last
change of the page before it has been still for half a second. Prints median and 95th percentile.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import numpy as np

from benchmarks.synthetic import made_up
from fairviz.datasets import data_home, resolve
from fairviz.study.study import save_study

ROOT = Path(__file__).parent.parent
MOVES = 12
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
WATCH = """() => {
  window.lastChange = performance.now();
  new MutationObserver(() => { window.lastChange = performance.now(); })
    .observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true});
}"""
STILL = "() => performance.now() - window.lastChange > 500"
SWEEP = """async () => {
  const graph = [...document.querySelectorAll('.js-plotly-plot')].find(g => (g._transitionData || {})._frames.length);
  if (!graph) return null;
  const names = graph._transitionData._frames.map(frame => frame.name), times = [];
  const now = {mode: 'immediate', frame: {duration: 0, redraw: false}, transition: {duration: 0}};
  for (const name of names) {
    const start = performance.now();
    await window.Plotly.animate(graph, [name], now);
    await new Promise(requestAnimationFrame);
    times.push(performance.now() - start);
  }
  return times;
}"""


@contextmanager
def served(home: Path) -> Iterator[str]:
    """A server of its own on a free port; gives its address."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
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


def moves(page, place: int) -> list[float]:
    """Milliseconds of MOVES moves of this slider of the sidebar, counted from 0."""
    thumb = page.get_by_test_id("stSidebar").get_by_role("slider").nth(place)
    times = []
    for step in range(MOVES):
        thumb.focus()
        page.wait_for_function(STILL, timeout=120_000)
        start = page.evaluate("performance.now()")
        page.keyboard.press("ArrowRight" if step % 2 else "ArrowLeft")
        page.wait_for_timeout(250)
        page.wait_for_function(STILL, timeout=120_000)
        times.append(page.evaluate("window.lastChange") - start)
    return times


def report(name: str, address: str) -> list[str]:
    """The lines on one study."""
    from playwright.sync_api import sync_playwright

    lines = [f"Trade-off page on {name}"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        start = time.perf_counter()
        page.goto(f"{address}/tradeoff?study={quote(name)}")
        page.wait_for_selector(".js-plotly-plot .main-svg", timeout=300_000)
        if name not in page.get_by_test_id("stSidebar").inner_html():
            raise SystemExit(f"the app did not open {name}")
        page.evaluate(WATCH)
        page.wait_for_function(STILL, timeout=300_000)
        lines.append(f"  first sight, the study opened: {time.perf_counter() - start:.1f} s")
        for place, label in enumerate(("cutoff", "alpha")):
            times = moves(page, place)
            lines.append(
                f"  {label}: median {np.median(times):.0f} ms, 95th percentile {np.percentile(times, 95):.0f} ms "
                f"from key to the last change, {len(times)} moves"
            )
        page.get_by_text("sweep α").first.click()
        page.wait_for_timeout(1500)
        page.wait_for_function(STILL, timeout=120_000)
        times = page.evaluate(SWEEP) or [float("nan")]
        lines.append(
            f"  α swept inside the figure: median {np.median(times):.0f} ms, 95th percentile "
            f"{np.percentile(times, 95):.0f} ms a step, {len(times)} steps, no call to the server"
        )
        browser.close()
    return lines


def run(names: list[str]) -> list[str]:
    """Every named study; without names Grep-BiasIR, if it was fetched, and the large made-up one."""
    lines = []
    if names or resolve("grep-biasir"):
        with served(data_home()) as address:
            for name in names or ["grep-biasir"]:
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
