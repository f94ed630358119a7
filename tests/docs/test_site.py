"""The site is built without a warning, whole, and complete in itself; and what is wrong in a page is noticed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import build as docs_build
import check
import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_the_changes_begin_with_this_version() -> None:
    (version,) = re.findall(r"^project\(assay VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert re.findall(r"^## (.*)$", (ROOT / "docs" / "CHANGELOG.md").read_text(), re.MULTILINE)[0] == version


@pytest.fixture(scope="module")
def html(build: Path) -> Path:
    done = subprocess.run([sys.executable, ROOT / "docs" / "build.py", build], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return build / "docs" / "html"


def test_every_page_is_there(html: Path) -> None:
    pages = [path.with_suffix(".html").relative_to(ROOT) for path in (ROOT / "docs").glob("*.md")]
    pages += [path.with_suffix(".html").relative_to(ROOT) for path in (ROOT / "notebooks").glob("*.ipynb")]
    missing = [str(page) for page in pages if not (html / page).is_file()]
    assert not missing


@pytest.mark.parametrize("page", sorted(path.stem for path in (ROOT / "docs").glob("*.md")))
def test_a_page_says_first_for_whom_it_is(page: str) -> None:
    title, _, said = (ROOT / "docs" / f"{page}.md").read_text().split("\n", 2)
    assert title.startswith("# ") and said.startswith("For "), said[:80]


def test_formulas_are_rendered(html: Path) -> None:
    derivation = check.Page((html / "docs" / "derivation-ctc.html").read_text())
    assert derivation.formulas > 100 and not derivation.raw


def test_headers_have_comment_equation_and_declaration(html: Path) -> None:
    page = (html / "reference" / "cpp" / "reference-ctc.html").read_text()
    assert "total weight of the paths" in page and "abar_t(s)" in page and "alpha_total" in page


def test_command_line_is_that_of_the_program(html: Path, build: Path) -> None:
    page = re.sub(r"<[^>]+>", "", (html / "reference" / "command-line.html").read_text())
    program = build / "validation" / "assay"
    for command in ("gate", "replay", "metal check"):
        assert f"assay {command}" in page
    said = subprocess.run([program, "gate", "--help"], capture_output=True, text=True).stdout
    assert said.split("\n")[0] in page


def test_lattice_is_there(html: Path) -> None:
    page = (html / "docs" / "lattice.html").read_text()
    assert "docs/lattice.html" in check.Page((html / "index.html").read_text()).links
    derivation = check.Page((html / "docs" / "derivation-ctc.html").read_text()).links
    assert sum(link.startswith("lattice.html#step=") or link.startswith("../docs/lattice.html#step=") for link in derivation) == 6
    assert "../docs/derivation-ctc.html" in check.Page(page).links and '<main id="app" data-site="..">' in page


def test_each_step_of_the_lattice_leads_to_a_section_and_a_notebook(html: Path) -> None:
    steps = re.findall(r'section: "(.*?)", notebook: "(.*?)"', (ROOT / "notebooks/lattice/script/walk.js").read_text())
    assert len(steps) == 6
    derivation = (html / "docs" / "derivation-ctc.html").read_text()
    assert [section for section, _ in steps if f'id="{section}"' not in derivation] == []
    assert [notebook for _, notebook in steps if not (html / "notebooks" / f"{notebook}.html").is_file()] == []


def test_notebooks_on_ctc_lead_to_the_page_of_the_lattice_as_it_shows_what_they_say(html: Path) -> None:
    for number in (*range(1, 8), 11):
        page = next((html / "notebooks").glob(f"{number:02}-*.html"))
        assert any(link.startswith("../docs/lattice.html#step=") for link in check.Page(page.read_text()).links), page


def test_search_needs_no_server(html: Path) -> None:
    index = (html / "searchindex.js").read_text()
    titles = json.loads(index[len("Search.setIndex(") : -1])["docnames"]
    assert "docs/derivation-ctc" in titles and "reference/python" in titles


def test_a_notebook_is_shown_as_run_only_where_it_was(tmp_path: Path) -> None:
    stored = tmp_path / "stored.ipynb"
    stored.touch()
    executed = tmp_path / "executed.ipynb"
    assert docs_build.outputs_of(stored, executed) is None
    ended = json.dumps({"cells": [{"outputs": [{"output_type": "stream"}]}]})
    executed.write_text(ended)
    assert docs_build.outputs_of(stored, executed) == ended
    os.utime(executed, (0, 0))
    assert docs_build.outputs_of(stored, executed) is None
    for bad in (json.dumps({"cells": [{"outputs": [{"output_type": "error"}]}]}), ended[:20]):
        executed.write_text(bad)
        assert docs_build.outputs_of(stored, executed) is None


def test_links_and_code_lead_to_files_of_the_repository(tmp_path: Path, build: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "code.h").write_text("int x;\n")
    (tmp_path / "notes" / "data.npz").write_bytes(b"\xff\xfe\x00")
    source = tmp_path / "source" / "notes" / "deep"
    source.mkdir(parents=True)
    (source.parents[1] / "index.md").write_text("# $x$\n\n```{toctree}\nnotes/deep/page\n```\n")
    (source / "page.md").write_text(
        "# Page\n\n`notes/code.h` `../code.h` [data](../data.npz) `../data.npz` `no/file.h`\n"
    )
    assert docs_build.run_sphinx(tmp_path, tmp_path, build / "validation" / "python") == 0
    links = check.Page((tmp_path / "html" / "notes" / "deep" / "page.html").read_text()).links
    assert links.count("../../source/notes/code.h.html") == 2 and links.count("../../source/notes/data.npz") == 2
    assert not any("no/file.h" in link for link in links)
    assert check.complaints(tmp_path / "html") == []


def test_faults_in_sources_end_the_build(tmp_path: Path, build: Path, capfd: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "index.md").write_text(
        "# Faults\n\n$\\frac{1$\n\n[nowhere](docs/nowhere.md)\n\n[there](#no-such-heading)\n"
    )
    cell = {
        "cell_type": "code",
        "source": "1 / 0",
        "outputs": [{"output_type": "error", "ename": "E", "evalue": "zero"}],
    }
    (source / "page.ipynb").write_text(json.dumps({"cells": [{"cell_type": "markdown", "source": "# A page"}, cell]}))
    status = docs_build.run_sphinx(tmp_path, tmp_path, build / "validation" / "python")
    said = capfd.readouterr().err
    assert status != 0
    assert "KaTeX refuses a formula" in said
    assert "link to docs/nowhere.md, which is no file" in said
    assert "no-such-heading" in said
    assert "page ends in E: zero" in said


PAGE = '<html><head>{head}</head><body><h1 id="here">A page</h1><span class="katex">1</span>{body}</body></html>'


@pytest.mark.parametrize(
    "head, body, complaint",
    [
        ("", '<a href="gone.html">x</a>', "link to gone.html: there is no such file"),
        ("", '<a href="#gone">x</a>', "link to #gone: the page has no such anchor"),
        ("", '<a href="other.html#gone">x</a>', "link to other.html#gone: the page has no such anchor"),
        ("", '<img src="gone.png"/>', "loads gone.png: there is no such file"),
        ('<script src="https://far.example/x.js"></script>', "", "loads https://far.example/x.js from elsewhere"),
        ('<link rel="stylesheet" href="//far.example/x.css">', "", "loads //far.example/x.css from elsewhere"),
        ("<style>@font-face{src:url(https://far.example/f)}</style>", "", "loads https://far.example/f from elsewhere"),
        ("", '<p style="background:url(https://far.example/i)">x</p>', "loads https://far.example/i from elsewhere"),
        ("", "<p>so \\(x^2\\) it is</p>", "a formula that was not rendered: so \\(x^2\\) it is"),
        ("", "<p>$$x$$</p>", "a formula that was not rendered: $$x$$"),
    ],
)
def test_a_fault_in_a_page_is_noticed(head: str, body: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(PAGE.format(head=head, body=body))
    (tmp_path / "other.html").write_text(PAGE.format(head="", body=""))
    assert check.complaints(tmp_path) == [f"index.html: {complaint}"]


@pytest.mark.parametrize("text, kind, complaints", [
    ('import x from "./x.js";\n', "", 1), ("export const x = 1;\n", "", 1),
    ('import x from "./x.js";\n', 'type="module"', 0), ("let important = 1; // import\n", "", 0),
])  # fmt: skip
def test_a_module_loaded_as_a_classic_script_is_noticed(text: str, kind: str, complaints: int, tmp_path: Path) -> None:
    (tmp_path / "x.js").write_text(text)
    (tmp_path / "index.html").write_text(PAGE.format(head=f'<script {kind} src="x.js"></script>', body=""))
    assert len(check.complaints(tmp_path)) == complaints


def test_the_theme_runs_in_a_page_from_a_disk(html: Path) -> None:
    script = (html / "_static" / "scripts" / "furo.js").read_text()
    assert "Gumshoe" in script and "theme-toggle" in script and not check.IMPORT_OR_EXPORT.search(script)


def test_a_page_without_faults_is_left_alone(tmp_path: Path) -> None:
    body = '<a href="#here">x</a> <a href="https://far.example/">x</a> <code>\\(</code> <img src="data:image/png;,"/>'
    (tmp_path / "index.html").write_text(PAGE.format(head="", body=body))
    assert check.complaints(tmp_path) == []


def test_a_font_from_elsewhere_and_missing_formulas_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<html></html>")
    (tmp_path / "style.css").write_text("@import url(https://far.example/a.css); b { src: url(gone.woff2) }")
    assert check.complaints(tmp_path) == [
        "style.css: loads https://far.example/a.css from elsewhere",
        "style.css: loads gone.woff2: there is no such file",
        "no page has a formula: KaTeX has not run",
    ]
