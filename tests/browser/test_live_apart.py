"""What else may happen while a slider is dragged: no observer, no payload, no value at a stop, a page that is left,
studies that lack something, two tabs, and a run that is under way."""

from urllib.parse import parse_qs, urlsplit

import pytest

from fairviz.evaluation import questions
from fairviz.evaluation.opening import open_study
from fairviz.evaluation.scores import evaluate, summarise
from tests.browser.test_live import at, drag, grasp, made, near_slider, same, shown

pytestmark = pytest.mark.browser

BLIND = """const held = Document.prototype.querySelector;
Document.prototype.querySelector = function (text) {
  return String(text).includes('input[type=range]') ? null : held.call(this, text);
}"""
UNDRAWN = BLIND.replace("String(text)", "!window.drawn && String(text)")
BROKEN = "Object.defineProperty(window, 'fairvizLive', { get() { throw Error('broken on purpose') }, set() {} })"
UNHEARD = """let held;
Object.defineProperty(window, 'fairvizLive', {
  configurable: true, get: () => held,
  set: (made) => { held = made; Object.defineProperty(made, 'send', { get: () => () => {}, set: () => {} }) },
})"""
LATE = {"a": "nnfm", "b": "nmfn"}  # the first label of a stands third, that of b second


def address(visitor):
    return parse_qs(urlsplit(visitor.page.url).query)


def canvases(visitor):
    return visitor.page.locator("canvas.fv-live").count()


def legend_of(visitor, name):
    return visitor.page.evaluate(
        "name => { const one = fairvizLive.over.get('tradeoff_scatter');"
        " return one.told.filter(mark => mark.name === name).map(mark => [mark.x, mark.y, mark.px]) }",
        name,
    )


@pytest.mark.lengthy
@pytest.mark.parametrize("script", [BLIND, BROKEN], ids=["sliders that are not found", "a script that fails"])
def test_without_the_observer_the_page_works_as_before(visit, script):
    visitor = visit()
    visitor.page.add_init_script(script)
    visitor.open("/tradeoff?study=occupations")
    slider = visitor.page.locator(".st-key-alpha input[type=range]")
    slider.focus()
    visitor.page.keyboard.press("ArrowLeft")
    visitor.until("() => new URLSearchParams(location.search).get('alpha') === '0.49'")
    visitor.settle(0)
    titles = visitor.page.locator(".st-key-tradeoff_scatter .ytitle").all_text_contents()
    assert titles == ["CWEx(alpha=0.49)@10 → fairer"]
    assert canvases(visitor) == 0


@pytest.mark.lengthy
def test_sliders_that_are_drawn_after_the_page_stands_are_followed(visit):
    visitor = visit()
    visitor.page.add_init_script(UNDRAWN)
    visitor.open("/tradeoff?study=occupations")
    visitor.until("() => window.fairvizLive?.page && !fairvizLive.lacking().length")
    visitor.page.evaluate("() => { window.drawn = true }")
    visitor.until("() => fairvizLive.payloads.alpha")
    visitor.settle()


AT_ONCE = """() => { fairvizLive.send('0 alpha');
  [...document.querySelectorAll('button')].find(one => one.innerText === 'Keep to compare').click(); }"""


@pytest.mark.lengthy
def test_a_payload_that_does_not_arrive_leaves_the_page_as_it_was(visit):
    visitor = visit()
    visitor.page.add_init_script(UNHEARD)
    visitor.open("/tradeoff?study=occupations")
    sentence = visitor.page.locator(".fv-notice").first.text_content()
    assert sentence
    track = grasp(visitor, "alpha")
    drag(visitor, track, 0.8)
    visitor.until(
        "() => document.querySelector('.st-key-alpha input[type=range]').getAttribute('aria-valuetext') === '0.80'"
    )
    assert canvases(visitor) == 0
    assert visitor.page.locator(".fv-notice").first.text_content() == sentence
    visitor.page.mouse.up()
    visitor.until("() => new URLSearchParams(location.search).get('alpha') === '0.8'")
    visitor.settle(0)


def late_study(folder):
    """Two systems whose first places have no label: measures of labels have no value at k = 1, and a none at 2."""
    (folder / "runs").mkdir(parents=True, exist_ok=True)
    for name, order in LATE.items():
        rows = [f"q{query} Q0 {doc}{query}{place} {place + 1} {9 - place} r" for query in (1, 2, 3)
                for place, doc in enumerate(order)]  # fmt: skip
        (folder / "runs" / f"{name}.run").write_text("\n".join(rows) + "\n")
    labelled = [(f"{kind}{query}{place}", word) for kind, word in (("f", "female"), ("m", "male"))
                for query in (1, 2, 3) for place in (1, 2, 3)]  # fmt: skip
    (folder / "labels.csv").write_text("doc_id,annotator,label\n" + "".join(f"{d},x,{w}\n" for d, w in labelled))
    (folder / "qrels.txt").write_text("".join(f"q{query} 0 n{query}0 1\n" for query in (1, 2, 3)))


