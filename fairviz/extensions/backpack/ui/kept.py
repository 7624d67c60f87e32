"""The cache of the page Backpack: lists, stored when the job that computes them has ended, their results under the
settings, and senses."""

from collections.abc import Callable, Sequence
from operator import attrgetter

import pandas as pd

from fairviz.evaluation.settings import Settings
from fairviz.extensions.backpack import steering as answers
from fairviz.extensions.backpack.lists import DEPTH, Lists, read_of
from fairviz.extensions.backpack.loading import Backpack, loaded
from fairviz.extensions.backpack.words import nearest, sensitivity_table
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, Shelf, kept
from fairviz.ui.kept.tables import ALL_SYSTEMS, of_all_systems

SENSES = 2  # that get the weight, as in the paper
_MODEL: dict = {"model": attrgetter("name", "key")}

read = kept(Entries("texts of senses", spinner="Counting the texts to read …"))(read_of)


def key_of(study: Study, models: Sequence[str], settings: Settings) -> tuple:
    """All that lists depend on: texts, the models' weights, and how deep they are. Raises: see `loaded`."""
    keys = tuple((name, loaded(name).key) for name in models)
    return "backpack", study.fingerprint, keys, max(settings.cutoff, DEPTH)


def cached_lists(study: Study, key: tuple) -> Lists | None:
    """The lists of this key, where they were computed."""
    return _lists(study).value_of(key)


def putting(study: Study) -> Callable[[tuple, Lists], None]:
    """A function that stores lists for this study and session, for a job, which has no session."""
    return _lists(study).put


@kept(Entries("backpack lists", number=1), by={"study": lambda _: ""})
def _lists(study: Study) -> Shelf[Lists]:
    return Shelf(8)


@kept(
    Entries("steering", session=10, spinner="Measuring the lists …"),
    ALL_SYSTEMS,
    by={"lists": id},
    owner=attrgetter("read.study"),
)
def steering(lists: Lists, key: tuple, settings: Settings) -> answers.Steering:
    """The results of the lists of this key under the settings."""
    return answers.answer(lists, of_all_systems(settings))


@kept(Entries("sensitivity"), by=_MODEL)
def sensitivity(model: Backpack) -> pd.DataFrame:
    """sense, sensitivity, ci_low, ci_high, pairs, scaled: how much each sense carries gender."""
    return sensitivity_table(model, senses=min(SENSES, model.senses))


neighbours = kept(Entries("senses", spinner="Laying out the senses of the vocabulary …"), by=_MODEL)(nearest)
