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
from fairviz.study.record import Study
from fairviz.words.tokenizers import TOKENIZERS, Tokenizer
from tests.conftest import Call

GROUPS = {
    Measure: "measures", Ranker: "rankers", Method: "annotators", Loader: "loaders",
    Tokenizer: "tokenizers", Analysis: "analyses", Command: "verbs",
}  # fmt: skip
GATE = "gate newswire --baseline bm25 --candidate w2v_add --fail-if"


class Ended(BaseException):
    """An end that is neither an error nor an exit."""


ENDS = (SystemExit(), SystemExit(0), SystemExit("bye"), GeneratorExit(), Ended(), ValueError("wrong"))


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """A function that lays records, or errors to raise at their import, into packages of the names given."""
    entries: list[EntryPoint] = []

    def forget() -> None:
        installed.added.cache_clear()
        loaders._added_loaders.cache_clear()
        cli.all_groups.cache_clear()
        installed._FAULTS.clear()
        for registry in (MEASURES, RANKERS, METHODS, TOKENIZERS, ANALYSES, VERBS):
            vars(registry).pop("_records", None)

    def lay(**packages: Any) -> None:
        for name, record in packages.items():
            module = ModuleType(name)
            if isinstance(record, BaseException):
                vars(module)["__getattr__"] = raising(record)
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


def raising(error: BaseException) -> Callable[..., Any]:
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
    return Ranker(name=name, summary="one of others", prepare=lambda collection, parameters: find, **fields)


# --- what ends the process ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ENDS, ids=repr)
def test_no_gate_passes_by_the_end_of_another_package(
    install: Callable[..., None], end: BaseException, call: Call
) -> None:
    install(theirs=measure(on_studies(raising(end))))
    said = call(GATE, "'Ours falls by 0.5'", status=2)
    assert said.err.startswith("Ours (package theirs:RECORD) fails: ")
    assert said.out == ""


@pytest.mark.parametrize("end", ENDS, ids=repr)
def test_an_end_at_the_import_is_one_line_and_the_rest_works(
    install: Callable[..., None], end: BaseException, call: Call
) -> None:
    install(theirs=end, other=measure(halves))
    call(GATE, "'Ours falls by 0.5'")
    call(GATE, "'Missing falls by 0.5'", status=2)
    (fault,) = installed.faults()
    assert fault.startswith("theirs:RECORD: record of fairviz.measures is left out: ")


def test_every_function_of_a_record_is_contained(install: Callable[..., None]) -> None:
    ends = raising(SystemExit(0))
    theirs = measure(halves, needs=("labels",))
    install(theirs=replace(theirs, parts=ends, bounds=(0.0, Bound("1", lambda reach: 1.0))))
    study = fairviz.open_study("football")
    with pytest.raises(PackageError, match=r"Ours .* fails: SystemExit"):
        fairviz.contributions(study, "Ours@4", "left", "best-player")
    assert MEASURES["Ours"].range(Reach({}, np.array([0.5, 0.5]))) == (0.0, 1.0)


def test_a_function_of_a_bound_that_exits_leaves_the_measure_out(install: Callable[..., None]) -> None:
    install(theirs=replace(measure(halves), bounds=(0.0, Bound("1", raising(SystemExit(0))))))
    assert "Ours" not in MEASURES
    assert "SystemExit: 0" in installed.faults()[0]


@pytest.mark.parametrize("end", ENDS, ids=repr)
def test_rankers_and_annotators_that_end(install: Callable[..., None], end: BaseException, call: Call) -> None:
    late, label = ranker(raising(end), "late"), raising(end)
    install(
        first=late,
        second=replace(late, name="early", prepare=raising(end)),
        third=Method(name="ours", summary="one of others", label=label),
    )
    for arguments, owner in (
        ("rank football --with late", "late (package first:RECORD)"),
        ("rank football --with early", "early (package second:RECORD)"),
        ("annotate football --with ours", "ours (package third:RECORD)"),
    ):
        assert f"{owner} fails: {type(end).__name__}".removesuffix("ValueError") in call(arguments, status=2).err
    assert fairviz.open_study("football").systems == ("left", "right")


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
    name="odd", title="Odd", question="Is it odd?", summary="one of others", compute=lambda *_, **others: 1,
    tables={"ones": Table(lambda found: pd.DataFrame({"one": [found]}), "one")}, sentences=lambda found: ["It is."],
)  # fmt: skip
VERB = Command("odd", "one of others", add_study, lambda arguments: 0)


