"""The paper that audits language models as rankers: what its tables say of one another; its data are TREC's."""

import math

import numpy as np

from benchmarks.fidelity.rows import (
    NOTHING,
    Chapter,
    Row,
    Table,
    absent,
    agrees,
    below,
    counted,
    differs,
    judged,
    numbers,
)
from fairviz.annotation.voters import default_annotator, labels_of
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate

HEADS = ("the paper", "here")
_DATA = "TREC's Fair Ranking tracks are gigabytes of Wikipedia"
TREC = f"{_DATA}, and the model's weights are in no package"
SERVICE = f"{_DATA}, and the model is a paid service"
LISTS = {  # Table 1: P@20 and fairness by neutral, unprotected and protected queries
    "2022 Gender": {
        "MonoT5": (0.1852, 0.9964, 0.0830, 0.7809, 0.5239, 1.9402),
        "MonoBERT": (0.1761, 0.9559, 0.1000, 0.8101, 0.5102, 1.7475),
        "GPT-3.5": (0.1227, 0.9919, 0.0841, 0.9463, 0.1705, 1.2186),
        "GPT-4": (0.1239, 0.9955, 0.1080, 0.9504, 0.1761, 1.2576),
        "Mistral-7b": (0.1261, 0.9881, 0.0966, 0.9382, 0.2102, 1.4879),
        "Llama2-13b": (0.1216, 1.0304, 0.0920, 0.9661, 0.1614, 1.2550),
    },
    "2022 Location": {
        "MonoT5": (0.2110, 0.9739, 0.2800, 0.8543, 0.0180, 1.4682),
        "MonoBERT": (0.1980, 1.0031, 0.2860, 0.8890, 0.0370, 1.3201),
        "GPT-3.5": (0.1440, 0.9308, 0.1500, 0.8846, 0.1480, 0.9368),
        "GPT-4": (0.1240, 0.9268, 0.1510, 0.8889, 0.1420, 0.9432),
        "Mistral-7b": (0.1230, 0.9426, 0.1490, 0.8895, 0.0930, 1.1073),
        "Llama2-13b": (0.1280, 0.9607, 0.1340, 0.9130, 0.1030, 1.0227),
    },
    "2021 Location": {
        "MonoT5": (0.2018, 1.0406, 0.3035, 0.8483, 0.0158, 1.5039),
        "MonoBERT": (0.1974, 1.0340, 0.2658, 0.9254, 0.0728, 1.3143),
        "GPT-3.5": (0.1184, 0.9820, 0.1421, 0.9173, 0.1228, 0.9841),
        "GPT-4": (0.1167, 0.9850, 0.1544, 0.9071, 0.1325, 0.9877),
        "Mistral-7b": (0.1430, 0.9856, 0.1614, 0.9142, 0.0684, 1.1448),
        "Llama2-13b": (0.1211, 0.9634, 0.1105, 0.9247, 0.1105, 1.0325),
    },
}
WINDOWS = {"5, 1": (0.1261, 0.9881), "10, 5": (0.1295, 0.9634), "10, 3": (0.1227, 0.9777), "20, 10": (0.1205, 0.9628)}
PAIRS = {  # Table 3: unprotected, protected, ratio, of relevant items; the same of irrelevant ones
    "2022 Gender": {
        "GPT-3.5": (0.2407, 0.2453, 1.0190, 0.1797, 0.2979, 1.6580),
        "GPT-4": (0.2275, 0.2496, 1.0971, 0.2033, 0.2939, 1.4430),
        "Mistral-7b": (0.2366, 0.0995, 0.4206, 0.1335, 0.1160, 0.8689),
        "Llama2-13b": (0.1227, 0.2293, 1.8694, 0.0920, 0.2913, 3.1643),
    },
    "2022 Location": {
        "GPT-3.5": (0.2638, 0.2537, 0.9615, 0.3199, 0.2245, 0.7500),
        "GPT-4": (0.2347, 0.2878, 1.2262, 0.2759, 0.2401, 0.8701),
        "Mistral-7b": (0.2484, 0.4168, 1.6779, 0.1876, 0.1928, 1.0277),
        "Llama2-13b": (0.1521, 0.2290, 1.5052, 0.2444, 0.1643, 0.6725),
    },
    "2021 Location": {
        "GPT-3.5": (0.2117, 0.3150, 1.4877, 0.2385, 0.2616, 1.0968),
        "GPT-4": (0.2148, 0.3125, 1.4545, 0.2428, 0.2598, 1.0701),
        "Mistral-7b": (0.2582, 0.4137, 1.6019, 0.2516, 0.1628, 0.6471),
        "Llama2-13b": (0.1490, 0.2688, 1.8035, 0.2540, 0.1752, 0.6898),
    },
}
HALF = 0.5e-4  # of the last printed digit


