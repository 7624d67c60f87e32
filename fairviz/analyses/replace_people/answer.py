"""The Alternative Annotator Test of Calderon, Reichart and Dror (ACL 2025): each person in turn is left out, and the
others tell whether the model or that person is closer to them.

Letters: V votes of people, D documents, L labels.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.special import stdtr

from fairviz.analyses.annotator_accuracy.labellers import labellers
from fairviz.analyses.label_effects.replacing import people
from fairviz.annotation.agreement import Votes, ordinary, read_votes
from fairviz.annotation.voters import labels_of, voting_labels, with_labels_alongside
from fairviz.declared import REPLACE_PEOPLE
from fairviz.errors import FairvizError
from fairviz.evaluation.questions import chosen_settings
from fairviz.evaluation.settings import Settings
from fairviz.statistics.intervals import share_interval
from fairviz.statistics.paired import corrected, wilcoxon
from fairviz.study.record import Study
from fairviz.words.sentences import counted, first_listed

Array = np.ndarray
LEVEL = 0.05  # share of false wins among wins
PASSES = 0.5  # least winning rate
FEWEST_PEOPLE = 3
BY_T = 30  # documents from which the t test is used
FEWEST = 5  # documents below which no outcome has a p of LEVEL
DOUBT = 0.001  # of the region of the nuisance parameter in the exact test (Berger and Boos, 1994)
GRID = 25  # its values that are tried
EPSILONS = tuple(step / 50 for step in range(26))  # of the curve, 0 to 0.5
MOST_NAMES = 5
EPSILON = REPLACE_PEOPLE["epsilon"]


@dataclass(frozen=True, eq=False)
class Replacement:
    """The outcome of the test at `epsilon`.

    models, a row a rule or model: model, passes, winning_rate, passes_exact, exact_rate, advantage, people, documents,
    reason. persons, a row a model and person: model, person, documents, person_ahead, model_ahead, tied, advantage,
    difference, test, p, p_corrected, won, p_exact, won_exact, reason. curve: model, epsilon, winning_rate, exact_rate.
    """

    epsilon: float
    models: pd.DataFrame
    persons: pd.DataFrame
    curve: pd.DataFrame

    @property
    def sentences(self) -> list[str]:
        """Return a sentence for each rule and model: whether it may replace people, ω and ρ."""
        texts = []
        for row in self.models.to_dict("records"):
            if row["reason"]:
                texts.append(f"{row['model']} is not tested: {row['reason']}.")
                continue
            rates = f"ω {row['winning_rate']:.2f} of {row['people']} people, with exact tests {row['exact_rate']:.2f}"
            verdict = f"{'may' if row['passes'] else 'may not'} replace people at ε = {self.epsilon:g}"
            if row["passes"] != row["passes_exact"]:
                verdict += ", but by exact tests it may" + (" not" if row["passes"] else "")
            texts.append(f"{row['model']} {verdict}: {rates} (needed: {PASSES:g}); ρ {row['advantage']:.2f}.")
        return texts

    @property
    def notes(self) -> list[str]:
        """Return notes on people who are not tested, on tests that nothing can win, and on few documents."""
        lines, table = [], self.persons
        few = table.loc[table["p"].isna(), "person"].drop_duplicates().tolist()
        if few:
            lines.append(f"Fewer than {FEWEST} documents with a model and others: {first_listed(few, MOST_NAMES)}.")
        if (table["test"] == "Wilcoxon").any():
            lines.append(
                f"Below {BY_T} documents the paper's test, Wilcoxon's, passes too easily. Trust the exact test."
            )
        for model, rows in table[table["p"].notna()].groupby("model", sort=False):
            best = [exact_p(0, documents, 0, self.epsilon) for documents in rows["documents"]]
            if len(rows) >= FEWEST_PEOPLE and (corrected(best, "by") <= LEVEL).mean() < PASSES:
                lines.append(
                    f"{model} could not pass exact tests with any labels: too few documents for so many people."
                )
        return lines


def replace_people(
    study: Study, settings: Settings | None = None, *, epsilon: float = EPSILON.default, **choices: object
) -> Replacement:
    """Test whether each rule and model of the study may replace people: the Alternative Annotator Test.

    For each person j, over the documents that j, the model and another person labelled: S(x) is the share of the other
    people who gave the label of x. d is 1 where S(j) > S(model), -1 where it is smaller, else 0. H0: the mean of d is
    epsilon or more. It is tested by a one-sided t test, below 30 documents by Wilcoxon's signed ranks of d - epsilon,
    over people by Benjamini and Yekutieli at 0.05. Calderon, Reichart and Dror (2025), section 3.

    Wilcoxon's test is not one of the mean, and passes too easily; so does the t test where people rarely differ.
    `exact_rate` is by a test that keeps its level. No test accounts for documents of one query that are alike.

    Parameters
    ----------
    study : Study
        With labels by three people or more and by a rule or model. Labels stored next to a built-in study count too.
    settings : Settings, optional
        Of which `voters` counts: the people are the voters that are no rules or models.
    epsilon : float
        How much closer a person may be, 0 to 0.5: 0.1 for crowds, 0.15 for skilled people, 0.2 for experts.
    **choices
        Fields of Settings to change.

    Returns
    -------
    Replacement
        models, a row a rule or model: model, passes (ω of 0.5 or more), winning_rate (ω: the share of people for whom
        H0 falls, 0 to 1), passes_exact and exact_rate (by exact tests), advantage (ρ: the mean over people of the share
        of documents with S(model) ≥ S(j), 0 to 1), people, documents (their median), and reason, where rates are NaN,
        as fewer than three people share 5 documents. persons: a row a model and person. curve: ω over ε.

    Raises
    ------
    FairvizError
        With fewer than three people, or without labels by a rule or model.
    UsageError
        For an epsilon outside 0 to 0.5.

    Examples
    --------
    Three people and a model agree on 40 documents, but a third person errs on 12:

    >>> import fairviz
    >>> import pandas as pd
    >>> from fairviz.study.record import Annotator
    >>> rows = [(f"d{i}", who, "male" if who == "cleo" and i < 12 else "female") for i in range(40)
    ...         for who in ("ann", "ben", "cleo", "model")]
    >>> labels = pd.DataFrame(rows, columns=["doc_id", "annotator", "label"])
    >>> kinds = {"ann": "person", "ben": "person", "cleo": "person", "model": "model"}
    >>> who = {name: Annotator(name, kind) for name, kind in kinds.items()}
    >>> found = fairviz.replace_people(fairviz.make_study("made", labels=labels, annotators=who))
    >>> found.models[["model", "passes", "winning_rate", "advantage"]].values.tolist()
    [['model', True, 1.0, 1.0]]
    >>> found.persons[["person", "person_ahead", "model_ahead", "tied"]].values.tolist()
    [['ann', 0, 0, 40], ['ben', 0, 0, 40], ['cleo', 0, 12, 28]]
    """
    settings = chosen_settings(study, settings, choices)
    EPSILON.check(epsilon)
    study = with_labels_alongside(study)
    persons, models = people(study, settings), labellers(study)
    if len(persons) < FEWEST_PEOPLE:
        raise FairvizError(
            f"in {study.name} {counted(len(persons), 'person votes', 'people vote')}; replacing people is tested "
            f"with {FEWEST_PEOPLE} or more",
            "Collect labels of more people on the same documents (`fairviz study-form`), and declare them as human.",
        )
    if not models:
        raise FairvizError(
            f"no label in {study.name} is by a rule or model", "Label its documents with `fairviz annotate`."
        )
    given = {name: ordinary(labels_of(study, name)) for name in models}
    domain = sorted({label for table in given.values() for label in table["label"].unique()})
    votes = read_votes(voting_labels(study, persons), domain, persons)
    rows = [row for name, table in given.items() for row in _rows(votes, name, _codes(votes, table))]
    table = pd.DataFrame(rows)
    tested = table[table["documents"] >= FEWEST]
    counts = {name: _counts(tested[tested["model"] == name]) for name in models}
    curve = pd.DataFrame(
        [
            (name, level, *(_winning_rate(counts[name], level, test) for test in (p_value, exact_p)))
            for name in models
            for level in sorted({*EPSILONS, epsilon})
        ],
        columns=["model", "epsilon", "winning_rate", "exact_rate"],
    )
    table = table.assign(**_tests(table, epsilon))
    summary = pd.DataFrame([_summary(name, table[table["model"] == name], len(persons)) for name in models])
    order = summary["advantage"].sort_values(ascending=False, kind="stable").index
    return Replacement(epsilon, summary.loc[order].reset_index(drop=True), table, curve)


def _codes(votes: Votes, labels: pd.DataFrame) -> Array:
    """Return the place of each document's label in the labels of the votes, (D,); -1 without one."""
    by_document = dict(zip(labels["doc_id"], labels["label"], strict=True))
    named = pd.Index([by_document.get(doc_id) for doc_id in votes.doc_ids], dtype=object)
    return pd.Index(votes.labels, dtype=object).get_indexer(named)