def test_an_analysis_and_a_verb_of_a_package_run(install: Callable[..., None], call: Call) -> None:
    install(theirs=ANALYSIS)
    said = call("odd football --format csv")
    assert said.rows == [{"one": "1"}]
    assert "It is." in said.err
    install(more=replace(VERB, name="odder"))
    assert call("odder football").out == ""


@pytest.mark.parametrize(
    ("record", "message"),
    [
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
    ],
)
def test_a_faulty_analysis_or_verb_is_named(
    install: Callable[..., None], record: Analysis | Command, message: str, call: Call
) -> None:
    install(theirs=record)
    said = call("odd football", status=2)
    assert message in said.err + str(installed.faults())


CUTS: dict[str, tuple[Callable[[str], Any], bool, str]] = {
    "backwards": (lambda text: [(2, 1)], False, "gives no tokens of a text"),
    "one in another": (lambda text: [(0, 1), (0, 2)], False, "gives no tokens of a text"),
    "beyond the end": (lambda text: [(0, len(text) + 1)], False, "gives no tokens of a text"),
    "no spans": (lambda text: ["a"], False, "fails: not enough values to unpack"),
    "a whole": (lambda text: [(0, len(text))], True, "its tokens depend on more than single characters"),
    "single ones": (
        lambda text: [(at, at + 1) for at in range(len(text)) if text[at] != " "],
        True,
        "its tokens depend on more than single characters",
    ),
}


@pytest.mark.parametrize("name", CUTS)
def test_a_faulty_tokenizer_is_named(install: Callable[..., None], name: str, call: Call) -> None:
    spans, by_character, message = CUTS[name]
    install(theirs=Tokenizer("odd", "one of others", spans, by_character=by_character))
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

    find = lambda query: raising(Stopped())()  # noqa: E731 - as a ranker that reports progress
    RANKERS.take(ranker(find))
    with pytest.raises(Stopped):
        fairviz.rank(fairviz.open_study("football"), "ours")


# --- what is handed over --------------------------------------------------------------------------------------------


def fill(array: np.ndarray) -> None:
    array[...] = 1


CHANGES: dict[str, Callable[..., Any]] = {
    "codes": lambda rankings, parameters, bias, cutoffs: fill(rankings.labels.codes),
    "documents": lambda rankings, parameters, bias, cutoffs: fill(rankings.lists.documents),
    "lengths": lambda rankings, parameters, bias, cutoffs: fill(rankings.lists.lengths),
    "counts": lambda rankings, parameters, bias, cutoffs: fill(rankings.words.counts),
    "known": lambda rankings, parameters, bias, cutoffs: fill(rankings.words.known),
    "targets": lambda rankings, parameters, bias, cutoffs: fill(rankings.targets),
    "grades": lambda rankings, parameters, bias, cutoffs: fill(rankings.judgements.grades),
    "curves": lambda rankings, parameters, bias, cutoffs: fill(bias.curves),
    "mix": lambda rankings, parameters, bias, cutoffs: fill(bias.mix),
    "cutoffs": lambda rankings, parameters, bias, cutoffs: fill(cutoffs),
    "background": lambda rankings, parameters, bias, cutoffs: fill(rankings.background("candidates")[0]),
    "sums": lambda rankings, parameters, bias, cutoffs: fill(rankings.sums("own", places_of(rankings), bias, cutoffs)),
    "laid out": lambda rankings, parameters, bias, cutoffs: fill(rankings.at_places("own", places_of(rankings), 3)),
    "policy": lambda rankings, parameters, bias, cutoffs: setattr(rankings, "unlabelled", "strict"),
}  # fmt: skip


def places_of(rankings: Any) -> Callable[[], np.ndarray]:
    return lambda: np.zeros(len(rankings.lists.doc_ids))


@pytest.mark.parametrize("name", CHANGES)
def test_a_measure_cannot_change_what_it_gets(name: str) -> None:
    study, settings = fairviz.open_study("football"), Settings(cutoff=4)
    rankings = align(study, settings)
    MEASURES.take(measure(on_studies(CHANGES[name])))
    with pytest.raises(PackageError, match="Ours fails: "):
        fairviz.evaluate(study, "Ours", settings, rankings=rankings)
    after = fairviz.evaluate(study, ["CWEx", "NFaiRR", "TED"], settings, rankings=rankings)
    wanted = fairviz.evaluate(study, ["CWEx", "NFaiRR", "TED"], settings)
    pd.testing.assert_series_equal(after["value"], wanted["value"])