def test_a_mark_without_a_value_vanishes_and_returns_and_the_sentence_says_so(visitor, home):
    late_study(home / "studies" / "late")
    visitor.open("/tradeoff?study=late&cutoff=4&tradeoff_y=CWEx&tradeoff_x=nDCG")
    near_slider(visitor, "cutoff")
    track = grasp(visitor, "cutoff")
    seen = {}
    for share in (0.99, 0.0, 0.12, 0.25, 0.99):
        drag(visitor, track, share)
        label, _ = shown(visitor, "cutoff")
        finding = visitor.page.locator(".fv-notice").first.text_content()
        seen[label] = ([mark[2] is not None for mark in legend_of(visitor, "a")], finding)
    visitor.page.mouse.up()
    assert {label: marks for label, (marks, _) in seen.items()} == {"1": [], "2": [False], "3": [True], "10": [True]}
    assert seen["1"][1].startswith("No fairness measure has a value here: see below what is missing.")
    visitor.until("() => !document.querySelector('canvas.fv-live')")


@pytest.mark.lengthy
@pytest.mark.parametrize("query", ["study=occupations&systems=S", "study=hostile"], ids=["one system", "hostile names"])
def test_one_system_and_names_that_would_run(visitor, query):
    visitor.open(f"/tradeoff?{query}")
    near_slider(visitor, "alpha")
    track = grasp(visitor, "alpha")
    drag(visitor, track, 0.2)
    label, drawn = shown(visitor, "alpha")
    assert label == "0.20"
    names = {mark["name"] for mark in drawn["tradeoff_scatter"]["marks"] if mark["layer"] == "points"}
    assert names == ({"S"} if "systems" in query else {"plain", "<img src=x onerror=window.hacked=1>"})
    visitor.page.mouse.up()
    visitor.until("() => new URLSearchParams(location.search).get('alpha') === '0.2'")
    visitor.settle(0)
    visitor.open(f"/?{query}")
    near_slider(visitor, "cutoff")
    track = grasp(visitor, "cutoff")
    drag(visitor, track, 0.6)
    shown(visitor, "cutoff")
    assert visitor.page.locator(".fv-live-table td").first.inner_text() == sorted(names)[-1 if "S" in names else 0]
    visitor.page.mouse.up()
    assert visitor.page.evaluate("() => window.hacked") is None


TRACK_FOLLOWS = """() => {
  const knob = document.querySelector('.st-key-alpha input[type=range]').closest('[style*=left]');
  const colours = getComputedStyle(knob.parentElement.firstElementChild).backgroundImage;
  return colours.includes(` ${knob.style.left}`) }"""


# After a step that no frame draws before the server has answered, as on a busy machine.
STOP_HERE = """slider => {
  fairvizLive.draw = () => {}
  fairvizLive.step(fairvizLive.payloads.alpha)
  const { stop } = fairvizLive.playing
  slider.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true }))
  return stop }"""


# Presses ▶ while the payload of its slider is held back, then hands the payload over, as if it came from the server.
EARLY = """(button, presses) => {
  const payload = fairvizLive.payloads.alpha
  const shown = () => ["aria-pressed", "aria-busy"].map(name => button.getAttribute(name))
  delete fairvizLive.payloads.alpha
  for (let press = 0; press < presses; press++) button.click()
  const before = shown(), played = Boolean(fairvizLive.playing)
  fairvizLive.take(payload)
  return [before, played, shown(), Boolean(fairvizLive.playing)] }"""


# A run with another choice, and one with the first again, whose payload the server has sent already.
AND_BACK = """() => {
  const { page, send } = fairvizLive
  fairvizLive.settle({ ...page, tokens: { ...page.tokens, alpha: "another" }, made: [] }, send)
  const without = !fairvizLive.payloads.alpha
  fairvizLive.settle(page, send)
  return [without, Boolean(fairvizLive.payloads.alpha)] }"""


def test_play_a_choice_at_the_moment_of_a_payload_and_a_page_left_in_the_middle_of_a_drag(visitor):
    page = visitor.page
    page.emulate_media(reduced_motion="no-preference")
    visitor.open("/tradeoff?study=occupations")
    at_once(visitor)
    near_slider(visitor, "alpha")
    assert page.evaluate(AND_BACK) == [True, True]
    button = page.locator(".st-key-live_play_alpha .fv-live-play")
    starts, is_taken_back = (["true", "true"], False, ["true", "false"], True), (["false", "false"], False) * 2
    for presses, found in ((2, is_taken_back), (1, starts)):  # before its figures are computed
        assert button.evaluate(EARLY, presses) == list(found)
    visitor.until("() => fairvizLive.shown")
    button.click()
    visitor.until("() => !fairvizLive.playing")
    visitor.settle()
    assert button.get_attribute("aria-pressed") == "false"
    play(visitor)
    leave_while_dragging(visitor)


