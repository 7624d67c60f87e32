"""What the canvas shows last is what Plotly draws: each mark stands where Plotly puts it, and has its colour."""

import pytest

import fairviz
from fairviz.figures.style import DARK, system_styles
from tests.browser.conftest import Visitor
from tests.browser.test_live import drag, grasp, near_slider, shown

pytestmark = pytest.mark.browser

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


@pytest.mark.parametrize(("tab", "in_tab"), [("Differences", "tradeoff_differences"), ("Ranks", "tradeoff_bump")])
def test_the_last_frame_stands_where_plotly_draws(visitor, tab, in_tab):
    visitor.open(f"/tradeoff?study=occupations&tradeoff_tab={tab}")
    near_slider(visitor, "cutoff")
    track = grasp(visitor, "cutoff")
    drag(visitor, track, 0.35)
    shown(visitor, "cutoff")
    visitor.page.evaluate(LAST)
    visitor.page.mouse.up()
    visitor.page.wait_for_function("() => window.last && !document.querySelector('canvas.fv-live')")
    last, drawn = visitor.page.evaluate("() => window.last"), visitor.page.evaluate(DRAWN)
    compared = dict.fromkeys(("tradeoff_scatter", "tradeoff_ternary", in_tab), 0)
    for key in compared:
        for mark in last[key]:
            places = mark.get("points") or ([[mark["px"], mark["py"]]] if mark.get("py") is not None else [])
            if mark["layer"] == "front" or mark.get("edge"):
                continue
            for x, y in (place for place in places if None not in place):
                assert nearest(drawn[key], mark["name"], x, y) < 0.5, (key, mark)
                compared[key] += 1
    assert all(compared.values()), compared


def test_a_drag_in_the_dark_has_the_colours_of_the_dark(browser, server):
    visitor = Visitor(browser, server, color_scheme="dark")
    visitor.open("/tradeoff?study=occupations")
    near_slider(visitor, "alpha")
    track = grasp(visitor, "alpha")
    drag(visitor, track, 0.8)
    shown(visitor, "alpha")
    name, looks, ink = visitor.page.evaluate(INK)
    visitor.page.mouse.up()
    styles = system_styles(fairviz.open_study("occupations").systems, DARK)
    assert dict(looks) == {system: styles[system].colour for system in dict(looks)}
    assert "#{:02x}{:02x}{:02x}".format(*ink[:3]) == styles[name].colour
    visitor.page.wait_for_function("() => !document.querySelector('canvas.fv-live')")
    visitor.assert_well()
    visitor.context.close()