def chapter(_: str) -> Chapter:
    """The chapter's tables; it needs no stop words."""
    tables = {"tables": [*_lists(), *_pairs(), *_rest()], "arithmetic": [*_ratios(), _sums(), *_said()]}
    return Chapter({name: Table(HEADS, tuple(rows)) for name, rows in tables.items()})


def _lists() -> list[Row]:
    made = []
    for task, models in LISTS.items():
        for model, told in models.items():
            what = f"Table 1, TREC {task}, {model}: P@20 and fairness, by three kinds of query"
            made.append(absent(what, numbers(told), SERVICE if "GPT" in model else TREC))
    for window, told in WINDOWS.items():
        made.append(absent(f"Table 2, window and step {window}: P@20, fairness", numbers(told), TREC))
    return made


def _pairs() -> list[Row]:
    return [
        absent(f"Table 3, TREC {task}, {model}: first of relevant pairs, of irrelevant ones", numbers(told),
               SERVICE if "GPT" in model else TREC)
        for task, models in PAIRS.items()
        for model, told in models.items()
    ]  # fmt: skip


def _rest() -> list[Row]:
    largest, lists = _equations()
    what = "Equations 1 and 2, one item at a time, and `GroupExposureRatio@20` on newswire: largest difference"
    found = f"{below(largest)}, {lists} lists"
    return [
        agrees(what, "0", found) if largest < 1e-12 else differs(what, "0", found, "see the measure"),
        absent("Figures 3 and 4: their points", NOTHING, "their numbers are not in the text"),
    ]


def _equations(k: int = 20) -> tuple[float, int]:
    """The largest difference of the ratio of mean exposures from our measure, over the lists that have one."""
    newswire = open_study("newswire")
    scores = evaluate(newswire, f"GroupExposureRatio@{k}").dropna(subset="value")
    judged_by = default_annotator(newswire)
    label = labels_of(newswire, judged_by).astype(str).set_index("doc_id")["label"].to_dict()
    runs = newswire.runs.astype({"system": "str", "query_id": "str", "doc_id": "str"})
    lists = runs.groupby(["system", "query_id"])["doc_id"].agg(list)
    largest = 0.0
    for row in scores.itertuples():
        top = lists[(row.system, row.query_id)][:k]
        exposure = {group: [] for group in newswire.groups}
        for place, document in enumerate(top, start=1):
            exposure.get(label[document], []).append(1 / math.log(1 + place))
        protected, other = (exposure[group] for group in newswire.groups)
        largest = max(largest, abs(np.mean(protected) / np.mean(other) - row.value))
    return largest, len(scores)


def _sums() -> Row:
    """How far the two shares of Table 3 are from all pairs, where one of two always comes first."""
    sums = [told[at] + told[at + 1] for models in PAIRS.values() for told in models.values() for at in (0, 3)]
    found = f"{min(sums):.4f} to {max(sums):.4f}"
    why = "it seems to count pairs that one item wins in both orders, `first_twice` and `other_twice` here"
    return differs("Table 3: sums of the two shares, where one of two comes first", "1", found, why)


def _ratios() -> list[Row]:
    """Each ratio of Table 3 from the two numbers before it, as far as four digits allow."""
    wrong = []
    asked = 0
    for task, models in PAIRS.items():
        for model, told in models.items():
            for kind, (unprotected, protected, ratio) in (("relevant", told[:3]), ("irrelevant", told[3:])):
                asked += 1
                low, high = (protected - HALF) / (unprotected + HALF), (protected + HALF) / (unprotected - HALF)
                if not low - HALF <= ratio <= high + HALF:
                    wrong.append(f"{model}, {task}, {kind} is {protected / unprotected:.4f}, not {ratio:.4f}")
    what = "Table 3: ratios that are the quotient of the two shares before them"
    return [counted(what, asked - len(wrong), asked, "; ".join(wrong))]


def _said() -> list[Row]:
    """What the text says of the tables, and whether they say it."""
    llama = [told[column] for models in PAIRS.values() for told in [models["Llama2-13b"]] for column in (2, 5)]
    gender = LISTS["2022 Gender"]
    by_place = "of irrelevant pairs by place it prefers the other group; only one of the three data sets is about women"
    female_first = sum(told[4] > told[2] for told in gender.values())
    what = "Section 4.2: Llama2-13b prefers the protected group “across all datasets, in both” kinds of pairs"
    mistral = numbers(gender["Mistral-7b"][:2])
    slip = "one of the two is a slip"
    return [
        judged("Table 2, window 5: P@20 and fairness, as in Table 1", numbers(WINDOWS["5, 1"]), mistral),
        counted("Section 4.1.3: rankers with higher P@20 for female queries than for male ones", female_first, 6),
        counted(what, sum(ratio > 1 for ratio in llama), 6, by_place),
        differs("Table 1: the cutoff of its precision", "P@10 in its caption", "P@20 in its heads", slip),
    ]
