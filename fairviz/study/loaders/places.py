"""Where parts of a study also lie: under the names that data sets are published with.

Such a file is read only where the study's folder has no file of that part under its own name; runs are read beside
those in `runs`. To add a layout, write a line in `places`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fairviz.study.loaders import suffixes_of

TABLES = "tables"  # of Grep-BiasIR, which hold documents, labels and relevance in the same rows


@dataclass(frozen=True)
class Place:
    """Files of a part by their path in the study's folder; `part` is one of a study's, or TABLES.

    each: whether all such files of one folder are read, as runs are, and not the first alone.
    """

    part: str
    pattern: str
    each: bool = False


def places() -> tuple[Place, ...]:
    """BEIR's and TREC's names, then those of single publications; of two places of a part the first that is there."""
    queries, documents, qrels = (_ending(part) for part in ("queries", "documents", "qrels"))
    return (
        Place("documents", f"(?i:corpus{documents})"),
        Place("queries", f"(?i:topics{queries})"),
        Place("qrels", f"(?i:qrels/test{qrels})"),
        Place("qrels", f"(?i:qrels/[^/]*{qrels})"),
        Place(TABLES, r"(csv_formatted/)?queries-documents_[^/]+\.csv", each=True),
        Place("queries", r"csv_formatted/queries\.csv"),
        Place("labels", r"MSMGenderBias\.csv"),
        Place("queries", r"(.+/)?msmarco_passage\.dev\.fair\.tsv"),
        Place("lexicon", r"(.+/)?wordlist_gender_representative\.txt"),
        Place("runs", rf".+/sample_trec_runs/msmarco_passage/[^/]+{_ending('runs')}", each=True),
    )


def _ending(part: str) -> str:
    return f"(?:{'|'.join(map(re.escape, suffixes_of(part)))})"


def candidates(names: Iterable[str]) -> list[tuple[Place, list[str]]]:
    """The places of which there are files among these names, each with them."""
    known = places()
    whole = re.compile("|".join(f"(?:{place.pattern})" for place in known))
    few = [name for name in names if whole.fullmatch(name)]
    found = [(place, [name for name in few if re.fullmatch(place.pattern, name)]) for place in known]
    return [(place, fitting) for place, fitting in found if fitting]


def taken(place: Place, names: Sequence[str]) -> list[str]:
    """Of the files of a place those that are read: the first, or all of its folder."""
    if not place.each:
        return [*names[:1]]
    folder = names[0].rpartition("/")[0]
    return [name for name in names if name.rpartition("/")[0] == folder]
