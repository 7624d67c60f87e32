"""The effect of a weight of senses: the table over all weights, and the change from weight 1 to another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real

import numpy as np
import pandas as pd

from fairviz.comparison.family import How
from fairviz.comparison.pairs import FEWEST_QUERIES, compare_rows, rows_text
from fairviz.errors import UsageError, expect, expect_progress, value_text
from fairviz.evaluation.choices import align, chosen_queries, missing_part, positions
from fairviz.evaluation.questions import ask, chosen_settings
from fairviz.evaluation.scores import values_of
from fairviz.evaluation.settings import Settings
from fairviz.extensions.backpack.lists import (
    DEPTH,
    REFERENCES,
    WEIGHTS,
    Lists,
    Read,
    Senses,
    Weighted,
    lists_of,
)
from fairviz.measures import Question
from fairviz.measures.rankings import Rankings
from fairviz.measures.record import Direction
from fairviz.measures.sums import AlignedRankings
from fairviz.rankers.record import silent
from fairviz.statistics.contrasts import EQUAL
from fairviz.statistics.families import Tests, parse_tests
from fairviz.statistics.intervals import mean_interval, mean_over_queries
from fairviz.study.record import Study
from fairviz.words.sentences import Span

Array = np.ndarray
FAIR = ("RaB", "ARaB", "NFaiRR", "TExFAIR", "CWEx")
GAP = "gap"
BETTER, WORSE, APART, FEW = "better", "worse", "not significantly different", "too few queries"
ARMS = ("", "placebo_", "beyond_")  # the sensitive senses, other senses, and the first less the second
PARTS = ("difference", "ci_low", "ci_high", "p", "p_corrected", "verdict")
BACKPACK, PLACEBO = "backpack", "placebo"
KEYS = ("measure", "ranker", "model", "senses", "weight")
SEEDS = ("measure", "ranker", "weight", "models", "mean", "deviation", "lowest", "highest")


@dataclass(frozen=True)
class Column:
    """A measure of the table. name: as in figures; text: canonical, `gap` for that of wordings; direction: its
    better end.
    """

    name: str
    text: str
    direction: Direction
    effective: bool = False


@dataclass(frozen=True, eq=False)
class Values:
    """Every measure's value for every query that the settings keep.

    models: for each model (M, P, W, Q); references (M, R, Q). missing: measures without data, and the reasons.
    """

    columns: tuple[Column, ...]
    queries: tuple[str, ...]
    models: tuple[Array, ...]
    references: Array
    missing: tuple[tuple[str, str], ...]


def chosen_measures(settings: Settings) -> list[Question]:
    """Return the settings' effectiveness, and the fairness measures of the paper and of this project, at the cutoff.

    The ideal of NFaiRR is that of the whole collection: the candidates would depend on the weights.
    """
    fixed_settings = settings if settings.background != "candidates" else settings.changed(background="collection")
    return [ask(name, fixed_settings) for name in (settings.effectiveness, *FAIR)]


def values(lists: Lists, settings: Settings) -> Values:
    """Return the measures of the lists under the settings. Raises FairvizError if they keep no query."""
    read, has_gap = lists.read, bool(lists.read.wordings.kind)
    settings = settings.changed(systems=())
    if settings.background.startswith("run:"):
        settings = settings.changed(background="collection")
    study = replace(read.study, runs=lists.runs, fingerprint="")
    reasons = {question: missing_part(study, question, settings) for question in chosen_measures(settings)}
    questions = [question for question, reason in reasons.items() if not reason]
    missing = [(question.name, reason) for question, reason in reasons.items() if reason]
    columns = [Column(one.name, one.text, one.direction, one.family == "effectiveness") for one in questions]
    if has_gap:
        columns.append(Column(GAP, GAP, "lower"))
    else:
        missing.append((GAP, "no document holds a word or name of the pairs of words."))

    rankings = align(study, settings, collection=True)
    references = _reference_values(study, settings, questions, rankings, read.queries)
    models = [_model_values(study, settings, questions, rankings, read, model) for model in lists.models]
    if has_gap:
        references = np.concatenate([references, lists.reference_gap[None]])
        models = [np.concatenate([own, one.gap[None]]) for own, one in zip(models, lists.models, strict=True)]
    queries = tuple(query for query in chosen_queries(read.study, settings) if query in set(read.queries))
    kept = positions(read.queries, queries)
    models = [own[..., kept] for own in models]
    return Values(tuple(columns), queries, tuple(models), references[..., kept], tuple(missing))


def _model_values(
    study: Study, settings: Settings, questions: list[Question], rankings: AlignedRankings, read: Read, model: Weighted
) -> Array:
    """Return the measures of a model's lists, (M, P, W, Q): those of each set of senses and weight as a system."""
    depth, *shape = model.lists.shape
    flat_lists = model.lists.reshape(depth, -1, shape[-1])
    doc_ids = rankings.lists.doc_ids
    at = doc_ids.get_indexer(pd.Index(read.documents, dtype="str"))  # (D,)
    documents = np.where(flat_lists >= 0, at[flat_lists], -1).astype(np.int32)
    systems = tuple(f"{number}" for number in range(documents.shape[1]))
    lengths = (documents >= 0).sum(axis=0).astype(np.int32)
    own = replace(rankings, lists=Rankings(systems, read.queries, doc_ids, documents, lengths), made_of=())
    found = np.empty((len(questions), *shape))
    for place, question in enumerate(questions):
        found[place] = values_of(study, own, question, settings)[0].reshape(shape)
    return found


