"""Which measures a page asks for, whose labels stand behind a figure, and how many places have one."""

from dataclasses import replace

import pandas as pd
import pytest

import fairviz
from fairviz.annotation.voters import votes_of
from fairviz.comparison.family import how_on_pages
from fairviz.errors import FairvizError, UsageError
from fairviz.evaluation import questions
from fairviz.evaluation.settings import Settings, from_query, to_query
from fairviz.evaluation.study_facts import disagreement_text, labels_note, speakers, told_voters, unused_people_labels
from fairviz.output.report import report
from fairviz.study.record import Annotator, Study
from fairviz.study.study import add_labels, make_study, with_kinds
from tests.made import labels_of, runs_of

RUN, LABELS = runs_of({"s": "d"}), labels_of({"d": "male"})


def test_the_trade_off_is_about_three_measures_or_those_that_the_study_can_feed(football: Study) -> None:
    settings = Settings(cutoff=4)
    assert questions.tradeoff(football, settings).texts == ("CWEx(alpha=0.5)@4", "NFaiRR(tau=1)@4", "TExFAIR@4")
    labelled = make_study("s", runs=RUN, labels=LABELS)
    asked = questions.tradeoff(labelled, settings)
    assert asked.texts == ("CWEx(alpha=0.5)@4", "AWRF@4", "AbsExposureGap@4")
    assert [name for name, _ in asked.missing] == ["NFaiRR", "TExFAIR"]
    assert questions.tradeoff(make_study("s", runs=RUN), settings).questions == ()
    asked = questions.overview(labelled, Settings(columns=("CWEx", "NFaiRR")))
    assert (asked.texts, [name for name, _ in asked.missing]) == (("CWEx(alpha=0.5)@10",), ["NFaiRR"])


def test_questions_are_asked_as_they_are_and_scored_as_their_text(football: Study) -> None:
    question = questions.ask("NFaiRR", Settings(tau=2))
    assert questions.ask(question, Settings(cutoff=3, background="collection")) is question
    own = questions.ask("GSR", Settings(stop_words="the a"))
    with pytest.raises(UsageError, match="takes a stop list of your own, and there is none"):
        questions.ask(own, Settings())
    assert questions.questions_of(["CWEx", "CWEx(alpha=0.5)", question, question], Settings()) == [
        questions.ask("CWEx@10", Settings()),
        question,
    ]
    study, settings = football, Settings(cutoff=3, alpha=0.2)
    asked = questions.overview(study, settings).questions
    pd.testing.assert_frame_equal(
        fairviz.evaluate(study, asked, settings),
        fairviz.evaluate(study, [question.text for question in asked], Settings()),
    )
    (one,) = fairviz.evaluate(study, asked[0])["measure"].unique()
    assert one == "CWEx(alpha=0.2)@3"


COLUMNS = ("CWEx(alpha=0.3)", "AWRF@2")


def test_the_columns_of_the_overview_are_those_of_the_settings(football: Study) -> None:
    """Offered as they are written, and else by name."""
    chosen = Settings(study="football", cutoff=4, columns=COLUMNS)
    assert questions.overview(football, chosen).texts == ("CWEx(alpha=0.3)@4", "AWRF@2")
    assert questions.overview(football, chosen.reset("columns")) == questions.overview(football, Settings(cutoff=4))
    assert from_query(to_query(chosen)) == (chosen, [])
    page = report(football, settings=chosen)
    assert "AWRF@2" in page
    assert "TExFAIR@4" not in page
    across = Settings(tests="maxT(family='measures')", columns=COLUMNS)
    assert how_on_pages(football, across).chosen == ("CWEx(alpha=0.3)@10", "AWRF@2")
    assert how_on_pages(football, across.reset("columns")).chosen == questions.overview(football, Settings()).texts
    offered, written = (questions.offered_columns(football, one) for one in (Settings(), chosen))
    assert {"CWEx", "AWRF", "TED", "nDCG"} <= set(offered)
    assert "GSR" not in offered
    assert set(COLUMNS) <= set(written)
    assert len(written) == len(offered)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (("Foo",), "unknown measure 'Foo'"),
        (("CWEx", "CWEx(alpha=2)"), "alpha in 'CWEx(alpha=2)' is 2"),
        (("CWEx", "CWEx(alpha=0.3)"), "columns names CWEx twice"),
        (("GSR",), "GSR has no value for one query"),
        (("CWEx",) * 51, "columns holds 51 measures"),
    ],
)
def test_an_invalid_column_is_refused_and_ignored_in_a_link(columns: tuple[str, ...], message: str) -> None:
    with pytest.raises(FairvizError) as error:
        Settings(columns=columns)
    assert error.value.message == message
    settings, ignored = from_query({"columns": list(columns)})
    shown = ", ".join(columns)[:80]
    assert settings == Settings()
    assert ignored[0].startswith(f"The address sets columns to {shown!r} ({message}); the default was used. ")


# --- whose labels, and of how many places


def study_of(*names: str, **kinds: str) -> Study:
    labels = [("d", name, "male") for name in (*names, *kinds)]
    made = make_study("made-up", labels=pd.DataFrame(labels, columns=["doc_id", "annotator", "label"], dtype="str"))
    named = {name: Annotator(name, kind) for name, kind in kinds.items()}  # type: ignore[arg-type]
    return replace(made, annotators={**made.annotators, **named})


