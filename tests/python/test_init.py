"""assay init: the file runs, fails where it says, and passes once that line is mended."""

import subprocess
import sys

import pytest

from assay import _init


def run(*arguments, folder):
    return subprocess.run([sys.executable, "-W", "ignore", *arguments], cwd=folder, capture_output=True, text=True, check=False)


def mended(text):
    lines = text.splitlines(keepends=True)
    (number,) = (n for n, line in enumerate(lines) if _init.PLANTED in line)
    lines[number] = "    total = e.sum(axis=-1, keepdims=True)\n"
    return number + 1, "".join(lines)


def test_the_file_fails_in_the_line_that_is_told_and_passes_without_it(tmp_path):
    told = run("-m", "assay", "init", "my_softmax", folder=tmp_path)
    assert told.returncode == 0, told.stderr
    verdict = run("my_softmax.py", folder=tmp_path)
    assert verdict.returncode == 1, verdict.stderr
    assert "2 of 4 properties failed" in verdict.stdout and "passes at multiples of 4; fails elsewhere" in verdict.stdout
    tests = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "my_softmax.py")
    assert run(*tests, folder=tmp_path).returncode == 1

    file = tmp_path / "my_softmax.py"
    line, text = mended(file.read_text(encoding="utf-8"))
    assert f"line {line} has a fault on purpose" in told.stdout
    file.write_text(text, encoding="utf-8")
    passed = run(*tests, folder=tmp_path)
    assert passed.returncode == 0, passed.stdout
    assert run("my_softmax.py", folder=tmp_path).returncode == 0


def test_the_printed_line_judges_the_case_again_as_pasted(tmp_path):
    run("-m", "assay", "init", "my_softmax", folder=tmp_path)
    printed = run("my_softmax.py", folder=tmp_path).stdout
    line = next(one.strip() for one in printed.splitlines() if one.strip().startswith("import assay; "))
    assert line.startswith("import assay; from my_softmax import kernel; from my_softmax import my_softmax; assay.replay(")
    again = run("-c", line, folder=tmp_path)
    assert again.returncode == 0 and "0.2" in again.stdout, again.stderr


def test_a_script_that_would_run_again_is_not_imported(tmp_path):
    run("-m", "assay", "init", "my_softmax", folder=tmp_path)
    file = tmp_path / "my_softmax.py"
    file.write_text(file.read_text(encoding="utf-8").replace('if __name__ == "__main__":', "if True:"), encoding="utf-8")
    assert "import assay; assay.replay(" in run("my_softmax.py", folder=tmp_path).stdout


def test_an_existing_file_is_kept(tmp_path):
    (tmp_path / "mine.py").write_text("x = 1\n", encoding="utf-8")
    refused = run("-m", "assay", "init", "mine", folder=tmp_path)
    assert refused.returncode == 2 and "mine.py exists" in refused.stderr and "hide" not in refused.stderr
    assert (tmp_path / "mine.py").read_text(encoding="utf-8") == "x = 1\n"


@pytest.mark.parametrize("name", ["numpy", "assay", "json"])
def test_no_file_hides_a_module(tmp_path, name):
    refused = run("-m", "assay", "init", name, folder=tmp_path)
    assert refused.returncode == 2 and f"{name}.py would hide the module" in refused.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["3x", "a-b", "../a", "class", ""])
def test_a_name_is_one_of_python(tmp_path, name):
    refused = run("-m", "assay", "init", name, folder=tmp_path)
    assert refused.returncode == 2 and f"NAME = {name!r}: expected a name" in refused.stderr
    assert not list(tmp_path.iterdir())
