"""What a page tells the browser of its sliders, and the slider of queries left out on the page of GSR."""

import math
from collections.abc import Callable

import pytest

from fairviz.errors import FairvizError
from fairviz.evaluation.gsr import gsr, gsr_points, leave_out
from fairviz.evaluation.settings import Settings
from fairviz.study.record import Study
from fairviz.ui.gsr import cards
from fairviz.ui.shell.live import component
from fairviz.ui.shell.live.frames import Frame, Moving, Scale
from tests.pages.conftest import drawn_by, first_run


def described(page):
    from fairviz.ui.shell.live import component

    component.follow(page)


def test_a_slider_that_cannot_be_followed_is_named_once_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(stop: int) -> Frame:
        raise FairvizError("no labels")

    def slider(name: str, frame: Callable[[int], Frame]) -> component.Slider:
        scale = Scale(name, name, ("0", "1"))
        return component.Slider(scale, "0", f"{name} of this test", lambda: [Moving("chart", "plot", {}, frame)])

    sliders = slider("alpha", lambda stop: Frame({"x": [stop]})), slider("cutoff", refuse), slider("tau", refuse)
    sent: list[dict] = []
    monkeypatch.setattr(component, "component", lambda *_, **__: lambda **given: sent.append(given))
    test = drawn_by(described, component.Page("gsr", ("chart",), sliders))
    for number, name in enumerate(("alpha", "cutoff"), start=2):
        test.session_state[component.CONTROL] = {"wanted": f"{number} {name}"}
        test.run()
    told = [given["data"] for given in sent if given["key"] == component.CONTROL]
    assert [(one["made"], one["unable"]) for one in told] == [
        ([], []), (["alpha"], []), (["alpha", "cutoff"], ["cutoff"]),
    ]  # fmt: skip
    payloads = {given["key"]: given["data"] for given in sent[-3:]}
    assert [name for name, payload in payloads.items() if payload] == ["live_alpha"]


def test_queries_left_out_move_the_line_and_not_the_slopes(monkeypatch: pytest.MonkeyPatch, occupations: Study) -> None:
    followed: list[component.Page] = []
    monkeypatch.setattr(cards.component, "follow", followed.append)
    first_run("gsr.py", study="occupations", cutoff="3", system="N", left_out="2")
    (slider,) = [one for one in followed[-1].sliders if one.scale.slider == "left_out"]
    (moving,) = slider.movings()
    assert (slider.present, moving.target) == ("2", cards.CARRIED)
    lines = moving.still["layers"][0]["looks"]
    assert len({look["symbol"] for look in lines}) == len(lines) == 3
    assert [look["width"] for look in lines][1] == max(look["width"] for look in lines), (
        "the chosen system is the widest"
    )
    points = gsr_points(occupations, Settings(cutoff=3))
    for stop in (0, 3):
        frame = moving.frame(stop)
        assert frame.numbers["here x"] == [stop]
        assert frame.texts["here label"] == [f"{stop} left out"]
        slopes = gsr(leave_out(points, stop)).set_index("system")["slope"].to_dict()
        shown = [values[stop] for values in frame.numbers["slopes y"]]
        assert shown == pytest.approx([slopes[name] for name in ("S", "N", "CS")])
        assert not any(map(math.isnan, shown))
