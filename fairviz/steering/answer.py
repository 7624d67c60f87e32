"""What a weight of the senses does: the table over all weights, and what changes from weight 1 to another."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real

import numpy as np
import pandas as pd

from fairviz.errors import UsageError, expect, told
from fairviz.evaluation.given import chosen_settings
from fairviz.evaluation.pairs import How
from fairviz.evaluation.settings import Settings
from fairviz.rankers.record import silent
from fairviz.statistics.bootstrap import mean_over_queries
from fairviz.statistics.families import parse_tests
from fairviz.statistics.intervals import mean_interval
from fairviz.steering.change import change_table, ranks
from fairviz.steering.lists import DEPTH, REFERENCES, WEIGHTS, Lists, Senses, lists_of
from fairviz.steering.measuring import Column, Values, values
from fairviz.study.study import Study

Array = np.ndarray
BACKPACK, PLACEBO = "backpack", "placebo"
KEYS = ("measure", "ranker", "model", "senses", "weight")
SEEDS = ("measure", "ranker", "weight", "models", "mean", "deviation", "lowest", "highest")


@dataclass(frozen=True, eq=False)
class Steering:
    """Every measure over the weight of the senses that carry most gender, and over that of other senses.

    lists: what it was computed from; found: each measure's value for each query.
    """

    lists: Lists
    settings: Settings
    found: Values

    @property
    def weights(self) -> tuple[float, ...]:
        """The weights, ascending; 1 is among them."""
        return self.lists.weights

    @property
    def columns(self) -> tuple[Column, ...]:
        """The measures."""
        return self.found.columns

    @property
    def defined(self) -> tuple[Column, ...]:
        """The measures that have a value for any query: NFaiRR has none where no list can hold a neutral document."""
        held = ~np.isnan(self.found.models[0]).all(axis=(1, 2, 3))
        return tuple(column for column, there in zip(self.columns, held, strict=True) if there)

    @cached_property
    def table(self) -> pd.DataFrame:
        """measure, ranker, model, senses, weight, and value, ci_low, ci_high: mean over queries with its t
        interval; queries. ranker: `backpack`; `placebo`, a row each set of other senses and, where senses is `mean`,
        the mean of them; of further models only these means; and the references, which have no weight."""
        parts = [part for place in range(len(self.lists.models)) for part in self._of_model(place)]
        for place, name in enumerate(REFERENCES):
            parts.append(self._rows(self.found.references[:, place, None], name, "", "", (np.nan,)))
        return pd.concat(parts, ignore_index=True)

    def _of_model(self, place: int) -> list[pd.DataFrame]:
        model, found = self.lists.models[place], self.found.models[place]
        parts = [self._rows(found[:, 0], BACKPACK, model.name, senses_text(model.senses[0]), self.weights)]
        if found.shape[1] > 1:
            parts.append(self._rows(placebo_of(found), PLACEBO, model.name, "mean", self.weights))
        if not place:
            parts += [
                self._rows(found[:, row], PLACEBO, model.name, senses_text(senses), self.weights)
                for row, senses in enumerate(model.senses)
                if row
            ]
        return parts

    def _rows(self, held: Array, ranker: str, model: str, senses: str, weights: Sequence[float]) -> pd.DataFrame:
        """Rows of values (M, W, Q)."""
        low, high = mean_interval(held)
        measure, stop = (axis.ravel() for axis in np.indices(held.shape[:2]))
        return pd.DataFrame(
            {
                "measure": pd.array([self.columns[row].text for row in measure], dtype="str"),
                "ranker": pd.array([ranker] * len(measure), dtype="str"),
                "model": pd.array([model] * len(measure), dtype="str"),
                "senses": pd.array([senses] * len(measure), dtype="str"),
                "weight": np.asarray(weights, dtype=float)[stop],
                "value": mean_over_queries(held).ravel(),
                "ci_low": low.ravel(),
                "ci_high": high.ravel(),
                "queries": (~np.isnan(held)).sum(axis=-1).ravel(),
            }
        )

    @cached_property
    def seeds(self) -> pd.DataFrame:
        """SEEDS: mean, standard deviation and range over models of the means of `backpack` and of the placebo's mean;
        empty with one model."""
        if len(self.lists.models) < 2:
            return pd.DataFrame(columns=list(SEEDS))
        held = self.table[(self.table["ranker"] == BACKPACK) | (self.table["senses"] == "mean")]
        grouped = held.groupby(["measure", "ranker", "weight"], sort=False)["value"]
        found = grouped.agg(models="size", mean="mean", deviation="std", lowest="min", highest="max")
        return found.reset_index()[list(SEEDS)]

    @property
    def how(self) -> How:
        """How changes are tested: by the method of the settings."""
        return How(parse_tests(self.settings.tests))

    def change(self, weight: float) -> pd.DataFrame:
        """What changes from weight 1 to this one, which is one of `weights`: see `change_table` and `ranks`."""
        if weight not in self.weights:
            told_ = ", ".join(f"{one:g}" for one in self.weights)
            raise UsageError(f"no list was made at weight {weight:g}", f"Use one of {told_}.")
        found, here, one = self.found.models[0], self.weights.index(weight), self.weights.index(1.0)
        beside = placebo_of(found) if found.shape[1] > 1 else np.full_like(found[:, 0], np.nan)
        table = change_table(self.columns, found[:, 0][:, [one, here]], beside[:, [one, here]], self.how)
        return table.join(ranks(self.columns, found[:, :, [one, here]]))


def placebo_of(found: Array) -> Array:
    """The mean over the placebos, (M, W, Q) from (M, P, W, Q)."""
    return found[:, 1:].mean(axis=1)


def senses_text(senses: Senses) -> str:
    """The senses counted from 1, as `2 5`."""
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
    """What the weight of a Backpack's `senses` most sensitive senses does to the study's lists and their measures.

    model: empty for the packaged one, the name of one of `fairviz train-backpack`, or a folder; seeds: further models,
    whose means stand beside. weights: from 0 to 2; 1, the model as it is, is always among them. progress(what, done, in
    all). choices: fields of Settings. Raises FairvizError for a study without text of queries and documents, UsageError
    for a model that there is not and for weights out of their range.
    """
    settings = chosen_settings(study, settings, choices)
    _check(model, seeds, weights, senses, progress)
    depth = max(settings.cutoff, DEPTH)
    made = lists_of(study, [model, *seeds], progress or silent, weights=weights, senses=senses, depth=depth)
    return answer(made, settings)


def _check(model: object, seeds: object, weights: object, senses: object, progress: object) -> None:
    """Raises UsageError for an argument of another type."""
    expect("model", model, str, "Give the name of a model, or a folder.")
    for name, values_, kind, remedy in (
        ("seeds", seeds, str, "Give a list of models by name or folder, as ['newswire-seed=1']."),
        ("weights", weights, Real, "Give a list of numbers from 0 to 2, as [0, 0.5, 1]."),
    ):
        if not isinstance(values_, Sequence) or isinstance(values_, (str, bytes)):
            raise UsageError(f"{name} is {told(values_)}", remedy)
        for value in values_:
            if not isinstance(value, kind) or isinstance(value, bool):
                raise UsageError(f"{name} holds {told(value)}", remedy)
    expect("senses", senses, Integral, "Use a whole number of 1 or more, such as 2.")
    if progress is not None and (not callable(progress) or isinstance(progress, type)):
        raise UsageError(f"progress is {told(progress)}", "Give a function of what is done, how much, and in all.")


def answer(lists: Lists, settings: Settings) -> Steering:
    """The measures of lists made before. Raises FairvizError where the settings keep no query."""
    return Steering(lists, settings, values(lists, settings))