def _reference_values(
    study: Study, settings: Settings, questions: list[Question], rankings: AlignedRankings, queries: tuple[str, ...]
) -> Array:
    """Return the measures of the references, (M, R, Q), NaN for queries without a list."""
    lists = rankings.lists
    there = [place for place, name in enumerate(REFERENCES) if name in lists.systems]
    rows = [lists.systems.index(REFERENCES[place]) for place in there]
    at_query = pd.Index(lists.queries).get_indexer(pd.Index(queries))
    references = np.full((len(questions), len(REFERENCES), len(at_query)), np.nan)
    for place, question in enumerate(questions):
        table = values_of(study, rankings, question, settings)[0][rows][:, at_query]
        references[place, there] = np.where(at_query >= 0, table, np.nan)
    return references


def change_table(columns: Sequence[Column], own: Array, placebo: Array, how: How | None = None) -> pd.DataFrame:
    """Return a row per measure: measure, at_one, at_weight, placebo_at_weight (means over queries), and for the
    sensitive senses, for the placebo (prefix `placebo_`) and for the senses' effect beyond the placebo (`beyond_`):
    difference with its interval, p, p_corrected over all tests of the table, which are one family, and verdict: better,
    worse, not significantly different, too few queries.

    own and placebo: values at weight 1 and at the other, (M, 2, Q); at weight 1 both are the original model, so that
    beyond is the difference of the two at the other weight. A measure that is fairest at 0 is compared by |mean|, and
    its differences are those of |mean|; other differences are those of the values.
    """
    own_before, own_after, placebo_after = own[:, 0], own[:, 1], placebo[:, 1]
    first, second = (
        np.concatenate([own_after, placebo_after, own_after]),
        np.concatenate([own_before, placebo[:, 0], placebo_after]),
    )
    sides = [column.direction for column in columns] * len(ARMS)
    tested = compare_rows(first, second, how, directions=sides)
    table = pd.DataFrame({"measure": [column.text for column in columns]})
    for name, values in (("at_one", own_before), ("at_weight", own_after), ("placebo_at_weight", placebo_after)):
        table[name] = mean_over_queries(values)
    verdicts = [_verdict(*row) for row in zip(sides, tested.p_corrected, tested.side, strict=True)]
    for place, prefix in enumerate(ARMS):
        rows = slice(place * len(columns), (place + 1) * len(columns))
        numbers = (tested.difference, tested.low, tested.high, tested.p, tested.p_corrected)
        for part, values in zip(PARTS, numbers, strict=False):
            table[f"{prefix}{part}"] = values[rows]
        table[f"{prefix}verdict"] = verdicts[rows]
    return table


def _verdict(better_end: Direction, p: float, side: int) -> str:
    """Return the verdict on a difference. side: its sign if it is significant, else 0."""
    if np.isnan(p):
        return FEW
    if not side:
        return APART
    return BETTER if (side > 0) == (better_end == "higher") else WORSE


