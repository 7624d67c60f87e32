"""Studies and settings drawn at random, and a program that has forgotten everything, as a new process would be."""

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from hypothesis import strategies
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner_utils.script_run_context import (
    ScriptRunContext,
    add_script_run_ctx,
    get_script_run_ctx,
)
from streamlit.runtime.state import SafeSessionState, SessionState

from fairviz.errors import FairvizError
from fairviz.evaluation.settings import CHOICES, EFFECTIVENESS, Settings
from fairviz.measures.position_bias import ATTENTION
from fairviz.study.record import Study
from fairviz.study.study import make_study
from fairviz.ui.kept import tables
from fairviz.ui.kept.entries import MEMORY, Entries, kept
from fairviz.words.counting import parse_lexicon

WORDS = ("she", "he", "her", "his", "woman", "man", "nurse", "boat", "tree", "engineer")
SYSTEMS = ("one", "two", "perfect")
QUERIES = {
    "q1": ("nurses her", "work"),
    "q2": ("boats man", "sea"),
    "q3": ("engineer", "work"),
    "q4": ("tree she", "sea"),
}
DOCUMENTS = tuple(f"d{place}" for place in range(9))


def study_of(seed: int) -> Study:
    """A study of three systems and four queries with everything that an answer may depend on: ties, documents without
    a label or without text, two people and a rule who disagree, relevance, some with gender words of its own."""
    rng = np.random.default_rng(seed)
    words = [" ".join(rng.choice(WORDS, size=rng.integers(2, 9))) for _ in DOCUMENTS]
    texts = [f"{text}, his-boat" if place % 3 == 0 else text for place, text in enumerate(words)]
    lists = [
        (system, query, document, place, float(-(place // 2)))
        for system in SYSTEMS
        for query in QUERIES
        for place, document in enumerate(rng.permutation(DOCUMENTS[:-1])[: rng.integers(4, 9)], start=1)
    ]
    labels = [
        (document, who, rng.choice(["female", "male", "neutral"]), rng.choice(["", "sure"]))
        for who, share in (("ann", 0.9), ("bob", 0.7), ("eve", 0.7))
        for document in DOCUMENTS
        if rng.random() < share
    ]
    judged = [(query, document, int(rng.integers(0, 3))) for query in QUERIES for document in DOCUMENTS]
    return make_study(
        f"drawn-{seed}",
        queries=pd.DataFrame(
            [(name, *about) for name, about in QUERIES.items()], columns=["query_id", "text", "topic"]
        ),
        documents=pd.DataFrame(
            {"doc_id": DOCUMENTS, "text": [None, *texts[1:]], "kind": ["a", "b", "c"] * (len(DOCUMENTS) // 3)}
        ),
        runs=pd.DataFrame(lists, columns=["system", "query_id", "doc_id", "rank", "score"]),
        labels=pd.DataFrame(labels, columns=["doc_id", "annotator", "label", "confidence"]),
        qrels=pd.DataFrame(judged, columns=["query_id", "doc_id", "relevance"]),
        lexicon=parse_lexicon("female:she|nurse;male:he|boat") if seed % 2 else None,
    )


def vectors(folder: Path) -> tuple[str, ...]:
    """Small files of word vectors that tell the genders apart in different ways, the second without some words."""
    paths = []
    for seed, (name, words) in enumerate({"first.txt": WORDS, "second.txt": WORDS[:-2], "third.txt": WORDS}.items()):
        drawn = np.random.default_rng(seed).normal(size=(len(words), 5))
        lines = [f"{word} {' '.join(map(str, row))}" for word, row in zip(words, drawn, strict=True)]
        (folder / name).write_text("\n".join([f"{len(words)} 5", *lines, ""]))
        paths.append(str(folder / name))
    return tuple(paths[:2])


def choices(embeddings: tuple[str, ...]) -> dict[str, tuple[Any, ...]]:
    """For every field of Settings what it may hold beside its default, in the studies of `study_of`.

    The first of each moves an answer in every such study, where the field moves any answer.
    """
    by_records = {
        one.name: tuple(text for text in one.texts if text != one.default) or (one.default + 1, one.default + 2)
        for one in CHOICES.values()
        if one.texts or one.least is not None
    }
    return by_records | {
        "study": ("football",),
        "systems": (("two",), ("two", "one"), ("perfect", "one")),
        "filter_column": ("topic", "query_id", "no such column"),
        "filter_values": (("work",), ("sea",), ("q1", "q2"), ("work", "sea")),
        "cutoff": (3, 1, 5, 8, 12),
        "alpha": (0.25, 0.0, 1.0),
        "position_bias": ("rbp(p=0.6)", "custom", "rbp(p=0.9)", *(set(ATTENTION) - {"rbp", "log2"})),
        "custom_bias": ((1.0, 0.1), (0.5, 0.4, 0.3, 0.2)),
        "columns": (("AWRF", "CWEx(alpha=0.25)"), ("RaB",)),
        "lexicon": ("female:tree;male:engineer", "gsr", "female:she|her;male:he|his|man"),
        "tau": (0, 2, 3),
        "background": ("collection", "run:one", "run:perfect"),
        "annotator": ("bob", "ann", "majority", "dawid-skene", "nobody"),
        "voters": (("ann",), ("all",), ("bob", "ann"), ("nobody",)),
        "corrected_by": ("majority",),
        "crossed_with": ("kind", "no such column"),
        "effectiveness": tuple(name for name in EFFECTIVENESS if name != Settings.effectiveness),
        "tests": ("maxT(family='measures')", "holm(statistic='wilcoxon')", "maxT(baseline='one')", "none"),
        "tested": (("perfect",), ("two", "one")),
        "not_tested": (("one",), ("two", "perfect")),
        "cluster": ("topic", "no such column"),
        "embedding": embeddings,
        "pairs": ("she-he", "her-his, woman-man"),
        "stop_words": ("nurses boats nurse tree man", "the", "she boat"),
        "word_lists": (("jobs",),),
        "words": ("nurse boat",),
        "against": ("engineer",),
        "system": ("two", "one"),
        "query": ("q2", "q1"),
        "document": ("d3",),
    }


@strategies.composite
def settings_drawn(draw: strategies.DrawFn, embeddings: tuple[str, ...]) -> Settings:
    """Settings in which any field may be another than its default."""
    names = choices(embeddings)
    return Settings(
        **{
            field.name: draw(strategies.sampled_from([field.default, *names[field.name]]))
            for field in fields(Settings)
            if field.name != "embedding"
        },
        embedding=draw(strategies.sampled_from(embeddings)),
    )


@strategies.composite
def neighbours(draw: strategies.DrawFn, embeddings: tuple[str, ...]) -> tuple[Settings, Settings]:
    """Settings, and the same but for one to three fields: what a person does who moves a few controls."""
    first = draw(settings_drawn(embeddings))
    names = choices(embeddings)
    moved = draw(strategies.lists(strategies.sampled_from(sorted(names)), min_size=1, max_size=3, unique=True))
    return first, first.changed(**{name: draw(strategies.sampled_from(names[name])) for name in moved})


@contextmanager
def session(name: str = "somebody") -> Iterator[None]:
    """A run of a page's script in a session of its own, in which the functions of pages can be called."""
    context = ScriptRunContext(
        session_id=name,
        _enqueue=lambda _: None,
        query_string="",
        session_state=SafeSessionState(SessionState(), lambda: None),
        uploaded_file_mgr=MemoryUploadedFileManager("/"),
        main_script_path="",
        user_info={},
        fragment_storage=MemoryFragmentStorage(),
        pages_manager=PagesManager(""),
    )
    before = get_script_run_ctx(suppress_warning=True)
    add_script_run_ctx(ctx=context)
    try:
        yield
    finally:
        add_script_run_ctx(ctx=before)


def modules() -> list[ModuleType]:
    """The program's modules that are loaded."""
    return [module for name, module in sys.modules.items() if name.partition(".")[0] == "fairviz"]


def caches() -> Iterator[tuple[str, Any]]:
    """Every function of the program that remembers what it gave, and every table that remembers by object."""
    for module in modules():
        for name, value in vars(module).items():
            if hasattr(value, "cache_clear") or isinstance(value, WeakKeyDictionary):
                yield f"{module.__name__}.{name}", value


def forget() -> None:
    """Forgets all that was remembered, as a new process would know nothing."""
    st.cache_resource.clear()
    MEMORY.clear()
    for _, cache in caches():
        cache.clear() if isinstance(cache, WeakKeyDictionary) else cache.cache_clear()


def kept_functions() -> Iterator[tuple[ModuleType, str, Any]]:
    """Every function of the program that `kept` stores values of, with the modules and names it is called by."""
    codes = kept(Entries("none"))(forget).__code__
    for module in modules():
        for name, value in list(vars(module).items()):
            if getattr(value, "__code__", None) is codes:
                yield module, name, value


@contextmanager
def unstored() -> Iterator[None]:
    """The program without `kept` and without the settings that it takes for unread: all of it is computed from all of
    the settings."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name, value in kept_functions():
            patch.setattr(module, name, value.__wrapped__)
        patch.setattr(tables, "plain", lambda settings: settings)
        patch.setattr(tables, "_without_gsr", lambda questions, settings: settings)
        patch.setattr(tables, "_read_by", lambda question, settings, always: settings)
        yield


def held() -> dict[str, int]:
    """How much each container and each cache of the program holds, by its name."""
    sizes = {
        f"{module.__name__}.{name}": len(value)
        for module in modules()
        for name, value in vars(module).items()
        if isinstance(value, (dict, list, set)) and not name.startswith("__")
    }
    return sizes | {name: len(cache) for name, cache in caches() if isinstance(cache, WeakKeyDictionary)}


def answer(ask: Any, *given: Any) -> Any:
    """What is answered; where it cannot be, the sentence that says why."""
    try:
        return ask(*given)
    except FairvizError as error:
        return str(error)


def plain(value: Any) -> Any:
    """The value as lists, dicts, texts and numbers: tables by columns with their types."""
    if isinstance(value, pd.DataFrame):
        return {str(name): plain(value[name]) for name in value.columns} | {"rows": len(value)}
    if isinstance(value, (pd.Series, np.ndarray)):
        return [str(value.dtype), *plain(value.tolist())]
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value) if field.name[0] != "_"}
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    return value if isinstance(value, (int, float, str)) else repr(value)


def differs(one: Any, other: Any, place: str = "") -> str:
    """Where two plain values first differ, and how; empty where they are equal. Numbers are equal where they differ by
    rounding alone: sums are added up in other steps where more cutoffs were asked for before."""
    if isinstance(one, float) and isinstance(other, float):
        equal = math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(one) and math.isnan(other))
        return "" if equal else f"{place}: {one} and {other}"
    if isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other):
        return next(filter(None, (differs(one[key], other[key], f"{place}/{key}") for key in one)), "")
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        parts = enumerate(zip(one, other, strict=True))
        return next(filter(None, (differs(*both, f"{place}/{at}") for at, both in parts)), "")
    return "" if one == other else f"{place}: {str(one)[:200]} and {str(other)[:200]}"