@pytest.mark.parametrize(
    ("study", "annotator", "told"),
    [
        (study_of(gold="person"), "gold", "gold (people)"),
        (study_of(project="mixed"), "project", "project (model with a reader)"),
        (study_of(gpt="model"), "gpt", "gpt (language model)"),
        (study_of(words="rule"), "words", "words (rule)"),
        (study_of("somebody"), "somebody", "somebody (kind not named)"),
        (study_of(a="person", b="person"), "majority", "majority of a and b (people)"),
        (study_of(a="person", b="mixed", c="rule"), "dawid-skene", "dawid-skene of a (people)"),
        (study_of("a", b="mixed", c="rule"), "dawid-skene",
         "dawid-skene of a and b (kind not named, model with a reader)"),
        (study_of(m="model", n="model", c="rule"), "majority", "majority of m and n (language model)"),
        (study_of(a="person", b="person", c="person", d="person"), "majority", "majority of 4 annotators (people)"),
        (study_of("adjudicated", a="person"), "adjudicated", "adjudicated (a reader's decisions), else a (people)"),
        (study_of("adjudicated"), "adjudicated", "adjudicated (a reader's decisions)"),
        (study_of("adjudicated"), "majority", "majority of nobody"),
        (study_of("majority"), "majority", "majority (kind not named)"),
        (study_of(), "", ""),
    ],
)  # fmt: skip
def test_who_speaks(study: Study, annotator: str, told: str) -> None:
    assert speakers(study, annotator) == told


def test_a_count_of_disagreement_names_who_votes() -> None:
    said = {"anna": "mmf", "ben": "mff", "cleo": "mf-"}
    rows = [(f"d{n}", who, label) for who, labels in said.items() for n, label in enumerate(labels) if label != "-"]
    rows += [(f"e{n}", name, "n") for n, name in enumerate(("gpt", "other"))]
    made = make_study("made-up", labels=pd.DataFrame(rows, columns=["doc_id", "annotator", "label"], dtype="str"))
    study = with_kinds(made, dict.fromkeys(said, "human") | {"gpt": "model"})

    def told(*voters: str) -> str:
        return disagreement_text(votes_of(study, voters))

    assert told() == "anna, ben and cleo disagree on 1 of 3 documents"
    assert told("all") == "5 annotators disagree on 1 of 3 documents"
    assert told("gpt", "anna") == "gpt and anna labelled no document in common"
    assert told("ben") == "only ben votes, and one annotator cannot disagree"
    assert unused_people_labels(study, Settings()) == 0, "the majority is of all people"
    assert unused_people_labels(study, Settings(annotator="anna")) == 5
    assert unused_people_labels(study, Settings(annotator="gpt")) == 8
    assert unused_people_labels(study, Settings(voters=("anna", "ben"))) == 2
    study = study_of(a="person", b="person", c="rule")
    assert speakers(study, "majority", ["a", "c"]) == "majority of a and c (people, rule)"
    assert told_voters(study, ["a", "b", "c"]) == "a, b and c (people, rule)"


def noted(study: Study, **choices: object) -> str:
    settings = Settings().changed(**choices)
    return labels_note(study, settings, fairviz.evaluate(study, ["CWEx", "Exposure(group='male')"], settings))


def test_how_many_ranks_are_labelled_and_whose(newswire: Study, football: Study) -> None:
    assert noted(newswire, systems=("random",)) == ("400 of 400 ranks labelled: project (model with a reader).")
    assert (
        noted(newswire, systems=("random", "w2v_add"), annotator="lexicon")
        == "400 of 400 ranks labelled: lexicon (rule)."
    )
    assert noted(newswire, systems=("random",), annotator="majority", cutoff=5) == (
        "200 of 200 ranks labelled: majority of project (model with a reader)."
    )
    study = add_labels(football, pd.DataFrame({"doc_id": ["m1"], "annotator": ["gpt"], "label": ["male"]}))
    told = noted(study, annotator="gpt", systems=("right",), cutoff=1)
    assert told.startswith("1 of 1 ranks labelled: gpt (kind not named).")
    of_words = fairviz.evaluate(football, ["TExFAIR@4"])
    assert labels_note(football, Settings(), of_words) == "", "measures of words have no labels to speak of"


def lists(labels: list[str], **systems: list[str]) -> Study:
    people = {"a": Annotator("a", "person")}
    labels = labels_of(dict.fromkeys(labels, "male"), "a")
    return make_study("lists", runs=runs_of(systems), labels=labels, annotators=people)


def test_the_least_and_the_best_covered_system_are_named() -> None:
    for systems, told in (
        ({"one": "x z", "two": "x y", "three": "w z"}, "0 (three) to 2 (two) of 2 ranks"),
        ({"one": "x z", "two": "x y z"}, "1 of 2 (one) to 2 of 3 (two) ranks"),
        ({"one": "x", "two": "x y"}, "all ranks (1 to 2 per system)"),
    ):
        assert noted(lists(["x", "y"], **systems)).startswith(f"{told} labelled: a (people). No label")
    long = lists(["x"], one=["x", *(f"d{number}" for number in range(1169))])
    assert noted(long, cutoff=2000).startswith("1 of 1,170 ranks labelled: a (people).")
    study = lists(["x"], one=["x", "z"])  # two cutoffs differ by their ranks
    told = labels_note(study, Settings(), fairviz.evaluate(study, ["CWEx@1", "CWEx@2"]))
    assert told.startswith("1 of 2 (one) to 1 of 1 (one) ranks labelled: a (people).")
