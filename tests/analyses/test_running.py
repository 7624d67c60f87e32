"""Registered analyses in Python: unknown names, values and inputs, and the keys of their outcomes."""

from dataclasses import replace

import pytest

import fairviz
from fairviz.analyses import ANALYSES
from fairviz.analyses.gender_swap.analysis import KINDS
from fairviz.analyses.gender_swap.experiment import SwapPlan
from fairviz.analyses.running import analyse
from fairviz.errors import FairvizError
from fairviz.words import counterparts
from tests.conftest import refused


def test_an_analysis_is_the_public_function(football) -> None:
    answer, expected = analyse(football, "gender-swap", seeds=1), fairviz.counterfactual(football, seeds=1)
    assert answer.table().equals(expected.table)
    assert answer.table("queries").equals(expected.queries)
    assert answer.sentences == (*expected.sentences, f"Tests: {expected.family}.")
    with refused("gender-swap has no table 'tables'\nIts tables are crbo, wide, queries, triples."):
        answer.table("tables")
    assert analyse(football, "counterfactual", seeds=1).analysis.name == "gender-swap", "an earlier name is read"
    study = fairviz.make_study("textless", runs=football.runs, labels=football.labels)
    measures, mitigation = ["CWEx@4", "AbsExposureGap@4"], "balanced(run='left')"
    answer = analyse(study, "bench", measures=measures, mitigations=mitigation, held_out=1.0)
    expected = fairviz.mitigation_bench(study, mitigation, measures, held_out=1.0)
    assert answer.table().equals(expected.table)
    assert answer.table("means").equals(expected.means)
    with pytest.raises(FairvizError, match="bench cannot take measures='CWEx'"):
        analyse(study, "bench", measures="CWEx")


def test_wrong_questions(football) -> None:
    for name, values, message in (
        ("counterfact", {}, f"there is no analysis 'counterfact'\nUse one of {', '.join(ANALYSES)}."),
        ("gender-swap", {"seed": 1}, "gender-swap has no parameter 'seed'\ngender-swap takes rankers='bm25', "
         "words=None, names=None, substitute='both', seeds=3, depth=100, p=0.9."),
        ("gender-swap", {"seeds": 101}, "gender-swap cannot take seeds=101\nUse a whole number from 1 to 100."),
        ("gender-swap", {"substitute": "all"}, "gender-swap cannot take substitute='all'\n"
         "Use one of 'both', 'words', 'names'."),
        ("gender-swap", {"progress": 1}, "progress is 1\nGive a function of what is done, how much, and in all."),
    ):  # fmt: skip
        with refused(message):
            analyse(football, name, **values)


def test_a_missing_input_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch, football) -> None:
    needy = replace(ANALYSES["gender-swap"], needs={"qrels": "to count", "runs": ""}, compute=lambda *_, **others: 1)
    monkeypatch.setitem(ANALYSES._own, "gender-swap", needy)
    for parts, message in (
        ({"runs": football.runs}, "made has no relevance judgements to count\n"
         "Add qrels.txt (TREC format: query 0 document relevance)."),
        ({"qrels": football.qrels}, "made has no runs\nAdd runs/NAME.run (TREC format, 6 columns), or rank the "
         "documents with `fairviz rank`."),
    ):  # fmt: skip
        with refused(message):
            analyse(fairviz.make_study("made", **parts), "gender-swap")


def test_defaults_and_kinds_are_those_of_a_plan_and_of_the_pairs() -> None:
    defaults = {parameter.name: parameter.default for parameter in ANALYSES["gender-swap"].parameters}
    plan = SwapPlan()
    assert {name: getattr(plan, name) for name in ("substitute", "seeds", "depth", "p")}.items() <= defaults.items()
    assert KINDS == counterparts.KINDS
