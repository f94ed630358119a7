"""The part of assay that runs in a browser: its wheel is whole, and the notebooks that use it get the answers of the package.

Here WebAssembly runs in Node beside Python; within Pyodide, too, where ASSAY_PYODIDE names a folder with npm's package pyodide.
"""

import base64
import csv
import functools
import hashlib
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest
from conftest import NOTEBOOKS

sys.path[:0] = [str(NOTEBOOKS / "browser"), str(NOTEBOOKS.parent / "tests" / "lattice")]

import build  # noqa: E402
from browser import Browser  # noqa: E402

ENGINE = Path(os.environ.get("PYTHONPATH", ".").split(os.pathsep)[0]).parents[1] / "notebooks" / "lattice"
HERE = Path(__file__).parent
BESIDE = """
import json
import subprocess

_node = subprocess.Popen({command!r}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _call(name, request):
    _node.stdin.write(json.dumps([name, request]) + "\\n")
    _node.stdin.flush()
    return json.loads(_node.stdout.readline())
"""
RUN = """
python.FS.writeFile("/assay.whl", wheel);
const said = python.runPython(`
import json, sys, types, zipfile
zipfile.ZipFile("/assay.whl").extractall("/site")
package = types.ModuleType("assay")  # its steps import NumPy, which npm has not
package.__path__ = ["/site/assay"]
sys.modules["assay"] = package
from assay import _core
y = [["1/2", "1/2"], ["1/4", "3/4"]]
_core.ctc_steps(json.dumps({"labels": [1], "outputs": y, "blank": 0, "number": "exact", "space": "probability"}))
`);
"""
IN_NODE = """
const { loadPyodide } = await import(process.argv[2] + "/pyodide.mjs");
const python = await loadPyodide({ indexURL: process.argv[2] + "/" });
const wheel = (await import("fs")).readFileSync(process.argv[3]);
RUN
console.log(said);
""".replace("RUN", RUN)
IN_A_WORKER = """
import { loadPyodide } from "./pyodide/pyodide.mjs";
const python = await loadPyodide();
const wheel = new Uint8Array(await (await fetch("./assay.whl")).arrayBuffer());
RUN
postMessage(said);
""".replace("RUN", RUN)
PAGE = """<!doctype html><title>-</title><script>
const worker = new Worker("worker.mjs", { type: "module" });  // where JupyterLite runs Python
worker.onmessage = (event) => { window.said = event.data; };
worker.onerror = (event) => { window.said = event.message; };
</script>"""

pytestmark = pytest.mark.skipif(
    not ((ENGINE / "engine.wasm").is_file() and shutil.which("node")), reason="this build has no WebAssembly: it needs emscripten"
)


@pytest.fixture
def wheel(tmp_path):
    return build.wheel(ENGINE, tmp_path)


def test_the_wheel_is_pure_and_its_record_is_right(wheel):
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        (record,) = [name for name in archive.namelist() if name.endswith("/RECORD")]
        rows = list(csv.reader(archive.read(record).decode().splitlines()))
        assert {row[0] for row in rows} == set(archive.namelist())
        for name, digest, size in rows[:-1]:
            data = archive.read(name)
            assert int(size) == len(data)
            assert digest == "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        assert not [name for name in archive.namelist() if name.endswith((".so", ".pyd"))]


def test_a_notebook_runs_with_it_and_judges_as_it_does_elsewhere(wheel, tmp_path):
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    core = site / "assay" / "_core.py"
    command = ["node", "--no-experimental-fetch", str(HERE / "engine_server.js"), str(ENGINE / "engine.js")]
    text = core.read_text()
    assert text.count("_call = _started()\n") == 1
    core.write_text(text.replace("_call = _started()\n", BESIDE.format(command=command)))
    run = [sys.executable, NOTEBOOKS / "execute.py", "--output", tmp_path / "out", "--answers", HERE / "answers"]
    done = subprocess.run(
        [*run, NOTEBOOKS / "03-beta-twice.ipynb"],
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    script = "from assay import steps; steps.bounds([1], [[0.0, 0.0]])"
    said = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(site)}, capture_output=True, text=True
    )
    assert "ctc_bounds is not in the browser's part of assay" in said.stderr


def test_notebooks_install_by_the_browsers_means(tmp_path):
    build.notebooks(tmp_path / "files")
    assert len(list((tmp_path / "files").glob("*.ipynb"))) == len(build.NOTEBOOKS)
    for path in (tmp_path / "files").glob("*.ipynb"):
        cells = ["".join(cell["source"]) for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
        assert cells[0] == build.SETUP and not [cell for cell in cells if "subprocess" in cell or "steps.bounds" in cell]
    assert (tmp_path / "files" / "teaching" / "__init__.py").is_file()


def test_an_engine_that_is_not_there_and_a_folder_that_is_are_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["build.py", str(tmp_path), str(tmp_path / "out")])
    assert build.main() == 2 and "has no engine.wasm" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["build.py", str(ENGINE), str(tmp_path)])
    assert build.main() == 2 and "is there already" in capsys.readouterr().err


needs_pyodide = pytest.mark.skipif("ASSAY_PYODIDE" not in os.environ, reason="ASSAY_PYODIDE names no npm package pyodide")


@needs_pyodide
def test_in_pyodide(wheel, tmp_path):
    script = tmp_path / "try.mjs"
    script.write_text(IN_NODE)
    done = subprocess.run(["node", script, os.environ["ASSAY_PYODIDE"], wheel], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout)["p"] == "7/8"


@needs_pyodide
def test_in_pyodide_in_a_browser(wheel, tmp_path):
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "worker.mjs").write_text(IN_A_WORKER)
    (tmp_path / "assay.whl").symlink_to(wheel)
    (tmp_path / "pyodide").symlink_to(os.environ["ASSAY_PYODIDE"])
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, Browser() as browser:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser.navigate(f"http://127.0.0.1:{server.server_port}/index.html")
        browser.wait_for("window.said !== undefined", 120)
        said = browser.evaluate("window.said")
        server.shutdown()
    assert said.startswith("{") and json.loads(said)["p"] == "7/8", said
