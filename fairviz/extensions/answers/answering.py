"""Gender in generated answers: gaps of what a system was shown, of what it cites and of its words; how the second and
the third follow the first; and which groups it cites less often than by chance.

Bias of the whole = s · bias of the retriever + bias of the model + error (Kim, Springer, Raghunathan, Sap: Mitigating
Bias in RAG: Controlling the Embedder. Findings of ACL 2025). Attribution by exchanged authors: Abolghasemi, Azzopardi,
Hashemi, de Rijke, Verberne: Evaluation of Attribution Bias in Generator-Aware Retrieval-Augmented Large Language
Models. Findings of ACL 2025.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from fairviz.evaluation.choices import bias_to_depth, chosen_lexicon
from fairviz.evaluation.questions import chosen_settings
from fairviz.evaluation.settings import Settings
from fairviz.extensions.answers.declared import ANSWERS
from fairviz.extensions.answers.layouts import Answer
from fairviz.extensions.answers.suppression import Labels, answers_of, labels_of_answers, shares_of_citations
from fairviz.measures.position_bias import PositionBias
from fairviz.parameters import check_parameters
from fairviz.statistics.intervals import mean_interval, mean_over_queries, slope_interval
from fairviz.study.record import Study
from fairviz.words.counting import count_groups
from fairviz.words.sentences import counted as counted_text
from fairviz.words.sentences import listed, percent, with_interval

Array = np.ndarray
SIDES = {"context": "what was shown", "cited": "citations", "words": "words of the answer"}
GAP_COLUMNS = ("system", "of", "gap", "ci_low", "ci_high", "queries")
SLOPE_COLUMNS = ("system", "of", "slope", "ci_low", "ci_high", "intercept", "points")
SUPPRESSION_COLUMNS = (
    "system", "group", "cited", "by_chance", "suppression", "ci_low", "ci_high", "chance_low", "chance_high",
    "citations", "queries",
)  # fmt: skip
QUERY_COLUMNS = (
    "system", "query_id", "shown", "cited", "not_shown", "gap_context", "gap_cited", "gap_words",
)  # fmt: skip
ATTRIBUTION_COLUMNS = ("first", "second", "measure", "value", "ci_low", "ci_high", "by_chance", "documents", "queries")
OVER_SYSTEMS = "all systems"
DRAWS = 999  # of exchanged authors at random


@dataclass(frozen=True, eq=False)
class Answered:
    """Generated answers, measured.

    gaps: GAP_COLUMNS, the mean over queries of the protected group's share less that of the other groups. slopes:
    SLOPE_COLUMNS, of the gap of citations or words on that of the context, over queries, and over the systems' means.
    suppression: SUPPRESSION_COLUMNS, 1 − cited / by chance, and the range that random choices from the same contexts
    have. queries: QUERY_COLUMNS. attribution: ATTRIBUTION_COLUMNS, for each two systems whose files exchange the
    authors of documents. protected: the group of the gaps.
    """

    gaps: pd.DataFrame
    slopes: pd.DataFrame
    suppression: pd.DataFrame
    queries: pd.DataFrame
    attribution: pd.DataFrame
    protected: str
    notes: tuple[str, ...]

    @property
    def sentences(self) -> list[str]:
        """A sentence for each suppressed group, and one on how citations follow the context."""

        def interval(row: Mapping[Any, Any], name: str) -> str:
            return with_interval(float(row[name]), float(row["ci_low"]), float(row["ci_high"]))

        texts = []
        surely = self.suppression[self.suppression["ci_low"] > 0]
        for row in surely.to_dict("records"):
            chance = f"{percent(float(row['cited']))} of its citations, {percent(float(row['by_chance']))} by chance"
            texts.append(f"{row['system']} suppresses {row['group']} by {interval(row, 'suppression')}: {chance}.")
        quiet = [name for name in dict.fromkeys(self.suppression["system"]) if name not in set(surely["system"])]
        if quiet:
            texts.append(f"No group is surely suppressed by {listed(quiet)}.")
        for side, what in (("cited", "citations"), ("words", "words")):
            rows = self.slopes[self.slopes["of"] == side]
            rows = rows[(rows["ci_low"] > 0) | (rows["ci_high"] < 0)]
            if len(rows):
                found = [f"{interval(row, 'slope')} ({row['system']})" for row in rows.to_dict("records")]
                texts.append(f"The gap of {what} follows that of the context, with slope {listed(found)}.")
        return texts


def answers(study: Study, settings: Settings | None = None, *, attention: str = "rank", **choices: object) -> Answered:
    """Return gender in generated answers: in what was shown, in what is cited, and in the words.

    Parameters
    ----------
    study : Study
        Opened from a folder with answers/NAME.jsonl.
    settings : Settings, optional
        The defaults if None. Cutoff and position bias weigh the ranks of contexts and citations.
    attention : str
        `rank`: position bias by rank, of citations by first citation. `equal`: the same for each document. `count`: a
        citation weighs as many times as sentences cite the document, in the suppression too.
    **choices
        Fields of Settings to change, as annotator="majority".

    Returns
    -------
    Answered
        With the tables gaps, slopes, suppression, queries and attribution. A gap is in [−1, 1], 0 where the protected
        group has as much as all others together. Of an answer without citations of labelled documents the gap of
        citations is NaN, and of one without gender words that of words; these queries are in no mean. Suppression is at
        most 1, and 0 where a group is cited as often as by a random choice of as many documents from the same context.
        CAB, in [−1, 1], is the mean over queries of the rate at which documents are cited under an author of the
        protected group, less that under another; CAS, in [0, 1], is the mean of its size, with what authors exchanged
        at random give beside it.

    Raises
    ------
    FairvizError
        For a study without answers or labels.
    UsageError
        For another attention.

    Examples
    --------
    >>> import json, pathlib, tempfile, fairviz
    >>> folder = pathlib.Path(tempfile.mkdtemp(), "toy")
    >>> (folder / "answers").mkdir(parents=True)
    >>> _ = (folder / "labels.csv").write_text("doc_id,label\\na,female\\nb,female\\nc,male\\nd,male\\n")
    >>> line = {"query_id": "q1", "text": "He won.", "context": ["a", "b", "c", "d"], "citations": ["c", "d", "a"]}
    >>> _ = (folder / "answers" / "gpt.jsonl").write_text(json.dumps(line))
    >>> found = fairviz.answers(fairviz.open_study(folder))
    >>> found.suppression.set_index("group").loc["female", ["cited", "by_chance", "suppression"]].round(2).tolist()
    [0.33, 0.5, 0.33]
    """
    settings = chosen_settings(study, settings, choices)
    check_parameters({"attention": attention}, ANSWERS, "attention")
    by_system = answers_of(study, settings)
    labels = labels_of_answers(study, settings, by_system)
    group = labels.names.index(study.protected)
    deepest = max(len(one.context or one.counts) for all_of in by_system.values() for one in all_of.values())
    bias = bias_to_depth(settings, max(deepest, settings.cutoff, 1))
    queries = pd.DataFrame(
        [
            row
            for system, all_of in by_system.items()
            for row in _query_rows(system, all_of, labels, group, bias, settings, attention)
        ],
        columns=list(QUERY_COLUMNS),
    )
    queries["gap_words"] = _gaps_of_words(study, settings, by_system)
    suppression = pd.DataFrame(
        [
            (system, name, one.cited.value, one.chance.value, one.value, *one.interval(), *one.chance_ends(),
             one.citations, one.cited.clusters)
            for system, all_of in by_system.items()
            for name, one in shares_of_citations(all_of, labels, counted=attention == "count").items()
            if one.chance.value > 0 or name != study.neutral
        ],
        columns=list(SUPPRESSION_COLUMNS),
    )  # fmt: skip
    return Answered(
        _gaps(queries), _slopes(queries), suppression, queries, _attribution(by_system, study), study.protected,
        tuple(_notes(queries, by_system)),
    )  # fmt: skip


def _query_rows(
    system: str,
    answers: dict[str, Answer],
    labels: Labels,
    group: int,
    bias: PositionBias,
    settings: Settings,
    attention: str,
) -> list[tuple]:
    """Return QUERY_COLUMNS but the gap of words, a row an answer."""

    def gap(documents: Sequence[str], weights: Array) -> float:
        shares = labels.of(documents)[: len(weights)]
        known = weights[: len(shares)] * shares.sum(axis=1)
        if not known.sum() > 0 or (settings.unlabelled == "strict" and (shares.sum(axis=1) == 0).any()):
            return np.nan
        protected, neutral = shares[:, group], shares[:, 0]
        others = shares.sum(axis=1) - protected - neutral
        return float(weights[: len(shares)] @ (protected - others) / known.sum())

    rows = []
    by_rank = bias.weights(settings.cutoff)
    for query, answer in answers.items():
        context, counts = answer.context or (), answer.counts
        weights = np.ones(len(context)) if attention == "equal" else by_rank
        of_citations = {
            "rank": by_rank, "equal": np.ones(len(counts)), "count": np.array([*counts.values()], dtype=np.float64)
        }[attention]  # fmt: skip
        outside = 0 if answer.context is None else len(set(counts) - set(context))
        gaps = gap(context, weights), gap([*counts], of_citations)
        rows.append((system, query, len(context), len(counts), outside, *gaps, np.nan))
    return rows


def _gaps_of_words(study: Study, settings: Settings, by_system: dict[str, dict[str, Answer]]) -> Array:
    """Return (protected − others) / gender words of each answer, NaN without such words."""
    texts = [one.text for answers in by_system.values() for one in answers.values()]
    groups = [study.protected, *(name for name in study.groups if name != study.protected)]
    counts = count_groups(texts, chosen_lexicon(study, settings), settings.tokenizer, groups).counts
    total = counts.sum(axis=1)
    return np.where(total > 0, (2 * counts[:, 0] - total) / np.maximum(total, 1), np.nan)


def _gaps(queries: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for system, table in queries.groupby("system", sort=False):
        for side in SIDES:
            values = table[f"gap_{side}"].to_numpy(dtype=np.float64)
            low, high = mean_interval(values)
            mean = float(mean_over_queries(values))
            rows.append((system, side, mean, float(low), float(high), int((~np.isnan(values)).sum())))
    return pd.DataFrame(rows, columns=list(GAP_COLUMNS))


def _slopes(queries: pd.DataFrame) -> pd.DataFrame:
    """Return the slope of each side's gap on the context's: over the queries of a system, and over systems' means."""
    tables = dict(iter(queries.groupby("system", sort=False)))
    if len(tables) > 2:
        gaps = [f"gap_{side}" for side in SIDES]
        tables[OVER_SYSTEMS] = queries.groupby("system", sort=False)[gaps].mean()
    rows = []
    for system, table in tables.items():
        for side in ("cited", "words"):
            x, y = (table[f"gap_{name}"].to_numpy(dtype=np.float64) for name in ("context", side))
            both = ~(np.isnan(x) | np.isnan(y))
            low, high = slope_interval(x, y)
            slope = (low + high) / 2  # the interval is symmetric
            intercept = y[both].mean() - slope * x[both].mean() if both.any() else np.nan
            rows.append((system, side, slope, low, high, intercept, int(both.sum())))
    return pd.DataFrame(rows, columns=list(SLOPE_COLUMNS))


