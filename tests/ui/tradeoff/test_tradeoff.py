"""What Trade-off and Overview say: what has changed since a pin, what ties and other orders can move, the largest gaps
and kept numbers; and what moves during a drag."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import fairviz
from fairviz.comparison import system_table
from fairviz.comparison.compare import Comparison, by_query, comparison, starred
from fairviz.comparison.finding import lines, orders
from fairviz.comparison.pairs import BEHIND, SAME
from fairviz.evaluation.questions import MAIN, effective, overview, tradeoff
from fairviz.evaluation.scores import evaluate, summarise
from fairviz.evaluation.settings import Settings
from fairviz.evaluation.slider_settings import fixed_texts, stops
from fairviz.figures import bias_curve, differences, measure_order, scatter
from fairviz.figures.style import LIGHT, references_last, system_styles
from fairviz.measures import parse
from fairviz.study.record import Study
from fairviz.ui.kept import tables as tables_kept
from fairviz.ui.kit import charts, tables
from fairviz.ui.kit.html import findings_html, lines_html
from fairviz.ui.shell.live.bias import curve_of, moving_bias
from fairviz.ui.tradeoff import moving
from fairviz.ui.tradeoff import moving as following
from fairviz.ui.tradeoff.cards import TradeoffDeck, largest_gaps
from fairviz.ui.tradeoff.moving import (
    SliderScores,
    moving_differences,
    moving_kept,
    moving_order,
    moving_table,
    scores_along_slider,
    scores_of_axes,
)
from fairviz.ui.tradeoff.overview import Kept, as_now, beside, pin_answer, pin_line, range_sentence, ties_sentence
from fairviz.words.sentences import plain
from tests.made import labels_of, runs_of, scores_of
from tests.pages.conftest import first_run

CWEX, CWEX5, NDCG, RR = (parse(text) for text in ("CWEx@10", "CWEx(alpha=0.2)@5", "nDCG@10", "RR@10"))


START = "Kept: k = 10, α = 0.5, position bias log2"
CHOSEN = {"filter_column": "topic", "filter_values": ("x",), "annotator": "b", "lexicon": "gsr"}


@pytest.mark.parametrize(
    ("then", "now", "lacking", "told"),
    [
        ({}, {"system": "a", "systems": ("a",)}, (), f"{START}. Nothing has changed."),
        ({"tau": 2}, {"tau": 2, "position_bias": "reciprocal", "cutoff": 3}, (),
         f"{START}, tau 2. Changed: k → 3 and position bias → reciprocal."),
        ({}, CHOSEN, (),
         f"{START}, queries all, annotator the study's default, lexicon the study's default. "
         "Changed: queries → topic: x, annotator → b and lexicon → gsr."),
        ({}, {}, ("RR",), f"{START}. Nothing has changed. RR has no kept value."),
        ({}, {}, ("RR", "AWRF"), f"{START}. Nothing has changed. RR and AWRF have no kept value."),
    ],
    ids=["nothing", "two choices", "from empty ones", "a measure lacks", "two measures lack"],
)  # fmt: skip
def test_the_line_names_what_was_pinned_what_has_changed_and_what_has_no_value(then, now, lacking, told) -> None:
    assert plain(pin_line(Settings(**then), Settings(**now), lacking)) == told


def judged(**measures: tuple[str, dict[str, str]]) -> Comparison:
    """Of each measure its best system, and the verdict on each other one."""
    texts = {"cwex": CWEX.text, "cwex5": CWEX5.text, "ndcg": NDCG.text}
    wave = np.sin(np.arange(20)) / 20
    values = {SAME: 0.499 - wave, BEHIND: 0.1 - wave}
    tables = [
        scores_of(texts[name], {best: 0.5 + wave, **{other: values[verdict] for other, verdict in verdicts.items()}})
        for name, (best, verdicts) in measures.items()
    ]
    return comparison(pd.concat(tables))


def test_an_answer_that_is_the_same_is_said_to_be_and_a_best_is_named_where_one_stays() -> None:
    start, stars = "Against the kept picture: by CWEx", "The stars are unchanged."
    held = judged(cwex=("a", {"b": BEHIND}), ndcg=("b", {"a": SAME}))
    assert plain(pin_answer(held, held)) == f"{start} and nDCG the best is unchanged. {stars}"
    then, now = judged(cwex=("a", {"b": SAME})), judged(cwex=("b", {"a": SAME}))
    assert plain(pin_answer(then, now)) == f"{start} the best was a, now b. {stars}"
    assert pin_answer(then, judged(ndcg=("a", {"b": SAME}))) == (), "no measure in common"


def test_another_best_and_other_stars_are_named_measure_by_measure() -> None:
    then = judged(cwex5=("a", {"b": BEHIND, "c": SAME}), ndcg=("b", {"a": SAME, "c": BEHIND}))
    now = judged(cwex=("b", {"a": SAME, "c": BEHIND}), ndcg=("b", {"a": BEHIND, "c": SAME}))
    assert plain(pin_answer(then, now)) == (
        "Against the kept picture: by CWEx the best was a, now b; by nDCG the best is unchanged. "
        "Starred now: b by CWEx; c by nDCG. No longer starred: c by CWEx; a by nDCG. "
    )


def test_pinned_values_go_by_the_measure_whatever_its_parameters_were() -> None:
    then = pd.DataFrame({"system": ["a", "a"], "measure": [CWEX5.text, RR.text], "value": [0.1, 0.9]})
    now = pd.DataFrame(
        {"system": ["a", "b", "a"], "measure": [CWEX.text, CWEX.text, NDCG.text], "value": [0.3, 0.2, 1]}
    )
    held = as_now(then, (CWEX5, RR), (CWEX, NDCG))
    assert held.to_numpy().tolist() == [["a", CWEX.text, 0.1]]
    table = beside(now, held, ("system", "measure"), ("value",))
    assert table["value kept"].tolist() == pytest.approx([0.1, np.nan, np.nan], nan_ok=True)
    assert table["value change"].tolist() == pytest.approx([0.2, np.nan, np.nan], nan_ok=True)
    assert beside(now, None, ("system", "measure"), ("value",)) is now
    curve = then.head(1).assign(measure="CWEx(alpha=0.2)", cutoff=1)
    assert as_now(curve, (CWEX5,), (CWEX,), without_cutoffs=True)["measure"].tolist() == ["CWEx(alpha=0.5)"]
    words = pd.DataFrame({"system": ["a"], "verdict": ["ahead"]})
    table = beside(words, words.assign(verdict="behind"), ("system",), ("verdict",))
    assert list(table.columns) == ["system", "verdict", "verdict kept"], "words have no difference"


def test_the_system_with_most_ties_is_named_and_what_moves() -> None:
    columns = ["system", "measure", "value", "smallest", "largest", "smallest_is", "largest_is", "tied"]
    rows = [
        ("a", "CWEx(alpha=0.5)@10", 0.1, 0.1, 0.1, "exact", "exact", 1, 0.1, 0.1),
        ("b", "CWEx(alpha=0.5)@10", -0.2, -0.25, -0.15, "exact", "searched", 35, -0.25, -0.12),
        ("a", "RaB@10", 0.1, 0.1, 0.1, "exact", "exact", 1, 0.1, 0.1),
        ("b", "RaB@10", 0.5, 0.5, 0.5001, "exact", "exact", 35, 0.4, 0.6),
        ("b", "TExFAIR@10", 0.5, 0.4, 0.6, "searched", "searched", 35, float("nan"), float("nan")),
        ("b", "NFaiRR(tau=1)@10", 0.5, 0.4, 0.6, "exact", "exact", 35, 0.4, 0.6),
    ]
    held = pd.DataFrame(rows, columns=[*columns, "outer_smallest", "outer_largest"])
    assert plain(ties_sentence(held, 10)) == (
        "Ties at rank 10: 35 lists of b and of 1 more system. Their order moves CWEx from −0.250 to at least −0.150 "
        "(bound −0.120), and 2 more measures (Table)."
    )
    assert plain(ties_sentence(held.iloc[4:5], 10)) == (
        "Ties at rank 10: 35 lists of b. Their order moves TExFAIR from at most 0.400 to at least 0.600."
    )
    still = held.iloc[2:3]
    assert plain(ties_sentence(still, 5)) == ("Ties at rank 5: 1 list of a. No order of them moves a value by 0.001.")
    assert ties_sentence(still.assign(tied=0), 5) == ()


def range_table(*rows: tuple) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["system", "query_id", "measure", "worst", "best", "narrow"])


def test_the_measure_with_the_most_narrow_queries_is_named_but_half_are_not_most() -> None:
    rows = [("a", query, "CWEx(alpha=0.5)@10", 0.1, 0.11, query != "q3") for query in ("q1", "q2", "q3")]
    rows += [("a", query, "AWRF@10", 0.1, 0.11, True) for query in ("q1", "q2", "q3")]
    assert range_sentence(range_table(*rows)) == (
        "On 3 of 3 queries, no order of candidates moves AWRF by more than 0.02."
    )
    assert range_sentence(range_table(*rows[:3])).startswith("On 2 of 3 queries, no order of candidates moves CWEx")
    assert range_sentence(range_table(*rows[1:3])) == ""
    assert range_sentence(range_table()) == ""


def test_a_query_counts_only_if_it_is_narrow_for_all_systems_with_a_range() -> None:
    rows = [("a", "q1", "AWRF@10", 0.1, 0.11, True), ("b", "q1", "AWRF@10", 0.1, 0.5, False)]
    assert range_sentence(range_table(*rows)) == ""
    without_value = ("b", "q1", "AWRF@10", float("nan"), float("nan"), False)
    assert range_sentence(range_table(rows[0], without_value)).startswith("On 1 of 1 query, no order")


@pytest.mark.parametrize(("labels", "number"), [(["male"] * 3, 1), (["male", "female", "neutral"], 0)])
def test_the_sentence_of_a_study(labels: list[str], number: int) -> None:
    said = labels_of(dict(zip(("d1", "d2", "d3"), labels, strict=True)))
    study = fairviz.make_study("alike", runs=runs_of({"a": "d1 d2 d3"}), labels=said)
    text = range_sentence(fairviz.ranges(study, ["CWEx", "AWRF"], per_query=True))
    assert bool(text) == bool(number)


@pytest.mark.parametrize(
    ("text", "best", "other", "label", "values"),
    [
        ("nurse", [0.5, 0.25], [0.5, -0.125], "“nurse” 0.375", "best 0.250, other −0.125."),
        ("", [0.5, 0.25], [0.5, -0.125], "“q01” 0.375", "best 0.250, other −0.125."),
        ("n" * 41, [0.5, 0.25], [0.5, -0.125], f"“{'n' * 40} …” 0.375", "best 0.250, other −0.125."),
        ("", [0.5] * 3, [0.25] * 3, "“q00” 0.250", "best 0.500, other 0.250; as large on 2 more queries."),
        ("", [0.5] * 2, [0.25] * 2, "“q00” 0.250", "best 0.500, other 0.250; as large on 1 more query."),
        ("", [0.5], [0.5], "no gap", "best 0.500, other 0.500 on every query."),
    ],
    ids=["text", "no text", "long text", "three alike", "two alike", "equal"],
)
def test_the_query_with_the_largest_gap_is_named_with_both_values(text, best, other, label, values) -> None:
    scores = pd.concat([scores_of(question.text, {"best": best, "other": other}) for question in (CWEX, NDCG)])
    gaps = largest_gaps(by_query(scores), {"q01": text} if text else {})
    assert [(gap.label, gap.values) for gap in gaps] == [(f"{name} {label}", values) for name in ("CWEx", "nDCG")]


# What moves, and what is told of the pinned picture during a drag, is what the cards would draw and say at each stop


TEXTS = ("CWEx(alpha=0.5)@10", "NFaiRR(tau=1)@10", "nDCG@10")
SETTINGS = Settings(study="occupations")


@pytest.fixture(scope="module")
def study():
    return fairviz.open_study("occupations")


@pytest.fixture(scope="module")
def slider_scores(study):
    from fairviz.comparison.cube import cube

    return SliderScores(cube(study, TEXTS, SETTINGS, "alpha"))


@pytest.mark.parametrize("place", [0, 37, 50, 100])
def test_order_table_and_differences_of_a_stop_are_what_the_page_draws_there(study, slider_scores, place):
    stop = slider_scores.cube.stops[place]
    texts = [f"CWEx(alpha={stop.alpha:g})@10", *TEXTS[1:]]
    scores, questions = evaluate(study, texts, stop), [parse(text) for text in texts]
    summary, found = summarise(scores), comparison(scores)
    made = orders(summary, questions, found)
    drawn = measure_order.info(made)
    words, figure = moving_order("overview", slider_scores, range(3), system_styles(study.systems), LIGHT)
    assert words.frame(place).texts == {"html": [findings_html(*lines(made))]}
    frame, systems = figure.frame(place), references_last(slider_scores.cube.systems)
    marks = {mark.system: mark for mark in drawn.strips[0].marks}
    assert list(frame.numbers["marks x"])[: len(systems)] == pytest.approx([marks[name].x for name in systems])
    assert list(frame.numbers["marks y"])[: len(systems)] == pytest.approx([marks[name].y for name in systems])
    rings = [name for name, x in zip(systems, frame.numbers["rings x"], strict=False) if x == x]
    assert set(rings) == {name for name, mark in marks.items() if mark.look == "ringed"}
    pale = [name for name, alpha in zip(systems, frame.numbers["marks alpha"], strict=False) if alpha < 1]
    assert set(pale) == {name for name, mark in marks.items() if mark.look == "pale"}
    assert frame.texts["tails bold"] == [strip.leader for strip in drawn.strips]
    assert frame.texts["tails rest"] == [strip.lead for strip in drawn.strips]
    assert frame.texts["lefts rest"] == [strip.left for strip in drawn.strips]
    low, high = (np.array(frame.numbers[f"groups x {end}"]) for end in ("low", "high"))
    ends = [(low, high) for strip in drawn.strips for low, high, _ in strip.groups]
    assert list(zip(low[~np.isnan(low)], high[~np.isnan(high)], strict=True)) == ends

    frame = moving_table(slider_scores, "overview", "N", intervals=True, then=None).frame(place)
    grid = system_table.grid(summary, questions, found.how, intervals=True)
    styled = tables.marked(grid, tuple(grid["system"]), questions, system_table.marks(found), found.how)
    shown = styled._translate(False, False)["body"]  # what Streamlit is given to show
    expected = [cell["display_value"] for row in shown for cell in row if cell["type"] == "td"]
    assert list(frame.texts["cells"]) == [str(text) for text in expected]
    values = grid[[system_table.header(question) for question in questions]].to_numpy()
    assert frame.numbers["values"] == pytest.approx(values)

    held = slider_scores.cube.comparison(place)
    assert differences.info(held, starred(held)) == differences.info(found, starred(found))


@pytest.mark.parametrize("tests", ["maxT", "maxT(family='measures')"])
@pytest.mark.parametrize(
    ("columns", "slider", "place", "present"),
    [
        (("CWEx(alpha=0.5)", "nDCG"), "alpha", 80, 0.5),
        (("CWEx(alpha=0.5)", "nDCG"), "alpha", 80, 0.3),
        (("CWEx", "NFaiRR@10"), "cutoff", 0, 0.5),
    ],
)
def test_a_column_written_with_the_value_of_a_slider_stays_fixed_as_after_the_release(
    study, columns, slider, place, present, tests
):
    settings = Settings(study="occupations", columns=columns, alpha=present, tests=tests)
    fixed = fixed_texts(study, settings, slider)
    drag = scores_along_slider(study, overview(study, settings).texts, settings, slider, fixed)
    stop = stops(study, settings, slider)[place]
    texts = overview(study, stop).texts
    assert tuple(question.text for question in drag.questions(place)) == texts
    pd.testing.assert_frame_equal(drag.summary(place), tables_kept.summary(study, texts, stop), check_exact=False)
    released = tables_kept.comparison(study, texts, stop)
    assert starred(drag.comparison(place)) == starred(released)
    cells = system_table.grid(drag.summary(place), drag.questions(place), released.how, intervals=False)
    parts = following._overview(study, settings, overview(study, settings), None, slider)
    (table,) = (part for part in parts if part.target == "overview")
    assert table.frame(place).numbers["values"] == pytest.approx(cells.iloc[:, 1:].to_numpy(dtype=float))
    elsewhere = scores_along_slider(study, ["CWEx", "NFaiRR"], settings, slider).comparison(place)
    assert starred(elsewhere) == starred(tables_kept.comparison(study, ["CWEx", "NFaiRR"], stop))


def test_the_curve_of_the_position_bias_at_each_cutoff(study):
    held = stops(study, SETTINGS, "cutoff")
    moving = moving_bias(held, bias_curve.LIGHT)
    for place in (0, len(held) - 1):
        curve, frame = curve_of(held[place]), moving.frame(place)
        shown = [weight for weight in (*frame.numbers["few y"], *frame.numbers["many y"]) if not np.isnan(weight)]
        assert shown == list(curve.weights)
        assert frame.numbers["range xaxis"] == bias_curve.x_axis(curve)


def test_each_panel_moves_on_the_axes_of_its_figure(study, slider_scores):
    styles = system_styles(study.systems)
    deck = SimpleNamespace(settings=SETTINGS.changed(system="S"), theme=bias_curve.LIGHT, styles=styles)
    (moving,) = moving_differences(deck, slider_scores, "S")
    held = slider_scores.cube.comparison(slider_scores.cube.present).against("S")
    figure = differences.draw(differences.info(held, {}, "S"), styles)
    axes = list(dict.fromkeys((trace.xaxis or "x", trace.yaxis or "y") for trace in figure.data))
    assert moving.still["panels"] == [(f"xaxis{x[1:]}", f"yaxis{y[1:]}") for x, y in axes]


@pytest.mark.parametrize(("slider", "place"), [("alpha", 0), ("alpha", 93), ("cutoff", 2)])
def test_at_a_stop_the_lines_are_those_of_the_page(slider: str, place: int, newswire: Study) -> None:
    study, now, then = newswire, Settings(), Settings(cutoff=4, tau=0)

    def compared(settings: Settings):
        return comparison(fairviz.evaluate(study, MAIN, settings))

    slider_scores = scores_along_slider(study, MAIN, now, slider)
    questions = tuple(parse(text) for text in ("CWEx@4", "NFaiRR@4"))
    moving = moving_kept(slider_scores, Kept(then, questions, pd.DataFrame(), compared(then)))
    at = slider_scores.cube.stops[place]
    line = pin_line(then, at, ["TExFAIR"])
    expected = lines_html(line, pin_answer(compared(then), compared(at)))
    assert (moving.target, moving.kind) == ("pinned", "html")
    assert moving.frame(place).texts["html"] == [expected]
    assert ("α = " if slider == "alpha" else "k → 3") in expected


def test_axes_offer_every_measure_with_a_direction_and_follow_the_slider(newswire: Study) -> None:

    def deck_under(settings: Settings) -> TradeoffDeck:
        asked = tradeoff(newswire, settings), effective(newswire, settings)
        summary = fairviz.summarise(
            fairviz.evaluate(newswire, [question.text for part in asked for question in part[0]])
        )
        return TradeoffDeck(newswire, settings, *asked, summary, system_styles(newswire.systems), LIGHT)

    deck = deck_under(Settings())
    assert list(deck.axes)[:4] == [*MAIN, "nDCG"]
    assert "AWRF" in deck.axes
    assert {"Exposure", "RBDF", "GSR"} & set(deck.axes) == set(), "without a direction, or without values per query"
    along = scores_along_slider(newswire, deck.texts, deck.settings, "cutoff")
    assert scores_of_axes(deck, along, "cutoff", "nDCG", "CWEx") is along
    stop = 3
    own = scores_of_axes(deck, along, "cutoff", "nDCG", "AWRF")
    frame = moving.moving_scatter(deck, own, "nDCG", "AWRF").frame(stop)
    then = deck_under(along.cube.stops[stop])
    drawn = scatter.info(then.means("nDCG", "AWRF"), then.axes["nDCG"], then.axes["AWRF"], "", (0.5, 0.5))
    assert frame.numbers["points y"] == pytest.approx([point.y for point in drawn.points])
    assert frame.texts["y title"] == [drawn.y_title]


def test_the_curve_that_is_shown_follows_the_sliders(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, followed = set(), []
    real = charts.chart
    monkeypatch.setattr(charts, "chart", lambda *parts, **more: (drawn.add(parts[2]), real(*parts, **more)))
    monkeypatch.setattr(moving.component, "follow", followed.append)
    first_run("tradeoff.py", tradeoff_tab="Over α or k")
    (page,) = followed
    shown = {key for key in drawn if key.startswith("tradeoff_curve")}
    assert len(shown) == 1
    assert shown <= set(page.charts)
