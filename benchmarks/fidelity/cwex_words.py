"""The CWEx paper, tables 3 to 6: labels by language models, and by the words that NFaiRR counts."""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from benchmarks.fidelity import cwex_printed as printed
from benchmarks.fidelity.rows import Row, absent, judged, number, numbers
from fairviz.study.record import Study
from fairviz.words.counting import GSR_LEXICON, Lexicon, count_groups, document_text

_SERVICE = "the model is a paid service"
_WEIGHTS = "the model's weights are in no package"
_VARIANTS = "none of 54 variants of text, word list, tokens and tau comes closer"
PASSAGES = "the passages of MS MARCO may not be redistributed"


class Variant(NamedTuple):
    """A way to call a document neutral by its words, and how far it agrees with the label."""

    name: str
    accuracy: float
    kappa: float
    neutral: int  # documents that it calls neutral


def rows(grep: Study, words_326: Lexicon, words_64: Lexicon) -> list[Row]:
    """Tables 3 to 6. words_326, words_64: the lists of the NFaiRR paper and of the RaB paper."""
    found = list(variants(grep, {"326": words_326, "64": words_64, "built-in": GSR_LEXICON}))
    public = next(each for each in found if each.name == "title and text, 326 words, whitespace, tau 1")
    return [*_models(), *_by_words(found, public)]


def _models() -> list[Row]:
    made = []
    for name, models in printed.ACCURACY.items():
        for model, told in models.items():
            shown = f"{numbers(told)}; {numbers(printed.KAPPA[name][model])}"
            made.append(absent(f"Tables 3 and 5, {name}, {model}: accuracy; κ", shown, _why(model)))
    for model, told in printed.BY_STEREOTYPE.items():
        made.append(absent(f"Table 6, {model}: accuracy by stereotype", numbers(told), _why(model)))
    return made


def _why(model: str) -> str:
    return _SERVICE if model == "GPT-4o" else _WEIGHTS


def _by_words(found: list[Variant], public: Variant) -> list[Row]:
    told, told_kappa = printed.NEUTRALITY_ACCURACY["Grep-BiasIR"], printed.NEUTRALITY_KAPPA["Grep-BiasIR"]
    nearest = min(found, key=lambda each: abs(each.accuracy - told))
    nearest_kappa = min(found, key=lambda each: abs(each.kappa - told_kappa))
    implied = str(_implied(told, told_kappa))
    way = "this is what the public code counts: title and text, white space, τ = 1, its 326 words"
    return [
        judged(
            "Table 4, Grep-BiasIR: accuracy of “score 1 is neutral”", number(told, 4), number(public.accuracy, 4), way
        ),
        judged(f"… the nearest variant: {nearest.name}", number(told, 4), number(nearest.accuracy, 4), _VARIANTS),
        judged("Table 5, Grep-BiasIR, NFaiRR: κ", number(told_kappa, 4), number(public.kappa, 4), way),
        judged(
            f"… the nearest variant: {nearest_kappa.name}",
            number(told_kappa, 4),
            number(nearest_kappa.kappa, 4),
            _VARIANTS,
        ),
        judged("Documents with score 1, as these two numbers imply", implied, str(public.neutral), way),
        absent("Table 4, MSMGenderBias: accuracy", number(printed.NEUTRALITY_ACCURACY["MSMGenderBias"], 4), PASSAGES),
        absent("Table 5, MSMGenderBias, NFaiRR: κ", number(printed.NEUTRALITY_KAPPA["MSMGenderBias"], 4), PASSAGES),
    ]


def variants(grep: Study, lists: dict[str, Lexicon]) -> Iterator[Variant]:
    """All ways: which text is counted, with which list and tokens, and how many gender words a neutral one may hold."""
    documents = grep.documents
    label = documents["doc_id"].map(grep.labels.set_index("doc_id")["label"].astype(str))
    neutral = (label == grep.neutral).to_numpy()
    texts = {
        "title and text": documents,
        "text": documents.assign(title=""),
        "title": documents.assign(title="", text=documents["title"]),
    }
    for (text, table), (words, lexicon), tokens in product(texts.items(), lists.items(), ("word", "whitespace")):
        counts = count_groups(document_text(table), lexicon, tokens, grep.groups).counts
        for tau in (0, 1, 2):
            said = (counts.sum(axis=1) <= tau) | (counts[:, 0] == counts[:, 1])
            name = f"{text}, {words} words, {tokens}, tau {tau}"
            yield Variant(name, float((said == neutral).mean()), kappa(said, neutral), int(said.sum()))


def kappa(one: np.ndarray, other: np.ndarray) -> float:
    """Cohen's κ of two judgements of yes and no."""
    by_chance = one.mean() * other.mean() + (1 - one.mean()) * (1 - other.mean())
    return float(((one == other).mean() - by_chance) / (1 - by_chance))


def _implied(accuracy: float, kappa: float, neutral: int = 238, documents: int = 702) -> int:
    """How many documents must have been called neutral for this accuracy to go with this κ."""
    by_chance = (accuracy - kappa) / (1 - kappa)
    share = neutral / documents
    return round(documents * (by_chance - (1 - share)) / (2 * share - 1))
