"""Opening a link: from the address to the heading, and to the last figure of the screen, in a real browser.

`python -m benchmarks.first_sight` alternates, in one run, a page of Streamlit alone (a title, and the same with one
Plotly figure) with Overview and Trade-off on newswire; each with an empty and a filled browser cache, the servers warm.
Prints medians in seconds, and each as a ratio to the page with a title alone.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.browser import FLAGS, PATIENCE, free_port, served
from fairviz.datasets import data_home

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROUNDS = 7
BARE = """import plotly.graph_objects as go
import streamlit as st

st.set_page_config(layout="wide")
st.title("A title", anchor=False)
if "figure" in st.query_params:
    st.plotly_chart(go.Figure(go.Scatter(y=[1, 2, 3])))
"""
MARKED = """window.marks = {};
new MutationObserver(() => {
  if (!marks.heading && document.querySelector('[data-testid=stMain] h1')) marks.heading = performance.now();
  const figures = [...document.querySelectorAll('[data-testid=stPlotlyChart]')].filter(figure => figure.offsetParent);
  const drawn = figures.filter(figure => figure.querySelector('.main-svg')).length;
  if (drawn !== (window.drawn ?? 0)) { window.drawn = drawn; marks.figures = performance.now(); }
}).observe(document, {subtree: true, childList: true, attributes: true});"""
STANDS = """() => document.querySelector('[data-testid=stApp]')?.dataset.testScriptState === 'notRunning'
  && !document.querySelector('[data-testid=stSkeleton]') && document.querySelector('[data-testid=stMain] h1')
  && [...document.querySelectorAll('[data-testid=stPlotlyChart]')]
    .every(figure => figure.offsetParent === null || figure.querySelector('.main-svg'))"""


@contextmanager
def bare() -> Iterator[str]:
    """A server of Streamlit alone; gives its address."""
    with tempfile.TemporaryDirectory() as folder:
        script, port = Path(folder, "bare.py"), free_port()
        script.write_text(BARE, encoding="utf-8")
        server = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port),
             "--server.headless", "true", "--server.fileWatcherType", "none"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
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


def sight(page: "Page", address: str) -> dict[str, float]:
    """Seconds from the address to the heading and to the last figure."""
    page.add_init_script(MARKED)
    page.goto(address)
    page.wait_for_function(STANDS, timeout=PATIENCE)
    marks = page.evaluate("marks")
    page.close()
    return {name: milliseconds / 1000 for name, milliseconds in marks.items()}


def rounds(browser: "Browser", addresses: dict[str, str]) -> dict[tuple[str, str], list[dict[str, float]]]:
    """What each page took, by its name and the state of the cache; the first round warms the servers."""
    found: dict[tuple[str, str], list[dict[str, float]]] = {}
    for number in range(ROUNDS + 1):
        for name, address in addresses.items():
            context = browser.new_context(viewport={"width": 1400, "height": 900})
            for cache in ("empty", "filled"):
                marks = sight(context.new_page(), address)
                if number:
                    found.setdefault((name, cache), []).append(marks)
            context.close()
    return found


def lines(found: dict[tuple[str, str], list[dict[str, float]]]) -> list[str]:
    """A line for each page, state of the cache and mark."""
    told = []
    for (name, cache), marks in found.items():
        for mark in ("heading", "figures"):
            times = [each[mark] for each in marks if mark in each]
            if times:
                base = statistics.median(each["heading"] for each in found["a title", cache])
                median = statistics.median(times)
                told.append(
                    f"  {name}, cache {cache}, {mark}: {median:.2f} s, {median / base:.2f} times the bare title"
                )
    return told


def run() -> list[str]:
    """The figures on this machine."""
    from playwright.sync_api import sync_playwright

    with bare() as alone, served(data_home()) as app, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        addresses = {
            "a title": alone,
            "a title and a figure": f"{alone}?figure=1",
            "Overview": f"{app}/?study=newswire",
            "Trade-off": f"{app}/tradeoff?study=newswire",
        }
        found = rounds(browser, addresses)
        browser.close()
    return [f"Opening a link, load {os.getloadavg()[0]:.1f}, medians of {ROUNDS}", *lines(found)]


if __name__ == "__main__":
    print("\n".join(run()), flush=True)
