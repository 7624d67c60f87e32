"""The cache of what pages compute: `kept` on a function declares what its value depends on and where it is stored.

A value is shared between reruns and readers, and changed by none: `Memory` holds it. What comes from
one person's uploads is stored in that person's session, by Streamlit. Either computes a value once, also when several
threads request it at the same time, and stores no error.
"""

import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial, wraps
from inspect import signature
from operator import attrgetter
from pathlib import Path
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from fairviz.annotation.database import store_stamp
from fairviz.errors import FairvizError
from fairviz.evaluation.settings import Settings
from fairviz.figures.style import Theme, under_one_legend
from fairviz.home.permissions import permissions
from fairviz.measures import Question
from fairviz.study.loaders.hashes import look
from fairviz.study.record import Study
from fairviz.ui.kit.charts import CLICKS
from fairviz.ui.state import library
from fairviz.words.vectors import GLOVE, vector_path

MEGABYTE = 1_000_000
USUAL = 600  # megabytes, where no server is configured
_OVERHEAD = 500  # bytes of a value's key and place
_UNKNOWN = MEGABYTE  # bytes of a value that cannot be measured


class Memory:
    """Values by key. Holds state: when they have more than `most` bytes together, those requested longest ago go.

    A value of more than `most` bytes is kept alone.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Any, tuple[Any, int]] = OrderedDict()  # with their sizes, the latest requested last
        self._bytes = 0
        self._running: dict[Any, Future] = {}
        self._lock = Lock()

    def get(self, key: Any) -> Any:
        """Return the value of this key; None if there is none."""
        with self._lock:
            return self._touched(key) if key in self._values else None

    def value(self, key: Any, compute: Callable[[], Any]) -> Any:
        """Return the value of this key, computed if there is none. What `compute` raises is raised here and not kept:
        others who wait for it compute themselves."""
        while True:
            with self._lock:
                if key in self._values:
                    return self._touched(key)
                other = self._running.get(key)
                mine = self._running.setdefault(key, Future())
            if other is None:
                return self._compute(key, compute, mine)
            if other.result():
                value = self.get(key)
                if value is not None:
                    return value

    def _compute(self, key: Any, compute: Callable[[], Any], done: Future) -> Any:
        is_kept = False
        try:
            value = compute()
            size = min(size_of(value) + _OVERHEAD, self._most)
            self._store(key, value, size)
            is_kept = True
            return value
        finally:
            with self._lock:
                del self._running[key]
            done.set_result(is_kept)

    def _touched(self, key: Any) -> Any:
        self._values.move_to_end(key)
        return self._values[key][0]

    def _store(self, key: Any, value: Any, size: int) -> None:
        with self._lock:
            self._values[key] = value, size
            self._bytes += size
            while self._bytes > self._most:
                self._bytes -= self._values.popitem(last=False)[1][1]

    def clear(self) -> None:
        """Forget every value."""
        with self._lock:
            self._values.clear()
            self._bytes = 0


class _Sizer(pickle.Pickler):
    """Counts what it would write. Arrays that are mapped from the disk count as nothing: the system drops their pages
    when it needs the room."""

    def __init__(self) -> None:
        self.bytes = 0
        super().__init__(self, protocol=5, buffer_callback=self._add)

    def write(self, data: bytes) -> None:
        self.bytes += len(data)

    def _add(self, buffer: pickle.PickleBuffer) -> None:
        with buffer.raw() as view:
            self.bytes += view.nbytes

    def reducer_override(self, value: Any) -> Any:
        return (str, ()) if isinstance(value, np.ndarray) and _is_mapped(value) else NotImplemented


def _is_mapped(array: np.ndarray) -> bool:
    base: Any = array
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap):
            return True
        base = base.base
    return False


def size_of(value: Any) -> int:
    """Return the bytes of a value with all that it holds; a megabyte for what cannot be pickled."""
    sizer = _Sizer()
    try:
        sizer.dump(value)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError, ValueError):
        return _UNKNOWN
    return sizer.bytes


def _most_bytes() -> int:
    limits = permissions().limits()
    return MEGABYTE * (limits.cache_megabytes if limits is not None else USUAL)


MEMORY = Memory(_most_bytes())


Parameters = ParamSpec("Parameters")
Value = TypeVar("Value")
Reads = tuple[str, ...] | Callable[[Study, Settings], Any]


@dataclass(frozen=True, eq=False)
class _Call:
    """A call of a function with its arguments. key: all that its value depends on."""

    key: tuple
    compute: Callable[[], Any]


def stamp_of(path: Callable[[], Path]) -> tuple[int, ...]:
    """Return the state of a database, which changes with every row; empty where there is none, or no folder for it."""
    with suppress(FairvizError):
        return store_stamp(path())
    return ()


class Entries:
    """Space for the values of one or more functions.

    name: unique. session: the number of values that a session keeps for its uploads. spinner: the text shown while a
    value is computed; empty for none. number: of values that the server keeps whatever their bytes: those that work
    adds to after they are stored, and large ones without which nothing else can be computed.
    """

    def __init__(self, name: str, session: int = 1, spinner: str = "", *, number: int = 0) -> None:
        def compute(call: _Call) -> Any:
            return call.compute()

        compute.__qualname__ = f"Entries.{name}"  # Streamlit distinguishes caches by their functions' names
        self._spinner = spinner
        hashes: dict = {_Call: lambda call: call.key}
        cached = partial(st.cache_resource, hash_funcs=hashes, show_spinner=spinner or False)
        self._of_session = cached(max_entries=session, scope="session")(compute)
        self._by_number = cached(max_entries=number)(compute) if number else None

    def value(self, call: _Call, study: Study | None) -> Any:
        """Return the stored value of this call, or compute and store it: in the session if it comes from its study."""
        is_own = study is not None and study.name in library.own_studies()  # also where its documents were ranked anew
        if is_own:
            return self._of_session(call)
        return self._by_number(call) if self._by_number else MEMORY.value(call.key, partial(self._compute, call))

    def _compute(self, call: _Call) -> Any:
        with st.spinner(self._spinner) if self._spinner else nullcontext():
            return call.compute()


def kept(
    entries: Entries,
    reads: Reads = (),
    *,
    by: Mapping[str, Callable[[Any], Any]] | None = None,
    stamp: Callable[[], Any] = tuple,
    owner: Callable[[Any], Study] | None = None,
) -> Callable[[Callable[Parameters, Value]], Callable[Parameters, Value]]:
    """Return a decorator that stores a function's values under what they depend on.

    reads: the fields of the argument `settings` that the value depends on, or a function from `study` and `settings` to
    it; other fields may change without computing anything anew. With `embedding` among the fields, the file of the
    vectors counts too. by: for arguments by name, what represents them in the key; a study is represented by its
    fingerprint, a question by its text, and any other argument by itself. stamp: what else counts, such as the state of
    a file. owner: from the first argument to the study whose owner's session stores the value; without it, the argument
    `study`.
    """

    def decorate(function: Callable[Parameters, Value]) -> Callable[Parameters, Value]:
        parameters = signature(function)
        if unknown := set(by or ()) - set(parameters.parameters):
            raise TypeError(f"{function.__qualname__} has no parameter {', '.join(sorted(unknown))}")
        name = f"{function.__module__}.{function.__qualname__}"

        @wraps(function)
        def stored(*positional: Parameters.args, **named: Parameters.kwargs) -> Value:
            call = parameters.bind(*positional, **named)
            call.apply_defaults()
            arguments = call.arguments
            study = owner(next(iter(arguments.values()))) if owner else arguments.get("study")
            fields = _fields_read(arguments, reads) if reads else ()
            represented = tuple(
                (by or {}).get(key, _represented)(value) for key, value in arguments.items() if key != "settings"
            )
            key = (name, fields, represented, stamp())
            return entries.value(_Call(key, partial(function, *positional, **named)), study)

        return stored

    return decorate


def _fields_read(arguments: Mapping[str, Any], reads: Reads) -> tuple:
    settings = arguments["settings"]
    if not isinstance(reads, tuple):
        return repr(reads(arguments["study"], settings)), ()  # a text: Streamlit would hash each word of a list alone
    values = repr([getattr(settings, name) for name in reads])
    return values, vectors_stamp(settings) if "embedding" in reads else ()


def _represented(value: Any) -> Any:
    if isinstance(value, Study):
        return value.fingerprint
    if isinstance(value, Question):
        return value.text
    return tuple(map(_represented, value)) if isinstance(value, list | tuple) else value


def vectors_stamp(settings: Settings) -> tuple:
    """Return the state of the file of the settings' word vectors, which changes with the file; empty without one."""
    if settings.embedding == GLOVE:
        return ()
    try:
        return look(vector_path(settings.embedding))
    except (OSError, ValueError, FairvizError):  # ValueError: a name with a null byte
        return ()


@kept(Entries("figures"), by={"draw": attrgetter("__module__", "__qualname__"), "drawing": pickle.dumps})
def draw_cached(
    draw: Callable[..., go.Figure], *drawing: Any, theme: Theme, hidden: int | None = None, clicks: bool = False
) -> go.Figure:
    """Return the figure, finished as `fairviz.ui.kit.charts.chart` would. Building and checking a Plotly object takes
    longer than the computation of its data.

    draw: a pure function of its arguments, `drawing`. hidden: of a page with one legend, how many systems it hides.
    clicks: whether a click on a point is answered.
    """
    figure = draw(*drawing)
    if hidden is not None:
        under_one_legend(figure, theme, hidden)
    return figure.update_layout(clickmode=CLICKS) if clicks else figure


class Shelf(Generic[Value]):
    """Values that a job or a run computes, by their keys. Holds state: those requested longest ago go if there are more
    than `most`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[tuple, Value] = OrderedDict()
        self._lock = Lock()

    def value_of(self, key: tuple) -> Value | None:
        """Return the value of this key; None if there is none."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: tuple, value: Value) -> None:
        """Store a value, from any thread."""
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)
