"""Packages of others that end the process, write into what they get, take names, or give what is no result.

Entry points are laid beside those that are installed; `tests/test_added_records.py` has a package on the disk.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz import cli, installed
from fairviz.analyses import ANALYSES
from fairviz.analyses.record import Analysis, Table
from fairviz.annotation.annotators import METHODS
from fairviz.annotation.annotators.record import Method, labelled
from fairviz.cli import VERBS
from fairviz.cli.record import Command, add_study
from fairviz.errors import FairvizError, PackageError
from fairviz.evaluation.choices import align
from fairviz.evaluation.questions import overview
from fairviz.evaluation.settings import Settings
from fairviz.measures import MEASURES
from fairviz.measures.cwex import CWEX
from fairviz.measures.record import Bound, Measure, Reach
from fairviz.rankers import RANKERS
from fairviz.rankers.record import Found, Ranker
from fairviz.study import loaders
from fairviz.study.loaders import Loader
from fairviz.words.tokenizers import TOKENIZERS, Tokenizer
from tests.conftest import Call

GROUPS = {
    Measure: "measures", Ranker: "rankers", Method: "annotators", Loader: "loaders",
    Tokenizer: "tokenizers", Analysis: "analyses", Command: "verbs",
}  # fmt: skip
REGISTRIES = {Measure: MEASURES, Ranker: RANKERS, Method: METHODS, Loader: {}}
GATE = "gate newswire --baseline bm25 --candidate w2v_add --fail-if"
SUMMARY = "one of others"


class Ended(BaseException):
    """An end that is neither an error nor an exit."""


ENDS = (SystemExit(), SystemExit(0), SystemExit("bye"), GeneratorExit(), Ended(), ValueError("wrong"))


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """A function that lays records, or errors to raise at their import, into packages of the names given, in place of
    those that it laid before."""
    entries: list[EntryPoint] = []

    def forget() -> None:
        installed.added.cache_clear()
        loaders._added_loaders.cache_clear()
        cli.all_groups.cache_clear()
        installed._FAULTS.clear()
        for registry in (MEASURES, RANKERS, METHODS, TOKENIZERS, ANALYSES, VERBS):
            vars(registry).pop("_records", None)

    def lay(**packages: Any) -> None:
        entries.clear()
        for name, record in packages.items():
            module = ModuleType(name)
            if isinstance(record, BaseException):
                vars(module)["__getattr__"] = lambda name, end=record: raising(
                    end if name == "RECORD" else AttributeError
                )()
                group = "measures"
            else:
                vars(module)["RECORD"] = record
                group = GROUPS[type(record)]
            monkeypatch.setitem(sys.modules, name, module)
            entries.append(EntryPoint("record", f"{name}:RECORD", f"fairviz.{group}"))
        forget()

    monkeypatch.setattr(installed, "_all_entries", lambda: EntryPoints(entries))
    forget()
    yield lay
    monkeypatch.undo()
    forget()


def raising(error: BaseException | type[BaseException]) -> Callable[..., Any]:
    def function(*_: object, **__: object) -> Any:
        raise error

    return function


def measure(compute: Callable[..., Any], name: str = "Ours", **fields: Any) -> Measure:
    return replace(
        CWEX, name=name, compute=compute, parameters=(), bounds=(0.0, 1.0), outer=None, parts=None, weighted=None,
        direction="higher", **fields,
    )  # fmt: skip


def halves(rankings: Any, parameters: Any, bias: Any, cutoffs: Any) -> np.ndarray:
    return np.full((len(cutoffs), *rankings.shape), 0.5)


def on_studies(change: Callable[..., Any]) -> Callable[..., Any]:
    """An array function that does something to what it gets, where that belongs to a study."""

    def compute(rankings: Any, parameters: Any, bias: Any, cutoffs: Any) -> np.ndarray:
        values = halves(rankings, parameters, bias, cutoffs)
        if rankings.made_of:
            changed = change(rankings, parameters, bias, cutoffs)
            values = values if changed is None else changed
        return values

    return compute


def ranker(find: Callable[..., Any], name: str = "ours", **fields: Any) -> Ranker:
    return Ranker(name=name, summary=SUMMARY, prepare=lambda collection, parameters: find, **fields)


# --- what ends the process ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ENDS, ids=repr)
def test_no_end_of_another_package_is_a_success(install: Callable[..., None], end: BaseException, call: Call) -> None:
    late = ranker(raising(end), "late")
    install(
        first=late,
        second=replace(late, name="early", prepare=raising(end)),
        third=Method(name="ours", summary=SUMMARY, label=raising(end)),
        fourth=measure(on_studies(raising(end))),
    )
    for arguments, owner in (
        ("rank football --with late", "late (package first:RECORD)"),
        ("rank football --with early", "early (package second:RECORD)"),
        ("annotate football --with ours", "ours (package third:RECORD)"),
        (f"{GATE} 'Ours falls by 0.5'", "Ours (package fourth:RECORD)"),
    ):
        said = call(arguments, status=2)
        assert f"{owner} fails: {type(end).__name__}".removesuffix("ValueError") in said.err
        assert said.out == ""
    assert fairviz.open_study("football").systems == ("left", "right")


def test_an_end_at_the_import_is_one_line_and_the_rest_works(install: Callable[..., None], call: Call) -> None:
    install(**{f"theirs_{place}": end for place, end in enumerate(ENDS)}, other=measure(halves))
    call(GATE, "'Ours falls by 0.5'")
    call(GATE, "'Missing falls by 0.5'", status=2)
    reasons = ("SystemExit", "SystemExit: 0", "SystemExit: bye", "GeneratorExit", "Ended", "wrong")
    assert sorted(installed.faults()) == [
        f"theirs_{place}:RECORD: record of fairviz.measures is left out: {reason}."
        for place, reason in enumerate(reasons)
    ]


def test_every_function_of_a_record_is_contained(install: Callable[..., None]) -> None:
    ends = raising(SystemExit(0))
    theirs = measure(halves, needs=("labels",))
    install(theirs=replace(theirs, parts=ends, bounds=(0.0, Bound("1", lambda reach: 1.0))))
    study = fairviz.open_study("football")
    with pytest.raises(PackageError, match=r"Ours .* fails: SystemExit"):
        fairviz.contributions(study, "Ours@4", "left", "best-player")
    assert MEASURES["Ours"].range(Reach({}, np.array([0.5, 0.5]))) == (0.0, 1.0)
    install(theirs=replace(measure(halves), bounds=(0.0, Bound("1", ends))))
    assert "Ours" not in MEASURES
    assert "SystemExit: 0" in installed.faults()[0]


def test_a_loader_that_ends_and_one_that_is_left_out(install: Callable[..., None], tmp_path: Path, call: Call) -> None:
    folder = tmp_path / "own"
    fairviz.save_study(fairviz.open_study("football"), folder)
    (folder / "runs" / "mine.pairs").write_text("best-player f1 2\n")
    commands = (f"check {folder}", f"gate {folder} --baseline left --candidate right --fail-if 'CWEx falls by 3'")
    for read in (raising(SystemExit(0)), lambda *_: 3, lambda *_: pd.DataFrame({"a": [1]})):
        install(theirs=Loader("runs", (".pairs",), read))
        for arguments in commands:
            assert "the loader of .pairs (package theirs:RECORD)" in call(arguments, status=2).err
        said = call(f"evaluate football CWEx@4 --runs {folder}/runs/mine.pairs --workers 1", status=2)
        assert "the loader of .pairs (package theirs:RECORD)" in said.err
    install(theirs=Loader("runs", (".run",), raising(SystemExit(0))))
    for arguments in commands:
        assert "mine.pairs was not read, and a loader is left out" in call(arguments, status=2).err
    (folder / "runs" / "mine.pairs").unlink()
    call(commands[0])


def test_pages_leave_out_a_measure_that_fails(install: Callable[..., None]) -> None:
    """And name it, with the package, among the missing ones."""
    install(theirs=measure(on_studies(raising(SystemExit(0))), needs=("labels",), column=True))
    asked = overview(fairviz.open_study("football"), Settings())
    assert "Ours" not in [question.name for question in asked.questions]
    assert "CWEx" in [question.name for question in asked.questions]
    assert dict(asked.missing)["Ours"].startswith("Ours (package theirs:RECORD) fails: SystemExit: 0. Correct it")
    assert installed.faults() == ("Ours (package theirs:RECORD) fails: SystemExit: 0; it is left out of football.",)


def test_a_verb_that_is_ended_has_no_status_0(monkeypatch: pytest.MonkeyPatch, call: Call) -> None:
    """By whatever reaches the last line; an exit with a status of its own keeps it."""
    for end in (SystemExit(), SystemExit(0), SystemExit("bye")):
        monkeypatch.setattr("fairviz.evaluation.opening.open_study", raising(end))
        assert "gate was ended by SystemExit" in call(GATE, "'CWEx falls by 0.5'", status=1).err
    monkeypatch.setattr("fairviz.evaluation.opening.open_study", raising(SystemExit(7)))
    call(GATE, "'CWEx falls by 0.5'", status=7)
    call("gate --help")


ANALYSIS = Analysis(
    name="odd", title="Odd", question="Is it odd?", summary=SUMMARY, compute=lambda *_, **others: 1,
    tables={"ones": Table(lambda found: pd.DataFrame({"one": [found]}), "one")}, sentences=lambda found: ["It is."],
)  # fmt: skip
VERB = Command("odd", SUMMARY, add_study, lambda arguments: 0)


def test_an_analysis_and_a_verb_of_a_package_run(install: Callable[..., None], call: Call) -> None:
    install(theirs=ANALYSIS)
    said = call("odd football --format csv")
    assert said.rows == [{"one": "1"}]
    assert "It is." in said.err
    install(theirs=replace(VERB, name="odder"))
    assert call("odder football").out == ""


def test_a_faulty_analysis_or_verb_is_named(install: Callable[..., None], call: Call) -> None:
    for record, message in (
        (replace(ANALYSIS, tables={"ones": Table(lambda found: 1, "")}), "gives 1 for its table ones"),  # type: ignore
        (replace(ANALYSIS, sentences=lambda found: "a"), "gives 'a' for its sentences"),
        (replace(ANALYSIS, compute=lambda *_, **others: 1 / 0), "fails: ZeroDivisionError"),
        (replace(ANALYSIS, needs={"colours": ""}), "it needs 'colours', and not one of runs"),
        (replace(ANALYSIS, name="Odd one"), "its name is 'Odd one', and not lower-case"),
        (replace(VERB, run=raising(ZeroDivisionError())), "fails: ZeroDivisionError"),
        (replace(VERB, run=raising(SystemExit(0))), "fails: SystemExit"),
        (replace(VERB, add_arguments=raising(ZeroDivisionError())), "fails: ZeroDivisionError"),
        (replace(VERB, group="Nowhere"), "its group is 'Nowhere', and not one of From runs"),
        (replace(VERB, name="robustness"), "the name 'robustness' is in use by sensitivity"),
        (replace(VERB, name="never-shown"), "the name 'never-shown' is in use by never-shown"),
    ):
        install(theirs=record)
        assert message in call("odd football", status=2).err + str(installed.faults())


def test_a_faulty_tokenizer_is_named(install: Callable[..., None], call: Call) -> None:
    no_tokens, more = "gives no tokens of a text", "its tokens depend on more than single characters"
    for spans, by_character, message in (
        (lambda text: [(2, 1)], False, no_tokens),  # backwards
        (lambda text: [(0, 1), (0, 2)], False, no_tokens),  # one in another
        (lambda text: [(0, len(text) + 1)], False, no_tokens),  # beyond the end
        (lambda text: ["a"], False, "fails: not enough values to unpack"),
        (lambda text: [(0, len(text))], True, more),
        (lambda text: [(at, at + 1) for at in range(len(text)) if text[at] != " "], True, more),
    ):
        install(theirs=Tokenizer("odd", SUMMARY, spans, by_character=by_character))
        said = call("evaluate football NFaiRR --tokenizer odd", status=2)
        assert message in said.err + str(installed.faults())


def test_what_a_package_prints_is_no_part_of_a_result(install: Callable[..., None], call: Call) -> None:
    def talkative(*arguments: Any) -> np.ndarray:
        sys.stdout.write("here I am\n")
        return halves(*arguments)

    install(theirs=measure(talkative))
    said = call("evaluate football Ours@4 --format csv")
    assert "here I am" not in said.out
    assert "here I am" in said.err


def test_a_request_to_stop_passes_through_a_ranker_of_others() -> None:
    """It is raised by the progress that the program hands over."""
    from fairviz.ui.kit.jobs import Stopped

    RANKERS.take(ranker(raising(Stopped())))  # as a ranker that reports progress
    with pytest.raises(Stopped):
        fairviz.rank(fairviz.open_study("football"), "ours")


# --- what is handed over --------------------------------------------------------------------------------------------


def fill(array: np.ndarray) -> None:
    array[...] = 1


def places_of(rankings: Any) -> Callable[[], np.ndarray]:
    return lambda: np.zeros(len(rankings.lists.doc_ids))


CHANGES: tuple[Callable[[Any, Any, Any], Any], ...] = (
    lambda rankings, bias, cutoffs: fill(rankings.labels.codes),
    lambda rankings, bias, cutoffs: fill(rankings.lists.documents),
    lambda rankings, bias, cutoffs: fill(rankings.lists.lengths),
    lambda rankings, bias, cutoffs: fill(rankings.words.counts),
    lambda rankings, bias, cutoffs: fill(rankings.words.known),
    lambda rankings, bias, cutoffs: fill(rankings.targets),
    lambda rankings, bias, cutoffs: fill(rankings.judgements.grades),
    lambda rankings, bias, cutoffs: fill(bias.curves),
    lambda rankings, bias, cutoffs: fill(bias.mix),
    lambda rankings, bias, cutoffs: fill(cutoffs),
    lambda rankings, bias, cutoffs: fill(rankings.background("candidates")[0]),
    lambda rankings, bias, cutoffs: fill(rankings.sums("own", places_of(rankings), bias, cutoffs)),
    lambda rankings, bias, cutoffs: fill(rankings.at_places("own", places_of(rankings), 3)),
    lambda rankings, bias, cutoffs: setattr(rankings, "unlabelled", "strict"),
)


def test_a_measure_cannot_change_what_it_gets() -> None:
    """Nor take the place of cached sums: names of sums and of other cached values are its own."""
    study, settings = fairviz.open_study("football"), Settings(cutoff=4)
    rankings = align(study, settings)
    wanted = fairviz.evaluate(study, ["CWEx", "NFaiRR", "TED"], settings)

    def sums(rankings: Any, parameters: Any, bias: Any, cutoffs: Any) -> None:
        for label in range(3):
            rankings.sums(f"label {label}", lambda: np.full(len(rankings.lists.doc_ids), 7.0), bias, cutoffs)
        rankings.remembered(("first missing", "label"), lambda: np.zeros(rankings.shape))

    for place, change in enumerate(CHANGES):
        MEASURES.take(
            measure(on_studies(lambda rankings, _, *given, change=change: change(rankings, *given)), f"M{place}")
        )
        with pytest.raises(PackageError, match=f"M{place} fails: "):
            fairviz.evaluate(study, f"M{place}", settings, rankings=rankings)
    MEASURES.take(measure(on_studies(sums)))
    fairviz.evaluate(study, "Ours", settings, rankings=rankings)
    after = fairviz.evaluate(study, ["CWEx", "NFaiRR", "TED"], settings, rankings=rankings)
    pd.testing.assert_series_equal(after["value"], wanted["value"])


def test_rankers_change_nothing_for_those_after_them(install: Callable[..., None]) -> None:
    def spoil(collection: Any, parameters: Any) -> Any:
        study = collection.study
        for table in (study.documents, study.queries, study.qrels):
            table.iloc[:, 0] = table.iloc[0, 0]
            del table[table.columns[1]]
        study.cards["left"] = "nonsense"
        for change in (lambda: fill(collection.texts.names), lambda: collection.texts.texts.reverse()):
            with pytest.raises((ValueError, AttributeError)):
                change()
        return lambda query: Found(collection.texts.names, np.arange(len(collection.texts.names)))

    study = fairviz.open_study("football")
    before, cards = study.documents.copy(), dict(study.cards)
    install(theirs=Ranker(name="ours", summary=SUMMARY, prepare=spoil))
    both = fairviz.rank(study, "ours,bm25").runs
    alone = fairviz.rank(study, "bm25").runs
    columns = ["query_id", "doc_id", "rank", "score"]
    wanted, found = (runs[runs["system"] == "bm25"][columns].astype(str).to_numpy() for runs in (alone, both))
    assert found.tolist() == wanted.tolist()
    pd.testing.assert_frame_equal(study.documents, before)
    assert study.cards == cards


def test_annotators_change_nothing_of_the_study(install: Callable[..., None]) -> None:
    def spoil(work: Any, values: Any, others: Any) -> Any:
        work.study.documents["text"] = ""
        work.study.annotators.clear()
        for array in (work.doc_ids, work.wanted):
            with pytest.raises(ValueError, match="read-only"):
                fill(array)
        return labelled(np.zeros(len(work.texts), dtype=int))

    study = fairviz.open_study("football")
    before, annotators = study.documents.copy(), dict(study.annotators)
    install(theirs=Method(name="ours", summary=SUMMARY, label=spoil))
    fairviz.annotate(study, "ours")
    pd.testing.assert_frame_equal(study.documents, before)
    assert study.annotators == annotators


# --- names ----------------------------------------------------------------------------------------------------------


def test_a_name_that_is_in_use_is_refused(install: Callable[..., None]) -> None:
    for record, holder in (
        (measure(halves, "cwex"), "CWEx (package fairviz)"),
        (measure(halves, "nDCG"), "nDCG of ir_measures"),
        (measure(halves, "ndcg"), "nDCG of ir_measures"),
        (measure(halves, "map"), "MAP of ir_measures"),
        (measure(halves, "dpfr"), "DPFR (package fairviz)"),
        (ranker(halves, "BM25"), "bm25 (package fairviz)"),
        (Method("Lexicon", SUMMARY, halves), "lexicon (package fairviz)"),
        (Method("Majority", SUMMARY, halves), "the annotator majority"),
        (Method("adjudicated", SUMMARY, halves), "the annotator adjudicated"),
        (Loader("runs", (".run",), halves), "its ending .run is in use by a loader of fairviz"),
        (Loader("runs", (".PAIRS",), halves), "its ending .PAIRS does not begin with a dot, or has capitals"),
    ):
        install(theirs=record)
        assert not [each for each in (*REGISTRIES[type(record)].values(), *loaders.loaders()) if each.package]
        (fault,) = installed.faults()
        assert fault.startswith("theirs:RECORD: record of ")
        assert holder in fault


def test_a_name_of_two_packages_is_nobodys(install: Callable[..., None]) -> None:
    for one, two in (
        (measure(halves, "Share"), measure(halves, "share")),
        (ranker(halves, "ours"), ranker(halves, "Ours")),
        (Method("ours", SUMMARY, halves), Method("ours", SUMMARY, halves)),
        (Loader("runs", (".pairs",), halves), Loader("runs", (".pairs", ".other"), halves)),
    ):
        install(one=one, two=two)
        assert not [each for each in (*REGISTRIES[type(one)].values(), *loaders.loaders()) if each.package]
        for fault, own, other in zip(sorted(installed.faults()), ("one", "two"), ("two", "one"), strict=True):
            assert fault.startswith(f"{own}:RECORD")
            assert f"(package {other}:RECORD)" in fault


def test_a_function_takes_no_name_in_other_letters() -> None:
    def function(ranking: pd.DataFrame) -> float:
        return 1.0

    for name in ("CWEx", "cwex", "NDCG", "map", "dpfr"):
        function.__name__ = name
        with pytest.raises(FairvizError, match=f"the name '{name}' is in use by "):
            fairviz.evaluate(fairviz.open_study("football"), function)
    assert not MEASURES["CWEx"].package


# --- values ---------------------------------------------------------------------------------------------------------

DRAWS = np.random.default_rng(1)
NO_VALUES: tuple[tuple[Callable[..., Any], str], ...] = (
    (lambda rankings, *_: np.full((1, *rankings.shape), np.inf), "an infinite value"),
    (lambda rankings, *_: np.full((1, *rankings.shape), 1.5), "the value 1.5"),
    (lambda rankings, *_: np.full((1, *rankings.shape), -0.1), "the value -0.1"),
    (lambda rankings, *_: np.zeros(rankings.shape), "float64 of shape"),
    (lambda rankings, *_: np.full((1, *rankings.shape), "x"), "<U1 of shape"),
    (lambda rankings, *_: 1e-6 * DRAWS.random((1, *rankings.shape)), "other values in the second call"),
)


def test_values_that_are_none_of_the_measure() -> None:
    """Rounding at an end of the range is no fault."""
    study = fairviz.open_study("football")
    for place, (values, message) in enumerate(NO_VALUES):
        MEASURES.take(measure(on_studies(values), f"M{place}"))
        with pytest.raises(PackageError, match=f"^M{place} gives {message}"):
            fairviz.evaluate(study, f"M{place}@4")
    MEASURES.take(measure(lambda rankings, *_: np.full((1, *rankings.shape), 1 + 1e-12)))
    assert len(fairviz.evaluate(study, "Ours@4"))


def test_a_measure_is_computed_twice_once_a_study() -> None:
    calls = []

    def share(ranking: pd.DataFrame) -> float:
        calls.append(ranking)
        return 0.5

    study = fairviz.open_study("football")
    fairviz.evaluate(study, share, cutoff=4)
    assert len(calls) == 2 * len(study.systems)
    fairviz.evaluate(study, share, cutoff=3)
    assert len(calls) == 3 * len(study.systems)


# --- lists of rankers -----------------------------------------------------------------------------------------------

NAMES = ["f1", "m1", "m2"]
NO_LISTS: tuple[tuple[Any, str], ...] = (
    (Found(np.array(NAMES), np.array([1, np.inf, 0])), "the score inf for 'm1'"),
    (Found(np.array(NAMES), np.array([1, 2, np.nan])), "the score nan for 'm2'"),
    (Found(np.array(NAMES), np.array([1.0])), "3 documents and 1 score"),
    (Found(np.array(NAMES[:1]), np.array([1.0, 2])), "1 document and 2 scores"),
    (Found(np.array(["f1", "f1"]), np.array([1.0, 2])), "the document 'f1' twice"),
    (Found(np.array(["zzz"]), np.array([1.0])), "the document 'zzz', which the study"),
    (Found(np.array([1]), np.array([1.0])), "the document 1, which the study"),
    (Found(np.array([NAMES]), np.array([[1, 2, 3]])), "documents of shape (1, 3)"),
    (Found(np.array(NAMES), np.array(["a", "b", "c"])), "scores of the type <U1"),
    (3, "int, and not fairviz.rankers.record.Found"),
)


def test_a_list_that_is_none_is_refused_before_it_is_stored(install: Callable[..., None], call: Call) -> None:
    for found, message in NO_LISTS:
        install(theirs=ranker(lambda query, found=found: found))
        said = call("rank football --with bm25,ours", status=2).err
        assert said.startswith(f"ours (package theirs:RECORD) gives query 'best-player' {message}")
    assert fairviz.open_study("football").systems == ("left", "right")


def test_a_ranker_that_prepares_no_function_and_lists_without_a_document(install: Callable[..., None]) -> None:
    """Empty lists are as those of the program's own rankers that find nothing."""
    study = fairviz.open_study("football")
    install(theirs=replace(ranker(halves), prepare=lambda collection, parameters: None))
    with pytest.raises(PackageError, match=r"ours .* prepares None"):
        fairviz.rank(study, "ours")
    install(theirs=ranker(lambda query: Found(np.array([]), np.array([]))))
    assert "bm25" in fairviz.rank(study, "ours,bm25").systems


def test_the_flag_of_a_shared_array_cannot_be_set_back() -> None:
    shared = np.arange(6.0).reshape(2, 3)[:, ::2]
    view = installed.read_only(shared)
    assert np.shares_memory(view, shared)
    np.testing.assert_array_equal(view, shared)
    with pytest.raises(ValueError, match="WRITEABLE"):
        view.setflags(write=True)
    with pytest.raises((ValueError, TypeError)):
        view.base[0] = 1
