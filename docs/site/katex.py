"""Formulas are made HTML while the site is built, by Debian's KaTeX: pages need no script for them, nor a network.

A formula that KaTeX refuses is a warning, and so ends the build.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, Optional, Tuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)
KATEX = Path(os.environ.get("KATEX_DIST", "/usr/share/nodejs/katex/dist"))


class Katex:
    """One node process, which is asked a formula at a time."""

    def __init__(self) -> None:
        self._process: Optional[subprocess.Popen[str]] = None
        self._known: Dict[Tuple[str, bool], Dict[str, str]] = {}

    def __call__(self, tex: str, display: bool) -> Dict[str, str]:
        """{"html": ...} or {"error": ...}"""
        if (tex, display) not in self._known:
            if self._process is None:
                server = str(Path(__file__).with_name("katex_server.js"))
                environment = {**os.environ, "NODE_PATH": str(KATEX.parent.parent)}
                self._process = subprocess.Popen(
                    ["node", server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
                )
            assert self._process.stdin and self._process.stdout
            self._process.stdin.write(json.dumps({"tex": tex, "display": display}) + "\n")
            self._process.stdin.flush()
            self._known[tex, display] = json.loads(self._process.stdout.readline())
        return self._known[tex, display]

    def end(self, *_: object) -> None:
        if self._process is not None:
            self._process.communicate()
            self._process = None


render = Katex()


def html_of(node: nodes.Element, display: bool) -> str:
    answer = render(node.astext(), display)
    if "error" in answer:
        logger.warning("KaTeX refuses a formula: %s", answer["error"], location=node)
    return answer.get("html", "")


def visit_inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(html_of(node, display=False))
    raise nodes.SkipNode


def visit_block(writer: Any, node: nodes.math_block) -> None:
    number = ""
    if node.get("number"):
        name = node["ids"][0] if node["ids"] else ""
        number = f'<span class="eqno">({node["number"]})<a class="headerlink" href="#{name}">#</a></span>'
    writer.body.append(writer.starttag(node, "div", CLASS="math") + number + html_of(node, display=True) + "</div>\n")
    raise nodes.SkipNode


def depart(_writer: Any, _node: nodes.Element) -> None:
    """Never called: the visits skip it."""


def copy_style(app: Sphinx, _error: Optional[Exception]) -> None:
    """The stylesheet, and of the fonts those that every browser of these days reads."""
    if app.builder.format != "html":
        return
    out = Path(app.outdir) / "_static" / "katex"
    (out / "fonts").mkdir(parents=True, exist_ok=True)
    style = (KATEX / "katex.min.css").read_text()
    style = re.sub(r",url\([^)]*\.(?:woff|ttf)\) format\('\w+'\)", "", style)
    (out / "katex.min.css").write_text(style)
    for font in (KATEX / "fonts").glob("*.woff2"):
        shutil.copyfile(font, out / "fonts" / font.name)


def setup(app: Sphinx) -> Dict[str, bool]:
    app.add_html_math_renderer("katex", (visit_inline, depart), (visit_block, depart))
    app.add_css_file("katex/katex.min.css")
    app.connect("build-finished", copy_style)
    app.connect("build-finished", render.end)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
