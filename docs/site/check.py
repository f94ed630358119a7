"""What is wrong with built pages: links and anchors that lead nowhere, parts fetched from a network, formulas left raw,
scripts that cannot run.

complaints(html) is a list of texts, one for each fault; build.py refuses a site that has any.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Set, Tuple
from urllib.parse import unquote, urlsplit

Attributes = List[Tuple[str, Optional[str]]]
VERBATIM = {"pre", "code", "script", "style", "annotation", "textarea", "title"}
CSS_ADDRESS = re.compile(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)")
IMPORT_OR_EXPORT = re.compile(r"^(import\b[^(]|export\b)", re.MULTILINE)
RAW_FORMULA = re.compile(r"\\\(|\\\[|\$\$")


class Page(HTMLParser):
    """Of one page: what can be linked to, what it links to, what it loads, and text that should be a formula."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: Set[str] = {"", "top"}
        self.links: List[str] = []
        self.loads: List[str] = []
        self.scripts: List[str] = []  # those loaded as classic scripts
        self.raw: List[str] = []
        self.formulas = 0
        self._verbatim = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: Attributes) -> None:
        self.handle_startendtag(tag, attributes)
        self._verbatim += tag in VERBATIM
        self._in_style = tag == "style"

    def handle_startendtag(self, tag: str, attributes: Attributes) -> None:
        values = {name: value or "" for name, value in attributes}
        self.anchors.update(values[name] for name in ("id", "name") if name in values)
        self.formulas += "katex" in values.get("class", "").split()
        if tag == "script" and values.get("src") and values.get("type") != "module":
            self.scripts.append(values["src"])
        if tag in ("a", "area"):
            self.links += [values["href"]] if "href" in values else []
        else:
            self.loads += [values[name] for name in ("href", "src", "data", "poster", "srcset") if values.get(name)]
        self.loads += addresses(values.get("style", ""))

    def handle_endtag(self, tag: str) -> None:
        self._verbatim -= tag in VERBATIM

    def handle_data(self, text: str) -> None:
        if not self._verbatim and RAW_FORMULA.search(text):
            self.raw.append(text.strip()[:80])
        elif self._in_style:
            self.loads += addresses(text)

    _in_style = False


def addresses(css: str) -> List[str]:
    return [first or second for first, second in CSS_ADDRESS.findall(css)]


def is_elsewhere(address: str) -> bool:
    return bool(urlsplit(address).scheme) or address.startswith("//")


def target(page: Path, address: str) -> Tuple[Path, str]:
    """The file and the anchor that an address on this page means."""
    parts = urlsplit(address)
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    return (path / "index.html" if path.is_dir() else path), unquote(parts.fragment)


def complaints(html: Path) -> List[str]:
    html = html.resolve()
    pages: Dict[Path, Page] = {path: Page(path.read_text("utf-8")) for path in html.rglob("*.html")}
    found = [f"{path.relative_to(html)}: {complaint}" for path in sorted(pages) for complaint in of_page(path, pages)]
    for style in sorted(html.rglob("*.css")):
        for address in addresses(style.read_text("utf-8")):
            found += [f"{style.relative_to(html)}: {complaint}" for complaint in of_load(style, address)]
    if not sum(page.formulas for page in pages.values()):
        found.append("no page has a formula: KaTeX has not run")
    return found


def of_page(path: Path, pages: Dict[Path, Page]) -> Iterator[str]:
    page = pages[path]
    for address in page.loads:
        yield from of_load(path, address)
    for address in page.scripts:
        script = target(path, address)[0]
        if not is_elsewhere(address) and script.is_file() and IMPORT_OR_EXPORT.search(script.read_text("utf-8")):
            yield f"loads {address} as a classic script: it is a module, and does not run"
    for address in page.links:
        if is_elsewhere(address):
            continue
        file, anchor = target(path, address)
        if not file.exists():
            yield f"link to {address}: there is no such file"
        elif anchor and "=" not in anchor and file in pages and anchor not in pages[file].anchors:
            yield f"link to {address}: the page has no such anchor"
    for text in page.raw:
        yield f"a formula that was not rendered: {text}"


def of_load(path: Path, address: str) -> Iterator[str]:
    if urlsplit(address).scheme == "data" or address.startswith("#"):
        return
    if is_elsewhere(address):
        yield f"loads {address} from elsewhere"
    elif not target(path, address)[0].exists():
        yield f"loads {address}: there is no such file"
