"""What Debian's furo needs to be whole in pages that are opened as files.

It asks a web server for normalize.css, which is put beside it. Its dark colours are there for those who choose them,
but not for those whose system does: the compiler of Debian's styles drops a media query within another. And its script
is a module that pages load as a classic script, and which a browser would not import from a disk: it is made one file.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Dict, Optional

from sphinx.application import Sphinx

SHARED = Path("/usr/share/javascript")
IMPORT = re.compile(r"@import url\(/javascript/([^)]+)\);")
MODULE = re.compile(r'^import \w+ from "\./([^"]+)";\n', re.MULTILINE)
DARK = re.compile(r'([\w ]*)body\[data-theme="dark"\]( \.only-\w+)? \{([^}]*)\}')


def with_automatic_dark(style: str) -> str:
    """`style`, and its rules of the dark theme once more for a system that is dark."""
    if "prefers-color-scheme" in style:
        return style
    rules = "".join(f'{a}body:not([data-theme="light"]){b or ""} {{{rule}}}\n' for a, b, rule in DARK.findall(style))
    return f"{style}\n@media (prefers-color-scheme: dark) {{\n{rules}}}\n" if rules else style


def mend_styles(app: Sphinx, _error: Optional[Exception]) -> None:
    for style in (Path(app.outdir) / "_static" / "styles").glob("*.css"):
        text = style.read_text(encoding="utf-8")
        for shared in IMPORT.findall(text):
            shutil.copyfile(SHARED / shared, style.parent / Path(shared).name)
        text = with_automatic_dark(IMPORT.sub(lambda found: f"@import url({Path(found[1]).name});", text))
        style.write_text(text, encoding="utf-8")


def as_classic_script(script: Path) -> str:
    """The text of a script with those that it imports, which set a global variable, before it."""
    text = script.read_text(encoding="utf-8")
    imported = [(script.parent / name).read_text(encoding="utf-8") for name in MODULE.findall(text)]
    return "".join(imported) + "(() => {\n" + MODULE.sub("", text) + "})();\n" if imported else text


def mend_script(app: Sphinx, _error: Optional[Exception]) -> None:
    script = Path(app.outdir) / "_static" / "scripts" / "furo.js"
    if script.is_file():
        script.write_text(as_classic_script(script), encoding="utf-8")


def setup(app: Sphinx) -> Dict[str, bool]:
    app.connect("build-finished", mend_styles)
    app.connect("build-finished", mend_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
