"""The effect of a weight of senses: the table over all weights, and the change from weight 1 to another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real

import numpy as np
import pandas as pd

from fairviz.analyses.sense_weighting.change import change_table, ranks
from fairviz.analyses.sense_weighting.lists import DEPTH, REFERENCES, WEIGHTS, Lists, Senses, lists_of
from fairviz.analyses.sense_weighting.measuring import Column, Values, values
from fairviz.comparison.family import How
from fairviz.errors import UsageError, expect, expect_progress, value_text
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.validation import chosen_settings
from fairviz.rankers.record import silent
from fairviz.statistics.families import parse_tests
from fairviz.statistics.intervals import mean_interval, mean_over_queries
from fairviz.study.record import Study

Array = np.ndarray
BACKPACK, PLACEBO = "backpack", "placebo"
KEYS = ("measure", "ranker", "model", "senses", "weight")
SEEDS = ("measure", "ranker", "weight", "models", "mean", "deviation", "lowest", "highest")


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
        tables = [part for place in range(len(self.lists.models)) for part in self._of_model(place)]
        for place, name in enumerate(REFERENCES):
            tables.append(self._rows(self.values.references[:, place, None], name, "", "", (np.nan,)))
        return pd.concat(tables, ignore_index=True)

    def _of_model(self, place: int) -> list[pd.DataFrame]:
        model, values = self.lists.models[place], self.values.models[place]
        tables = [self._rows(values[:, 0], BACKPACK, model.name, senses_text(model.senses[0]), self.weights)]
        if values.shape[1] > 1:
            tables.append(self._rows(placebo_of(values), PLACEBO, model.name, "mean", self.weights))
        if not place:
            tables += [
                self._rows(values[:, row], PLACEBO, model.name, senses_text(senses), self.weights)
                for row, senses in enumerate(model.senses)
                if row
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
        values, weight_index, original_index = (
            self.values.models[0],
            self.weights.index(weight),
            self.weights.index(1.0),
        )
        placebo = placebo_of(values) if values.shape[1] > 1 else np.full_like(values[:, 0], np.nan)
        table = change_table(
            self.columns,
            values[:, 0][:, [original_index, weight_index]],
            placebo[:, [original_index, weight_index]],
            self.how,
        )
        return table.join(ranks(self.columns, values[:, :, [original_index, weight_index]]))


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
    _check(model, seeds, weights, senses, progress)
    depth = max(settings.cutoff, DEPTH)
    lists = lists_of(study, [model, *seeds], progress or silent, weights=weights, senses=senses, depth=depth)
    return answer(lists, settings)


def _check(model: object, seeds: object, weights: object, senses: object, progress: object) -> None:
    """Raise UsageError for an argument of another type."""
    expect("model", model, str, "Give the name of a model, or a folder.")
    for name, values_, kind, remedy in (
        ("seeds", seeds, str, "Give a list of models by name or folder, as ['newswire-seed=1']."),
        ("weights", weights, Real, "Give a list of numbers from 0 to 2, as [0, 0.5, 1]."),
    ):
        if not isinstance(values_, Sequence) or isinstance(values_, (str, bytes)):
            raise UsageError(f"{name} is {value_text(values_)}", remedy)
        for value in values_:
            if not isinstance(value, kind) or isinstance(value, bool):
                raise UsageError(f"{name} holds {value_text(value)}", remedy)
    expect("senses", senses, Integral, "Use a whole number of 1 or more, such as 2.")
    expect_progress(progress)


def answer(lists: Lists, settings: Settings) -> Steering:
    """Return the measures of existing lists. Raises FairvizError if the settings keep no query."""
    return Steering(lists, settings, values(lists, settings))