def ranks(columns: Sequence[Column], array: Array) -> pd.DataFrame:
    """Return the rank of the sensitive senses among themselves and the m placebos, by the size of the mean change.

    array: values at weight 1 and at the other, (M, 1 + m, 2, Q), the sensitive senses first. A row per measure: rank, 1
    the largest change, ties counted against the sensitive senses; sets, 1 + m; p_rank = rank / sets, at least 1 / (m +
    1). NaN without a placebo and if a change is undefined.
    """
    rows = []
    for column, values in zip(columns, array, strict=True):
        means = mean_over_queries(values)  # (1 + m, 2)
        means = np.abs(means) if column.direction == "zero" else means
        sizes = np.abs(means[:, 1] - means[:, 0])
        is_defined = len(sizes) > 1 and not np.isnan(sizes).any()
        rank = float((sizes >= sizes[0] - EQUAL).sum()) if is_defined else np.nan
        rows.append((rank, len(sizes), rank / len(sizes)))
    return pd.DataFrame(rows, columns=["rank", "sets", "p_rank"])


def sentences(
    columns: Sequence[Column], table: pd.DataFrame, weight: float, tests: Tests | None = None
) -> list[list[Span]]:
    """Return the conclusions from the table of `change_table`: first the gender senses' effect beyond the placebo, then
    their change from weight 1, the placebo's, and their rank.
    """
    if weight == 1:
        return [[Span("Weight 1 is the model as it is. Move the weight to see what changes.")]]
    names = {column.text: column.name for column in columns}
    rows = [row | {"name": names[row["measure"]]} for row in table.to_dict("records")]
    if all(row["verdict"] == FEW for row in rows):
        return [[Span(f"No verdict: that needs {FEWEST_QUERIES} queries. Changes here are not evidence.")]]
    family = sum(not np.isnan(row[f"{prefix}p_corrected"]) for row in rows for prefix in ARMS)
    change = _change_spans(rows, weight, rows_text(family, tests or Tests()))
    if all(np.isnan(row["placebo_difference"]) for row in rows):
        return [change, [Span("There is no placebo to compare with.")]]
    conclusions = [_beyond_spans(rows, weight), change, _placebo_spans(rows)]
    ranked_rows = [row for row in rows if not np.isnan(row.get("rank", np.nan))]
    if ranked_rows:
        conclusions.append(_rank_spans(ranked_rows))
    return conclusions


def _change_spans(rows: Sequence[dict], weight: float, tests_text: str) -> list[Span]:
    """Return the change of the gender senses from weight 1: the measures of each verdict."""
    phrases = _changes(rows, "")
    for verdict, text in ((APART, APART), (FEW, f"no verdict ({FEW})")):
        if names := _join_names(rows, "verdict", verdict):
            phrases.append([Span(f"{text} in {names}")])
    return [Span(f"Weight 1 → {weight:g}: "), *_join_phrases(phrases), Span(f" ({tests_text}).")]


def _beyond_spans(rows: Sequence[dict], weight: float) -> list[Span]:
    """Return the effect of the gender senses beyond the placebo."""
    nothing = "nothing significant, so no effect of gender is shown"
    if all(row["beyond_verdict"] == FEW for row in rows):
        nothing = "no verdict"
    phrases = _changes(rows, "beyond_") or [[Span(nothing)]]
    return [Span(f"Beyond the placebo, weight 1 → {weight:g}: "), *_join_phrases(phrases), Span(".")]


def _changes(rows: Sequence[dict], prefix: str) -> list[list[Span]]:
    """Return a phrase for the measures that are better, and one for those that are worse."""
    names = {verdict: _join_names(rows, f"{prefix}verdict", verdict) for verdict in (BETTER, WORSE)}
    return [[Span(f"{verdict} in "), Span(text, True)] for verdict, text in names.items() if text]


def _join_names(rows: Sequence[dict], column: str, verdict: str) -> str:
    return ", ".join(row["name"] for row in rows if row[column] == verdict)


def _join_phrases(phrases: Sequence[list[Span]]) -> list[Span]:
    spans: list[Span] = []
    for place, phrase in enumerate(phrases):
        spans += [Span("; "), *phrase] if place else phrase
    return spans


