"""Small files in the formats of the TREC Fair Ranking track and of NTCIR's FairWeb tasks, made by this project."""

import gzip
import json
from pathlib import Path

# The track: two topics' worth of pages
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


# FairWeb: two topics of researchers, one of videos
QRELS = "R1 a L2\nR1 b L0\nR1 c L1\nR2 c L1\nR2 d L1\nR2 a L0\nY1 v L2\n"
GENDER = (
    "R1 a 1 0 0\nR1 b 0.333333 0.333333 0.333333\nR1 c 0 0.25 0.75\nR2 c 0 0.25 0.75\nR2 d 0 1 0\nR2 a 0.2 0.4 0.4\n"
)
HINDEX = "R1 a 1 0\nR1 b 0.5 0.5\nR1 c 0 1\nR2 c 0 1\nR2 d 0.75 0.25\nR2 a 1 0\n"
GOLD = "0.25\n0.75\n"
FIRST_RUN = "<SYSDESC>A run.</SYSDESC>\nR1 0 a 1 3 first\nR1 0 u 2 2 first\nR1 0 c 3 1 first\nR2 0 d 1 2 first\n"
FIRST_RUN += "R2 0 a 2 1 first\nY1 0 v 1 1 first\n"
SECOND_RUN = "R1 Q0 c 1 2.5 second\nR1 Q0 b 2 1.5 second\nR2 Q0 c 1 2 second\n"


def fairweb_files(folder: Path) -> dict[str, Path | list[Path]]:
    """qrels, two sets of memberships, the targets of one of them, and two runs."""
    (folder / "toy.qrels").write_text(QRELS)
    (folder / "toy.R-GENDER.gmemb").write_text(GENDER)
    (folder / "toy.R-HINDEX.gmemb.gz").write_bytes(gzip.compress(HINDEX.encode()))
    (folder / "R-HINDEX.golddistr").write_text(GOLD)
    (folder / "first.txt").write_text(FIRST_RUN)
    (folder / "second").write_text(SECOND_RUN)
    return {
        "memberships": [folder / "toy.R-GENDER.gmemb", folder / "toy.R-HINDEX.gmemb.gz"],
        "qrels": folder / "toy.qrels",
        "runs": [folder / "first.txt", folder / "second"],
        "gold": [folder / "R-HINDEX.golddistr"],
    }
