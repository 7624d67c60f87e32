"""Further attributes of articles in TREC Fair Ranking 2022: cells of columns that the track's code calls dimensions.

`page_subcont_regions` and `occupations` are lists of texts, `source_subcont_regions` numbers of sources by region, and
the others a text each, as the track's published code (PageAlignments, MetricInputs) reads them.
"""

from typing import Any

from fairviz.study.attributes import BETWEEN, SHARE_SIGN

DIMENSIONS = {
    "sub-geo": "page_subcont_regions",
    "src-geo": "source_subcont_regions",
    "occ": "occupations",
    "alpha": "first_letter_category",
    "age": "creation_date_category",
    "pop": "relative_pageviews_category",
    "langs": "num_sitelinks_category",
}
KINDS = {"sub-geo": list, "occ": list, "src-geo": dict}  # of JSON; text for the others
_DESCRIBED = {list: "a list of texts", dict: "a table of numbers by region", str: "text"}
_RESERVED = {BETWEEN, SHARE_SIGN}


def dimension_cells(article: dict[str, Any]) -> tuple[dict[str, str], str]:
    """Return the cell of each dimension that the article has, and an empty text; or the reason why one is invalid.

    >>> dimension_cells({"page_subcont_regions": ["Europe", "Asia"], "source_subcont_regions": {"UNK": 2, "Asia": 1}})
    ({'sub-geo': 'Europe|Asia', 'src-geo': 'UNK=2|Asia=1'}, '')
    """
    cells: dict[str, str] = {}
    for name, key in DIMENSIONS.items():
        if key not in article:
            continue
        value, kind = article[key], KINDS.get(name, str)
        value = kind() if value is None else value
        if not isinstance(value, kind) or not _is_valid(value):
            return {}, f"the {key} is not {_DESCRIBED[kind]} without | and ="
        if isinstance(value, dict):
            value = [f"{one}{SHARE_SIGN}{number}" for one, number in value.items()]
        cells[name] = value if isinstance(value, str) else BETWEEN.join(value)
    return cells, ""


def _is_valid(value: object) -> bool:
    names = [value] if isinstance(value, str) else list(value)  # type: ignore[call-overload]
    if isinstance(value, dict) and not all(_is_count(number) for number in value.values()):
        return False
    return all(isinstance(name, str) and not set(name) & _RESERVED for name in names)


def _is_count(number: object) -> bool:
    return isinstance(number, (int, float)) and not isinstance(number, bool) and 0 <= number < float("inf")
