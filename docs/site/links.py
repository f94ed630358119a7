"""Links of the repository work in the site: to a page where there is one, to a listing of the file where there is none.

Markdown links between files, relative to the file or, with a leading /, to the repository, are what a forge
understands. Here they become links to pages; a header of the reference pages is found there; any other file gets a
page with its text, source/PATH.html. `path/of/a/file` in code becomes a link too. What leads nowhere is a warning.
"""

from __future__ import annotations

import functools
import posixpath
import re
import shutil
from pathlib import Path
from typing import Any, Dict, Iterator, Optional, Set, Tuple
from urllib.parse import unquote

from docutils import nodes
from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

from headers import page_of_header

logger = logging.getLogger(__name__)
LATTICE = "docs/lattice.html"  # a page of the site as it is
LINKS = (nodes.reference, addnodes.pending_xref, addnodes.download_reference)
FRONT = "README.md"  # in the repository; the first page of the site

# Where the headers lie that a page names without their folder.
BARE_NAMES = {
    f"docs/derivation-{name}": (f"reference/{name}/", "reference/number/", "reference/")
    for name in ("ctc", "cce", "svd")
}


def is_in_link(node: nodes.Node) -> bool:
    while node is not None and not isinstance(node, LINKS):
        node = node.parent
    return node is not None


def path_of_page(docname: str, suffix: str = ".md") -> str:
    """Where the file of a page lies in the repository."""
    return FRONT if docname == "index" else docname + suffix


def page_of_path(env: BuildEnvironment, path: str) -> Optional[str]:
    """The page of a file of the repository, if it is one."""
    if path == FRONT:
        return "index"
    stem, suffix = posixpath.splitext(path.removeprefix("docs/") if path.startswith("docs/reference/") else path)
    return stem if suffix in env.config.source_suffix and stem in env.found_docs else None


def file_of_repository(env: BuildEnvironment, path: str) -> bool:
    return not path.startswith("..") and (Path(env.config.assay_root) / path).is_file()


def text_of(root: str, path: str) -> Optional[str]:
    """What a file of the repository holds, if that is text."""
    try:
        return (Path(root) / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


class RepositoryLinks(SphinxTransform):
    default_priority = 5

    def apply(self, **_: Any) -> None:
        docname = self.env.docname
        self.folder = posixpath.dirname(path_of_page(docname))
        for node in list(self.document.findall(nodes.Element)):
            if isinstance(node, (addnodes.pending_xref, addnodes.download_reference)) and node["reftype"] == "myst":
                self.lead(node)
            elif isinstance(node, nodes.literal) and not node.children[1:]:
                self.lead_code(node)
            elif isinstance(node, nodes.image) and "://" not in node["uri"]:
                node["uri"] = "/" + posixpath.normpath(posixpath.join(self.folder, node["uri"]))

    def lead(self, node: nodes.Element) -> None:
        target, hash_sign, anchor = unquote(node["reftarget"]).partition("#")
        if not target or node.get("refdomain"):
            return  # within the page; or to one that later versions of MyST have found themselves
        path = posixpath.normpath(target[1:] if target.startswith("/") else posixpath.join(self.folder, target))
        page = page_of_path(self.env, path)
        if page and anchor:
            node["reftarget"] = self.from_here(page) + posixpath.splitext(path)[1] + hash_sign + anchor
        elif page:
            named_by_file = node.astext() in ("", target, posixpath.basename(path))  # then by its title
            link = addnodes.pending_xref(
                "", refdomain="std", reftype="doc", reftarget="/" + page, refexplicit=not named_by_file,
                refwarn=True, refdoc=self.env.docname,
            )  # fmt: skip
            link += node.children
            self.copy_place(node, link)
            node.replace_self(link)
        elif file_of_repository(self.env, path):
            link = self.to_file(path, node.children)
            if path == LATTICE and anchor:
                link["refuri"] += hash_sign + anchor  # what the page is to show: notebooks/lattice/script/state.js
            node.replace_self(link)
        else:
            logger.warning("link to %s, which is no file of the repository", path, location=node)

    def lead_code(self, node: nodes.literal) -> None:
        path = node.astext()
        if is_in_link(node) or not re.fullmatch(r"[\w./+-]+", path):
            return
        for folder in ("", f"{self.folder}/", *BARE_NAMES.get(self.env.docname, ())):
            file = posixpath.normpath(folder + path)
            if "/" in file and file_of_repository(self.env, file):
                node.replace_self(self.to_file(file, [node.deepcopy()]))
                return

    def to_file(self, path: str, children: list[nodes.Node]) -> nodes.Node:
        """A link to what the site has of a file that is no page."""
        documented = page_of_header(path)
        if path == LATTICE:
            uri = self.from_here(path)
        elif documented:
            uri = self.from_here(documented[0]) + ".html#" + documented[1]
        else:
            self.env.assay_sources.setdefault(self.env.docname, set()).add(path)
            uri = self.from_here("source/" + path) + (
                "" if text_of(self.env.config.assay_root, path) is None else ".html"
            )
        return nodes.reference("", "", *children, internal=True, refuri=uri)

    def from_here(self, page: str) -> str:
        return posixpath.relpath(page, posixpath.dirname(self.env.docname) or ".")

    @staticmethod
    def copy_place(old: nodes.Element, new: nodes.Element) -> None:
        new.source, new.line = old.source, old.line


def listings(app: Sphinx) -> Iterator[Tuple[str, Dict[str, Any], str]]:
    """A page for each file that is linked to; a file that is no text is copied."""
    for path in sorted(set().union(*app.env.assay_sources.values())):
        text = text_of(app.config.assay_root, path)
        if text is None:
            copy = Path(app.outdir) / "source" / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path(app.config.assay_root) / path, copy)
            continue
        try:
            lexer = "cpp" if path.endswith((".h", ".metal")) else get_lexer_for_filename(path).aliases[0]
        except ClassNotFound:
            lexer = "text"
        code = app.builder.highlighter.highlight_block(text, lexer, linenos="inline", force=True)  # type: ignore
        page = f"source/{path}"
        context = {"title": path, "body": f"<h1><code>{path}</code></h1>\n{code}"}
        yield page, {**context, "toctree": functools.partial(navigation, app, page)}, "page.html"


def navigation(app: Sphinx, page: str, **options: Any) -> str:
    """The tree of pages as seen from a listing: the same from all that lie equally deep, and dear to make."""
    key = (page.count("/"), *sorted(options.items()))
    if key not in app.env.assay_navigation:  # type: ignore[attr-defined]
        made = app.builder._get_local_toctree(page, **options)  # type: ignore[attr-defined]
        app.env.assay_navigation[key] = made  # type: ignore[attr-defined]
    return app.env.assay_navigation[key]  # type: ignore[attr-defined]


def begin(app: Sphinx) -> None:
    if not hasattr(app.env, "assay_sources"):
        app.env.assay_sources = {}  # type: ignore[attr-defined]
    app.env.assay_navigation = {}  # type: ignore[attr-defined]


def forget(_app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    sources: Dict[str, Set[str]] = getattr(env, "assay_sources", {})
    sources.pop(docname, None)


def setup(app: Sphinx) -> Dict[str, bool]:
    app.add_config_value("assay_root", None, "env")
    app.add_transform(RepositoryLinks)
    app.connect("builder-inited", begin)
    app.connect("env-purge-doc", forget)
    app.connect("html-collect-pages", listings)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
