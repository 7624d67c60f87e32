"""While a slider is dragged the page shows its stop: every number is that of `evaluate`, and stands in its place."""

import math
from itertools import zip_longest
from urllib.parse import parse_qs, urlsplit

import pytest

import fairviz
from fairviz.comparison.compare import comparison
from fairviz.comparison.finding import lines, orders
from fairviz.evaluation import questions
from fairviz.evaluation.choices import align
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate, exposures, summarise
from fairviz.evaluation.settings import Settings
from fairviz.figures import bump
from fairviz.figures.style import DARK, system_styles
from fairviz.ui.kit.html import findings_html
from tests.browser.test_screens import INK as TITLE
from tests.browser.test_screens import INKS

pytestmark = pytest.mark.browser

PLACES_OF: dict = {}  # the aligned arrays of a study

SEEN = """() => [...fairvizLive.over.values()].map(one => {
  const seen = one.seen || {axes: {}}, ratio = window.devicePixelRatio || 1;
  const lit = mark => {
    if (mark.px === undefined) return null;
    const at = [Math.floor(mark.px * ratio) - 7, Math.floor(mark.py * ratio) - 7];
    return one.pen.getImageData(...at, 15, 15).data.some(Boolean);
  };
  return {
    target: one.target, stop: one.stop, ranges: one.ranges, axes: seen.axes, ternary: seen.ternary,
    values: one.values && [...one.values], words: one.now,
    cells: one.cells && one.cells.map(row => row.map(cell => cell.textContent)),
    marks: (one.told || []).map(mark => ({
      ...mark, xs: mark.xs && [...mark.xs], ys: mark.ys && [...mark.ys],
      lit: mark.layer === 'points' ? lit(mark) : null,
    })),
  };
})"""


def near_slider(visitor, slider):
    """The hand comes near a slider, and its payload arrives."""
    visitor.page.locator(f".st-key-{slider} [data-testid=stSlider]").hover()
    visitor.until("slider => window.fairvizLive && fairvizLive.payloads[slider]", slider)


def grasp(visitor, slider):
    """Presses the mouse on the slider's knob; gives the track."""
    knob = visitor.page.locator(f".st-key-{slider} input[type=range]").evaluate(
        "node => { const box = node.closest('[style*=left]').getBoundingClientRect();"
        " return [box.x + box.width / 2, box.y + box.height / 2] }"
    )
    track = visitor.page.locator(f".st-key-{slider} [data-orientation=horizontal]").last.bounding_box()
    visitor.page.mouse.move(knob[0], track["y"] + track["height"] / 2)
    visitor.page.mouse.down()
    return track


def drag(visitor, track, share):
    visitor.page.mouse.move(track["x"] + share * track["width"], track["y"] + track["height"] / 2)


def shown(visitor, slider):
    """What is drawn, once the drawing is that of the slider and the axes hold still; the slider's label first."""
    visitor.until(
        "slider => { const own = document.querySelector(`.st-key-${slider} input[type=range]`),"
        " now = fairvizLive.shown, held = fairvizLive.payloads[slider];"
        " return now && now.slider === slider && held.stops[now.stop] === own.getAttribute('aria-valuetext')"
        " && fairvizLive.zoom === 1"
        " && [...fairvizLive.over.values()].every(one => [undefined, now.stop].includes(one.stop)) }",
        arg=slider,
    )
    label = visitor.page.locator(f".st-key-{slider} input[type=range]").get_attribute("aria-valuetext")
    return label, {one["target"]: one for one in visitor.page.evaluate(SEEN) if one["stop"] is not None}


def at(slider, label, **more):
    """The settings where the slider reads so."""
    value = {"alpha": float, "cutoff": int, "bias_parameter": lambda text: f"rbp(p={float(text):g})"}[slider](label)
    return Settings(**{"study": "newswire", **more, {"bias_parameter": "position_bias"}.get(slider, slider): value})


def same(one, other):
    """Equal to a relative 1e-6, where a float32 near 0 has no more digits to 1e-7; nothing equals nothing."""
    gone = [value is None or math.isnan(value) for value in (one, other)]
    return all(gone) if any(gone) else one == pytest.approx(other, rel=1e-6, abs=1e-7)


def place_of(axis, ends, value):
    share = (value - ends[0]) / (ends[1] - ends[0])
    return axis["offset"] + axis["length"] * (1 - share if axis["up"] else share)


