"""A slider is dragged in studies that lack something, in two tabs, and while a run is under way."""

import pytest

from fairviz.evaluation import questions
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate, summarise
from tests.browser.test_live import at, drag, grasp, near_slider, same, shown

pytestmark = [pytest.mark.browser, pytest.mark.lengthy]

QUERIES, DEEP = 4, 6
GROUPS = ("male", "female", "neutral")
WORDS = ("he and his son", "she and her mother", "a tree", "a house by the sea", "his wife", "her uncle")
GONE = "() => !document.querySelector('canvas.fv-live, .fv-live-table')"


def made(folder, lacking, systems):
    """Runs of so many systems with labels, text and judgements, of which one part is lacking."""
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    for number in range(systems):
        rows = [f"q{query} Q0 d{query}{(place + number * query) % DEEP} {place + 1} {9 - place} r"
                for query in range(QUERIES) for place in range(DEEP - number % 3)]  # fmt: skip
        (folder / "runs" / f"s{number:02}.run").write_text("\n".join(rows) + "\n")
    names = [(f"d{query}{place}", place) for query in range(QUERIES) for place in range(DEEP)]
    parts = {
        "labels": ("labels.csv", ["doc_id,annotator,label", *(f"{d},x,{GROUPS[p % 3]}" for d, p in names)]),
        "text": ("documents.csv", ["doc_id,text", *(f"{d},{WORDS[p]}" for d, p in names)]),
        "judgements": ("qrels.txt", [f"q{query} 0 d{query}{place} 1" for query in range(QUERIES) for place in (1, 2)]),
    }  # fmt: skip
    for part, (file, lines) in parts.items():
        if part != lacking:
            (folder / file).write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("lacking", "systems"),
    [("labels", 3), ("text", 3), ("judgements", 3), ("", 1), ("", 60)],
    ids=["no labels", "no text", "no judgements", "one system", "sixty systems"],
)
def test_a_study_that_lacks_something_is_followed(visitor, home, lacking, systems):
    name = f"without-{lacking or systems}"
    made(home / "studies" / name, lacking, systems)
    visitor.open(f"/tradeoff?study={name}")
    near_slider(visitor, "cutoff")
    track = grasp(visitor, "cutoff")
    for share in (0.0, 0.99, 0.4):
        drag(visitor, track, share)
        label, drawn = shown(visitor, "cutoff")
    settings, study = at("cutoff", label, study=name), open_study(str(home / "studies" / name))
    asked = questions.overview(study, settings).questions
    table = summarise(evaluate(study, [one.text for one in asked], settings))
    held = {(row.system, row.value) for row in table.itertuples()}
    marks = [mark for mark in drawn["tradeoff_scatter"]["marks"] if mark["layer"] == "points" and mark["x"] is not None]
    assert marks or systems == 1
    for mark in marks:
        for value in (mark["x"], mark["y"]):
            assert any(system == mark["name"] and same(value, other) for system, other in held), mark
    visitor.page.mouse.up()
    visitor.page.wait_for_function("k => new URLSearchParams(location.search).get('cutoff') === k", arg=label)
    visitor.page.wait_for_function(GONE)
    visitor.settle()
    visitor.assert_well()


def test_two_tabs_do_not_move_one_another(visitor, another_visitor):
    for one in (visitor, another_visitor):
        one.open("/tradeoff?study=occupations")
    near_slider(visitor, "alpha")
    track = grasp(visitor, "alpha")
    drag(visitor, track, 0.7)
    shown(visitor, "alpha")
    visitor.page.mouse.up()
    visitor.page.wait_for_function("() => new URLSearchParams(location.search).get('alpha') === '0.7'")
    assert another_visitor.page.evaluate(
        "() => [location.search, document.querySelectorAll('canvas.fv-live').length]"
    ) == [
        "?study=occupations",
        0,
    ]
    another_visitor.assert_well()
    visitor.assert_well()


def test_a_drag_while_a_run_is_under_way_ends_where_both_choices_are(visitor):
    visitor.open("/tradeoff?study=newswire")
    near_slider(visitor, "alpha")
    visitor.page.locator(".st-key-cutoff input[type=range]").focus()
    visitor.page.keyboard.press("ArrowRight")
    track = grasp(visitor, "alpha")
    drag(visitor, track, 0.3)
    drag(visitor, track, 0.8)
    visitor.page.mouse.up()
    visitor.page.wait_for_function(
        "() => { const held = new URLSearchParams(location.search);"
        " return held.get('alpha') === '0.8' && held.get('cutoff') === '11' }"
    )
    visitor.page.wait_for_function(GONE)
    visitor.settle()
    titles = visitor.page.locator(".st-key-tradeoff_scatter .ytitle").all_text_contents()
    assert titles == ["CWEx(alpha=0.8)@11 → fairer"]
    assert visitor.page.locator("[data-fv-live], [data-fv-wait]").count() == 0
    visitor.assert_well()