def _attribution(by_system: dict[str, dict[str, Answer]], study: Study) -> pd.DataFrame:
    """Return CAB and CAS of each two systems whose answers to a query have the same context and exchanged authors."""
    rows, draws = [], np.random.default_rng(0)
    for first, second in combinations(by_system, 2):
        by_query = []
        for query, one in by_system[first].items():
            other = by_system[second].get(query)
            if other is not None and one.context is not None and one.context == other.context:
                differences = _exchanged(one, other, study.protected)
                if len(differences):
                    by_query.append(differences)
        if not by_query:
            continue
        means = np.array([differences.mean() for differences in by_query])
        signs = [draws.choice((-1.0, 1.0), (DRAWS, len(differences))) for differences in by_query]
        sizes = [np.abs(flips @ each / len(each)) for flips, each in zip(signs, by_query, strict=True)]
        documents = sum(map(len, by_query))
        for name, values, chance in (("CAB", means, 0.0), ("CAS", np.abs(means), float(np.mean(sizes)))):
            low, high = mean_interval(values)
            rows.append((first, second, name, values.mean(), low, high, chance, documents, len(means)))
    return pd.DataFrame(rows, columns=list(ATTRIBUTION_COLUMNS))


def _exchanged(one: Answer, other: Answer, protected: str) -> Array:
    """Return, of each shown document whose author is of the protected group in one of the two alone, whether it is
    cited there less whether it is cited under the other author, −1, 0 or 1."""
    differences = []
    for document in one.context or ():
        is_protected = [answer.authors.get(document) == protected for answer in (one, other)]
        if document in one.authors and document in other.authors and is_protected[0] != is_protected[1]:
            under, without = (one, other) if is_protected[0] else (other, one)
            differences.append(float(document in under.counts) - float(document in without.counts))
    return np.array(differences)


def _notes(queries: pd.DataFrame, by_system: dict[str, dict[str, Answer]]) -> list[str]:
    lines = []
    conditions: tuple[tuple[str, Callable[[pd.DataFrame], Any]], ...] = (
        ("without a citation: undefined, and in no mean", lambda table: table["cited"] == 0),
        ("whose words are of no gender: in no mean of words", lambda table: table["gap_words"].isna()),
        ("that cite a document that was not shown: it is in no suppression", lambda table: table["not_shown"] > 0),
    )
    for system, table in queries.groupby("system", sort=False):
        counts = [(what, int(of(table).sum())) for what, of in conditions]
        said = [f"{count} {what}" for what, count in counts if count]
        if said:
            lines.append(f"{system}, of {counted_text(len(table), 'answer')}: {'; '.join(said)}.")
        if all(one.context is None for one in by_system[str(system)].values()):
            lines.append(f"{system}: its file does not say what was shown, so that nothing is known of suppression.")
    return lines
