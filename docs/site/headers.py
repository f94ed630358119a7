"""The reference pages of C++ headers: for each its opening comment, which holds the equations, and its declarations.

build.py writes one page per folder of `FOLDERS`, from these and from Doxygen's XML.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

# page: title, folder, what is in it
FOLDERS: Dict[str, Tuple[str, str, str]] = {
    "reference-ctc": ("Reference: CTC", "reference/ctc", "Derived in :doc:`/docs/derivation-ctc`."),
    "reference-formula": ("Reference: formulas", "reference/formula", "Explained in :doc:`/docs/formula`."),
    "reference-cce": ("Reference: cross-entropy", "reference/cce", "Derived in :doc:`/docs/derivation-cce`."),
    "reference-svd": ("Reference: SVD", "reference/svd", "Derived in :doc:`/docs/derivation-svd`."),
    "reference-number": ("Reference: numbers", "reference/number", "What the formulas are computed over."),
    "reference-common": ("Reference: common parts", "reference", "Matrices, reductions, refusals."),
    "metal-cpu": ("CPU kernels", "metal/cpu", "What the kernels for CPUs share."),
    "metal-cpu-ctc": ("CPU kernel: CTC", "metal/cpu/ctc", "Explained in :doc:`/metal/cpu/ctc/README`."),
    "metal-cpu-cce": ("CPU kernel: cross-entropy", "metal/cpu/cce", "Explained in :doc:`/metal/cpu/cce/README`."),
    "metal-cpu-svd": ("CPU kernel: SVD", "metal/cpu/svd", "Explained in :doc:`/metal/cpu/svd/README`."),
    "metal-host": ("Metal kernels: host", "metal/host", "What the hosts of the operations share."),
    "metal-host-ctc": ("Metal kernels: host of CTC", "metal/host/ctc", "Validates, plans, allocates and encodes."),
    "metal-host-cce": ("Metal kernels: host of cross-entropy", "metal/host/cce", "The same for cross-entropy."),
    "metal-host-svd": ("Metal kernels: host of the SVD", "metal/host/svd", "The same for the SVD."),
    "metal-device": ("The device layer", "metal/device", "Metal's own objects as interfaces; the seam for backends."),
}  # fmt: skip

PLUGIN = "validation/plugin/assay_plugin.h"  # C, which has a page of its own
# Declares what another header does as well, for where a library is missing: its declarations are not listed twice.
ALTERNATIVES = {"big_float_boost.h"}
SECTIONS = (
    "briefdescription detaileddescription innerclass func typedef enum var define "
    "public-func public-attrib public-type public-static-func public-static-attrib"
)


def headers_of(root: Path, folder: str) -> List[str]:
    return sorted(path.relative_to(root).as_posix() for path in (root / folder).glob("*.h"))


def documented(root: Path) -> List[str]:
    """The headers whose declarations are listed."""
    found = [header for _, folder, _ in FOLDERS.values() for header in headers_of(root, folder)]
    return [header for header in found if Path(header).name not in ALTERNATIVES] + [PLUGIN]


def page_of_header(path: str) -> Optional[Tuple[str, str]]:
    """Page and anchor of a header that has its place in the reference pages."""
    folder, _, name = path.rpartition("/")
    for page, (_, documented, _) in FOLDERS.items():
        if folder == documented and name.endswith(".h"):
            return f"reference/cpp/{page}", nodes.make_id(name)
    return None


def pages(root: Path) -> Iterator[Tuple[str, str]]:
    """Name and reStructuredText of each page."""
    for page, (title, folder, about) in FOLDERS.items():
        lines = [title, "=" * len(title), "", about, ""]
        for header in headers_of(root, folder):
            name = header.rsplit("/", 1)[1]
            lines += [name, "-" * len(name), "", f".. opening-comment:: {header}", ""]
            if name not in ALTERNATIVES:
                lines += [f".. doxygenfile:: {header}", "   :project: assay", f"   :sections: {SECTIONS}", ""]
        yield page, "\n".join(lines)


def opening_comment(text: str) -> List[str]:
    """The lines of the comment that a C++ or C file opens with, without its marks."""
    if text.startswith("/*"):
        body = text[2 : text.index("*/")]
        return [re.sub(r"^ ?\* ?", "", line).rstrip() for line in body.split("\n")]
    lines = []
    for line in text.split("\n"):
        if not line.startswith("//"):
            break
        lines.append(re.sub(r"^// ?", "", line).rstrip())
    return lines


def blocks(lines: List[str]) -> Iterator[Tuple[bool, List[str]]]:
    """Paragraphs, and what is indented by two spaces or more: formulas, tables, code."""
    block: List[str] = []
    literal = False
    for line in [*lines, ""]:
        if not line:
            if literal:
                block.append("")
            elif block:
                yield False, block
                block = []
            continue
        if line.startswith("  ") != literal and block:
            yield literal, block
            block = []
        literal = line.startswith("  ")
        block.append(line)
    if block:
        yield literal, block


class OpeningComment(SphinxDirective):
    """.. opening-comment:: PATH"""

    required_arguments = 1

    def run(self) -> List[nodes.Node]:
        path = self.arguments[0]
        file = Path(self.config.assay_root) / path
        self.env.note_dependency(str(file))
        self.env.assay_sources.setdefault(self.env.docname, set()).add(path)
        up = "../" * self.env.docname.count("/")
        link = nodes.reference("", "", nodes.literal("", path), internal=True, refuri=f"{up}source/{path}.html")
        result: List[nodes.Node] = [nodes.paragraph("", "", link, classes=["source-link"])]
        for literal, lines in blocks(opening_comment(file.read_text(encoding="utf-8"))):
            if literal:
                text = "\n".join(line[2:] for line in lines).rstrip()
                result.append(nodes.literal_block(text, text, language="none"))
            else:
                result.append(nodes.paragraph("", "", *inline(" ".join(lines))))
        return result


def inline(text: str) -> Iterator[nodes.Node]:
    """Text with `code` in it."""
    for index, part in enumerate(re.split(r"`([^`]+)`", text)):
        if part:
            yield nodes.literal(part, part) if index % 2 else nodes.Text(part)


def setup(app: Sphinx) -> Dict[str, Any]:
    app.add_directive("opening-comment", OpeningComment)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
