"""From the key N to the next document on the Inspect page, in a real browser, with 100,000 documents.

`python -m benchmarks.next_document [DOCUMENTS]` writes a made-up study (3 annotators, 5 systems, 200 queries, lists of
500) to a temporary folder, serves it, and presses the key 30 times. Prints median and 95th percentile, and those of a
study of 1,000 documents beside them: the time should not hang on the size.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.browser import FLAGS, served
from fairviz.study.study import make_study, save_study

PRESSES = 30
WORDS = np.array(["city", "the", "she", "his", "mother", "tree", "of", "man", "report", "rain", "nurse", "engineer"])
PRESS = """before => new Promise(done => {
  const start = performance.now();
  const look = () => {
    const name = document.querySelector('.fv-doc bdi');
    if (name && name.textContent !== before) requestAnimationFrame(() => done(performance.now() - start));
    else requestAnimationFrame(look);
  };
  document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'n', code: 'KeyN', bubbles: true}));
  look();
})"""


def made_up_texts(folder: Path, documents: int) -> None:
    """A study of so many documents of 70 words, labelled by three annotators at random."""
    random = np.random.default_rng(0)
    names = np.array([f"d{number}" for number in range(documents)])
    texts = [" ".join(words) for words in WORDS[random.integers(len(WORDS), size=(documents, 70))]]
    labels = np.array(["neutral", "female", "male"])[random.integers(3, size=3 * documents)]
    depth, queries, systems = min(500, documents), 200, 5
    lists = systems * queries
    runs = pd.DataFrame(
        {
            "system": np.repeat([f"s{number}" for number in range(systems)], queries * depth),
            "query_id": np.tile(np.repeat([f"q{number}" for number in range(queries)], depth), systems),
            "doc_id": names[np.concatenate([random.permutation(documents)[:depth] for _ in range(lists)])],
            "rank": np.tile(np.arange(1, depth + 1), lists),
            "score": np.tile(np.arange(depth, 0, -1.0), lists),
        }
    )
    who = np.repeat(["ada", "bob", "eve"], documents)
    study = make_study(
        folder.name,
        documents=pd.DataFrame({"doc_id": names, "text": texts}),
        labels=pd.DataFrame({"doc_id": np.tile(names, 3), "annotator": who, "label": labels}),
        runs=runs,
    )
    save_study(study, folder)


def presses(address: str, study: str) -> list[float]:
    """Milliseconds of each press of N, from the key to the frame that shows the next document's name."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS).new_page(
            viewport={"width": 1400, "height": 900}
        )
        page.set_default_timeout(180_000)
        page.goto(f"{address}/read?study={study}")
        page.wait_for_selector(".fv-doc")
        page.wait_for_timeout(3000)
        times = []
        for _ in range(PRESSES):
            times.append(page.evaluate(PRESS, page.locator(".fv-doc bdi").inner_text()))
            page.wait_for_timeout(600)
        return times


def main(documents: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        sizes = {f"made-{size}": size for size in (1_000, documents)}
        for name, size in sizes.items():
            made_up_texts(home / "studies" / name, size)
        with served(home) as address:
            for name, size in sizes.items():
                times = np.array(presses(address, name))
                print(f"{size:>9,} documents: {np.median(times):4.0f} ms, 95 % {np.quantile(times, 0.95):4.0f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
