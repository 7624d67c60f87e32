"""The key of an analysis's outcome: all that it depends on, and nothing else."""

from dataclasses import replace

import fairviz
from fairviz.analyses import ANALYSES
from fairviz.evaluation.settings import Settings
from fairviz.ui.kept.flow import Run

ANALYSIS = ANALYSES["gender-swap"]


def test_the_key_contains_study_values_and_the_settings_that_are_read() -> None:
    study, settings = fairviz.open_study("football"), Settings()
    run = Run(ANALYSIS, study, settings, ANALYSIS.read_values({}))
    others = (
        replace(run, study=fairviz.open_study("newswire")),
        replace(run, settings=settings.changed(embedding="googlenews")),
        *(replace(run, values=run.values | changed) for changed in ({"seeds": 1}, {"words": (("she", "he"),)})),
        replace(run, analysis=replace(ANALYSIS, name="other")),
    )
    assert len({run.key, *(other.key for other in others)}) == 1 + len(others)


def test_the_key_is_equal_under_settings_that_are_not_read() -> None:
    study, settings = fairviz.open_study("football"), Settings()
    runs = [Run(ANALYSIS, study, each, ANALYSIS.read_values({})) for each in (settings, settings.changed(cutoff=3))]
    assert runs[0].key == runs[1].key
