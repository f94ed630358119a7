"""The page's file, and the script that makes it: one file, whole, and refused where it would not be."""

import pathlib
import re
import shutil
import subprocess
import sys

import program

SOURCE = pathlib.Path(__file__).parents[2] / "notebooks/lattice"


def made(folder: pathlib.Path) -> subprocess.CompletedProcess:
    engine = [program.BUILT / "engine.js", program.BUILT / "engine.wasm"]
    command = [sys.executable, folder / "build.py", *engine, SOURCE.parent / "data", folder / "out.html"]
    return subprocess.run(command, text=True, capture_output=True)


def without_engine(page: str) -> str:
    """The page but for what Emscripten made."""
    code = re.sub(r'(<script[^>]*id="machine-code"[^>]*>)[^<]*', r"\1", page)
    return re.sub(r"var createEngine = .*?(?=</script)", "", code, flags=re.DOTALL)


def emscripten() -> str:
    done = subprocess.run(["emcc", "--version"], text=True, capture_output=True)
    return done.stdout.splitlines()[0]


def copied(tmp_path: pathlib.Path) -> pathlib.Path:
    return shutil.copytree(SOURCE, tmp_path / "lattice")


def test_is_one_small_file_that_names_no_other():
    page = (program.BUILT / "index.html").read_text()
    assert len(page) < 1_000_000
    assert not re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="(?!data:)', page)
    assert "ASSAY_" not in page


def test_is_made_equal_each_time(tmp_path):
    folder = copied(tmp_path)
    assert made(folder).returncode == 0
    assert (folder / "out.html").read_bytes() == (program.BUILT / "index.html").read_bytes()


def test_the_page_that_the_repository_carries_is_this_one():
    """Another release of Emscripten may give other machine code: then all but that is compared."""
    carried, built = ((path / name).read_text() for path, name in ((SOURCE.parents[1] / "docs", "lattice.html"),
                                                                   (program.BUILT, "index.html")))
    assert without_engine(carried) == without_engine(built), "build the target lattice_page, and copy its index.html"
    if " 3.1.6 " in emscripten():  # Debian 12's, which made the carried one
        assert carried == built


def test_refuses_what_it_cannot_put_together(tmp_path):
    folder = copied(tmp_path)
    script = folder / "script/words.js"
    for line, says in [('import * as all from "./numbers.js";\n', "expected import"), ("// </script>\n", "would end")]:
        kept = script.read_text()
        script.write_text(line + kept)
        done = made(folder)
        assert done.returncode != 0 and says in done.stderr, done.stderr
        script.write_text(kept)


def test_gives_each_name_once():
    """The modules share one scope."""
    names = re.findall(r"^(?:export )?(?:async )?(?:const|let|function|class) (\w+)",
                       "\n".join(file.read_text() for file in (SOURCE / "script").glob("*.js")), re.MULTILINE)
    assert len(names) > 60
    assert sorted(set(names)) == sorted(names)
