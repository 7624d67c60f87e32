"""Runs that somebody adds to a study are drafts, which move no value of the others and are tested, wherever they are
kept."""

from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.datasets import save_runs, studies_folder
from fairviz.datasets.additions import save_tested
from fairviz.evaluation.opening import open_study
from fairviz.study.loaders.metadata import FILE
from fairviz.study.record import Study
from fairviz.study.study import add_runs, make_study, save_study
from tests.conftest import Call

TOML = '# of my class\ntitle = "Mine"\n\n[targets]\nfemale = 0.4  # wished\nmale = 0.6\n'


def runs(*systems: str) -> pd.DataFrame:
    rows = [(name, "q", document, rank, 3.0 - rank) for name in systems for rank, document in enumerate("ab", start=1)]
    return pd.DataFrame(rows, columns=["system", "query_id", "doc_id", "rank", "score"]).astype({"system": "category"})


@pytest.fixture
def folder() -> Path:
    """A stored study with two systems and a study.toml of its own hand."""
    path = save_study(make_study("mine", runs=runs("one", "two")), studies_folder() / "mine")
    (path / FILE).write_text(TOML)
    return path


def test_runs_that_are_added_to_a_study_without_any_count_in_whatever_order_they_come() -> None:
    for order in (["one", "two", "three"], ["three", "one", "two"]):
        grown = make_study("bare")
        for name in order:
            grown = add_runs(grown, runs(name))
            assert (grown.contenders, grown.added_runs) == (grown.systems, ())
    assert add_runs(make_study("bare"), runs("one", "two", "three")).added_runs == ()


def test_runs_that_are_added_to_a_study_with_runs_of_its_own_are_tested_and_move_no_value() -> None:
    later = add_runs(add_runs(make_study("mine", runs=runs("one", "perfect")), runs("two")), runs("three"))
    assert (later.drafts, later.added_runs) == (("two", "three"), ("two", "three"))
    assert later.contenders == ("one", "two", "three")
    only_a_reference = add_runs(make_study("mine", runs=runs("perfect")), runs("two"))
    assert (only_a_reference.contenders, only_a_reference.added_runs) == (("two",), ())


def test_drafts_of_a_stored_study_are_named_in_its_study_toml_and_its_comments_stay(folder: Path) -> None:
    save_runs(open_study("mine"), runs("three"))
    save_runs(open_study("mine"), runs("four"))
    opened = open_study("mine")
    assert opened.systems == ("four", "one", "three", "two")
    assert opened.drafts == ("three", "four")
    assert (folder / FILE).read_text() == f'drafts = ["three", "four"]\n{TOML}'
    save_runs(opened, runs("one", "four"), replace=True)
    assert open_study("mine").drafts == ("three", "four"), "a run that is replaced stays what it was"
    saved = fairviz.save_study(opened, folder.parent / "kept")
    assert 'drafts = ["three", "four"]' in (saved / FILE).read_text()
    assert open_study(saved).drafts == ("three", "four")
    (folder / FILE).write_text('drafts = [\n  "two",\n]\ntitle = "Mine"\n')  # over several lines
    save_runs(open_study("mine"), runs("five"))
    assert open_study("mine").drafts == ("two", "five")
    assert open_study("mine").title == "Mine"


def test_what_the_verb_rank_writes_counts_in_whatever_order_it_is_called(
    tmp_path: Path, football: Study, call: Call
) -> None:
    outside = []
    for number, commands in enumerate([["bm25,tfidf"], ["bm25", "tfidf"], ["tfidf", "bm25"]]):
        path = save_study(
            make_study("mine", queries=football.queries, documents=football.documents), tmp_path / f"{number}"
        )
        for rankers in commands:
            call("rank", path, "--with", rankers)
        outside.append(open_study(path).added_runs)
    assert outside == [(), (), ()]


def test_the_choice_of_systems_tested_is_stored_with_the_study_and_its_comments_stay(folder: Path) -> None:
    save_runs(open_study("mine"), runs("one, edited"))
    save_tested(open_study("mine"), ["one, edited", "two", "nobody"])
    opened = open_study("mine")
    assert (opened.tested, opened.not_tested) == (("one, edited",), ("one",))
    assert opened.contenders == ("one, edited", "two")
    saved = fairviz.save_study(opened, folder.parent / "copy")
    assert open_study(saved).contenders == opened.contenders
    save_tested(opened, ["one", "two"])
    assert open_study("mine").contenders == ("one", "two")
    assert (folder / FILE).read_text() == f'drafts = ["one, edited"]\n{TOML}'


def test_runs_and_the_choice_beside_a_built_in_study_are_kept_until_they_are_removed() -> None:
    plain = open_study("football")
    first = plain.runs.iloc[0]
    for added in ((), ("draft",)):
        if added:
            run = runs(*added).iloc[:1].assign(query_id=first["query_id"], doc_id=first["doc_id"])
            (file,) = save_runs(plain, run)
        before = open_study("football")
        assert before.drafts == added
        save_tested(before, ["right"])
        after = open_study("football")
        assert after.contenders == ("right",)
        assert after.fingerprint != before.fingerprint
        save_tested(after, after.systems)
        assert open_study("football").contenders == ("left", "right", *added)
    file.unlink()
    assert (open_study("football").drafts, open_study("football").systems) == ((), plain.systems)