def test_a_measure_cannot_take_the_place_of_cached_sums() -> None:
    """Names of sums and of other cached values are its own."""
    study, settings = fairviz.open_study("football"), Settings(cutoff=4)
    rankings = align(study, settings)

    def sums(rankings: Any, parameters: Any, bias: Any, cutoffs: Any) -> None:
        for label in range(3):
            rankings.sums(f"label {label}", lambda: np.full(len(rankings.lists.doc_ids), 7.0), bias, cutoffs)
        rankings.remembered(("first missing", "label"), lambda: np.zeros(rankings.shape))

    MEASURES.take(measure(on_studies(sums)))
    fairviz.evaluate(study, "Ours", settings, rankings=rankings)
    after = fairviz.evaluate(study, "CWEx", settings, rankings=rankings)["value"].tolist()
    assert after == fairviz.evaluate(study, "CWEx", settings)["value"].tolist()


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
    install(theirs=Ranker(name="ours", summary="one of others", prepare=spoil))
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
    install(theirs=Method(name="ours", summary="one of others", label=spoil))
    fairviz.annotate(study, "ours")
    pd.testing.assert_frame_equal(study.documents, before)
    assert study.annotators == annotators


# --- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "holder"),
    [
        (measure(halves, "cwex"), "CWEx (package fairviz)"),
        (measure(halves, "nDCG"), "nDCG of ir_measures"),
        (measure(halves, "ndcg"), "nDCG of ir_measures"),
        (measure(halves, "map"), "MAP of ir_measures"),
        (measure(halves, "Precision"), "Precision of ir_measures"),
        (measure(halves, "dpfr"), "DPFR (package fairviz)"),
        (ranker(halves, "BM25"), "bm25 (package fairviz)"),
        (Method("Lexicon", "one of others", halves), "lexicon (package fairviz)"),
        (Method("Majority", "one of others", halves), "the annotator majority"),
        (Method("adjudicated", "one of others", halves), "the annotator adjudicated"),
        (Loader("runs", (".run",), halves), "its ending .run is in use by a loader of fairviz"),
        (Loader("runs", (".PAIRS",), halves), "its ending .PAIRS does not begin with a dot, or has capitals"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_name_that_is_in_use_is_refused(install: Callable[..., None], record: Any, holder: str) -> None:
    install(theirs=record)
    registry = {Measure: MEASURES, Ranker: RANKERS, Method: METHODS, Loader: {}}[type(record)]
    assert not [each for each in registry.values() if each.package]
    assert not [each for each in loaders.loaders() if each.package]
    (fault,) = installed.faults()
    assert fault.startswith("theirs:RECORD: record of ")
    assert holder in fault


@pytest.mark.parametrize(
    "records",
    [
        (measure(halves, "Share"), measure(halves, "share")),
        (ranker(halves, "ours"), ranker(halves, "Ours")),
        (Method("ours", "one of others", halves), Method("ours", "one of others", halves)),
        (Loader("runs", (".pairs",), halves), Loader("runs", (".pairs", ".other"), halves)),
    ],
    ids=lambda records: type(records[0]).__name__,
)
def test_a_name_of_two_packages_is_nobodys(install: Callable[..., None], records: tuple[Any, Any]) -> None:
    install(one=records[0], two=records[1])
    registry = {Measure: MEASURES, Ranker: RANKERS, Method: METHODS, Loader: {}}[type(records[0])]
    assert not [each for each in (*registry.values(), *loaders.loaders()) if each.package]
    first, second = sorted(installed.faults())
    assert first.startswith("one:RECORD")
    assert "(package two:RECORD)" in first
    assert second.startswith("two:RECORD")
    assert "(package one:RECORD)" in second


@pytest.mark.parametrize("name", ["CWEx", "cwex", "nDCG", "NDCG", "map", "dpfr"])
def test_a_function_takes_no_name_in_other_letters(name: str) -> None:
    def function(ranking: pd.DataFrame) -> float:
        return 1.0

    function.__name__ = name
    with pytest.raises(FairvizError, match=f"the name '{name}' is in use by "):
        fairviz.evaluate(fairviz.open_study("football"), function)
    assert not MEASURES["CWEx"].package


# --- values ---------------------------------------------------------------------------------------------------------

DRAWS = np.random.default_rng(1)
NO_VALUES: dict[str, tuple[Callable[..., Any], str]] = {
    "infinite": (lambda rankings, *_: np.full((1, *rankings.shape), np.inf), "an infinite value"),
    "above": (lambda rankings, *_: np.full((1, *rankings.shape), 1.5), "the value 1.5"),
    "below": (lambda rankings, *_: np.full((1, *rankings.shape), -0.1), "the value -0.1"),
    "shape": (lambda rankings, *_: np.zeros(rankings.shape), "float64 of shape"),
    "text": (lambda rankings, *_: np.full((1, *rankings.shape), "x"), "<U1 of shape"),
    "random": (lambda rankings, *_: DRAWS.random((1, *rankings.shape)), "other values in the second call"),
}


@pytest.mark.parametrize("name", NO_VALUES)
def test_values_that_are_none_of_the_measure(name: str) -> None:
    values, message = NO_VALUES[name]
    MEASURES.take(measure(on_studies(values)))
    with pytest.raises(PackageError, match=f"^Ours gives {message}"):
        fairviz.evaluate(fairviz.open_study("football"), "Ours@4")


def test_rounding_at_an_end_of_the_range_is_no_fault() -> None:
    MEASURES.take(measure(lambda rankings, *_: np.full((1, *rankings.shape), 1 + 1e-12)))
    assert len(fairviz.evaluate(fairviz.open_study("football"), "Ours@4"))


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
NO_LISTS: dict[str, tuple[Callable[..., Any], str]] = {
    "infinite": (lambda query: Found(np.array(NAMES), np.array([1, np.inf, 0])), "the score inf for 'm1'"),
    "nan": (lambda query: Found(np.array(NAMES), np.array([1, 2, np.nan])), "the score nan for 'm2'"),
    "fewer": (lambda query: Found(np.array(NAMES), np.array([1.0])), "3 documents and 1 score"),
    "more": (lambda query: Found(np.array(NAMES[:1]), np.array([1.0, 2])), "1 document and 2 scores"),
    "twice": (lambda query: Found(np.array(["f1", "f1"]), np.array([1.0, 2])), "the document 'f1' twice"),
    "unknown": (lambda query: Found(np.array(["zzz"]), np.array([1.0])), "the document 'zzz', which the study"),
    "number": (lambda query: Found(np.array([1]), np.array([1.0])), "the document 1, which the study"),
    "shape": (lambda query: Found(np.array([NAMES]), np.array([[1, 2, 3]])), r"documents of shape \(1, 3\)"),
    "text": (lambda query: Found(np.array(NAMES), np.array(["a", "b", "c"])), "scores of the type <U1"),
    "no list": (lambda query: 3, "int, and not fairviz.rankers.record.Found"),
}


@pytest.mark.parametrize("name", NO_LISTS)
def test_a_list_that_is_none_is_refused_before_it_is_stored(
    install: Callable[..., None], name: str, call: Call
) -> None:
    find, message = NO_LISTS[name]
    install(theirs=ranker(find))
    before = fairviz.open_study("football")
    with pytest.raises(PackageError, match=f"^ours .package theirs:RECORD. gives query 'best-player' {message}"):
        fairviz.rank(before, "ours")
    said = call("rank football --with bm25,ours", status=2)
    assert "ours (package theirs:RECORD) gives query 'best-player'" in said.err
    assert fairviz.open_study("football").systems == before.systems


def test_a_ranker_that_prepares_no_function(install: Callable[..., None]) -> None:
    install(theirs=replace(ranker(halves), prepare=lambda collection, parameters: None))
    with pytest.raises(PackageError, match=r"ours .* prepares None"):
        fairviz.rank(fairviz.open_study("football"), "ours")


def test_lists_without_a_document_are_empty(install: Callable[..., None]) -> None:
    """As those of the program's own rankers that find nothing."""
    install(theirs=ranker(lambda query: Found(np.array([]), np.array([]))))
    study: Study = fairviz.open_study("football")
    ranked = fairviz.rank(study, "ours,bm25")
    assert "bm25" in ranked.systems


def test_the_flag_of_a_shared_array_cannot_be_set_back() -> None:
    shared = np.arange(6.0).reshape(2, 3)[:, ::2]
    view = installed.read_only(shared)
    assert np.shares_memory(view, shared)
    np.testing.assert_array_equal(view, shared)
    with pytest.raises(ValueError, match="WRITEABLE"):
        view.setflags(write=True)
    with pytest.raises((ValueError, TypeError)):
        view.base[0] = 1
