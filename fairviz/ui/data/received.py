"""A file that a person sent, read and put into a study: a new study, or an error that names file and line."""

from dataclasses import replace
from pathlib import Path

from fairviz.study.loaders import reader_of
from fairviz.study.loaders.archive import read_zip
from fairviz.study.study import Study, add_documents, add_labels, add_runs, open_study_folder
from fairviz.ui.state import library


def add_run_file(study: Study, path: Path, folder: Path) -> Study:
    """Return the study with a run more, which is a draft, or with the run of that name replaced by this one."""
    runs = reader_of("runs", path)(path, folder)
    name = str(runs["system"].iloc[0])
    replaced, drafts = name in study.systems, study.drafts
    if replaced:
        kept = study.runs[study.runs["system"] != name]
        kept = kept.assign(system=kept["system"].cat.remove_unused_categories()).reset_index(drop=True)
        study = replace(study, runs=kept)
    changed = add_runs(study, runs)
    return replace(changed, drafts=drafts) if replaced else changed


def add_labels_file(study: Study, path: Path, folder: Path) -> Study:
    """The study with these labels more."""
    noticed: list[str] = []
    groups = (study.neutral, *study.groups) if study.label_kind == "gender" else None
    labels = reader_of("labels", path)(path, folder, groups, noticed)
    changed = add_labels(study, labels)
    return replace(changed, warnings=(*changed.warnings, *noticed))


def add_documents_file(study: Study, path: Path, folder: Path) -> Study:
    """The study with these documents more."""
    return add_documents(study, reader_of("documents", path)(path, folder))


def open_zip_file(study: Study, path: Path, folder: Path) -> Study:
    """The study in a zipped folder, under the zip's name; the study on screen stays as it is."""
    unpacked = read_zip(path, folder / "unpacked")
    opened = open_study_folder(unpacked)
    name = path.stem
    while name in library.names() and name not in library.own_studies():
        name += "-uploaded"
    return replace(opened, name=name, folder=None, read_only=False)
