"""Other paths of a study's parts: the names of published data sets.

A file at one of them is read only if the study's folder has no file of that part under its own name; runs are read in
addition to those in `runs`. To add a layout, write a line in `places`.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fairviz.study.loaders import suffixes_of
from fairviz.study.loaders.mteb import SUFFIXES as MTEB_SUFFIXES

_PIECES = r"[^/]*\.parquet"
_NUMBER = re.compile(r"[0-9]+(?:-of-[0-9]+)?(?=\.parquet$)")
TABLES = "tables"  # of Grep-BiasIR, with documents, labels and relevance in the same rows


@dataclass(frozen=True)
class Place:
    """Files of a part by their path in the study's folder; `part` is one of a study's, or TABLES.

    each: whether all these files of a folder are read, as for runs, or only the first; across: of all folders. Of a
    single part they are its pieces: those called as the first but for their number.
    """

    part: str
    pattern: str
    each: bool = False
    across: bool = False


def places() -> tuple[Place, ...]:
    """Return the places by BEIR's and TREC's names, then those of single publications; a part's first match is used."""
    queries, documents, qrels, labels = (_ending(part) for part in ("queries", "documents", "qrels", "labels"))
    return (
        Place("documents", f"(?i:corpus{documents})"),
        Place("queries", rf"(?i:topics(?:\.[^/]+)?{queries})"),
        Place("queries", rf"(?i:queries\.[^/]+{queries})"),
        Place("qrels", rf"(?i:qrels\.[^/]+{qrels})"),
        Place("qrels", f"(?i:qrels/test{qrels})"),
        Place("qrels", f"(?i:qrels/[^/]*{qrels})"),
        Place("documents", rf"(?i:(?:[^/]+-)?corpus/(?:[^/]+/)?{_PIECES})", each=True),
        Place("queries", rf"(?i:(?:[^/]+-)?queries/(?:[^/]+/)?{_PIECES})", each=True),
        Place("qrels", rf"(?i:(?:default|(?:[^/]+-)?qrels)/(?:test/|test\b){_PIECES})", each=True),
        Place("qrels", rf"(?i:(?:default|(?:[^/]+-)?qrels)/(?:[^/]+/)?{_PIECES})", each=True),
        Place(TABLES, r"(csv_formatted/)?queries-documents_[^/]+\.csv", each=True),
        Place("queries", r"csv_formatted/queries\.csv"),
        Place("labels", rf"(?i:memberships{labels})"),
        Place("labels", r"MSMGenderBias\.csv"),
        Place("queries", r"(.+/)?msmarco_passage\.dev\.fair\.tsv"),
        Place("lexicon", r"(.+/)?wordlist_gender_representative\.txt"),
        Place("runs", rf".+/sample_trec_runs/msmarco_passage/[^/]+{_ending('runs')}", each=True),
        Place("runs", rf"(.+/)?[^/]+(?i:{'|'.join(map(re.escape, MTEB_SUFFIXES))})", each=True, across=True),
    )


def _ending(part: str) -> str:
    return f"(?:{'|'.join(map(re.escape, suffixes_of(part)))})"


def match_places(names: Iterable[str]) -> list[tuple[Place, list[str]]]:
    """Return the places with files among these names, each with its files."""
    all_places = places()
    any_place = re.compile("|".join(f"(?:{place.pattern})" for place in all_places))
    matching_names = sorted(name for name in names if any_place.fullmatch(name))
    names_by_place = [
        (place, [name for name in matching_names if re.fullmatch(place.pattern, name)]) for place in all_places
    ]
    return [(place, place_names) for place, place_names in names_by_place if place_names]


def select_files(place: Place, names: Sequence[str]) -> list[str]:
    """Return the files of a place that are read: the first, or all of its folder, or of all folders."""
    if not place.each:
        return [*names[:1]]
    if place.across:
        return [*names]
    return [name for name in names if _series(name) == _series(names[0])]


def _series(name: str) -> str:
    """Return what the pieces of a part, or the runs of a folder, have in common."""
    return _NUMBER.sub("", name) if name.endswith(".parquet") else name.rpartition("/")[0]


def missing_pieces(names: Sequence[str]) -> int:
    """Return how many pieces lack of those that the names announce, as `-00000-of-00003.parquet`."""
    announced = re.search(r"-of-([0-9]+)\.parquet$", names[0]) if names else None
    return int(announced[1]) - len(names) if announced else 0
