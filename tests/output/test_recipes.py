"""Recipes: the program of a call, as text; that programs of pages run is tested beside the pages."""

from dataclasses import replace

import fairviz
from fairviz.analyses.annotator_accuracy.raters import word_list_agreement
from fairviz.comparison.curves import over_cutoffs
from fairviz.evaluation.scores import evaluate, exposures, summarise
from fairviz.evaluation.settings import Settings
from fairviz.figures import bump
from fairviz.measures import parse
from fairviz.orders.ties import ties
from fairviz.output import recipes
from fairviz.output.recipes import call, scored
from fairviz.rankers import parse_rankers
from fairviz.rankers.ranking import rank

STUDY = fairviz.open_study("football")
SETTINGS = Settings(cutoff=5, query="shown-only")


def recipe(*arguments, **keywords) -> str:
    return recipes.recipe(*arguments, **keywords).python


def test_a_call_within_a_call_is_a_variable_named_by_its_parameter() -> None:
    assert recipe(summarise, scored(STUDY, SETTINGS, ["RaB@5", "NFaiRR@5"])) == (
        "import fairviz\n"
        "\n"
        "study = fairviz.open_study('football')\n"
        "settings = fairviz.Settings(cutoff=5)\n"
        "measures = ['RaB@5', 'NFaiRR@5']\n"
        "scores = fairviz.evaluate(study, measures, settings)\n"
        "table = fairviz.summarise(scores)\n"
    )


def test_what_has_no_public_name_is_imported_and_defaults_are_left_out() -> None:
    program = recipe(exposures, STUDY, Settings(), per_query=False)
    assert program == (
        "import fairviz\n"
        "from fairviz.evaluation.scores import exposures\n"
        "\n"
        "study = fairviz.open_study('football')\n"
        "settings = fairviz.Settings()\n"
        "table = exposures(study, settings)\n"
    )
    other = recipe(exposures, STUDY, SETTINGS, per_query=True)
    assert "table = exposures(study, settings, per_query=True)\n" in other
    head, _, rest = program.partition("\n\n")
    call = "table = exposures(study, settings, per_query=True)\n"
    assert recipes.joined({"one": program, "two": other, "three": other}) == (
        f"{head}\n\n# one\n{rest}\n# two\nsettings = fairviz.Settings(cutoff=5)\n{call}\n# three\n{call}"
    ), "programs are joined with one head and assign what differs"
    assert recipes.joined({}) == ""


def test_functions_called_info_are_written_with_their_module_and_measures_are_parsed() -> None:
    code = recipe(bump.info, scored(STUDY, SETTINGS, ["RaB@5"]), [parse("RaB@5")], table="found.table")
    assert "from fairviz.figures import bump\nfrom fairviz.measures import parse\n" in code
    assert code.endswith(
        "summary = fairviz.evaluate(study, measures, settings)\n"
        "questions = [parse('RaB@5')]\n"
        "found = bump.info(summary, questions)\n"
        "table = found.table\n"
    )


def test_a_long_collection_has_a_line_for_each_item_and_settings_too() -> None:
    texts = [f"CWEx(alpha=0.{place}23456)@5" for place in range(1, 5)]
    code = recipe(over_cutoffs, STUDY, texts, SETTINGS)
    assert "measures = [\n    'CWEx(alpha=0.123456)@5',\n" in code
    long = SETTINGS.changed(systems=tuple(f"a-system-with-a-long-name-{place}" for place in range(5)))
    assert "settings = fairviz.Settings(\n    systems=(" in recipe(ties, STUDY, texts, long)


def test_rows_are_kept_by_value_and_by_list_and_none_keeps_all() -> None:
    rows = {"query_id": "it's", "system": ["bm25"], "rank": None}
    code = recipe(rank, STUDY, call(parse_rankers, "bm25"), 4, table="found.runs", rows=rows)
    assert code.endswith(
        "choices = parse_rankers('bm25')\n"
        "found = rank(study, choices, 4)\n"
        "table = found.runs\n"
        "table = table[table['query_id'] == \"it's\"]\n"
        "table = table[table['system'].isin(['bm25'])]\n"
    )


def joined(one, two):
    return one["measure"].unique().tolist(), two["measure"].unique().tolist()


def test_a_variable_with_another_value_is_assigned_again_after_its_use() -> None:
    """Two calls with a parameter of one name and different values: each is made of its own."""
    first, second = scored(STUDY, SETTINGS, ["RaB@5"]), scored(STUDY, SETTINGS, ["RaB@4"])
    names: dict = {}
    exec(recipe(joined, first, second), names)
    assert names["table"] == (["RaB@5"], ["RaB@4"])


def test_a_study_without_a_name_of_its_own_and_a_call_without_a_study() -> None:
    made = replace(STUDY, name="uploaded", folder=None)
    assert "study = fairviz.open_study('FOLDER')\n" in recipe(evaluate, made, "RaB")
    remote = replace(made, name="ir_datasets:vaswani")
    assert "study = fairviz.open_study('ir_datasets:vaswani')\n" in recipe(evaluate, remote, "RaB")
    assert "from fairviz.analyses.annotator_accuracy.raters import" in recipe(word_list_agreement, made, SETTINGS, "a")
    alone = "from fairviz.rankers import parse_rankers\n\ntable = parse_rankers('bm25')\n"
    assert recipe(parse_rankers, "bm25") == alone
