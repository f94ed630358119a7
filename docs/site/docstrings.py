"""Docstrings as they stand in the package, which are text, made what Sphinx reads.

`name` is code; lines "name   what it is" are a list of definitions; indented blocks are code. The fields of a dataclass
are listed with the comments that stand beside them in its source.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any, Iterator, List

from sphinx.application import Sphinx

DEFINITION = re.compile(r"^(\w[\w, ]*?) {2,}(\S.*)$")
FIELD = re.compile(r"^    (\w+): ([^#=]+?)(?: = [^#]*)?(?:  # (.*))?$", re.MULTILINE)


def code(text: str) -> str:
    """`x` as ``x``, what is ``x`` left alone."""
    return re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``", text)


def definition(name: str, about: str) -> List[str]:
    return [f"``{name}``", f"   {code(about)}"]


def read(lines: List[str]) -> Iterator[str]:
    previous_blank, in_definitions = True, False
    for line in lines:
        found = DEFINITION.match(line)
        if found and not line.startswith((" ", ">>>")):
            yield from definition(found.group(1), found.group(2))
            in_definitions = True
        elif in_definitions and line.startswith(" ") and line.strip():
            yield "   " + code(line.strip())
        elif line.startswith("    ") and previous_blank:
            yield from ("::", "", line)
        else:
            if in_definitions and line.strip():
                yield ""
            in_definitions = False
            yield line if line.startswith((" ", ">>>")) else code(line)
        previous_blank = not line.strip() or (previous_blank and line.startswith("    "))
        if line.startswith("    ") and line.strip():
            previous_blank = False


def fields(cls: type) -> Iterator[str]:
    """The fields of a dataclass, with their types and comments."""
    yield ""
    for name, kind, comment in FIELD.findall(inspect.getsource(cls)):
        yield f"``{name}`` : ``{kind}``"
        yield "   " + re.sub(r"([*|])", r"\\\1", code(comment) or "(its name says it)")
    yield ""


def process(_app: Sphinx, what: str, _name: str, thing: Any, _options: Any, lines: List[str]) -> None:
    lines[:] = list(read(lines))
    if what == "class" and dataclasses.is_dataclass(thing):
        lines += fields(thing)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
