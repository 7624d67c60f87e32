"""Files in the format that the TREC Fair Ranking track published, made by this project: four topics' worth of pages."""

import gzip
import json
from pathlib import Path

TOPICS = (
    {"id": 1, "title": "Chemistry", "keywords": ["chemist", "laboratory"], "scope": "Chemists.", "rel_docs": [11, 14]},
    {"id": 2, "title": "Rowing", "keywords": ["oar"], "scope": "Rowers.", "rel_docs": [12, 13, 15, 99]},
)
ARTICLES = (
    {"page_id": 11, "qual_cat": "Stub", "gender": ["female"], "page_subcont_regions": ["Europe"]},
    {"page_id": 12, "gender": ["female", "cisgender male"]},
    {"page_id": 13, "gender": []},
    {"page_id": 14, "gender": ["transgender male"]},
    {"page_id": 15, "gender": ["genderfluid"]},
    {"page_id": 77, "gender": ["male"]},  # named by nobody
)
FIRST = {"1": ["11", "12", "13", "14"], "2": ["14", "15", "88", "12"]}  # 88 has no attributes
SECOND = {("1", "1"): ["14", "11"], ("1", "2"): ["13", "11"], ("2", "1"): ["12", "15"]}


def lines(rows) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def track_files(folder: Path) -> dict[str, Path | list[Path]]:
    """topics, two runs (one of sequences) and the attributes, the large ones compressed as they were published."""
    (folder / "topics.jsonl").write_text(lines(TOPICS))
    rows = ["id\tpage_id", *(f"{topic}\t{page}" for topic, pages in FIRST.items() for page in pages)]
    (folder / "coordinators.tsv").write_text("\n".join(rows) + "\n")
    rows = ["id\tseq_no\tpage_id", *(f"{t}\t{s}\t{page}" for (t, s), pages in SECOND.items() for page in pages)]
    (folder / "input.editors.gz").write_bytes(gzip.compress(("\n".join(rows) + "\n").encode()))
    (folder / "articles.json.gz").write_bytes(gzip.compress(lines(ARTICLES).encode()))
    return {
        "topics": folder / "topics.jsonl",
        "runs": [folder / "coordinators.tsv", folder / "input.editors.gz"],
        "attributes": folder / "articles.json.gz",
    }
