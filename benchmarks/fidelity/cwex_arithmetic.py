"""The CWEx paper: what its printed numbers say of one another, which needs no data."""

from collections.abc import Iterable

from benchmarks.fidelity import cwex_printed as printed
from benchmarks.fidelity.rows import Row, agrees, counted, differs, judged, numbers
from benchmarks.fidelity.texfair_printed import EFFECTIVENESS as TEXFAIR

HALF = 0.5e-4  # of the last printed digit


def arithmetic() -> list[Row]:
    """Rows of counts, as `9 of 12`: how many printed numbers follow from other printed ones."""
    return [*_kappas(), *_wholes(), *_improvements(), *_table_7(), _fairest(), _table_8()]


def _kappas() -> list[Row]:
    """κ from accuracy alone: with three labels equally frequent, one third is agreed on by chance, whatever is said.

    Grep-BiasIR's are nearly so, which leaves κ a narrow range.
    """
    made = []
    for model, told in printed.ACCURACY["Grep-BiasIR"].items():
        what = f"Table 5 from Table 3, Grep-BiasIR, {model}: κ that the accuracy gives"
        shown = printed.KAPPA["Grep-BiasIR"][model]
        found = numbers([_kappa(accuracy, 1 / 3) for accuracy in told])
        if all(_is_possible(*pair) for pair in zip(told, shown, strict=True)):
            made.append(agrees(what, numbers(shown), found, but="as far as labels of 238, 232 and 232 documents allow"))
        else:
            made.append(differs(what, numbers(shown), found, "it seems to leave out documents without a label"))
    return made


def _kappa(accuracy: float, by_chance: float) -> float:
    return (accuracy - by_chance) / (1 - by_chance)


def _is_possible(accuracy: float, kappa: float) -> bool:
    """Whether some frequencies of the answers give this κ: chance lies between the rarest and the commonest label."""
    low, high = _kappa(accuracy - HALF, 238 / 702), _kappa(accuracy + HALF, 232 / 702)
    return low - HALF <= kappa <= high + HALF


def _wholes() -> list[Row]:
    grep, passages = (list(_all(printed.ACCURACY[name].values())) for name in ("Grep-BiasIR", "MSMGenderBias"))
    of_702, of_893 = (sum(is_share(each, of) for each in told) for told, of in ((grep, 702), (passages, 893)))
    best = max(sum(is_share(each, of) for each in grep) for of in range(100, 1000))
    stereotypes = printed.BY_STEREOTYPE.values()
    found = sum(is_share(women, 120) + is_share(men, 54) for women, men in stereotypes)
    why = f"no number of documents from 100 to 999 fits more than {best} of them"
    return [
        counted("Table 3, MSMGenderBias: accuracies that are shares of 893 documents", of_893, len(passages)),
        counted("Table 3, Grep-BiasIR: accuracies that are shares of 702 documents", of_702, len(grep), why),
        counted("Table 6: accuracies that are shares of 120 and of 54 documents", found, 2 * len(stereotypes)),
    ]


def _improvements() -> list[Row]:
    found = []
    for name in ("Grep-BiasIR", "MSMGenderBias"):
        best = max(_all(printed.KAPPA[name].values()))
        found.append(f"{100 * (best - printed.NEUTRALITY_KAPPA[name]):.2f}")
    what = "Abstract: “58.77%” and “18.51%” above NFaiRR, as differences of Table 5's κ in points"
    return [judged(what, "58.77, 18.51", ", ".join(found))]


def _table_7() -> list[Row]:
    """CWEx is linear in alpha: two values of it give neutral exposure and the mean gap, and so the third value."""
    middle, gaps, smallest = 0, 0, float("inf")
    rows = list(_all(printed.FAIRNESS.values()))
    for low, half, high, exposure, _ in rows:
        slope = (high - low) / 0.5  # neutral exposure + mean gap
        middle += abs(low + 0.3 * slope - half) <= 2.5 * HALF
        gap = 0.2 * slope - low
        gaps += abs(gap - exposure) <= 3 * HALF
        smallest = min(smallest, gap / exposure)
    why = f"CWEx has the mean of absolute gaps, {smallest:.1f} times as large or more; this is the absolute mean gap"
    return [
        counted("Table 7: CWEx at alpha 0.5 that follows from 0.2 and 0.7", middle, len(rows)),
        counted("Table 7: differences of exposures that are the gap inside CWEx", gaps, len(rows), why),
    ]


def _fairest() -> Row:
    """What section 5.3 says is fairest, by column of Table 7."""
    said = {
        "Grep-BiasIR": ("MiniLM", "MiniLM", "MiniLM", "BERT (Large)"),
        "QS1": ("MiniLM", "MiniLM", "BERT (Large)", "BERT (Large)"),
        "QS2": ("BERT (Large)",) * 4,
    }
    right = 0
    for name, models in said.items():
        for column, model in enumerate(models):
            values = [row[column] for row in printed.FAIRNESS[name]]
            best = min(values) if column == 3 else max(values)
            right += printed.MODELS[values.index(best)] == model
    return counted("Section 5.3: which model is fairest, as Table 7 has it", right, 12)


def _table_8() -> Row:
    """The same models on the same queries stand in Table 1 of the TExFAIR paper."""
    told = {"BM25": "BM25", "MiniLM": "MiniLM", "TinyBERT": "TinyBERT"}
    same = 0
    for query_set in ("QS1", "QS2"):
        for model in told:
            ours = printed.EFFECTIVENESS[query_set][printed.MODELS.index(model)]
            same += all(abs(one - other) <= HALF for one, other in zip(ours, TEXFAIR[query_set][model], strict=True))
    what = "Table 8: pairs of MRR and nDCG that are also in the TExFAIR paper's Table 1 (with another BERT)"
    return counted(what, same, 6, "on QS1 they part by 0.0002 to 0.0013: 1,765 queries here, 1,756 there")


def is_share(told: float, of: int) -> bool:
    """Whether a number of four digits is a whole number of so many."""
    return abs(round(told * of) / of - told) <= 1.001 * HALF


def _all(rows: Iterable[Iterable]) -> Iterable:
    return (each for row in rows for each in row)