def check_points(drawn, table, x, y):
    """Each mark of the scatter: both means and intervals, and where it stands, to half a pixel."""
    held = {name: table[table["measure"] == text].set_index("system") for name, text in (("x", x), ("y", y))}
    marks = [mark for mark in drawn["marks"] if mark["layer"] == "points"]
    assert {mark["name"] for mark in marks} == set(held["x"].index)
    for mark in marks:
        across, up = held["x"].loc[mark["name"]], held["y"].loc[mark["name"]]
        pairs = [("x", across["value"]), ("left", across["ci_low"]), ("right", across["ci_high"])]
        pairs += [("y", up["value"]), ("low", up["ci_low"]), ("high", up["ci_high"])]
        assert all(same(mark[name], value) for name, value in pairs), (mark, across, up)
        for name, axis in (("x", "xaxis"), ("y", "yaxis")):
            ends = drawn["ranges"][axis]
            value = min(max(mark[name], min(ends)), max(ends))
            assert mark[f"p{name}"] == pytest.approx(place_of(drawn["axes"][axis], ends, value), abs=0.5)
        assert mark["lit"], mark


def check_places(one):
    """Every line, cursor and mark of a figure with axes stands where its numbers say, to half a pixel."""
    for mark in one["marks"]:
        number = str(mark["panel"] + 1) if mark.get("panel") else ""
        across, up = ((one["axes"][f"{name}axis{number}"], one["ranges"][f"{name}axis{number}"]) for name in "xy")
        if "points" in mark:
            pairs = zip(mark["xs"], mark["ys"], mark["points"], strict=True)
            held = [pair for pair in pairs if None not in (*pair[:2], *pair[2])]
            for x, y, (px, py) in held:
                if math.isnan(y):
                    assert math.isnan(py), (x, px)  # no value, no mark
                    continue
                assert px == pytest.approx(place_of(*across, x), abs=0.5)
                assert py == pytest.approx(place_of(*up, y), abs=0.5)
        elif mark.get("px") is not None:
            low, high = sorted(across[1])
            assert mark["px"] == pytest.approx(place_of(*across, min(max(mark["x"], low), high)), abs=0.5)


def check_corners(one):
    """Each point of the triangle stands where its shares say."""
    held = one["ternary"]
    room = 1 - sum(held["least"])
    for mark in one["marks"]:
        if mark.get("px") is None or mark["edge"]:
            continue
        top, _, right = ((share - least) / room for share, least in zip(mark["shares"], held["least"], strict=True))
        assert mark["px"] == pytest.approx(held["x"] + held["w"] * (right + top / 2), abs=0.5)
        assert mark["py"] == pytest.approx(held["y"] + held["h"] * (1 - top), abs=0.5)


def answered(study, texts, settings):
    """The scores, from arrays that all stops share."""
    if study not in PLACES_OF:
        PLACES_OF[study] = align(study, settings)
    return evaluate(study, list(texts), settings, rankings=PLACES_OF[study])


def check_tradeoff(study, settings, drawn):
    asked = [*questions.MAIN, settings.effectiveness]
    scores = answered(study, asked, settings)
    table, found = summarise(scores), comparison(scores)
    parsed = [fairviz.measures.parse(text) for text in dict.fromkeys(table["measure"])]
    check_points(drawn["tradeoff_scatter"], table, parsed[3].text, parsed[0].text)
    assert drawn["finding"]["words"] == findings_html(*lines(orders(table, parsed, found)))
    (in_tab,) = (name for name in drawn if name.startswith(IN_TABS))
    check_places(drawn[in_tab])
    ranks = bump.info(table, parsed)
    for mark in drawn.get("tradeoff_bump", {"marks": ()})["marks"]:
        expected = {**ranks.ranks, **ranks.references}[mark["name"]]
        assert all(same(one, other) for one, other in zip(mark["ys"], expected, strict=True))
    rows = found.table.set_index(["measure", "system"])
    marks = drawn.get("tradeoff_differences", {"marks": ()})["marks"]
    for mark in (one for one in marks if one["layer"].startswith("marks")):
        key = (parsed[mark["panel"]].text, mark["name"])
        pairs = (("x", "difference"), ("left", "ci_low"), ("right", "ci_high"))
        row = rows.loc[key] if key in rows.index else dict.fromkeys(("difference", "ci_low", "ci_high"))
        assert all(same(mark[name], row[column]) for name, column in pairs), mark
    if "tradeoff_ternary" in drawn:
        check_corners(drawn["tradeoff_ternary"])
        shares = exposures(study, settings, rankings=PLACES_OF[study]).set_index("system")
        for mark in drawn["tradeoff_ternary"]["marks"]:
            assert all(same(one, other) for one, other in zip(mark["shares"], shares.loc[mark["name"]], strict=True))


