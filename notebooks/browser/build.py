#!/usr/bin/env python3
"""Makes the notebooks on CTC run in a browser: build.py ENGINE OUT, where ENGINE is build/release/notebooks/lattice.

OUT gets a wheel of pure Python, in which the references' steps are WebAssembly, and the notebooks 1 to 4 that use it, whose
first cell installs it. Where JupyterLite is installed (pip install jupyterlite-core jupyterlite-pyodide-kernel), OUT/site is
a site of them, for any web server. The browser fetches Pyodide, NumPy and Matplotlib from Pyodide's own server.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Dict, List

import nbformat

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE = ROOT / "validation" / "python" / "assay"
MODULES = ("steps", "_steps_calls", "_steps_results", "_numbers", "_options", "_program")
NOTEBOOKS = ("01", "02", "03", "04")
INIT = '"""Assay, the part of it that runs in a browser: `assay.steps`."""\n\nfrom . import steps\n\n__all__ = ["steps"]\n'
SETUP = "%pip install -q assay matplotlib"


def version() -> str:
    return re.findall(r"^project\(assay VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[0]


def contents(engine: Path) -> Dict[str, bytes]:
    files = {f"assay/{name}.py": (PACKAGE / f"{name}.py").read_bytes() for name in MODULES}
    files["assay/__init__.py"] = INIT.encode()
    files["assay/_core.py"] = (HERE / "_core.py").read_bytes()
    return {**files, **{f"assay/{name}": (engine / name).read_bytes() for name in ("engine.js", "engine.wasm")}}


def wheel(engine: Path, out: Path) -> Path:
    """Writes the wheel, with the record that the format asks for (PEP 427)."""
    info = f"assay-{version()}.dist-info"
    files = contents(engine)
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: assay\nVersion: {version()}\nRequires-Dist: numpy\n".encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    lines: List[str] = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}")
    files[f"{info}/RECORD"] = ("\n".join([*lines, f"{info}/RECORD,,"]) + "\n").encode()
    path = out / f"assay-{version()}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return path


def notebooks(out: Path) -> None:
    """The notebooks and what they import, with a first cell that installs by the browser's means."""
    out.mkdir(parents=True)
    for number in NOTEBOOKS:
        (path,) = (ROOT / "notebooks").glob(f"{number}-*.ipynb")
        notebook = nbformat.read(path, as_version=4)
        (setup,) = [cell for cell in notebook.cells if cell.get("id") == "setup"]
        setup.source = SETUP
        nbformat.write(notebook, out / path.name)
    for folder in ("teaching", "data"):
        shutil.copytree(ROOT / "notebooks" / folder, out / folder, ignore=shutil.ignore_patterns("__pycache__"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine", type=Path, help="folder of engine.js and engine.wasm: the target lattice_page makes them")
    parser.add_argument("out", type=Path, help="a folder that is not there yet")
    options = parser.parse_args()
    if not (options.engine / "engine.wasm").is_file():
        print(
            f"build.py: {options.engine} has no engine.wasm: `cmake --build build/release --target lattice_page`", file=sys.stderr
        )
        return 2
    if options.out.exists():
        print(f"build.py: {options.out} is there already: expected a new folder", file=sys.stderr)
        return 2
    notebooks(options.out / "files")
    made = wheel(options.engine, options.out)
    print(made)
    lite = shutil.which("jupyter-lite", path=f"{Path(sys.executable).parent}:/usr/bin:/usr/local/bin")
    if lite is None:
        print("no site: JupyterLite is not installed")
        return 0
    command = [lite, "build", "--contents", "files", "--output-dir", "site", "--piplite-wheels", made.name]
    return subprocess.run(command, cwd=options.out).returncode


if __name__ == "__main__":
    sys.exit(main())
