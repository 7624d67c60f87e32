"""Made answers: forty queries whose contexts have ten documents on women and men, and systems with a known suppression
of female: of each citation, the chance to be of a woman is (1 − s) of her share of the context."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

SUPPRESSED = {"even": 0.0, "third": 1 / 3, "half": 0.5}
CITATIONS = 3


def made_answers(folder: Path, suppressed: Mapping[str, float] = SUPPRESSED, queries: int = 40, seed: int = 7) -> Path:
    """Write a study of the answers of these systems, and return its folder."""
    draws = np.random.default_rng(seed)
    (folder / "answers").mkdir(parents=True)
    labels, lines = ["doc_id,label"], {system: list[str]() for system in suppressed}
    for query in range(queries):
        documents = [f"q{query}d{place}" for place in range(10)]
        women = draws.permutation(10)[: 3 + 4 * (query % 2)]
        labels += [f"{name},{'female' if place in women else 'male'}" for place, name in enumerate(documents)]
        for system, size in suppressed.items():
            cited: list[int] = []
            while len(cited) < CITATIONS:
                is_female = draws.random() < (1 - size) * len(women) / 10
                pool = [place for place in range(10) if (place in women) == is_female and place not in cited]
                cited.append(int(draws.choice(pool)))
            words = "She said so." if cited[0] in women else "He said so."
            row = {"query_id": f"q{query}", "text": words, "context": documents}
            lines[system].append(json.dumps({**row, "citations": [documents[place] for place in cited]}))
    (folder / "labels.csv").write_text("\n".join(labels) + "\n", encoding="utf-8")
    (folder / "queries.tsv").write_text("".join(f"q{query}\tquestion {query}\n" for query in range(queries)))
    for system, rows in lines.items():
        (folder / "answers" / f"{system}.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder
