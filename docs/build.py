#!/usr/bin/env python3
"""Builds the documentation site: docs/build.py BUILD, where BUILD is a build tree such as build/release.

The site is made from a staged tree, BUILD/docs/source, that mirrors the repository: links to its Markdown files, its
notebooks (with outputs where they have been run), and pages made from the headers, the program's --help
and the Python package. Warnings are errors. The front page is BUILD/docs/html/index.html.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterable, List, Optional, Tuple, Union

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "site"))

import check  # noqa: E402
import commands  # noqa: E402
import doxygen  # noqa: E402
import headers  # noqa: E402

# Where a page of the site comes from: a file to link to, or the page's own text.
Staged = Dict[str, Union[Path, str]]


def repository_pages() -> Staged:
    """The Markdown files and pictures of the repository, at their own places but for the README, the first page."""
    files = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "docs").glob("*.svg"),
    ]
    files += [page for folder in ("notebooks", "metal", "bench", "tests") for page in (ROOT / folder).glob("**/README.md")]
    staged: Staged = {file.relative_to(ROOT).as_posix(): file for file in files}
    staged.update({f"reference/{file.name}": file for file in (ROOT / "docs" / "reference").glob("*.rst")})
    del staged["README.md"]
    staged["index.md"] = front_page()
    return staged


def front_page() -> str:
    """The README, which is the first page of a forge and of the site, with the site's navigation below it."""
    contents = (ROOT / "docs" / "site" / "contents.md").read_text()
    return (ROOT / "README.md").read_text() + "\n" + contents[contents.index("```{toctree}") :]


def outputs_of(notebook: Path, executed: Path) -> Optional[str]:
    """What `executed` holds, if that is this notebook run to its end since it, or what it imports, was changed."""
    sources = [notebook, *(ROOT / "notebooks" / "teaching").glob("*.py")]
    if not executed.is_file() or executed.stat().st_mtime < max(source.stat().st_mtime for source in sources):
        return None
    text = executed.read_text()
    try:
        cells = json.loads(text)["cells"]
    except ValueError:  # it is being written
        return None
    return (
        None if any(output["output_type"] == "error" for cell in cells for output in cell.get("outputs", ())) else text
    )


def notebook_pages(build: Path) -> Tuple[Staged, List[Path]]:
    """Each notebook, with outputs where it has been run; and those that have not been."""
    staged: Staged = {}
    stale: List[Path] = []
    for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
        executed = outputs_of(notebook, build / "notebooks" / notebook.name)
        staged[f"notebooks/{notebook.name}"] = notebook if executed is None else executed
        stale += [notebook] if executed is None else []
    readme = ROOT / "notebooks" / "README.md"
    text = readme.read_text() if readme.is_file() else "# Notebooks\n"
    staged["notebooks/README.md"] = text + table_of_contents(staged)
    return staged, stale


def table_of_contents(pages: Iterable[str]) -> str:
    """For the navigation: these pages, in order, below the one that this is added to."""
    names = [f"/{Path(page).with_suffix('')}" for page in pages]
    return "\n".join(["", "```{toctree}", ":hidden:", "", *names, "```", ""])


def run_notebooks(build: Path, notebooks: List[Path]) -> int:
    command = [
        sys.executable,
        str(ROOT / "notebooks" / "execute.py"),
        "--output",
        str(build / "notebooks"),
        "--jobs",
        "2",
    ]
    environment = {**os.environ, "PYTHONPATH": str(build / "validation" / "python")}
    return subprocess.run([*command, *map(str, notebooks)], env=environment).returncode


def generated_pages(build: Path) -> Staged:
    staged: Staged = {f"reference/cpp/{name}.rst": text for name, text in headers.pages(ROOT)}
    staged["reference/command-line.md"] = commands.page(ROOT, build / "validation" / "assay")
    return staged


def stage(pages: Staged, source: Path) -> None:
    for name, content in pages.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            path.symlink_to(content)
        else:
            path.write_text(content)


def run_sphinx(root: Path, out: Path, package: Path) -> int:
    """Builds out/html from out/source, as pages of the repository at `root`; not 0 where there was a warning."""
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-n"]
    command += [] if sys.stdout.isatty() else ["-q"]  # its progress is for a person
    command += ["-c", str(ROOT / "docs"), "-d", str(out / "doctrees")]
    command += ["-D", f"assay_root={root}", "-D", f"breathe_projects.assay={out / 'xml'}"]
    command += [str(out / "source"), str(out / "html")]
    return subprocess.run(command, env={**os.environ, "PYTHONPATH": str(package)}).returncode


def with_links_back(page: str) -> str:
    """The lattice's page as a part of the site, from which it can be left: its script links each step to pages of the site."""
    title, body = "<h1>The CTC lattice, live</h1>", '<main id="app">'
    assert title in page and body in page
    links = {"index": "Assay", "docs/derivation-ctc": "the derivation", "notebooks/README": "the notebooks"}
    back = " · ".join(f'<a href="../{to}.html">{name}</a>' for to, name in links.items())
    page = page.replace(body, '<main id="app" data-site="..">')
    return page.replace(title, f'<nav class="note" aria-label="The site">{back}</nav>\n  {title}')


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=Path, help="a build tree that has the program and the Python package")
    parser.add_argument("--run-notebooks", action="store_true", help="first run the notebooks that have not been")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    out = build / "docs"
    shutil.rmtree(out, ignore_errors=True)  # half a minute, and nothing is left of what is gone or was made otherwise
    notebooks, stale = notebook_pages(build)
    if stale and arguments.run_notebooks:
        if run_notebooks(build, stale) != 0:
            return 1
        notebooks, stale = notebook_pages(build)
    for notebook in stale:
        print(f"docs: {notebook.name} is shown without outputs; ./assay notebooks makes them", file=sys.stderr)
    stage({**repository_pages(), **notebooks, **generated_pages(build)}, out / "source")
    doxygen.run(ROOT, out)
    status = run_sphinx(ROOT, out, build / "validation" / "python")
    (out / "html" / "docs" / "lattice.html").write_text(with_links_back((ROOT / "docs" / "lattice.html").read_text()))
    faults = check.complaints(out / "html")
    print("".join(f"docs: {fault}\n" for fault in faults), end="", file=sys.stderr)
    if status == 0 and not faults:
        print(out / "html" / "index.html")
    return status or bool(faults)


if __name__ == "__main__":
    sys.exit(main())
