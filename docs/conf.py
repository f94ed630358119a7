"""Sphinx's configuration of the documentation site; docs/build.py runs it, on the tree that it stages."""

import sys
from pathlib import Path

from pygments.lexers.c_cpp import CppLexer

sys.path.insert(0, str(Path(__file__).parent / "site"))

project = "Assay"
author = "the authors of Assay"
copyright = "the authors of Assay, MIT licence"
root_doc = "index"
language = "en"

extensions = [
    "myst_parser",
    "breathe",
    "sphinx.ext.autodoc",
    "katex",
    "links",
    "headers",
    "notebooks",
    "docstrings",
    "theme",
]

myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True

breathe_default_project = "assay"
# Doxygen gives names as they are written, with namespaces left out that are in force there, and those of libraries.
nitpick_ignore_regex = [("cpp:identifier", ".*"), ("c:identifier", ".*"), ("py:.*", "(?!assay).*")]
highlight_language = "none"

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}

html_theme = "furo"
html_title = "Assay"
html_static_path = ["site/static"]
html_css_files = ["assay.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_math_renderer = "katex"
pygments_style = "tango"
pygments_dark_style = "github-dark"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5e9b", "color-brand-content": "#0b5e9b"},
    "dark_css_variables": {"color-brand-primary": "#6cb6ff", "color-brand-content": "#6cb6ff"},
}


def setup(app):
    app.add_lexer("metal", CppLexer)
