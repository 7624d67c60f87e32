"""
Generated answers
=================

Gender in what a system was shown against that of what it cites, on made answers.
"""
# sphinx_gallery_thumbnail_path = "_static/thumbnails/plot_answers.png"

import json
import tempfile
from pathlib import Path

import numpy as np

import fairviz

folder, draws = Path(tempfile.mkdtemp(), "made-answers"), np.random.default_rng(7)
(folder / "answers").mkdir(parents=True)
labels, lines = ["doc_id,label"], {"even": [], "half": []}
for query in range(40):
    documents = [f"q{query}d{place}" for place in range(10)]
    women = draws.permutation(10)[: draws.integers(2, 9)]
    labels += [f"{name},{'female' if place in women else 'male'}" for place, name in enumerate(documents)]
    for system, factor in (("even", 1.0), ("half", 0.5)):
        weights = np.where(np.isin(range(10), women), factor, 1.0)
        cited = draws.choice(10, 4, replace=False, p=weights / weights.sum())
        row = {"query_id": f"q{query}", "text": "She won." if cited[0] in women else "He won.", "context": documents}
        lines[system].append(json.dumps({**row, "citations": [documents[place] for place in cited]}))
(folder / "labels.csv").write_text("\n".join(labels))
for system, rows in lines.items():
    (folder / "answers" / f"{system}.jsonl").write_text("\n".join(rows))
found = fairviz.answers(fairviz.open_study(folder))

# %%
# answer_plane
# ------------
# A point an answer, a line and a mean with intervals a system.

fairviz.plot.answer_plane(found.queries, found.gaps, found.slopes, found.protected)
