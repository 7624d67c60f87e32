"""Plotly figures as HTML that uses the page's own copy of plotly.min.js."""

import plotly.io as pio
from plotly.io.base_renderers import HtmlRenderer

# The width of a column is known once the page is laid out, which may be after its scripts ran.
FIT = '<script>addEventListener("load", () => dispatchEvent(new Event("resize")))</script>'


class ManualRenderer(HtmlRenderer):
    """A figure as a `div` with a script, which loads nothing."""

    def to_mimebundle(self, fig_dict: dict) -> dict[str, str]:
        """Return the figure as HTML. fig_dict: the figure as Plotly's JSON."""
        config = {"displaylogo": False, "responsive": True}
        text = pio.to_html(
            fig_dict,
            config=config,
            include_plotlyjs=False,
            include_mathjax=False,
            full_html=False,
            default_width="100%",
            default_height=fig_dict.get("layout", {}).get("height") or 420,
            validate=False,
        )
        return {"text/html": f'<div class="manual-figure">{text}</div>{FIT}'}


def use_in_the_manual() -> None:
    """Show figures this way, in tutorials and in the gallery."""
    pio.renderers["manual"] = ManualRenderer(include_plotlyjs=False)
    pio.renderers.default = "manual"
