"""Files in the format of NTCIR's FairWeb tasks, made by this project: two topics of researchers, one of videos."""

import gzip
from pathlib import Path

QRELS = "R1 a L2\nR1 b L0\nR1 c L1\nR2 c L1\nR2 d L1\nR2 a L0\nY1 v L2\n"
GENDER = (
    "R1 a 1 0 0\nR1 b 0.333333 0.333333 0.333333\nR1 c 0 0.25 0.75\nR2 c 0 0.25 0.75\nR2 d 0 1 0\nR2 a 0.2 0.4 0.4\n"
)
HINDEX = "R1 a 1 0\nR1 b 0.5 0.5\nR1 c 0 1\nR2 c 0 1\nR2 d 0.75 0.25\nR2 a 1 0\n"
GOLD = "0.25\n0.75\n"
FIRST = "<SYSDESC>A run.</SYSDESC>\nR1 0 a 1 3 first\nR1 0 u 2 2 first\nR1 0 c 3 1 first\nR2 0 d 1 2 first\n"
FIRST += "R2 0 a 2 1 first\nY1 0 v 1 1 first\n"
SECOND = "R1 Q0 c 1 2.5 second\nR1 Q0 b 2 1.5 second\nR2 Q0 c 1 2 second\n"


def fairweb_files(folder: Path) -> dict[str, Path | list[Path]]:
    """qrels, two sets of memberships, the targets of one of them, and two runs."""
    (folder / "toy.qrels").write_text(QRELS)
    (folder / "toy.R-GENDER.gmemb").write_text(GENDER)
    (folder / "toy.R-HINDEX.gmemb.gz").write_bytes(gzip.compress(HINDEX.encode()))
    (folder / "R-HINDEX.golddistr").write_text(GOLD)
    (folder / "first.txt").write_text(FIRST)
    (folder / "second").write_text(SECOND)
    return {
        "memberships": [folder / "toy.R-GENDER.gmemb", folder / "toy.R-HINDEX.gmemb.gz"],
        "qrels": folder / "toy.qrels",
        "runs": [folder / "first.txt", folder / "second"],
        "gold": [folder / "R-HINDEX.golddistr"],
    }
