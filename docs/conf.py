"""Configuration of the manual: `make docs` builds it without a network, and warnings are errors."""

import hashlib
import os
import sys
from importlib.util import find_spec
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
BUILD = DOCS / "_build"
sys.path[:0] = [str(ROOT), str(DOCS / "extensions")]

# Tutorials and the gallery see built-in studies alone, and figures as HTML without a copy of plotly.min.js.
os.environ["FAIRVIZ_HOME"] = str(BUILD / "home")
os.environ["IPYTHONDIR"] = str(BUILD / "ipython")
os.environ["PYTHONPATH"] = os.pathsep.join(map(str, (ROOT, DOCS / "extensions")))
os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
COMMAND = BUILD / "bin" / "fairviz"  # the command of this checkout, whichever is installed
COMMAND.parent.mkdir(parents=True, exist_ok=True)
COMMAND.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fairviz "$@"\n', encoding="utf-8")
COMMAND.chmod(0o755)
os.environ["PATH"] = os.pathsep.join([str(COMMAND.parent), os.environ["PATH"]])
STARTUP = BUILD / "ipython" / "profile_default" / "startup"
STARTUP.mkdir(parents=True, exist_ok=True)
(STARTUP / "figures.py").write_text(
    "from figure_html import use_in_the_manual\n\nuse_in_the_manual()\n", encoding="utf-8"
)

from figure_html import use_in_the_manual  # noqa: E402

from fairviz.home import __version__  # noqa: E402

use_in_the_manual()


def _code_hash() -> str:
    """Return a hash of the program: executed tutorials are kept until a file of it changes."""
    files = sorted((ROOT / "fairviz").rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


project = "fairviz"
author = "the authors of fairviz"
copyright = author
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_nb",
    "sphinx_gallery.gen_gallery",
    "reference_pages",
    "exercises",
    "page_scripts",
    "shell_cells",
    "source_texts",
    "checked_pages",
]
exclude_patterns = [
    "_build",
    "templates",
    "gallery/*.ipynb",
    "gallery_code",
    "extensions",
    "template/fairviz_template",
    "exercises/answers",
]
suppress_warnings = ["mystnb.unknown_mime_type"]

# --- text and notebooks -------------------------------------------------------------------------------------------

source_suffix = {".rst": "restructuredtext", ".md": "myst-nb"}
myst_enable_extensions = ["deflist", "dollarmath", "colon_fence"]
myst_heading_anchors = 4
myst_dmath_allow_digits = False
myst_dmath_double_inline = True
nb_execution_mode = "cache"
nb_execution_cache_path = str(BUILD / "executed" / _code_hash())
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_execution_in_temp = True
nb_execution_timeout = 240
nb_merge_streams = True

# --- API ----------------------------------------------------------------------------------------------------------

autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
default_role = "code"

# --- gallery ------------------------------------------------------------------------------------------------------

sphinx_gallery_conf = {
    "examples_dirs": "gallery_code",
    "gallery_dirs": "gallery",
    "capture_repr": ("_repr_html_",),
    "image_scrapers": (),
    "reset_modules": (),
    "write_computation_times": False,
    "show_memory": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "min_reported_time": 10_000,
    "show_signature": False,
    "abort_on_example_error": True,
}

# --- pages --------------------------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = "fairviz"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_js_files = ["app_links.js"]
templates_path = ["templates"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_sidebars = {"index": []}
html_theme_options = {
    "logo": {"text": "fairviz"},
    "navbar_end": ["theme-switcher"],
    "navbar_align": "left",
    "footer_start": [],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}

MATHJAX = Path(sys.prefix) / "share" / "mathjax"  # of .ci/mathjax.py
PLOTLY = Path(find_spec("plotly").origin).parent / "package_data" / "plotly.min.js"  # type: ignore[union-attr]
mathjax_path = "mathjax/tex-chtml.js"
mathjax3_config = {"options": {"enableMenu": False}}
