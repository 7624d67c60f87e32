"""A guideline as HTML: whoever wrote it, it is text."""

from fairviz.ui.kit.guidelines import guideline_html


def test_headings_items_and_paragraphs() -> None:
    text = "# What\nRead.\n- one\n- two\n\nThen say."
    assert guideline_html(text) == (
        '<div class="fv-guideline" dir="auto"><h4>What</h4><p>Read.</p><ul><li>one</li><li>two</li></ul>'
        "<p>Then say.</p></div>"
    )
    assert guideline_html("- last").endswith("<ul><li>last</li></ul></div>")
    assert "<h4>How</h4><p><b>Who?</b> and <b>male</b></p>" in guideline_html("## How\n**Who?** and `male`")


def test_what_would_run_is_shown() -> None:
    shown = guideline_html("<script>x</script>\n- <img src=x onerror=1>\n# ![x](http://example.org)")
    assert "<script" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;x" in shown
