"""The cache of the pages Audit, Mitigations and Backpack: an audit's pairs and tables, the TREC track's scores, the
texts that encoders read, and a Backpack's lists, their results under the settings, and words' senses.

A Backpack's lists are computed by a job and stored here when they are complete.
"""

from collections.abc import Callable, Sequence
from operator import attrgetter

import pandas as pd

from fairviz.analyses.audit.attribution_plan import AttributionPlan, VersionTexts, version_texts_of
from fairviz.analyses.audit.pairs import Pairs, PairwisePlan, pairs_of
from fairviz.analyses.audit.pairwise import PairwiseAudit
from fairviz.analyses.sense_weighting.answer import Steering, answer
from fairviz.analyses.sense_weighting.lists import DEPTH, Lists, Read, read_of
from fairviz.comparison.track import TrackScores, track_scores
from fairviz.evaluation.settings import Settings
from fairviz.rankers.backpack.loading import Backpack, loaded
from fairviz.rankers.backpack.neighbours import nearest
from fairviz.rankers.backpack.words import sensitivity_table
from fairviz.rankers.grammar import Choice
from fairviz.rankers.reading import reading_seconds, reads
from fairviz.study.record import Study
from fairviz.ui.kept.entries import Entries, Shelf, kept
from fairviz.ui.kept.tables import ALL_SYSTEMS, of_all_systems

SENSES = 2  # that get the weight, as in the paper
_MODEL: dict = {"model": attrgetter("name", "key")}


@kept(Entries("audit by", session=10), by={"audit": lambda _: ""}, owner=attrgetter("study"))
def by(audit: PairwiseAudit, key: tuple, column: str) -> pd.DataFrame:
    """The table of the audit of this key for each value of a column. Raises UsageError for too many values."""
    return audit.by(column)


@kept(Entries("audit pairs", session=10))
def pairs(study: Study, plan: PairwisePlan) -> Pairs:
    """The study's pairs. Raises: see `pairs_of`."""
    return pairs_of(study, plan)


@kept(Entries("audit versions", session=10))
def version_texts(study: Study, plan: AttributionPlan) -> VersionTexts:
    """The texts of the versions of the study's documents. Raises: see `versions_of`."""
    return version_texts_of(study, plan)


@kept(Entries("track", session=10))
def track(study: Study, unknown: str, targets: str, several: str, k: int) -> TrackScores:
    """The TREC Fair Ranking track's scores of the study. Raises: see `fairviz.track_scores`."""
    return track_scores(study, unknown=unknown, targets=targets, several=several, k=k)  # type: ignore[arg-type]


@kept(Entries("texts to read", spinner="Counting the texts to read …"))
def read(study: Study) -> Read:
    """The study's texts with their other wordings. Raises FairvizError if it has none."""
    return read_of(study)


def mitigation_seconds(study: Study, choices: Sequence[Choice]) -> float | None:
    """Return the seconds in which these rankers read what they have not read yet; None where one is unknown."""
    wordings = read(study).wordings.others if any(map(reads, choices)) else ()
    return reading_seconds(study, choices, wordings)


def key_of(study: Study, models: Sequence[str], settings: Settings) -> tuple:
    """All that lists depend on: texts, the models' weights, and how deep they are. Raises: see `loaded`."""
    keys = tuple((name, loaded(name).key) for name in models)
    return "backpack", study.fingerprint, keys, max(settings.cutoff, DEPTH)


def cached_lists(study: Study, key: tuple) -> Lists | None:
    """The lists of this key, where they were computed."""
    return _shelf(study).value_of(key)


def putting(study: Study) -> Callable[[tuple, Lists], None]:
    """A function that stores lists for this study and session, for a job, which has no session."""
    return _shelf(study).put


@kept(Entries("backpack lists", number=1), by={"study": lambda _: ""})
def _shelf(study: Study) -> Shelf[Lists]:
    return Shelf(8)


@kept(
    Entries("steering", session=10, spinner="Measuring the lists …"),
    ALL_SYSTEMS,
    by={"lists": id},
    owner=attrgetter("read.study"),
)
def answered(lists: Lists, key: tuple, settings: Settings) -> Steering:
    """The results of the lists of this key under the settings."""
    return answer(lists, of_all_systems(settings))


@kept(Entries("sensitivity"), by=_MODEL)
def sensitivity(model: Backpack) -> pd.DataFrame:
    """sense, sensitivity, ci_low, ci_high, pairs, scaled: how much each sense carries gender."""
    return sensitivity_table(model, senses=min(SENSES, model.senses))


@kept(Entries("senses", spinner="Laying out the senses of the vocabulary …"), by=_MODEL)
def neighbours(model: Backpack, word: str, count: int) -> pd.DataFrame:
    """sense, place, word, cosine: the nearest words of each sense. Raises FairvizError for a word of no token."""
    return nearest(model, word, count)
