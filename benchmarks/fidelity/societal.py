"""The NFaiRR paper (2021) and the RaB paper (2020): our values against loops written after their public code."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from benchmarks.fidelity.rows import NOTHING, Chapter, Row, Table, absent, agrees, below, differs
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.questions import ask
from fairviz.evaluation.scores import evaluate
from fairviz.evaluation.settings import Settings
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank
from fairviz.study.record import Study
from fairviz.study.study import add_runs
from fairviz.words.counting import Lexicon

HEADS = ("their code itself, run once", "loops after it, run now", "values compared")
SETTINGS = Settings(tokenizer="whitespace")
FAIRR_CUTOFFS, RAB_CUTOFFS = (5, 10, 20, 50), (5, 10, 20, 30, 40)  # those of their code
PASSAGES = "the passages of MS MARCO, and most of the runs, are not public with the code"
NOISE = 1e-14  # what the order of additions may change
ROUNDING = 1e-7  # of a mean over queries, where their code wrote each document's neutrality with six digits
THEIRS = {  # the largest differences from their code itself, on the same lists
    "FaiRR": "5e−15", "NFaiRR": "4e−16", "six digits": "4e−9", "RaB": "1e−16", "ARaB": "4e−16",
}  # fmt: skip
Lists = dict[tuple[str, str], list[str]]  # ranked documents by system and query
Text = Mapping[str, str]


def chapter(_: str) -> Chapter:
    """The chapter's table; it needs no stop words."""
    qs2, qs1, grep = open_study("msmarco-qs2"), open_study("genderbias-ir"), open_study("grep-biasir")
    ranked = add_runs(grep, rank(grep, parse_rankers("bm25,tfidf")).runs)
    rows: list[Row] = []
    for name, study in (("QS2, four runs", _with_text(qs2, grep)), ("Grep-BiasIR, two runs", ranked)):
        lists = _lists(study)
        rows += _neutrality_rows(name, replace(study, lexicon=qs2.lexicon), lists)
        rows += _magnitude_rows(name, replace(study, lexicon=qs1.lexicon), lists)
    rows += [
        absent("The NFaiRR paper's tables", NOTHING, PASSAGES, NOTHING, NOTHING),
        absent("The RaB paper's tables", NOTHING, PASSAGES, NOTHING, NOTHING),
    ]
    return Chapter({"code": Table(HEADS, tuple(rows))})


def _with_text(qs2: Study, grep: Study) -> Study:
    """QS2 with a text of Grep-BiasIR for each passage, chosen by its number; the passages may not be redistributed."""
    names = qs2.runs["doc_id"].cat.categories
    texts = grep.documents["text"].to_numpy()
    chosen = texts[names.astype(np.int64).to_numpy() % len(texts)]
    return replace(qs2, documents=pd.DataFrame({"doc_id": names, "title": "", "text": chosen}))


def _neutrality_rows(name: str, study: Study, lists: Lists) -> Iterator[Row]:
    texts = _texts(study)
    background = study.systems[0]
    exact = {document: neutrality(text, study.lexicon) for document, text in texts.items()}
    six_digits = {document: round(value, 6) for document, value in exact.items()}
    one = _Neutrality(exact, lists, background)
    rounded = _Neutrality(six_digits, lists, background)
    fairr, nfairr = "FaiRR(tau=1)", f"NFaiRR(tau=1,background='run:{background}')"
    values = _values(study, [fairr, nfairr], FAIRR_CUTOFFS)
    found = _differences(values[fairr], one.fairr)
    yield _row(f"{name}: FaiRR of each list", THEIRS["FaiRR"], found.abs().max(), len(found))
    found = _differences(values[nfairr], one.nfairr)
    yield _row(f"{name}: NFaiRR of each list", THEIRS["NFaiRR"], found.abs().max(), len(found))
    means = _differences(values[nfairr], rounded.nfairr).groupby(level=["system", "k"]).mean()
    what = f"{name}: NFaiRR of each system, of neutralities with six digits, as in their files"
    yield _row(what, THEIRS["six digits"], means.abs().max(), len(means), ROUNDING)