def _rows(votes: Votes, model: str, codes: Array) -> list[dict[str, object]]:
    """Return how often each person, and how often the model, is closer to the other people."""
    others = votes.counts[votes.document].copy()  # (V, L)
    rows = np.arange(len(others))
    others[rows, votes.label] -= 1
    model_label = codes[votes.document]
    # Shares of the same number of people compare as their counts do, without rounding.
    lead = np.sign(others[rows, votes.label] - others[rows, model_label])
    is_item = (model_label >= 0) & (others.sum(axis=1) > 0)
    found = []
    for place, name in enumerate(votes.annotators):
        d = lead[is_item & (votes.annotator == place)]
        ahead, behind = int((d > 0).sum()), int((d < 0).sum())
        found.append(
            {
                "model": model, "person": name, "documents": len(d), "person_ahead": ahead, "model_ahead": behind,
                "tied": len(d) - ahead - behind, "advantage": 1 - ahead / len(d) if len(d) else np.nan,
                "difference": float(d.mean()) if len(d) else np.nan,
            }
        )  # fmt: skip
    return found


@lru_cache(maxsize=100_000)
def p_value(person_ahead: int, model_ahead: int, tied: int, epsilon: float) -> float:
    """Return the one-sided p of H0, that the mean of d is epsilon or more; d is 1, -1 and 0 so many times.

    A t test from 30 documents, else Wilcoxon's signed ranks of d - epsilon, exact. Without spread p is 0 or 1. Of 40
    documents the person is ahead on 3, the model on 5: mean -0.05, SD 0.450, t = (-0.05 - 0.15) / (0.450 / √40) =
    -2.81, p = 0.0038.

    >>> round(p_value(3, 5, 32, 0.15), 4)
    0.0038
    """
    d = np.repeat([1.0, -1.0, 0.0], [person_ahead, model_ahead, tied])
    if len(d) < BY_T:
        return float(wilcoxon(d[None] - epsilon, less=True)[0])
    mean, spread = d.mean(), d.std(ddof=1)
    if spread == 0:
        return float(mean >= epsilon)
    return float(stdtr(len(d) - 1, (mean - epsilon) / (spread / np.sqrt(len(d)))))


