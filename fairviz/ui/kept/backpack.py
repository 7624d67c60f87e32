"""What the page Backpack keeps between reruns: lists once made, what they say under the settings, and words' senses.

Lists are made beside the page, as a job, and are put here when they are whole. What comes from one person's uploads
stays in that person's session.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

import pandas as pd
import streamlit as st

from fairviz.analyses.sense_weighting.answer import Steering, answer
from fairviz.analyses.sense_weighting.lists import DEPTH, Lists
from fairviz.evaluation.settings import Settings
from fairviz.rankers.backpack.loading import Backpack, loaded
from fairviz.rankers.backpack.neighbours import nearest
from fairviz.rankers.backpack.words import sensitivity_table
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kept.tables import Request
from fairviz.ui.state import library

MOST = 8  # lists that stay
SENSES = 2  # that get the weight, as in the paper
_LOCK = Lock()
Shelf = OrderedDict[tuple, Lists]


def key_of(study: Study, models: Sequence[str], settings: Settings) -> tuple:
    """All that lists depend on: texts, the models' weights, and how deep they are. Raises as `loaded`."""
    keys = tuple((name, loaded(name).key) for name in models)
    return "backpack", study.fingerprint, keys, max(settings.cutoff, DEPTH)


def held(study: Study, key: tuple) -> Lists | None:
    """The lists of this key, where they were made."""
    shelf = _shelf(study)
    with _LOCK:
        if key in shelf:
            shelf.move_to_end(key)
        return shelf.get(key)


def putting(study: Study) -> Callable[[tuple, Lists], None]:
    """What keeps lists for this study and session, for work beside the page, which knows no session. The lists that
    were looked at longest ago go where there are too many."""
    shelf = _shelf(study)

    def put(key: tuple, found: Lists) -> None:
        with _LOCK:
            shelf[key] = found
            while len(shelf) > MOST:
                shelf.popitem(last=False)

    return put


def _shelf(study: Study) -> Shelf:
    return _own_shelf() if library.is_own(study) else _shared_shelf()


def _made() -> Shelf:
    return OrderedDict()


def answered(found: Lists, key: tuple, settings: Settings) -> Steering:
    """What the lists of this key say under the settings."""
    study, plain = found.read.study, tables.plain(settings).changed(systems=(), tests=settings.tests)
    request = Request("backpack", study, plain, (*key, id(found), repr(plain)), (found,))
    return (_answered_own if library.is_own(study) else _answered_shared)(request)


def _answer(request: Request) -> Steering:
    return answer(request.detail[0], request.settings)


def sensitivity(model: Backpack) -> pd.DataFrame:
    """sense, sensitivity, ci_low, ci_high, pairs, scaled: how much each sense carries gender."""
    return _sensitivity(model)


def neighbours(model: Backpack, word: str, count: int) -> pd.DataFrame:
    """sense, place, word, cosine: the nearest words of each sense. Raises FairvizError for a word of no token."""
    return _neighbours(model, word, count)


_MODELS: dict = {Backpack: lambda model: (model.name, model.key)}
_HASHES: dict = {Request: lambda request: request.key}
_sensitivity = st.cache_resource(hash_funcs=_MODELS, max_entries=8, show_spinner=False)(
    lambda model: sensitivity_table(model, senses=min(SENSES, model.senses))
)
_neighbours = st.cache_resource(
    hash_funcs=_MODELS, max_entries=200, show_spinner="Laying out the senses of the vocabulary …"
)(nearest)
_of_all = st.cache_resource(hash_funcs=_HASHES, max_entries=20, show_spinner="Measuring the lists …")
_of_session = st.cache_resource(
    hash_funcs=_HASHES, max_entries=10, show_spinner="Measuring the lists …", scope="session"
)
_answered_shared, _answered_own = _of_all(_answer), _of_session(_answer)
_shared_shelf = st.cache_resource(show_spinner=False)(_made)
_own_shelf = st.cache_resource(show_spinner=False, scope="session")(_made)
