"""Reading an uploaded file into a study: a new study, or an error that names file and line."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairviz.datasets import save_labels, save_runs
from fairviz.datasets.additions import added_systems
from fairviz.study.loaders import reader_of
from fairviz.study.loaders.archive import read_zip
from fairviz.study.record import Annotator, Study, with_fingerprint
from fairviz.study.study import add_documents, add_labels, add_qrels, add_queries, add_runs, open_study_folder
from fairviz.ui.state import library


def add_run_file(study: Study, path: Path, folder: Path) -> Study:
    """Return the study with draft runs added, of an archive several, or with the runs of those names replaced."""
    runs = reader_of("runs", path)(path, folder)
    names = list(runs["system"].cat.categories)
    replaced, drafts = set(names) & {*study.systems}, study.drafts
    if replaced:
        other_runs = study.runs[~study.runs["system"].isin(replaced)]
        other_runs = other_runs.assign(system=other_runs["system"].cat.remove_unused_categories()).reset_index(
            drop=True
        )
        study = replace(study, runs=other_runs)
    new_study = add_runs(study, runs)
    return replace(new_study, drafts=tuple(name for name in new_study.drafts if name in drafts or name not in replaced))


def add_labels_file(study: Study, path: Path, folder: Path) -> Study:
    """Return the study with these labels added."""
    groups = (study.neutral, *study.groups) if study.label_kind == "gender" else None
    return add_labels(study, reader_of("labels", path)(path, folder, groups))


def store_run_file(study: Study, path: Path, folder: Path, kinds: Mapping[str, str]) -> None:
    """Add the run to the visitor's additions; an added run of that name is replaced. Raises FairvizError."""
    runs = reader_of("runs", path)(path, folder)
    save_runs(study, runs, replace=set(runs["system"].cat.categories) <= set(added_systems(study)))


def store_labels_file(study: Study, path: Path, folder: Path, kinds: Mapping[str, str]) -> None:
    """Add these labels to the visitor's additions. Raises FairvizError for an annotator whom the study has."""
    groups = (study.neutral, *study.groups) if study.label_kind == "gender" else None
    labels = reader_of("labels", path)(path, folder, groups)
    kind_by_name: dict[str, Any] = {name: kinds.get(name, "") for name in labels["annotator"].unique()}
    save_labels(study, labels, {name: Annotator(name, kind) for name, kind in kind_by_name.items()})


def add_documents_file(study: Study, path: Path, folder: Path) -> Study:
    """Return the study with these documents added."""
    return add_documents(study, reader_of("documents", path)(path, folder))


def add_queries_file(study: Study, path: Path, folder: Path) -> Study:
    """Return the study with these queries added."""
    return add_queries(study, reader_of("queries", path)(path, folder))


def add_qrels_file(study: Study, path: Path, folder: Path) -> Study:
    """Return the study with these judgements added."""
    return add_qrels(study, reader_of("qrels", path)(path, folder))


def set_lexicon_file(study: Study, path: Path, folder: Path) -> Study:
    """Return the study with this word list in place of its own."""
    lexicon = reader_of("lexicon", path)(path, folder, (study.neutral, *study.groups))
    return with_fingerprint(replace(study, lexicon=lexicon))


def open_zip_file(study: Study, path: Path, folder: Path) -> Study:
    """Return the study in a zipped folder, under the zip's name; the present study is unchanged."""
    unpacked = read_zip(path, folder / "unpacked")
    new_study = open_study_folder(unpacked)
    name = path.stem
    while name in library.names() and name not in library.own_studies():
        name += "-uploaded"
    return replace(new_study, name=name, folder=None, read_only=False)
