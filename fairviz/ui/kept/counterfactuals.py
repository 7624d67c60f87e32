"""What the page Counterfactuals keeps between reruns: experiments once run, and what they say under the settings.

An experiment is run where a reader asks for it, with progress, and is put here when it is whole; it is found again
under all that it depends on. What comes from one person's uploads stays in that person's session.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import streamlit as st

from fairviz.analyses.counterfactuals.answer import Counterfactual, answer
from fairviz.analyses.counterfactuals.collection import Collection, substituted
from fairviz.analyses.counterfactuals.experiment import Experiment, Plan
from fairviz.evaluation.settings import Settings
from fairviz.rankers.grammar import Choice
from fairviz.study.record import Study
from fairviz.ui.kept import tables
from fairviz.ui.kept.tables import Request
from fairviz.ui.state import library

MOST = 12  # experiments that stay
_LOCK = Lock()
Shelf = OrderedDict[tuple, Experiment]


def key_of(study: Study, choices: Sequence[Choice], plan: Plan, settings: Settings) -> tuple:
    """All that an experiment depends on; of word vectors in a file also what the file is."""
    asked = tuple((choice.ranker.name, tuple(sorted(choice.parameters.items()))) for choice in choices)
    return study.fingerprint, asked, plan, tables.vectors_stamp(settings)


def held(study: Study, key: tuple) -> Experiment | None:
    """The experiment of this key, where it was run."""
    shelf = _shelf(study)
    with _LOCK:
        if key in shelf:
            shelf.move_to_end(key)
        return shelf.get(key)


def put(study: Study, key: tuple, found: Experiment) -> None:
    """Keeps an experiment; the one that was looked at longest ago goes where there are too many."""
    shelf = _shelf(study)
    with _LOCK:
        shelf[key] = found
        while len(shelf) > MOST:
            shelf.popitem(last=False)


def _shelf(study: Study) -> Shelf:
    return _own_shelf() if library.is_own(study) else _shared_shelf()


def _made() -> Shelf:
    return OrderedDict()


def answered(found: Experiment, key: tuple, settings: Settings) -> Counterfactual:
    """What the experiment of this key says under the settings."""
    plain = tables.plain(settings).changed(systems=(), tests=settings.tests)
    request = Request("counterfactual", found.study, plain, (*key, repr(plain)), (found,))
    return (_answered_own if library.is_own(found.study) else _answered_shared)(request)


def _answer(request: Request) -> Counterfactual:
    return answer(request.detail[0], request.settings)


def swapped(study: Study, plan: Plan) -> Collection:
    """The study with genders swapped. Raises FairvizError where nothing changes."""
    pairs = plan.counterparts.only(plan.substitute)
    request = Request("swapped", study, Settings(), ("swapped", study.fingerprint, pairs), (pairs,))
    return (_swapped_own if library.is_own(study) else _swapped_shared)(request)


def _swap(request: Request) -> Collection:
    return substituted(request.study, request.detail[0])


_HASHES: dict = {Request: lambda request: request.key}
_of_all = st.cache_resource(hash_funcs=_HASHES, max_entries=20, show_spinner=False)
_of_session = st.cache_resource(hash_funcs=_HASHES, max_entries=10, show_spinner=False, scope="session")
_answered_shared, _answered_own = _of_all(_answer), _of_session(_answer)
_swapped_shared, _swapped_own = _of_all(_swap), _of_session(_swap)
_shared_shelf = st.cache_resource(show_spinner=False)(_made)
_own_shelf = st.cache_resource(show_spinner=False, scope="session")(_made)