@lru_cache(maxsize=100_000)
def exact_p(person_ahead: int, model_ahead: int, tied: int, epsilon: float) -> float:
    """Return the one-sided p of H0, that the mean of d is epsilon or more, by an exact test of the sum of d.

    Under H0 d is 1 with chance epsilon + q, and -1 with q. p is the greatest chance of a sum as small, over the q of
    a 99.9 % interval of the share of documents that are not tied, plus 0.001. Berger and Boos (1994).
    """
    documents, apart = person_ahead + model_ahead + tied, person_ahead + model_ahead
    low, high = share_interval(apart, documents, 1 - DOUBT)
    if high <= epsilon:
        return DOUBT
    q = np.linspace(max(low - epsilon, 0), high - epsilon, GRID)[:, None] / 2
    turn = np.exp(-2j * np.pi * np.arange(2 * documents + 1) / (2 * documents + 1))
    # The transform of the distribution of one d, to the power of their number, is that of their sum's.
    chances = np.fft.ifft((q / turn + (1 - epsilon - 2 * q) + (epsilon + q) * turn) ** documents, axis=1).real
    sums = np.arange(person_ahead - model_ahead, -documents - 1, -1) % (2 * documents + 1)
    return float(min(chances[:, sums].sum(axis=1).max() + DOUBT, 1.0))


def _counts(table: pd.DataFrame) -> list[tuple[int, int, int]]:
    return list(table[["person_ahead", "model_ahead", "tied"]].itertuples(index=False, name=None))


def _tests(table: pd.DataFrame, epsilon: float) -> dict[str, Array]:
    is_tested = (table["documents"] >= FEWEST).to_numpy()
    by_t = (table["documents"] >= BY_T).to_numpy()
    columns = {"test": np.where(~is_tested, "", np.where(by_t, "t", "Wilcoxon"))}
    counts = list(zip(_counts(table), is_tested, strict=True))
    for test, end in ((p_value, ""), (exact_p, "_exact")):
        p = np.array([test(*row, epsilon) if one else np.nan for row, one in counts])
        p_corrected = np.full(len(table), np.nan)
        for rows in table.groupby("model", sort=False).indices.values():
            p_corrected[rows] = corrected(p[rows], "by")
        columns[f"p{end}"] = p
        if not end:
            columns["p_corrected"] = p_corrected
        columns[f"won{end}"] = p_corrected <= LEVEL
    return columns | {"reason": np.where(is_tested, "", f"fewer than {FEWEST} documents")}


def _winning_rate(counts: list[tuple[int, int, int]], epsilon: float, test: Callable[..., float]) -> float:
    """Return ω of the people with these counts, all tested; NaN with fewer than three."""
    if len(counts) < FEWEST_PEOPLE:
        return np.nan
    return float((corrected([test(*row, epsilon) for row in counts], "by") <= LEVEL).mean())


def _summary(model: str, table: pd.DataFrame, persons: int) -> dict[str, object]:
    tested = table[table["p"].notna()]
    enough = len(tested) >= FEWEST_PEOPLE
    rate, exact, advantage = (float(tested[name].mean()) for name in ("won", "won_exact", "advantage"))
    reason = f"{len(tested)} of {persons} people share {FEWEST} documents or more with it and others"
    return {
        "model": model, "passes": enough and rate >= PASSES, "winning_rate": rate if enough else np.nan,
        "passes_exact": enough and exact >= PASSES, "exact_rate": exact if enough else np.nan,
        "advantage": advantage if enough else np.nan, "people": len(tested),
        "documents": int(tested["documents"].median()) if len(tested) else 0, "reason": "" if enough else reason,
    }  # fmt: skip
