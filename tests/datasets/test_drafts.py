"""Runs that somebody adds to a study are drafts, wherever they are kept."""

from pathlib import Path

import pandas as pd
import pytest

import fairviz
from fairviz.cli.main import main
from fairviz.datasets import save_runs, studies_folder
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.study_values import outsiders
from fairviz.study.loaders.metadata import FILE
from fairviz.study.record import Study
from fairviz.study.study import add_runs, make_study, save_study

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
            assert (outsiders(grown), grown.added_runs) == ((), ())
    assert outsiders(add_runs(make_study("bare"), runs("one", "two", "three"))) == ()


def test_runs_that_are_added_to_a_study_with_runs_of_its_own_are_outside() -> None:
    later = add_runs(add_runs(make_study("mine", runs=runs("one", "perfect")), runs("two")), runs("three"))
    assert (later.drafts, later.outside) == (("two", "three"), ("two", "three"))
    assert outsiders(later) == ("perfect", "two", "three")
    only_a_reference = add_runs(make_study("mine", runs=runs("perfect")), runs("two"))
    assert outsiders(only_a_reference) == ("perfect",)


def test_runs_beside_a_built_in_study_are_drafts_until_they_are_removed() -> None:
    study = open_study("football")
    query, document = study.runs["query_id"].iloc[0], study.runs["doc_id"].iloc[0]
    (file,) = save_runs(study, runs("draft").iloc[:1].assign(query_id=query, doc_id=document))
    assert open_study("football").drafts == ("draft",)
    file.unlink()
    assert open_study("football").drafts == ()
    assert open_study("football").systems == study.systems


def test_drafts_of_a_stored_study_are_named_in_its_study_toml_and_its_comments_stay(folder: Path) -> None:
    save_runs(open_study("mine"), runs("three"))
    save_runs(open_study("mine"), runs("four"))
    opened = open_study("mine")
    assert opened.systems == ("four", "one", "three", "two")
    assert opened.drafts == ("three", "four")
    assert (folder / FILE).read_text() == f'drafts = ["three", "four"]\n{TOML}'
    save_runs(opened, runs("one", "four"), replace=True)
    assert open_study("mine").drafts == ("three", "four"), "a run that is replaced stays what it was"


def test_drafts_written_over_several_lines_are_written_anew(folder: Path) -> None:
    (folder / FILE).write_text('drafts = [\n  "two",\n]\ntitle = "Mine"\n')
    save_runs(open_study("mine"), runs("three"))
    assert open_study("mine").drafts == ("two", "three")
    assert open_study("mine").title == "Mine"


def test_a_saved_study_keeps_its_drafts(tmp_path: Path) -> None:
    grown: Study = add_runs(make_study("mine", runs=runs("one", "two")), runs("three"))
    saved = fairviz.save_study(grown, tmp_path / "kept")
    assert 'drafts = ["three"]' in (saved / FILE).read_text()
    assert open_study(saved).drafts == ("three",)


def test_what_the_verb_rank_writes_counts_in_whatever_order_it_is_called(tmp_path: Path) -> None:
    football = open_study("football")
    outside = []
    for number, commands in enumerate([["bm25,tfidf"], ["bm25", "tfidf"], ["tfidf", "bm25"]]):
        path = save_study(
            make_study("mine", queries=football.queries, documents=football.documents), tmp_path / f"{number}"
        )
        for rankers in commands:
            assert main(["rank", str(path), "--with", rankers]) == 0
        outside.append(outsiders(open_study(path)))
    assert outside == [(), (), ()]
