"""The course kit: student versions give nothing away, and grading takes right answers and no others."""

import json
import subprocess
import sys

import nbformat
import pytest
from conftest import NOTEBOOKS

sys.path.insert(0, str(NOTEBOOKS / "course"))

import grade  # noqa: E402
import lessons  # noqa: E402
import slides  # noqa: E402
import student  # noqa: E402

ROOT = NOTEBOOKS.parent
PREFACE = f"import sys\nsys.path.insert(0, {str(NOTEBOOKS)!r})\nfrom teaching import check, exercise\nsmall = 2"
QUESTION = 'answer = ...  # a number\nhint = "small"\ncheck(answer, small + 3, hint)'
EXERCISE = "def double(x):\n    return ...\n\n\ncases = [(1,), (3,)]\nexercise(double, lambda x: x + x, cases)"
PLAIN = "print('between')"


def notebook(*sources, path):
    cells = [nbformat.v4.new_code_cell(source, id=f"cell-{i}") for i, source in enumerate(sources)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


@pytest.fixture
def marks(tmp_path):
    def marks(question=QUESTION, exercise=EXERCISE, **options):
        original = notebook(PREFACE, QUESTION, PLAIN, EXERCISE, path=tmp_path / "original.ipynb")
        handed_in = notebook(PREFACE, question, PLAIN, exercise, path=tmp_path / "handed-in.ipynb")
        given = grade.grade(original, handed_in, options.get("seconds", 30))
        return [mark.verdict for mark in given], [mark.said for mark in given]

    return marks


def answered(value):
    return QUESTION.replace("...", value)


def written(body):
    return EXERCISE.replace("return ...", body)


def test_right_answers_are_right_however_they_are_laid_out(marks):
    assert marks(answered("5"), written("return 2 * x"))[0] == ["right", "right"]
    helper = "import math\nfrom teaching import figures\n\ndef help(x):\n    small = x\n    return small\n\n"
    assert (
        marks("answer = (2\n          + 3)\n" + QUESTION.split("\n", 1)[1], helper + written("y = help(x)\n    return x + y"))[0]
        == ["right"] * 2
    )


def test_what_is_untouched_is_open(marks):
    assert marks() == (["open", "open"], ["", ""])


@pytest.mark.parametrize(
    "body, said",
    [
        ("return 3 * x", "Not yet. double(1)"),
        ("print('Right.')", "Not yet."),
        ("print('Right.'); raise SystemExit", "SystemExit"),
        ("return 2 * y", "Not yet. double(1) raised NameError"),
        ("return float('nan')", "Not yet. double(1)"),
        ("return 2 * x +", "SyntaxError"),
        ("import os; print('Right.', flush=True); os._exit(0)", "the process ended"),
    ],
)
def test_wrong_functions_are_wrong(marks, body, said):
    verdicts, words = marks(answered("5"), written(body))
    assert verdicts == ["right", "wrong"] and said in words[1]


@pytest.mark.parametrize("value", ["6", "float('nan')", "float('inf')", "'five'", "[5]", "1 / 0"])
def test_wrong_answers_are_wrong(marks, value):
    assert marks(answered(value), written("return 2 * x"))[0] == ["wrong", "right"]


@pytest.mark.parametrize("value", ["next(filter(None, iter(int, 1)))", "[None for _ in iter(int, 1) if _]"])  # the first in C
def test_an_answer_that_never_ends_is_wrong_and_the_next_is_judged(marks, value):
    verdicts, words = marks(answered(value), written("return 2 * x"), seconds=3)
    assert verdicts == ["wrong", "right"] and words[0] == "took more than 3 s"


def test_a_check_that_was_changed_judges_nothing(marks):
    assert marks("answer = 6\ncheck(answer, 6, hint)")[0][0] == "wrong"
    assert marks("answer = 6\nsmall = 3\ncheck(answer, small + 3, hint)")[0][0] == "wrong"
    verdicts, words = marks(exercise="def exercise(*_):\n    print('Right.')\n\n" + written("return x"))
    assert verdicts[1] == "wrong" and words[1] == "defines exercise, on which its judge relies"


def test_cells_that_moved_lost_their_name_or_are_gone(tmp_path):
    original = notebook(PREFACE, QUESTION, EXERCISE, path=tmp_path / "original.ipynb")
    moved = notebook("x = 1", written("return 2 * x"), PREFACE, path=tmp_path / "moved.ipynb")
    for cell in (book := nbformat.read(moved, as_version=4)).cells:
        cell["id"] = "other-" + cell["id"]
    nbformat.write(book, moved)
    given = grade.grade(original, moved, 30)
    assert [(mark.verdict, mark.said) for mark in given] == [("open", "the cell is not there"), ("right", "Right.")]


@pytest.mark.parametrize("text", ["no notebook", "{}", "[]", ""])
def test_each_task_of_what_is_no_notebook_is_wrong(tmp_path, text):
    original = notebook(PREFACE, QUESTION, EXERCISE, path=tmp_path / "original.ipynb")
    (tmp_path / "handed-in.ipynb").write_text(text)
    given = grade.grade(original, tmp_path / "handed-in.ipynb", 30)
    assert [(mark.task, mark.verdict) for mark in given] == [("question 1", "wrong"), ("double", "wrong")]
    assert given[0].said and "\n" not in given[0].said


def test_an_answer_that_breaks_a_later_cell_keeps_its_mark_and_the_rest_is_wrong(tmp_path):
    sources = [PREFACE, QUESTION, "assert not hasattr(sys, 'broken')", EXERCISE]
    original = notebook(*sources, path=tmp_path / "original.ipynb")
    sources[1] = answered("5").replace("answer", "sys.broken = True\nanswer", 1)
    given = grade.grade(original, notebook(*sources, path=tmp_path / "handed-in.ipynb"), 30)
    assert [mark.verdict for mark in given] == ["right", "wrong"] and "AssertionError" in given[1].said


def test_a_notebook_that_does_not_run_here_is_no_fault_of_the_student(tmp_path):
    original = notebook("import nowhere", QUESTION, path=tmp_path / "original.ipynb")
    with pytest.raises(SystemExit, match="original.ipynb does not run here: ModuleNotFoundError"):
        grade.grade(original, original, 30)


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("[0-9]*.ipynb")), ids=lambda path: path.stem)
def test_student_versions_give_nothing_away(path):
    book = student.without_solutions(nbformat.read(path, as_version=4))
    texts = [cell.source for cell in book.cells if cell.cell_type == "markdown"]
    assert not any("<summary>Solution" in text or "What follows</summary>" in text for text in texts)
    assert sum(text.count("<details>") for text in texts) == sum(text.count("</details>") for text in texts)
    tasks = len(lessons.exercises(book))
    assert sum("<summary>Hint</summary>" in text for text in texts) >= min(tasks, 1)
    assert lessons.questions(book) and tasks, "each is still there"


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("[0-9]*.ipynb")), ids=lambda path: path.stem)
def test_every_task_of_the_notebooks_is_understood(path):
    book = nbformat.read(path, as_version=4)
    for i in {*lessons.questions(book), *lessons.exercises(book)}:
        task = grade.Task(book.cells[i], 0)
        assert task.name == "answer" or f"def {task.name}(" in book.cells[i].source or f"{task.name} = " in book.cells[i].source
        assert task.name not in grade.bound(task.rest), "the rest would put it back"