def at_once(visitor):
    """The browser sends both as one message, which runs the part of the page that makes payloads alone."""
    visitor.until("() => window.fairvizLive?.send")
    visitor.page.evaluate(AT_ONCE)
    kept = visitor.page.get_by_role("button", name="Remove kept")
    kept.wait_for()
    visitor.until("() => new URLSearchParams(location.search).has('pin')")
    visitor.settle()
    with visitor.asking():
        kept.click()


def play(visitor):
    """The slider moves by itself, and tells where it stopped."""
    page = visitor.page
    slider = page.locator(".st-key-alpha input[type=range]")
    start = round(100 * float(slider.get_attribute("aria-valuetext")))
    slider.focus()
    page.keyboard.press("Space")
    visitor.until(
        "start => fairvizLive.playing && fairvizLive.shown && Math.abs(fairvizLive.shown.stop - start) > 3", arg=start
    )
    playing = page.locator(".st-key-live_play_alpha .fv-live-play")
    assert playing.get_attribute("aria-label") == "Stop"
    assert playing.get_attribute("aria-pressed") == "true"
    assert page.locator(".st-key-live_play_cutoff .fv-live-play").get_attribute("aria-label") == "Play"
    visitor.until(TRACK_FOLLOWS)
    stop = slider.evaluate(STOP_HERE)
    assert page.evaluate("() => !fairvizLive.playing")
    visitor.until("alpha => Number(new URLSearchParams(location.search).get('alpha') ?? 0.5) === alpha", arg=stop / 100)
    visitor.settle(0)
    page.evaluate("() => { delete fairvizLive.draw; fairvizLive.soon() }")
    told = f"α {stop / 100:.2f}: "
    visitor.until("told => document.querySelector('.fv-live-said').textContent.startsWith(told)", told)
    assert slider.get_attribute("aria-valuetext") == f"{stop / 100:.2f}"


def leave_while_dragging(visitor):
    near_slider(visitor, "alpha")
    stands = float(visitor.page.locator(".st-key-alpha input[type=range]").get_attribute("aria-valuetext"))
    drag(visitor, grasp(visitor, "alpha"), 0.1 if stands > 0.5 else 0.9)  # where it stands, a drag draws nothing
    shown(visitor, "alpha")
    visitor.page.get_by_test_id("stTopNav").get_by_text("Methods", exact=True).evaluate("node => node.click()")
    visitor.page.locator(".st-key-heading h1:has-text('Methods')").wait_for()
    visitor.page.mouse.up()
    visitor.settle(0)
    assert canvases(visitor) == 0
    assert visitor.page.locator("[data-fv-live], [data-fv-wait]").count() == 0
    visitor.go("Trade-off")


GONE = "() => !document.querySelector('canvas.fv-live, .fv-live-table')"


@pytest.mark.lengthy
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
    visitor.until("k => new URLSearchParams(location.search).get('cutoff') === k", label)
    visitor.until(GONE)
    visitor.settle()


@pytest.mark.lengthy
def test_two_tabs_do_not_move_one_another(visitor, visit):
    another = visit()
    for one in (visitor, another):
        one.open("/tradeoff?study=occupations")
    near_slider(visitor, "alpha")
    track = grasp(visitor, "alpha")
    drag(visitor, track, 0.7)
    shown(visitor, "alpha")
    visitor.page.mouse.up()
    visitor.until("() => new URLSearchParams(location.search).get('alpha') === '0.7'")
    assert another.page.evaluate("() => [location.search, document.querySelectorAll('canvas.fv-live').length]") == [
        "?study=occupations",
        0,
    ]


@pytest.mark.lengthy
def test_a_drag_while_a_run_is_under_way_ends_where_both_choices_are(visitor):
    visitor.open("/tradeoff?study=newswire")
    near_slider(visitor, "alpha")
    visitor.page.locator(".st-key-cutoff input[type=range]").focus()
    visitor.page.keyboard.press("ArrowRight")
    track = grasp(visitor, "alpha")
    drag(visitor, track, 0.3)
    drag(visitor, track, 0.8)
    visitor.page.mouse.up()
    visitor.until(
        "() => { const held = new URLSearchParams(location.search);"
        " return held.get('alpha') === '0.8' && held.get('cutoff') === '11' }"
    )
    visitor.until(GONE)
    visitor.settle()
    titles = visitor.page.locator(".st-key-tradeoff_scatter .ytitle").all_text_contents()
    assert titles == ["CWEx(alpha=0.8)@11 → fairer"]
    assert visitor.page.locator("[data-fv-live], [data-fv-wait]").count() == 0
