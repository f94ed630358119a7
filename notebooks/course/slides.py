"""Slides: of each lesson one HTML file, made of its notebooks as they have been run. A figure, or the formulas of a section
where it has none, is a slide; what the notebook says there are the speaker's notes, which the key N shows.

Formulas are KaTeX's, as in the site, with its fonts in the file. Chromium prints it.
"""

from __future__ import annotations

import base64
import html
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, List, NamedTuple

import nbformat
from lessons import LESSONS, NOTEBOOKS, notebook_of
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from student import without_solutions

sys.path.insert(0, str(NOTEBOOKS.parent / "docs" / "site"))

from katex import KATEX, render  # noqa: E402

HERE = Path(__file__).resolve().parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FIRST_WORDS = 50  # of a section, on its slide
CROWDED = 75  # so many words leave no room for a figure
DISPLAY = re.compile(r"\$\$.*?\$\$", re.DOTALL)
FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)


class Slide(NamedTuple):
    title: str
    text: str  # Markdown
    figures: List[str]  # HTML
    notes: str  # Markdown


def formula(tex: str, display: bool) -> str:
    answer = render(tex, display)
    if "error" in answer:
        raise SystemExit(f"course: KaTeX refuses a formula: {answer['error']}")
    return answer["html"]


def style() -> str:
    """KaTeX's, with its fonts."""

    def inlined(found: "re.Match[str]") -> str:
        return f"src:url(data:font/woff2;base64,{base64.b64encode((KATEX / found[1]).read_bytes()).decode()})"

    return re.sub(r"src:url\(([^)]*\.woff2)\)[^;}]*", inlined, (KATEX / "katex.min.css").read_text())


def markdown() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.use(dollarmath_plugin, renderer=lambda tex, options: formula(tex, options["display_mode"]))
    return parser


def begun(text: str) -> str:
    """What a slide says of a section: its first sentences, and the list that they lead to; of tasks, what each asks."""
    paragraphs = [one.strip() for one in DISPLAY.sub("", text).split("\n\n") if one.strip()]
    asked = [one for one in paragraphs if re.match(r"\*\*[^*]+\.\*\*", one)]
    if len(asked) > 1:
        return "\n\n".join(asked)
    plain = [one for one in paragraphs if one[0] not in "|<-#" and not one.startswith(("1. ", "*For ", "*Live"))]
    said = ""
    for sentence in re.split(r"(?<=[.?!])\s+", plain[0]) if plain else []:
        if said and len((said + " " + sentence).split()) > FIRST_WORDS:
            break
        said = (said + " " + sentence).strip()
    after = paragraphs[paragraphs.index(plain[0]) + 1 :] if said.endswith(":") else []
    return said + ("\n\n" + after[0] if after and after[0].startswith(("- ", "1. ")) else "")


def figures_of(cell: Any) -> List[str]:
    """The pictures and tables that a cell shows, as HTML."""
    data = [out["data"] for out in cell.get("outputs", []) if "data" in out]
    tables = [one["text/html"] for one in data if "<table" in one.get("text/html", "")]
    pictures = [one["image/png"].strip() for one in data if "image/png" in one]
    return tables + [f'<img alt="A figure of this section" src="data:image/png;base64,{one}">' for one in pictures]


def sections(notebook: Any) -> List[List[Any]]:
    """[heading, text, figures of each cell] for the parts of a notebook; the first is what stands under its title."""
    parts: List[List[Any]] = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            parts[-1][2] += [one for one in [figures_of(cell)] if one]
            continue
        pieces = re.split(r"^(#{1,2} .*)$", FOLDED.sub("", cell.source), flags=re.MULTILINE)
        if pieces[0].strip() and parts:
            parts[-1][1] += "\n\n" + pieces[0].strip()
        for heading, text in zip(pieces[1::2], pieces[2::2]):
            parts.append([heading.lstrip("# "), text.strip(), []])
    return parts


def slides_of(notebook: Any) -> List[Slide]:
    """A title, a slide for each figure, and the formulas of sections that have none."""
    (title, lead, figures), *rest = sections(notebook)
    made = [Slide(title, begun(lead), figures[0] if figures else [], lead)]
    for heading, text, figures in rest:
        formulas = DISPLAY.findall(text)
        crowded = len(formulas) > 1 or len(begun(text).split()) > CROWDED  # then the figures follow
        first = figures[0] if figures and not crowded else []
        made.append(Slide(heading, "\n\n".join([begun(text), *formulas]), first, text))
        made += [Slide(heading, "", one, "") for one in (figures if crowded else figures[1:])]
    return made


def element(slide: Slide, parser: MarkdownIt, first: bool) -> str:
    notes = f"<aside>{parser.render(slide.notes)}</aside>" if slide.notes else ""
    title = parser.renderInline(slide.title)
    level = "h1" if first else "h2"
    return f'<section><div class="slide"><{level}>{title}</{level}>{parser.render(slide.text)}{"".join(slide.figures)}</div>{notes}</section>'


def write(number: int, executed: Path, out: Path) -> Path:
    """Writes OUT/lesson-NUMBER.html."""
    lesson, parser, body = LESSONS[number - 1], markdown(), []
    for path in map(notebook_of, lesson.numbers):
        if not (executed / path.name).is_file():
            raise SystemExit(f"course: {executed / path.name} is not there: `./assay notebooks {path.name[:2]}` makes it")
        notebook = without_solutions(nbformat.read(executed / path.name, as_version=4))
        body += [element(slide, parser, i == 0) for i, slide in enumerate(slides_of(notebook))]
    page = (HERE / "slides.html").read_text()
    parts = {
        "COURSE_TITLE": f"Lesson {number}: {html.escape(lesson.title)}",
        "COURSE_SLIDES": "\n".join(body),
        "COURSE_MATHS": style(),
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / f"lesson-{number}.html").write_text(re.sub("|".join(parts), lambda found: parts[found[0]], page))
    return out / f"lesson-{number}.html"


def printed(page: Path) -> List[Path]:
    """The slides as PDF, and once more with the notes."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise SystemExit(f"course: no browser to print with: expected one of {', '.join(BROWSERS)}")
    made = []
    for name, fragment in ((page.stem, ""), (f"{page.stem}-notes", "#notes")):
        target = page.with_name(f"{name}.pdf")
        with tempfile.TemporaryDirectory() as profile:
            command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                       "--no-pdf-header-footer", "--print-to-pdf-no-header", f"--print-to-pdf={target}"]  # fmt: skip
            subprocess.run([*command, page.resolve().as_uri() + fragment], check=True, capture_output=True, timeout=300)
        made.append(target)
    return made
