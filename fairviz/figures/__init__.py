"""Tables to Plotly figures: pure functions, one figure a file.

Each file holds `info`, which computes what is drawn as a frozen dataclass, and `draw`, which turns that into a
`go.Figure`. Tests compare the first whole. `style` holds what all share: themes, colours, markers, titles of axes.
To add a figure: a file with both, and a line in FIGURES.

May import measures, annotation, rankers and what lies below them, and its neighbours evaluation and datasets.
"""

from importlib import import_module
from types import ModuleType

FIGURES: dict[str, str] = {  # what each shows, page by page; a file is loaded where it is asked for
    "bias_curve": "how much attention each rank receives",
    "scatter": "one measure against another, a point a system",
    "mitigation_plane": "fairness against effectiveness with each mitigation, an arrow from what it mends",
    "alpha_curve": "CWEx of each system along alpha",
    "cutoff_curve": "a measure of each system along the cutoff",
    "ternary": "exposure by gender of the document",
    "differences": "how far systems lie from one of them, query by query, measure by measure",
    "waterfall": "what a value is made of, rank by rank or query by query",
    "strip": "one query among all, a row a measure",
    "list_front": "one list among those of all systems, with the front of its reorderings",
    "query_differences": "two systems on every query, sorted by their difference",
    "bump": "the order of the systems by each measure",
    "protected_ranks": "where documents of the protected group stand in the lists of each ranker",
    "list_moves": "one list before and after a ranker has ordered it",
    "crbo": "how far lists move when genders are swapped, beside a placebo",
    "crbo_queries": "the same query by query",
    "pairs_and_lists": "which group rankers prefer in pairs, against whom their lists favour",
    "gsr_scatter": "genderedness of ranked lists on that of their queries, with the slope",
    "leave_out_curve": "GSR without the most gendered queries",
    "reordering": "how far debiasing reorders each query's list",
    "reliability": "genderedness of queries by two sets of vectors",
    "direct_gap": "which gender's documents a query finds too often",
    "parity_cloud": "GSR against statistical parity on the toy set",
    "gendered_axis": "words between male and female",
    "word_plane": "words by gender and by what else sets them apart",
    "explained_variance": "how much of the pairs' variance gender explains",
    "label_ranges": "how far labels carry, beside queries",
    "annotator_values": "a measure of each system under one annotator after another",
    "intervals": "agreement with its intervals",
    "kappa_matrix": "Cohen's kappa of every pair of annotators",
    "measure_matrix": "how far every pair of measures agrees",
    "specification_curve": "two systems under every combination of choices, sorted, with the choices underneath",
    "choice_map": "which of two systems is fairer for each pair of levels of two choices",
    "weight_plane": "effectiveness against fairness, a point a weight of senses",
    "weight_curves": "each measure over a weight of senses, beside a placebo",
    "weight_scores": "each document's score for a query over a weight of senses",
    "sense_bars": "how much each sense of a Backpack carries gender",
    "confusion": "what one annotator says where another says what",
}


def figure(name: str) -> ModuleType:
    """The file of a figure, with its `info` and `draw`. Raises KeyError for a name that is none of FIGURES."""
    if name not in FIGURES:
        raise KeyError(name)
    return import_module(f"{__name__}.{name}")