def check_overview(study, settings, drawn):
    texts = questions.overview(study, settings).texts
    table = summarise(answered(study, texts, settings))
    cells = drawn["overview"]["cells"]
    wide = table.pivot(index="system", columns="measure", values="value")[list(texts)]
    values = iter(drawn["overview"]["values"])
    for row in cells:
        name = row[0].removesuffix(" (reference)")
        for text in texts:
            assert same(next(values), wide.loc[name, text])


QUERIES, DEEP = 12, 6
GROUPS = ("male", "female", "neutral")
WORDS = ("he and his son", "she and her mother", "a tree", "a house by the sea", "his wife", "her uncle")


def made(folder, lacking="", systems=3):
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
    for part, (file, content) in parts.items():
        if part != lacking:
            (folder / file).write_text("\n".join(content) + "\n")


PLACES = (0.02, 0.11, 0.23, 0.34, 0.42, 0.55, 0.63, 0.78, 0.9, 0.99)
SLID = ("alpha", "cutoff", "position_bias")
MORE = "position_bias=rbp(p%3D0.8)"
IN_TABS = ("tradeoff_bump", "tradeoff_differences", "tradeoff_curve")
TABS = ("Differences", "Ranks", "Over α or k")  # the tab that is open while alpha, the cutoff and p are dragged
DRAWN_IN = {"Differences": "tradeoff_differences", "Ranks": "tradeoff_bump"}  # the figure of named marks in a tab


LAST = """() => { const live = fairvizLive, clear = live.clear.bind(live)
  live.clear = back => {
    if (live.shown) window.last = Object.fromEntries([...live.over.values()]
      .filter(one => one.told && document.querySelector(`.st-key-${one.target} .js-plotly-plot`))
      .map(one => [one.target, one.told.map(mark => ({...mark, xs: 0, ys: 0}))]))
    clear(back)
  } }"""
DRAWN = """() => Object.fromEntries(Object.keys(window.last).map(key => {
  const chart = document.querySelector(`.st-key-${key} .js-plotly-plot`)
  const points = [...chart.querySelectorAll('.scatterlayer .trace path.point')].map(node => {
    const trace = node.closest('.trace').__data__[0].trace, place = node.getCTM(), at = node.__data__.i
    return [[trace.customdata && trace.customdata[at]].flat()[0], at, place.e, place.f]
  })
  return [key, points.filter(point => point[0])]
}))"""
INK = """() => { const one = fairvizLive.over.get('tradeoff_scatter'), looks = one.figure.still.layers[1].looks
  const drawn = one.told.filter(mark => mark.layer === 'points' && mark.px !== undefined && !mark.edge)
  return drawn.slice(-1).map(mark => [mark.name, looks.map(look => [look.name, look.colour]),
    [...one.pen.getImageData(Math.round(mark.px), Math.round(mark.py), 1, 1).data]])[0] }"""


def nearest(points, name, x, y):
    """How far the nearest mark of this system lies from a place, in pixels."""
    return min(max(abs(px - x), abs(py - y)) for system, _, px, py in points if system == name)


def check_colours(page, study):
    """The marks of a drag have the colours of the dark."""
    name, looks, ink = page.evaluate(INK)
    styles = system_styles(study.systems, DARK)
    assert dict(looks) == {system: styles[system].colour for system in dict(looks)}
    assert "#{:02x}{:02x}{:02x}".format(*ink[:3]) == styles[name].colour


def check_last_frame(page, figures):
    """Marks stand at the release of the slider where Plotly draws them."""
    last, drawn = page.evaluate("() => window.last"), page.evaluate(DRAWN)
    compared = dict.fromkeys(figures, 0)
    for key in compared:
        for mark in last[key]:
            places = mark.get("points") or ([[mark["px"], mark["py"]]] if mark.get("py") is not None else [])
            if mark["layer"] == "front" or mark.get("edge"):
                continue
            for x, y in (place for place in places if None not in place):
                assert nearest(drawn[key], mark["name"], x, y) < 0.5, (key, mark)
                compared[key] += 1
    assert all(compared.values()), compared


SOME = [pytest.param("/tradeoff", check_tradeoff, TABS, PLACES[::4], "small", id="some places")]
EVERY = [
    pytest.param(
        "/tradeoff", check_tradeoff, TABS[turn:] + TABS[:turn], PLACES, "newswire", id=f"every place, tabs from {turn}"
    )
    for turn in range(3)
] + [pytest.param("/", check_overview, (), PLACES, "newswire", id="overview")]