def test_a_folder_for_students_runs_by_itself(tmp_path):
    assert student.write([lessons.notebook_of("01")], tmp_path) == 1
    assert (tmp_path / "teaching" / "__init__.py").is_file() and (tmp_path / "data" / "speech.npz").is_file()


def test_the_page_has_the_syllabus_that_the_program_prints():
    page = (NOTEBOOKS / "course" / "README.md").read_text()
    assert [row for row in lessons.syllabus() if row not in page] == []


def executed(tmp_path):
    """A notebook as if it had been run: with a figure."""
    book = nbformat.read(lessons.notebook_of("01"), as_version=4)
    picture = nbformat.v4.new_output("display_data", {"image/png": "iVBORw0KGgo="})
    next(cell for cell in book.cells if "all_paths" in cell.source).outputs = [picture]
    nbformat.write(book, tmp_path / lessons.notebook_of("01").name)
    return tmp_path


@pytest.mark.skipif(not slides.KATEX.is_dir(), reason="formulas need Debian's katex")
def test_slides_have_figures_formulas_and_notes_but_no_solutions(tmp_path):
    page = slides.write(1, executed(tmp_path), tmp_path / "out").read_text()
    assert page.count("<section>") >= 8 and page.count("iVBORw0KGgo=") == 1 and 'class="katex"' in page
    assert "merged = [k for" not in page and "How many alignments has" in page and "Drop" not in page
    assert not [word for word in ("COURSE_", "http://", 'src="/') if word in page.split("<aside>")[0]]


def test_slides_of_a_notebook_that_was_not_run_are_refused(tmp_path):
    with pytest.raises(SystemExit, match="./assay notebooks 01"):
        slides.write(1, tmp_path, tmp_path / "out")


def test_a_table_of_the_class(tmp_path, capsys, monkeypatch):
    import runpy

    folder = tmp_path / "class" / "ada"
    folder.mkdir(parents=True)
    book = nbformat.read(lessons.notebook_of("12"), as_version=4)
    nbformat.write(book, folder / lessons.notebook_of("12").name)
    (tmp_path / "class" / "bob").mkdir()
    (tmp_path / "class" / ".git").mkdir()
    (folder / "mine.ipynb").write_text("{}")
    monkeypatch.setattr(grade, "grade", lambda *_: [grade.Mark("a", "right", ""), grade.Mark("b", "open", "")])
    command = ["course", "grade", str(tmp_path / "class"), "--csv", str(tmp_path / "t.csv"), "--json", str(tmp_path / "t.json")]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(NOTEBOOKS / "course"), run_name="__main__")
    said = capsys.readouterr()
    assert ended.value.code == 0 and "ada      1/2  1/2" in said.out and "mine.ipynb: no notebook of the course" in said.err
    assert (tmp_path / "t.csv").read_text().split() == ["student,12,together", "ada,1/2,1/2", "bob,-,0/0"]
    assert json.loads((tmp_path / "t.json").read_text())["ada"]["12"][0]["verdict"] == "right"


def test_a_notebook_without_ids_is_read_without_a_warning(tmp_path):
    command = [sys.executable, NOTEBOOKS / "course", "grade", tmp_path]
    book = json.loads(lessons.notebook_of("12").read_text())
    for cell in book["cells"]:
        cell.pop("id", None)
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / lessons.notebook_of("12").name).write_text(json.dumps({**book, "nbformat_minor": 5}))
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and "ada      0/3  0/3" in done.stdout


def test_a_folder_without_notebooks_is_bad_usage(tmp_path, capsys, monkeypatch):
    import runpy

    monkeypatch.setattr(sys, "argv", ["course", "grade", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(NOTEBOOKS / "course"), run_name="__main__")
    assert ended.value.code == 2 and "expected notebooks as STUDENT/01" in capsys.readouterr().err
