"""A function of a ranked list against one of the program's measures, on toy lists: for exercises."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan, nan
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from fairviz.declared import count
from fairviz.errors import UsageError, expect
from fairviz.evaluation.choices import Resolved
from fairviz.evaluation.contributions import parts_of
from fairviz.evaluation.questions import ask, settings_with
from fairviz.evaluation.scores import bias_of, values_at
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES
from fairviz.measures.adopted import table_of
from fairviz.measures.contributions import OneList
from fairviz.study.study import make_study
from fairviz.words.sentences import counted, significant

LISTS = count("lists", 200, low=1, high=10_000)
SEED = count("seed", 0, low=0, high=2**31 - 1)
LONGEST = 6  # documents of a toy list
CLOSE = 1e-9  # a difference that is rounding, beside numbers of this size or below
TEXTS = (
    None, "a tree", "she sings", "he sings", "she and he sing", "she met her sister", "he met his brother",
    "he met his sister",
)  # fmt: skip
LABELS = (None, "neutral", "female", "male")
SYSTEM = "toy"


@dataclass(frozen=True, eq=False, repr=False)
class Checked:
    """What `check_against` found: true if all lists agree, printed as the first difference.

    measure: its canonical text. agreed: the number of lists before the first difference. lists: of all. ranking: the
    list that differs, a row a rank, with its texts; None if all agree. expected: the measure's value, NaN if undefined.
    got: what the function returned, or its error as text. steps: how the value is made, a row a rank. because: the
    formula with its numbers, or the reason why the value is undefined.
    """

    measure: str
    agreed: int
    lists: int
    ranking: pd.DataFrame | None = None
    expected: float = nan
    got: Any = None
    steps: pd.DataFrame | None = None
    because: str = ""

    def __bool__(self) -> bool:
        return self.agreed == self.lists

    def __repr__(self) -> str:
        if self.ranking is None or self.steps is None:
            return f"{self.measure}: {counted(self.lists, 'list')}, no difference."
        before = f"{counted(self.agreed, 'list')} before it agree." if self.agreed else "It is the first list."
        expected = "undefined" if isnan(self.expected) else significant(self.expected)
        return "\n\n".join(
            [
                f"{self.measure} is {expected}, and the function returns {_said(self.got)}. {before}",
                self.ranking.to_string(index=False, na_rep="none"),
                f"{self.measure} step by step: {self.because}.",
                self.steps.round(4).to_string(index=False),
            ]
        )


def check_against(
    measure: str,
    function: Callable[[pd.DataFrame], float],
    *,
    lists: int = LISTS.default,
    seed: int = SEED.default,
    settings: Settings | None = None,
    **choices: object,
) -> Checked:
    """Return the first toy list on which a function of a ranked list differs from a measure.

    Lists come from short to long, and those without a label or a text come after the others of their length. None is
    longer than 6 documents or than the cutoff, so that the candidates of a list are its documents.

    Parameters
    ----------
    measure : str
        Of labels or words, as `NFaiRR` or `CWEx(alpha=0.3)`.
    function : callable
        From the table of a list to its value, as `fairviz.evaluate` takes it. Columns, a row a rank: rank, doc_id,
        attention (of the position bias), label (None without one), words, female_words and male_words (NaN without
        text). NaN is the value of a list for which the measure is undefined.
    lists : int
        How many lists are tried, 1 to 10,000.
    seed : int
        Of the lists, 0 or more.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    **choices
        Fields of Settings to change, as position_bias="reciprocal".

    Returns
    -------
    Checked
        True if all lists agree. Printed, it has the first list that differs, both values, and the steps to the right
        one; as fields measure, agreed, lists, ranking, expected, got, steps and because.

    Raises
    ------
    UsageError
        For a measure that depends on more than the list, such as one of relevance, and for what is no function.

    Examples
    --------
    >>> import fairviz
    >>> def mine(ranking):  # the share of neutral labels, without attention
    ...     return (ranking["label"].dropna() == "neutral").mean()
    >>> found = fairviz.check_against("Exposure", mine)
    >>> bool(found), found.ranking["label"].tolist(), round(found.expected, 3), float(found.got)
    (False, ['female', 'neutral'], 0.387, 0.5)
    >>> def right(ranking):
    ...     ranking = ranking.dropna(subset="label")
    ...     return ranking["attention"][ranking["label"] == "neutral"].sum() / ranking["attention"].sum()
    >>> fairviz.check_against("Exposure", right)
    Exposure@10: 200 lists, no difference.
    """
    LISTS.check(lists)
    SEED.check(seed)
    expect("function", function, Callable, "Give a function of a ranked list: fairviz.check_against('NFaiRR', mine).")  # type: ignore[arg-type]
    expect("measure", measure, str, "Name a measure of the program, such as 'NFaiRR'.")
    settings = settings_with(settings, choices)
    question = ask(measure, settings)
    depends = question.background not in ("", "candidates") or "qrels" in question.needs
    if depends or question.measure is None or not question.per_query or question.measure.parts is None:
        known = [
            name for name, one in MEASURES.items()
            if one.per_query and one.parts is not None and "qrels" not in one.needs
        ]  # fmt: skip
        raise UsageError(
            f"{question.text} depends on more than the labels and words of one list", f"Use one of {', '.join(known)}."
        )

    # The lists: short ones first, and of each length those first in which every document has a label and a text.
    generator = np.random.default_rng(seed)
    pool = pd.DataFrame([(label, text) for label in LABELS for text in TEXTS], columns=["label", "text"])
    pool.insert(0, "doc_id", [f"d{place}" for place in range(1, len(pool) + 1)])
    whole = np.flatnonzero(pool["label"].notna() & pool["text"].notna())
    longest = min(question.cutoff or LONGEST, LONGEST)
    rows = []
    for number in range(lists):
        part = longest * number / lists  # the whole part is the length, less 1
        among = whole if part % 1 < 0.5 else np.arange(len(pool))
        drawn = pool["doc_id"].iloc[generator.choice(among, int(part) + 1, replace=False)]
        rows += [(SYSTEM, f"q{number:05}", name, rank, -float(rank)) for rank, name in enumerate(drawn, start=1)]
    study = make_study(
        "toy lists",
        runs=pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]),
        documents=pool[["doc_id", "text"]],
        labels=pool.dropna(subset="label")[["doc_id", "label"]].assign(annotator="toy"),
    )

    rankings = Resolved(study, settings).align()
    cutoff = question.cutoff or settings.cutoff
    bias = bias_of(rankings, settings, cutoff)
    values = values_at(rankings, question, settings, np.array([cutoff]), bias)[0, 0]
    for place, expected in enumerate(values.tolist()):
        got: Any
        one = OneList(rankings, question.parameters, bias, cutoff, 0, place)
        try:
            with np.errstate(divide="ignore", invalid="ignore"):  # 0/0 is NaN, as undefined values are
                got = function(table_of(one))
        except Exception as error:  # noqa: BLE001 - whatever the function raises is its answer
            got = f"{type(error).__name__}: {error}"
        if _equal(got, expected):
            continue
        parts = parts_of(rankings, question, settings, SYSTEM, study.query_ids[place])
        ranking = table_of(one)
        texts = pool.set_index("doc_id")["text"]
        ranking.insert(4, "text", texts.loc[ranking["doc_id"]].to_numpy())
        steps = pd.DataFrame(
            {"rank": ranking["rank"], "weight": parts.weights, "contribution": parts.contributions,
             "value": parts.values, "because": list(parts.said)}
        )  # fmt: skip
        constant = f" + {parts.constant_said} {significant(parts.constant)}" if parts.constant_said else ""
        terms = ", ".join(f"{name} = {significant(value)}" for name, value in parts.terms.items())
        because = parts.undefined or "; ".join(filter(None, [parts.formula + constant, terms]))
        return Checked(question.text, place, lists, ranking, expected, got, steps, because)
    return Checked(question.text, lists, lists)


def _equal(got: Any, expected: float) -> bool:
    """Return whether a function's value is the expected one; NaN is equal to NaN alone."""
    if not isinstance(got, Real) or isnan(got) or isnan(expected):
        return isinstance(got, Real) and isnan(got) and isnan(expected)
    return abs(float(got) - expected) <= CLOSE * max(1.0, abs(expected))


def _said(got: Any) -> str:
    if isinstance(got, Real):
        return "NaN (undefined)" if isnan(got) else significant(float(got))
    return got if isinstance(got, str) and "Error: " in got else f"{got!r}, which is no number"