@pytest.mark.parametrize(
    ("path", "check", "tabs", "places", "name"),
    [*SOME, *(pytest.param(*each.values, id=each.id, marks=pytest.mark.lengthy) for each in EVERY)],
)
def test_what_is_drawn_during_a_drag_in_the_dark_is_what_evaluate_says_and_plotly_draws(
    visitor, home, path, check, tabs, places, name
):
    if name == "small":
        made(home / "studies" / name)
    page, study = visitor.page, open_study(name if name == "newswire" else str(home / "studies" / name))
    settled = {"study": name, "position_bias": "rbp(p=0.8)"}
    page.emulate_media(color_scheme="dark")
    visitor.open(f"{path}?study={name}&{MORE}")
    if tabs:
        assert page.locator(".js-plotly-plot .gtitle").first.evaluate(TITLE) == INKS["dark"]
    for slider, tab in zip_longest(("alpha", "cutoff", "bias_parameter"), tabs):
        if tab:
            page.get_by_role("tab", name=tab).click()
            visitor.settle()
        near_slider(visitor, slider)
        track = grasp(visitor, slider)
        for share in places:
            drag(visitor, track, share)
            label, drawn = shown(visitor, slider)
            settings = at(slider, label, **settled)
            check(study, settings, drawn)
        if tab and tab == tabs[0]:
            check_colours(page, study)
            page.evaluate(LAST)
        page.mouse.up()
        settled |= {name: getattr(settings, name) for name in SLID}
        visitor.until("() => !fairvizLive.over.size && !document.querySelector('canvas.fv-live')")
        if tab in DRAWN_IN:  # α moves no share of exposure
            check_last_frame(page, ["tradeoff_scatter", DRAWN_IN[tab], *["tradeoff_ternary"] * (slider != "alpha")])
        visitor.settle(0)
    held = parse_qs(urlsplit(page.url).query)
    assert {name: held[name][0] for name in SLID} == {name: f"{settled[name]}" for name in SLID}
    if tabs:
        check_server(visitor, study, Settings(**settled))
        choose_a_bias(visitor, study, settled)


def means_of(study, settings):
    """The means of nDCG and of CWEx by system, which the scatter draws across and up."""
    table = summarise(evaluate(study, ["CWEx", settings.effectiveness], settings)).set_index("system")
    up, across = (rows["value"] for _, rows in table.groupby("measure", sort=False))
    return across, up


def check_server(visitor, study, settings):
    """What Plotly has drawn after the release is what the drag showed last."""
    across, up = means_of(study, settings)
    points = visitor.page.locator(".st-key-tradeoff_scatter .js-plotly-plot").evaluate(
        "node => node._fullData.filter(one => one.customdata).map(one => [one.customdata[0], one.x[0], one.y[0]])"
    )
    for name, x, y in points:
        if name not in ("perfect", "random"):
            assert same(x, across[name])
            assert same(y, up[name])


NAMED = """text => { const one = fairvizLive.over.get('tradeoff_scatter'), now = fairvizLive.shown
  return now && now.slider === 'position_bias' && now.payload.stops[now.stop].startsWith(text) && one.stop === now.stop
    && one.told.filter(mark => mark.layer === 'points').map(mark => [mark.name, mark.x, mark.y]) }"""


def choose_a_bias(visitor, study, settled):
    """Options of the position bias are shown before one is chosen."""

    def check_bias(bias):
        across, up = means_of(study, Settings(**{**settled, "position_bias": bias}))
        marks = visitor.until(NAMED, bias).json_value()
        assert {name for name, *_ in marks} == set(study.systems)
        for name, x, y in marks:
            assert same(x, across[name])
            assert same(y, up[name])

    page = visitor.page
    before = page.url
    box = page.locator(".st-key-position_bias input[role=combobox]")
    box.hover()
    visitor.until("() => window.fairvizLive && fairvizLive.payloads.position_bias")
    box.click()
    page.get_by_role("option", name="uniform").hover()
    check_bias("uniform")
    page.mouse.move(5, 5)
    page.keyboard.press("ArrowUp")
    check_bias("linear")
    assert page.url == before
    page.keyboard.press("Enter")
    visitor.until("() => new URLSearchParams(location.search).get('position_bias') === 'linear'")
    visitor.until("() => !document.querySelector('canvas.fv-live')")
    visitor.settle()
