"""One family of tests at one setting, and several."""

import numpy as np

from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from tests.checks.cases import QUERIES, Case, sound
from tests.made import runs_of

KINDS = [[kind, copy] for copy in "ab" for kind in "fmn"]
ONE = Settings(columns=("CWEx",), cutoff=3)


def _study() -> Study:
    """Five systems that order the documents of each query at random."""
    generator = np.random.default_rng(3)
    lists = {
        (f"system{place}", query): [f"{query}{kind}{copy}" for kind, copy in generator.permutation(KINDS).tolist()]
        for place in range(5)
        for query in QUERIES
    }
    return sound(runs=runs_of(lists))


def triggers() -> Case:
    two = ONE.changed(columns=("CWEx", "NFaiRR"))
    looked = tuple(two.changed(cutoff=cutoff) for cutoff in (1, 2))
    says = "You looked at 3 settings of 2 measures, with no correction across them."
    return Case(_study(), two, says, looked)


def triggers_by_measures() -> Case:
    return Case(_study(), ONE.changed(columns=()), "You looked at 1 setting of ")


def passes() -> Case:
    return Case(_study(), ONE)


def passes_where_the_setting_was_seen_before() -> Case:
    return Case(_study(), ONE, looked=(ONE,))


def passes_where_measures_are_one_family() -> Case:
    return Case(_study(), ONE.changed(columns=("CWEx", "NFaiRR"), tests="maxT(family='measures')"))


def triggers_under_other_tests() -> Case:
    two = ONE.changed(columns=("CWEx", "NFaiRR"), tests="bh(statistic='wilcoxon')")
    looked = tuple(two.changed(cutoff=cutoff) for cutoff in (1, 2))
    return Case(_study(), two, "You looked at 3 settings of 2 measures, with no correction across them.", looked)
