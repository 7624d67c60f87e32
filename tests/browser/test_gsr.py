"""Stereotypes and Words as a person uses them, in a real browser."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.lengthy]


def address(visitor):
    return parse_qs(urlsplit(visitor.page.url).query)


def notice(visitor):
    return visitor.page.locator(".fv-notice").first.text_content()


def title_of_panel(visitor, system):
    titles = visitor.page.locator(".js-plotly-plot .annotation-text").all_text_contents()
    return next(title for title in titles if title.startswith(system) and "slope" in title)


def click_a_point(visitor, trace, point):
    # by Plotly's own place on the page: markers lie on one another, and a locator may hit another
    box = visitor.page.evaluate(
        """([trace, point]) => {
            const plot = [...document.querySelectorAll('.js-plotly-plot')].find(p => (p.data || []).length > 9);
            const marks = plot.data.filter(t => t.mode === 'markers')[trace];
            const suffix = marks.xaxis.slice(1), layout = plot._fullLayout;
            const x = layout['xaxis' + suffix], y = layout['yaxis' + suffix];
            const place = plot.getBoundingClientRect();
            const at = [place.x + x._offset + x.d2p(marks.x[point]), place.y + y._offset + y.d2p(marks.y[point])];
            return {at, carried: marks.customdata[point]};
        }""",
        [trace, point],
    )
    visitor.page.mouse.move(*box["at"])
    with visitor.asking():
        visitor.page.mouse.click(*box["at"])
    return box["carried"]


def test_a_click_on_a_point_opens_its_query_and_its_list(visitor):
    visitor.open("/gsr")
    query, system = click_a_point(visitor, 3, 0)
    assert (query, system) == tuple(address(visitor)[name][0] for name in ("query", "system"))
    assert system == "w2v_add"
    main = visitor.page.get_by_test_id("stMain")
    assert main.get_by_role("combobox", name="System").input_value() in ("", system)
    assert f"of its list by {system}" in visitor.text()
    visitor.go("Overview")
    assert address(visitor)["query"] == [query]  # other pages know it
    visitor.go("GSR")
    assert f"of its list by {system}" in visitor.text()


def test_the_slider_shows_how_few_queries_carry_the_slope(visitor):
    visitor.open("/gsr")
    whole = title_of_panel(visitor, "w2v_add")
    slider = visitor.page.get_by_role("slider", name="Most gendered queries left out")
    slider.focus()
    for _ in range(3):
        with visitor.asking():
            visitor.page.keyboard.press("ArrowRight")
    assert address(visitor)["left_out"] == ["3"]
    assert title_of_panel(visitor, "w2v_add") != whole
    assert "without the 3 most gendered queries; with all" in notice(visitor)
    visitor.go("Words")
    visitor.go("GSR")
    assert address(visitor)["left_out"] == ["3"]


def test_debiasing_is_a_switch_and_its_variants_can_be_read(visitor):
    visitor.open("/gsr")
    visitor.choose("Debiasing", "regular")
    assert re.match(r"Regular debiasing takes w2v_add from 0\.\d\d to 0\.\d\d \(−\d+ %\)", notice(visitor))
    visitor.choose("System", "w2v_add · regular")
    assert "of its list by w2v_add · regular" in visitor.text()
    assert "Before and after regular debiasing" in visitor.text()
    visitor.choose("Debiasing", "as they are")
    assert "debias" not in address(visitor)
    assert "has the highest slope" in notice(visitor)


def test_pairs_are_changed_and_put_back(visitor):
    visitor.open("/words")
    visitor.page.get_by_role("button", name="Pairs: the 10").click()
    field = visitor.page.get_by_label("Female-male pairs, separated by commas")
    field.fill("she-he, woman-man")
    visitor.page.keyboard.press("Control+Enter")
    visitor.page.get_by_role("button", name="Use these pairs").click()
    visitor.page.locator(".fv-error").wait_for()
    visitor.settle(0)
    assert "2 pairs are too few for a gender direction" in visitor.page.locator(".fv-error").inner_text()
    assert "pairs" not in address(visitor)
    field.fill("she-he, woman-man, girl-boy")
    visitor.page.keyboard.press("Control+Enter")
    visitor.page.get_by_role("button", name="Use these pairs").click()
    visitor.until("() => new URLSearchParams(location.search).has('pairs')")
    visitor.settle(0)
    assert address(visitor)["pairs"] == ["she-he, woman-man, girl-boy"]
    assert visitor.page.get_by_role("button", name="Pairs: 3").is_visible()
    visitor.page.keyboard.press("Escape")
    with visitor.asking():
        visitor.page.get_by_test_id("stSidebar").get_by_role("button", name="Reset").click()
    assert "pairs" not in address(visitor)
    assert visitor.page.get_by_role("button", name="Pairs: the 10").is_visible()


def test_a_stop_list_is_given_and_taken_back(visitor, tmp_path):
    """What is wrong with a file is said where it was given; its words, not its name, stand in the address."""
    visitor.open("/gsr")
    whole = title_of_panel(visitor, "w2v_add")
    visitor.page.get_by_role("button", name="Counting: paper").click()
    give(visitor, tmp_path / "bad.txt", "the\nof a\n")
    assert "bad.txt:2: expected 1 word, found 2: 'of a'" in visitor.page.locator(".fv-error").inner_text()
    assert "stop_words" not in address(visitor)
    give(visitor, tmp_path / "good.txt", "the\nof\npolice\n")
    assert address(visitor)["stop_words"] == ["the of police"]
    assert title_of_panel(visitor, "w2v_add") != whole
    visitor.page.keyboard.press("Escape")
    visitor.page.get_by_role("button", name="Counting: other").click()
    with visitor.asking():
        visitor.page.get_by_role("button", name="The built-in stop words").click()
    assert "stop_words" not in address(visitor)
    assert title_of_panel(visitor, "w2v_add") == whole
    visitor.page.keyboard.press("Escape")


def give(visitor, path, text):
    path.write_text(text)
    with visitor.asking():
        visitor.page.get_by_test_id("stFileUploaderDropzoneInput").last.set_input_files(path)


def test_words_are_typed_and_kept_in_the_address(visitor):
    visitor.open("/words")
    field = visitor.page.get_by_role("textbox", name="My words")
    field.fill("nurse, poet, <img src=x onerror=window.hacked=1>")
    with visitor.asking():
        field.press("Enter")
    assert "Without a vector" in visitor.text()
    other = visitor.page.get_by_role("textbox", name="Set against")
    other.fill("carpenter, engineer")
    with visitor.asking():
        other.press("Enter")
    assert "my words" in visitor.text()
    assert address(visitor)["against"] == ["carpenter, engineer"]
    assert visitor.page.evaluate("() => window.hacked") is None
    ticks = visitor.page.locator(".js-plotly-plot .ytick").all_text_contents()
    assert {"nurse", "poet", "carpenter", "engineer"} <= set(ticks)


def test_any_word_has_neighbours(visitor):
    visitor.open("/words")
    box = visitor.page.get_by_test_id("stMain").get_by_role("combobox", name="Word", exact=True)
    box.click()
    box.fill("physicist")
    with visitor.asking():
        box.press("Enter")
    assert "mathematician" in visitor.text()
