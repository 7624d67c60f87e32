"""Errors of callbacks and fragments are one line on the page; read off the syntax tree, no callback is left bare."""

import ast
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from fairviz.ui.kit import boundary
from tests.conftest import ROOT
from tests.pages.conftest import drawn_by, html_of

FILES = sorted([*(ROOT / "fairviz" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"])
FILES.remove(Path(boundary.__file__))  # its dialog passes on a callback that its caller has guarded
CALLBACKS = ("on_click", "on_change", "on_select", "on_submit", "on_dismiss")
BUILT_IN = {"ignore", "rerun"}  # Streamlit's own, which call nothing of ours


def callbacks(tree: ast.Module) -> list[ast.keyword]:
    """What the file gives to widgets to call."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [word for call in calls for word in call.keywords if word.arg in CALLBACKS]


def guarded_names(tree: ast.Module) -> set[str]:
    """The variables of the file whose every value is guarded."""
    guarded: dict[str, bool] = {}
    for node in ast.walk(tree):
        for target in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(target, ast.Name):
                guarded[target.id] = guarded.get(target.id, True) and is_guarded(node.value)
    return {name for name, is_sound in guarded.items() if is_sound}


def is_guarded(value: ast.expr, names: Collection[str] = ()) -> bool:
    if isinstance(value, ast.Constant):
        return value.value in BUILT_IN
    if isinstance(value, ast.Name):
        return value.id in names
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "guarded"


def trees(*names: str) -> Iterator[tuple[Path, ast.Module]]:
    """The files in which one of these names stands."""
    for path in FILES:
        if any(name in (source := path.read_text(encoding="utf-8")) for name in names):
            yield path, ast.parse(source)


def test_every_callback_has_a_boundary() -> None:
    count, bare = 0, {}
    for path, tree in trees(*CALLBACKS):
        found, names = callbacks(tree), guarded_names(tree)
        count += len(found)
        bare[path.name] = [ast.unparse(word) for word in found if not is_guarded(word.value, names)]
    assert count > 25
    assert {name: words for name, words in bare.items() if words} == {}


def test_every_fragment_has_a_boundary() -> None:
    """Only fairviz.ui.kit.boundary names Streamlit's own fragment and dialog; who else wants one takes ours."""
    for path, tree in trees("fragment", "dialog"):
        named = [f"{ast.unparse(node.value)}.{node.attr}" for node in ast.walk(tree)
                 if isinstance(node, ast.Attribute) and node.attr in ("fragment", "dialog")]  # fmt: skip
        assert not {"st.fragment", "st.dialog"} & set(named), path


def broken(error):
    import streamlit as st

    from fairviz.errors import FairvizError
    from fairviz.ui.kit import boundary

    def fail():
        raise FairvizError("a file is odd", "Mend it.") if error == "mendable" else RuntimeError("secret detail")

    boundary.show_problem()
    st.button("press", on_click=boundary.guarded(fail))
    st.button("nothing")
    st.text("still here")

    @boundary.fragment
    def part():
        if error == "fragment":
            fail()
        st.text("drawn")

    part()
    st.text("the rest")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        ("mendable", 'a file is odd<div class="fv-remedy">Mend it.</div>'),
        ("bug", "This page ran into a mistake of the program, not of your data."),
    ],
)
def test_an_error_of_a_callback_is_told_once_and_the_page_stays(error: str, told: str) -> None:
    test = drawn_by(broken, error)
    assert told not in html_of(test)
    test.button[0].click().run()
    assert told in html_of(test)
    assert "secret detail" not in html_of(test)
    assert [text.value for text in test.text] == ["still here", "drawn", "the rest"]
    test.button[1].click().run()
    assert told not in html_of(test)
    if error == "bug":
        of_fragment = drawn_by(broken, "fragment")
        assert told in html_of(of_fragment)
        assert [text.value for text in of_fragment.text] == ["still here", "the rest"]


@pytest.mark.parametrize("kind", [boundary.background, lambda draw: boundary.repeated(1.0)(draw)])
@pytest.mark.parametrize("overlooked", [True, False])
def test_a_part_that_asks_for_itself_leaves_a_choice_made_beside_it_to_the_whole_page(monkeypatch, kind, overlooked):
    done = []
    # Without a server, Streamlit's own decorator would run nothing.
    monkeypatch.setattr(boundary.st, "fragment", lambda draw=None, run_every=0.0: draw or (lambda given: given))
    monkeypatch.setattr(boundary.address, "overlooked", lambda: overlooked)
    monkeypatch.setattr(boundary.session, "keep_alone", lambda: None)
    monkeypatch.setattr(boundary.st, "rerun", lambda: done.append("whole page"))
    kind(lambda: done.append("part"))()
    assert done == (["whole page", "part"] if overlooked else ["part"])
