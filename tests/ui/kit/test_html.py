import re

from fairviz.ui.kit.html import sentence_html
from fairviz.words.sentences import Span, plain
from tests.pages.conftest import drawn_by

HOSTILE = '<script>alert(1)</script> & "quoted" ![x](http://example.org/x.png)'


def test_names_in_a_sentence_are_escaped_and_strong():
    sentence = (Span("a<b>", True), Span(" is fairest & best"))
    assert sentence_html(sentence) == "<b>a&lt;b&gt;</b> is fairest &amp; best"
    assert plain(sentence) == "a<b> is fairest & best"


def hostile_page(text):
    from fairviz.ui.kit import html

    html.message("error", f"{text}\nsecond line", text)
    html.heading(text, text, manual=text)
    html.facts([(text, text)])
    html.definitions([(text, text)])
    html.quiet(text)
    html.strong(text)


def test_no_text_from_data_becomes_markup_or_markdown():
    page = drawn_by(hostile_page, HOSTILE)
    (title,), (question,) = page.title, page.markdown
    for text in (title.value, question.value):
        assert re.sub(r"\\(.)", r"\1", text) == HOSTILE
        assert not set(re.sub(r"\\.", "", text)) & set('<>&!"[]()')
    bodies = [element.proto.body for element in page.get("html")]
    assert len(bodies) == 6
    for body in bodies:
        assert "<script" not in body
        assert "&lt;script&gt;" in body
    assert "<br>second line" in bodies[0]
    assert 'role="alert"' in bodies[0]
