"""The ledger of every paper: what it prints, what comes out here, and whether the two agree. A chapter a paper.

`python -m benchmarks.fidelity STOPLIST` computes all of it and writes docs/fidelity.md. To add a chapter: a module
whose `chapter` returns tables of rows, its words in `NAME.md.txt` with `{table}` where they go, and a line in CHAPTERS.
"""

from benchmarks.fidelity.page import CHAPTERS, TARGET, Paper, document, section

__all__ = ["CHAPTERS", "TARGET", "Paper", "document", "section"]