def _magnitude_rows(name: str, study: Study, lists: Lists) -> Iterator[Row]:
    texts = _texts(study)
    held = {document: counts(text, study.lexicon) for document, text in texts.items()}
    asked = {(measure, magnitude): f"{measure}(magnitude='{magnitude}')"
             for measure in ("RaB", "ARaB") for magnitude in MAGNITUDES}  # fmt: skip
    values = _values(study, [*asked.values()], RAB_CUTOFFS)
    for (measure, magnitude), text in asked.items():
        average, size = rank_bias if measure == "RaB" else average_rank_bias, MAGNITUDES[magnitude]
        gaps = {document: size(female) - size(male) for document, (female, male) in held.items()}

        def theirs(key: tuple[str, str], k: int, gaps=gaps, average=average) -> float:
            return average([gaps[document] for document in lists[key][:k]])

        found = _differences(values[text], theirs)
        yield _row(f"{name}: {measure} of each list, `{magnitude}`", THEIRS[measure], found.abs().max(), len(found))


def _row(what: str, theirs: str, largest: float, compared: int, allowed: float = NOISE) -> Row:
    cells = (theirs, below(largest), f"{compared:,}")
    if largest <= allowed:
        return agrees(what, *cells)
    return differs(what, theirs, cells[1], f"above {allowed:g}", cells[2])


def _values(study: Study, measures: Sequence[str], cutoffs: Sequence[int]) -> dict[str, pd.Series]:
    """Our value of each measure for each system, query and cutoff k."""
    asked = {ask(f"{measure}@{k}", SETTINGS).text: (measure, k) for measure in measures for k in cutoffs}
    scores = evaluate(study, [*asked], SETTINGS).astype({"system": "str", "query_id": "str", "measure": "str"})
    told = scores["measure"].map(asked)
    keyed = scores.assign(k=told.str[1]).set_index(["system", "query_id", "k"])["value"]
    return {measure: keyed[(told.str[0] == measure).to_numpy()] for measure in measures}


def _differences(values: pd.Series, theirs: Callable[[tuple[str, str], int], float]) -> pd.Series:
    """Our values less those of the loop. Endless where one of the two alone is undefined."""
    expected = [theirs((system, query), k) for system, query, k in values.index]
    gap = values - expected
    return gap.mask(values.isna() ^ pd.Series(expected, index=values.index).isna(), math.inf).fillna(0.0)


def _lists(study: Study) -> Lists:
    """The documents of each list as they stand in the run: the authors' code reads lines in their order."""
    lists: Lists = {}
    columns = (study.runs[name].to_numpy(dtype=object) for name in ("system", "query_id", "doc_id"))
    for system, query, document in zip(*columns, strict=True):
        lists.setdefault((system, query), []).append(document)
    return lists


def _texts(study: Study) -> Text:
    documents = study.documents
    return dict(zip(documents["doc_id"].astype(str), documents["title"] + " " + documents["text"], strict=True))


# --- after their code: one document, one list at a time ---------------------------------------------------------


@cache
def counts(text: str, lexicon: Lexicon | None) -> tuple[int, int]:
    """Female and male words of a text, cut at white space."""
    group = dict(lexicon.words) if lexicon else {}
    found = [group.get(token, "") for token in text.lower().split()]
    return found.count("female"), found.count("male")


def neutrality(text: str, lexicon: Lexicon | None, threshold: int = 1) -> float:
    """1 with at most `threshold` gender words, else 1 − Σ |share − 1/2|."""
    female, male = counts(text, lexicon)
    total = female + male
    return 1.0 if total <= threshold else 1 - sum(abs(each / total - 0.5) for each in (female, male))


class _Neutrality:
    """FaiRR and NFaiRR of lists, whose ideal is that of the background run's documents, best first."""

    def __init__(self, neutral: Mapping[str, float], lists: Lists, background: str) -> None:
        self.neutral, self.lists = neutral, lists
        self.ideal = {
            query: sorted((neutral[document] for document in documents), reverse=True)
            for (system, query), documents in lists.items()
            if system == background
        }

    def fairr(self, key: tuple[str, str], k: int) -> float:
        return discounted([self.neutral[document] for document in self.lists[key][:k]])

    def nfairr(self, key: tuple[str, str], k: int) -> float:
        return self.fairr(key, k) / discounted(self.ideal[key[1]][:k])


def discounted(values: Iterable[float]) -> float:
    return sum(value / math.log2(place + 1) for place, value in enumerate(values, start=1))


MAGNITUDES: dict[str, Callable[[int], float]] = {
    "tc": float,
    "tf": lambda count: math.log(count + 1),
    "bool": lambda count: float(count > 0),
}


def rank_bias(gaps: list[float]) -> float:
    """The mean over a list."""
    return sum(gaps) / len(gaps)


def average_rank_bias(gaps: list[float]) -> float:
    """The mean of rank_bias at every depth of a list."""
    return sum(rank_bias(gaps[:depth]) for depth in range(1, len(gaps) + 1)) / len(gaps)
