"""Notebooks are pages: their text is Markdown like that of all pages, their cells code, their outputs what was stored.

A notebook goes through the parser of Markdown as one text, so that its formulas, links and headings are those of every
page. An output that is an exception is a warning, and so ends the build.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any, Dict, Iterator

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)
ANSI = re.compile(r"\x1b\[[0-9;]*m")
UNRUN = (
    "```{note}\nThis page was built before the notebook was run: it shows no outputs. `./assay notebooks` runs it.\n```"
)


def text_of(value: Any) -> str:
    return "".join(value) if isinstance(value, list) else value


def fenced(info: str, text: str) -> str:
    """`text` in a fence longer than any in it."""
    longest = max((len(found) for found in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{info}\n{text.rstrip()}\n{fence}"


class Page:
    """The Markdown of one notebook, and its pictures as files beside it."""

    def __init__(self, notebook: Dict[str, Any], folder: Path, name: str) -> None:
        self._notebook, self._folder, self._name, self._pictures = notebook, folder, name, 0

    def markdown(self) -> Iterator[str]:
        code = [cell for cell in self._notebook["cells"] if cell["cell_type"] == "code"]
        was_run = any(cell["outputs"] for cell in code) or not code
        for index, cell in enumerate(self._notebook["cells"]):
            source = text_of(cell["source"])
            if "remove-cell" in cell.get("metadata", {}).get("tags", []):
                continue  # nothing that a reader of the page has to read
            if cell["cell_type"] == "markdown":
                yield source
            elif cell["cell_type"] == "code" and source.strip():
                yield fenced("{code-block} python\n:class: cell\n", source)
                outputs = [part for output in cell["outputs"] for part in self.output(output)]
                if outputs:
                    yield fenced("{container} output", "\n\n".join(outputs))
            if index == 0 and not was_run:
                yield UNRUN

    def output(self, output: Dict[str, Any]) -> Iterator[str]:
        kind = output["output_type"]
        if kind == "stream":
            yield fenced("text", ANSI.sub("", text_of(output["text"])))
        elif kind == "error":
            logger.warning("%s ends in %s: %s", self._name, output["ename"], output["evalue"])
        else:
            yield self.richest({mime: text_of(value) for mime, value in output["data"].items() if "json" not in mime})

    def richest(self, data: Dict[str, str]) -> str:
        if "image/svg+xml" in data:
            return self.picture(data["image/svg+xml"].encode(), "svg")
        if "image/png" in data:
            return self.picture(base64.b64decode(data["image/png"]), "png")
        if "text/html" in data:
            return fenced("{raw} html", data["text/html"])
        if "text/markdown" in data:
            return data["text/markdown"]
        if "text/latex" in data:
            return data["text/latex"]
        return fenced("text", ANSI.sub("", data.get("text/plain", "")))

    def picture(self, content: bytes, kind: str) -> str:
        self._pictures += 1
        path = self._folder / "_outputs" / f"{self._name}-{self._pictures}.{kind}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        return f"![Figure {self._pictures} of this notebook, which the code above draws](_outputs/{path.name})"


class NotebookParser(MystParser):
    supported = ("jupyter_notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        path = Path(self.env.doc2path(self.env.docname))
        page = Page(json.loads(inputstring), path.parent, path.stem)
        super().parse("\n\n".join(page.markdown()) + "\n", document)


def setup(app: Sphinx) -> Dict[str, bool]:
    app.add_source_suffix(".ipynb", "jupyter_notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
