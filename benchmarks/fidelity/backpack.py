"""The Backpack ranker's paper: its equations 6 to 9, and what its tables say of one another."""

from itertools import pairwise

from benchmarks.fidelity.rows import NOTHING, Chapter, Row, Table, absent, counted, differs, numbers

HEADS = ("the paper", "here")
TRAINED = "the ranker is trained on MS MARCO, and no package contains its weights or those passages"
RUNS = "the runs and MS MARCO's passages may not be redistributed"
RANKING = {  # Table 1: MRR@10, nDCG@5, nDCG@10
    "GPT-2": (0.3156, 0.3448, 0.3843),
    "Backpack, α = 0.5": (0.3252, 0.3563, 0.3947),
    "Backpack, α = 0.7": (0.3298, 0.3601, 0.3985),
    "Backpack, α = 1": (0.3343, 0.3640, 0.4025),
}
BIAS = {  # Table 2: RaB and ARaB by TF, RaB and ARaB by Boolean
    10: {
        "BM25": (0.062, 0.063, 0.048, 0.044),
        "PACRR": (0.080, 0.084, 0.062, 0.063),
        "MP": (0.065, 0.072, 0.052, 0.056),
        "KNRM": (0.067, 0.064, 0.051, 0.051),
        "ConvKNRM": (0.080, 0.077, 0.064, 0.060),
        "ours, α = 1": (0.064, 0.064, 0.047, 0.047),
        "ours, α = 0.5": (0.053, 0.056, 0.039, 0.042),
    },
    20: {
        "BM25": (0.060, 0.062, 0.048, 0.046),
        "PACRR": (0.073, 0.081, 0.058, 0.061),
        "MP": (0.063, 0.068, 0.052, 0.054),
        "KNRM": (0.068, 0.066, 0.054, 0.052),
        "ConvKNRM": (0.071, 0.075, 0.058, 0.059),
        "ours, α = 1": (0.058, 0.062, 0.045, 0.046),
        "ours, α = 0.5": (0.051, 0.053, 0.040, 0.041),
    },
    30: {
        "BM25": (0.058, 0.060, 0.048, 0.047),
        "PACRR": (0.070, 0.078, 0.057, 0.060),
        "MP": (0.059, 0.066, 0.049, 0.053),
        "KNRM": (0.068, 0.067, 0.055, 0.053),
        "ConvKNRM": (0.069, 0.074, 0.057, 0.059),
        "ours, α = 1": (0.061, 0.061, 0.048, 0.046),
        "ours, α = 0.5": (0.052, 0.053, 0.041, 0.041),
    },
    40: {
        "BM25": (0.057, 0.060, 0.048, 0.047),
        "PACRR": (0.066, 0.076, 0.055, 0.059),
        "MP": (0.055, 0.064, 0.045, 0.051),
        "KNRM": (0.067, 0.067, 0.056, 0.054),
        "ConvKNRM": (0.068, 0.073, 0.056, 0.059),
        "ours, α = 1": (0.059, 0.061, 0.048, 0.047),
        "ours, α = 0.5": (0.053, 0.053, 0.043, 0.041),
    },
}


def chapter(_: str) -> Chapter:
    """The chapter's tables; it needs no stop words."""
    tables = {"tables": [*_table_1(), *_table_2(), *_candidates()], "arithmetic": _arithmetic()}
    return Chapter({name: Table(HEADS, tuple(rows)) for name, rows in tables.items()})


def _table_1() -> list[Row]:
    return [
        absent(f"Table 1, {model}: MRR@10, nDCG@5, nDCG@10", numbers(told), TRAINED) for model, told in RANKING.items()
    ]


def _table_2() -> list[Row]:
    what = "Table 2, top {}, {}: RaB and ARaB by TF, by Boolean"
    return [
        absent(what.format(k, model), numbers(told, 3), TRAINED if "ours" in model else RUNS)
        for k, models in BIAS.items()
        for model, told in models.items()
    ]


def _candidates() -> list[Row]:
    return [
        absent("Figure 2: nDCG@10 and bias over α", NOTHING, "its numbers are not in the text"),
        absent("Figure 3 and Table 3: three candidates for a post", NOTHING, TRAINED),
    ]


def _arithmetic() -> list[Row]:
    """What the text says of the tables, and whether they say it."""
    lowest = sum(
        models["ours, α = 0.5"][column] <= min(told[column] for told in models.values())
        for models in BIAS.values()
        for column in range(4)
    )
    gpt, *packs = RANKING.values()
    better = sum(one > other for pack in packs for one, other in zip(pack, gpt, strict=True))
    falling = sum(one < other for low, high in pairwise(packs) for one, other in zip(low, high, strict=True))
    gentler = sum(
        one <= other for models in BIAS.values() for one, other in zip(models["BM25"], models["MP"], strict=True)
    )
    zero = "log(0) is minus infinity for each word that a text lacks; the authors' code has log(1 + count of all words)"
    tops = "Table 2 has no top 5"
    return [
        counted("“α = 0.5 consistently achieves the lowest bias”: cells of Table 2", lowest, 16),
        counted("“consistently outperforms the GPT-2 baseline”: cells of Table 1", better, 9),
        counted("“decreasing α slightly reduces ranking performance”: steps of Table 1", falling, 6),
        counted(
            "Appendix B: BM25 is less biased than MP, in cells of Table 2",
            gentler,
            16,
            "at the top 40 it is MP, by RaB",
        ),
        differs("Section 4: cutoffs at which bias is measured", "5, 10, 20, 30, 40", ", ".join(map(str, BIAS)), tops),
        differs("Equation 6: TF magnitude of a text without a gender word", "Σ log(0)", "0", zero),
    ]
