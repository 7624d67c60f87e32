"""The glossary, from the terms that the tooltips of the app have too."""

from fairviz.ui.kit.glossary import TERMS

INTRODUCTION = """# Glossary

Terms of the pages, defined as in the tooltips of the app. Measures are in [Measures](measures.md), settings in
[Settings](settings.md).

"""


def pages() -> dict[str, str]:
    """Return the page by its file."""
    entries = "\n".join(f"{name}\n  {text}\n" for name, text in TERMS.items())
    return {"glossary.md": f"{INTRODUCTION}```{{glossary}}\n{entries}```\n"}
