"""A claim in CWEx at 10 by the labels of ann, and other settings at hand."""

from fairviz.evaluation.settings import Settings
from fairviz.study.loaders.metadata import Claim
from fairviz.study.record import Study
from tests.checks.cases import Case, sound

ANN = Settings(annotator="ann")


def _study(measure: str = "CWEx(alpha=0.5)@10") -> Study:
    return sound(claim=Claim(measure, "left", ("right",), "2026-11-01", annotator="ann"))


def triggers() -> Case:
    return Case(_study(), ANN.changed(cutoff=5), "2026-11-01: CWEx(alpha=0.5)@5 (declared: CWEx(alpha=0.5)@10). What")


def triggers_with_the_error_that_grows() -> Case:
    looked = (ANN, ANN.changed(cutoff=3))
    says = "one of the 3 settings tried, the claim's among them, would show some star in "
    return Case(_study(), ANN.changed(cutoff=5), says, looked)


def triggers_by_annotator() -> Case:
    return Case(_study(), ANN.changed(annotator="bob"), "the labels of bob (declared: ann)")


def triggers_by_alpha_and_policy() -> Case:
    says = "CWEx(alpha=0.2)@10 (declared: CWEx(alpha=0.5)@10) and unlabelled set to strict"
    return Case(_study(), ANN.changed(alpha=0.2, unlabelled="strict"), says)


def triggers_by_word_list() -> Case:
    settings = ANN.changed(lexicon="female:she;male:he")
    return Case(_study("NFaiRR@10"), settings, "another word list")


def passes() -> Case:
    return Case(_study(), ANN)


def passes_where_a_column_writes_the_measure() -> Case:
    return Case(_study(), ANN.changed(cutoff=5, columns=("CWEx(alpha=0.5)@10",)))


def passes_where_the_measure_reads_no_words() -> Case:
    return Case(_study(), ANN.changed(lexicon="female:she;male:he"))


def does_not_apply() -> Case:
    return Case(sound(), ANN, "declares no claim")