def _placebo_spans(rows: Sequence[dict]) -> list[Span]:
    """Return the placebo's own changes."""
    changed_rows = [row for row in rows if row["verdict"] in (BETTER, WORSE)]
    same_names = [row["name"] for row in changed_rows if row["placebo_verdict"] == row["verdict"]]
    spans = [Span("The placebo, the same weight on other senses, ")]
    if all(row["placebo_verdict"] == FEW for row in rows):
        return [*spans, Span("has no verdict.")]
    if same_names:
        return [*spans, Span("does the same to "), Span(", ".join(same_names), True), Span(".")]
    if changed_rows:
        return [*spans, Span("does the same to none of them.")]
    other_names = [row["name"] for row in rows if row["placebo_verdict"] in (BETTER, WORSE)]
    return [*spans, Span(f"moves {', '.join(other_names)}." if other_names else "moves nothing either.")]


def _rank_spans(rows: Sequence[dict]) -> list[Span]:
    """Return the gender senses' rank by size of change among all sets of senses, of the measures with a rank."""
    sets = int(rows[0]["sets"])
    ranks_text = ", ".join(f"{row['name']} {row['rank']:.0f}" for row in rows)
    least_p = f"{1 / sets:.3f}".lstrip("0")
    return [
        Span(f"Rank of the gender senses by size of change among {sets} sets of senses: "),
        Span(ranks_text, True),
        Span(f" (p = rank / {sets}, at least {least_p})."),
    ]


@dataclass(frozen=True, eq=False)
class Steering:
    """Every measure over the weight of the senses that carry most gender, and over the weight of other senses.

    lists: the ranked lists; values: each measure's value for each query.
    """

    lists: Lists
    settings: Settings
    values: Values

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights, ascending, including 1."""
        return self.lists.weights

    @property
    def columns(self) -> tuple[Column, ...]:
        """The measures."""
        return self.values.columns

    @property
    def defined(self) -> tuple[Column, ...]:
        """The measures with a value for any query: NFaiRR has none if no list can contain a neutral document."""
        is_defined = ~np.isnan(self.values.models[0]).all(axis=(1, 2, 3))
        return tuple(column for column, there in zip(self.columns, is_defined, strict=True) if there)

    @cached_property
    def table(self) -> pd.DataFrame:
        """Table of measure, ranker, model, senses, weight, and value, ci_low, ci_high: mean over queries with its t
        interval; queries.

        ranker: `backpack`; `placebo`, a row for each set of other senses and, where senses is `mean`, their mean; of
        further models only these means; and the references, which have no weight.
        """
        tables = [table for place in range(len(self.lists.models)) for table in self._tables_of_model(place)]
        for place, name in enumerate(REFERENCES):
            tables.append(self._rows(self.values.references[:, place, None], name, "", "", (np.nan,)))
        return pd.concat(tables, ignore_index=True)

    def _tables_of_model(self, place: int) -> list[pd.DataFrame]:
        """Return its rows: the sensitive senses, the placebos' mean, and of the first model each placebo."""
        model, values = self.lists.models[place], self.values.models[place]
        tables = [self._rows(values[:, 0], BACKPACK, model.name, senses_text(model.senses[0]), self.weights)]
        if values.shape[1] > 1:
            tables.append(self._rows(placebo_of(values), PLACEBO, model.name, "mean", self.weights))
        if place == 0:
            tables += [
                self._rows(values[:, row], PLACEBO, model.name, senses_text(senses), self.weights)
                for row, senses in enumerate(model.senses[1:], start=1)
            ]
        return tables

    def _rows(self, values: Array, ranker: str, model: str, senses: str, weights: Sequence[float]) -> pd.DataFrame:
        """Return the rows of values (M, W, Q)."""
        low, high = mean_interval(values)
        measure, stop = (axis.ravel() for axis in np.indices(values.shape[:2]))
        return pd.DataFrame(
            {
                "measure": pd.array([self.columns[row].text for row in measure], dtype="str"),
                "ranker": pd.array([ranker] * len(measure), dtype="str"),
                "model": pd.array([model] * len(measure), dtype="str"),
                "senses": pd.array([senses] * len(measure), dtype="str"),
                "weight": np.asarray(weights, dtype=float)[stop],
                "value": mean_over_queries(values).ravel(),
                "ci_low": low.ravel(),
                "ci_high": high.ravel(),
                "queries": (~np.isnan(values)).sum(axis=-1).ravel(),
            }
        )

    @cached_property
    def seeds(self) -> pd.DataFrame:
        """Table SEEDS: mean, standard deviation and range over models of the means of `backpack` and of the
        placebo's mean; empty with one model.
        """
        if len(self.lists.models) < 2:
            return pd.DataFrame(columns=list(SEEDS))
        rows = self.table[(self.table["ranker"] == BACKPACK) | (self.table["senses"] == "mean")]
        grouped = rows.groupby(["measure", "ranker", "weight"], sort=False)["value"]
        statistics = grouped.agg(models="size", mean="mean", deviation="std", lowest="min", highest="max")
        return statistics.reset_index()[list(SEEDS)]

    @property
    def how(self) -> How:
        """Method of the tests of changes, from the settings."""
        return How(parse_tests(self.settings.tests))

    def change(self, weight: float) -> pd.DataFrame:
        """Return the changes from weight 1 to this one, which is one of `weights`: see `change_table` and `ranks`."""
        if weight not in self.weights:
            weights_text = ", ".join(f"{value:g}" for value in self.weights)
            raise UsageError(f"no list was made at weight {weight:g}", f"Use one of {weights_text}.")
        values, ends = self.values.models[0], [self.weights.index(1.0), self.weights.index(weight)]
        placebo = placebo_of(values) if values.shape[1] > 1 else np.full_like(values[:, 0], np.nan)
        table = change_table(self.columns, values[:, 0][:, ends], placebo[:, ends], self.how)
        return table.join(ranks(self.columns, values[:, :, ends]))


def placebo_of(values: Array) -> Array:
    """Return the mean over the placebos, (M, W, Q) from (M, P, W, Q)."""
    return values[:, 1:].mean(axis=1)


def senses_text(senses: Senses) -> str:
    """Return the senses counted from 1, as `2 5`."""
    return " ".join(str(sense + 1) for sense in senses)


def steer(
    study: Study,
    model: str = "",
    *,
    seeds: Sequence[str] = (),
    weights: Sequence[float] = WEIGHTS,
    senses: int = 2,
    settings: Settings | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **choices: object,
) -> Steering:
    """Return the effect of the weight of a Backpack's `senses` most sensitive senses on the study's lists and measures.

    Parameters
    ----------
    study : Study
        With text of queries and documents.
    model : str
        Empty for the packaged one, the name of one of `fairviz train-backpack`, or a folder.
    seeds : sequence of str
        Further models, whose means are reported.
    weights : sequence of float
        From 0 to 2; 1, the original model, is always included.
    senses : int
        The number of weighted senses.
    settings : Settings, optional
        The choices behind the values; the defaults if None.
    progress : callable, optional
        Called with what is done, and the numbers done and in all.
    **choices
        Fields of Settings to change.

    Returns
    -------
    Steering
        With the table of measures by weight, and the lists.

    Raises
    ------
    FairvizError
        For a study without text of queries and documents.
    UsageError
        For an unknown model and for weights out of range.

    Examples
    --------
    >>> import fairviz
    >>> fairviz.steer(fairviz.open_study("football"), weights=[0.5]).weights
    (0.5, 1.0)
    """
    settings = chosen_settings(study, settings, choices)
    _check_types(model, seeds, weights, senses, progress)
    depth = max(settings.cutoff, DEPTH)
    lists = lists_of(study, [model, *seeds], progress or silent, weights=weights, senses=senses, depth=depth)
    return answer(lists, settings)


def _check_types(model: object, seeds: object, weights: object, senses: object, progress: object) -> None:
    """Raise UsageError for an argument of `steer` of another type."""
    expect("model", model, str, "Give the name of a model, or a folder.")
    _check_parts("seeds", seeds, str, "Give a list of models by name or folder, as ['newswire-seed=1'].")
    _check_parts("weights", weights, Real, "Give a list of numbers from 0 to 2, as [0, 0.5, 1].")
    expect("senses", senses, Integral, "Use a whole number of 1 or more, such as 2.")
    expect_progress(progress)


def _check_parts(name: str, parts: object, kind: type, remedy: str) -> None:
    """Raise UsageError for an argument that is no sequence of this kind."""
    if not isinstance(parts, Sequence) or isinstance(parts, (str, bytes)):
        raise UsageError(f"{name} is {value_text(parts)}", remedy)
    for part in parts:
        if not isinstance(part, kind) or isinstance(part, bool):
            raise UsageError(f"{name} holds {value_text(part)}", remedy)


def answer(lists: Lists, settings: Settings) -> Steering:
    """Return the measures of existing lists. Raises FairvizError if the settings keep no query."""
    return Steering(lists, settings, values(lists, settings))
