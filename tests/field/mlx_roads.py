"""A kernel of MLX on two roads: scripts that run it from its published source, and as Apple's compiler has compiled it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Set, Tuple

import numpy as np

from apple_libraries import VERSIONS, download
from assay._program import program, run_program
from assay.metal._compiled import struct_bytes
from mlx_calls import Call
from mlx_families import Family

KERNELS = Path("mlx/backend/metal/kernels")
METAL_VERSION = 310  # which the library was compiled for
DTYPES = {"bool": "bool", "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16", "int": "int32",
          "uint": "uint32", "long": "int64", "ulong": "uint64", "half": "float16", "float": "float32",
          "bfloat": "bfloat16"}  # fmt: skip


@dataclass
class Outcome:
    arrays: Dict[str, np.ndarray] = field(default_factory=dict)
    findings: Set[str] = field(default_factory=set)
    error: str = ""


def published(folder: Path, wheels: Path, sources: Optional[Path]) -> Path:
    """A folder with MLX's .metal files, and the headers of the wheel in the place of theirs."""
    if sources is None:
        sources = folder / "clone"
        clone = ["git", "clone", "-q", "--depth", "1", "--branch", f"v{VERSIONS['mlx-metal']}",
                 "https://github.com/ml-explore/mlx", str(sources)]  # fmt: skip
        ended = subprocess.run(clone, capture_output=True, text=True)
        if ended.returncode != 0:
            print(f"the sources of MLX cannot be had: {ended.stderr.strip().splitlines()[-1:]}: expected --sources FOLDER")
            sys.exit(77)
    shutil.copytree(sources / KERNELS, folder / KERNELS)
    wheel = next(wheels.glob(f"mlx_metal-{VERSIONS['mlx-metal']}-*.whl"), None) or download("mlx-metal", wheels)
    with zipfile.ZipFile(wheel) as archive:
        prefix = f"mlx/include/{KERNELS}/"
        for name in archive.namelist():
            if name.startswith(prefix) and not name.endswith("/"):
                header = folder / KERNELS / name[len(prefix) :]
                header.parent.mkdir(parents=True, exist_ok=True)
                header.write_bytes(archive.read(name))
    return folder


def plant_contraction(folder: Path) -> None:
    """Lets clang fuse products and sums of the sources."""
    for file in (folder / KERNELS).rglob("*.metal"):
        file.write_text("#pragma clang fp contract(on)\n" + file.read_text())


def said_of(library: Path, kernel: str) -> Tuple[List[Dict[str, Any]], Dict[int, str]]:
    """The arguments of a compiled kernel, and the names of its function constants by index."""
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "listing.json"
        run_program("metal", "list", str(library), "--kernel", kernel, "--json", str(said), folder=folder)
        all_said = json.loads(said.read_text())
        return all_said["kernels"][0]["arguments"], {one["index"]: one["name"] for one in all_said["function_constants"]}


def dtype_of(element: str) -> str:
    """NumPy's type of an element's numbers; of bfloat its bits are held, in uint16."""
    if element.startswith("complex_t_"):
        return DTYPES[element[10:]]
    return DTYPES.get(re.sub("[234]$", "", element), "uint8")


def specials(dtype: str) -> np.ndarray:
    if dtype == "bool":
        return np.array([False, True])
    if dtype != "bfloat16" and np.dtype(dtype).kind in "iu":
        least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
        return np.array([0, 1, least, most, most - 1, least + 1, most // 2], dtype)
    wide = "float32" if dtype == "bfloat16" else dtype
    bounds = np.finfo(wide)
    numbers = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, bounds.max, -bounds.max, bounds.tiny, -bounds.tiny,
               bounds.tiny / 2, bounds.smallest_subnormal, -bounds.smallest_subnormal]  # fmt: skip
    return as_bits(np.array(numbers, wide), dtype)


def as_bits(numbers: np.ndarray, dtype: str) -> np.ndarray:
    return (numbers.view(np.uint32) >> 16).astype(np.uint16) if dtype == "bfloat16" else numbers


def data(dtype: str, count: int, draw: str, random: np.random.Generator, below: int) -> np.ndarray:
    """Random numbers; in the draw "special" one in 50 is a special one, in "many specials" every second."""
    if below:
        return random.integers(0, below, count).astype(dtype)
    if dtype == "bool":
        return random.integers(0, 2, count).astype(bool)
    if dtype in ("bfloat16", "float16", "float32"):
        wide = "float32" if dtype == "bfloat16" else dtype
        numbers = as_bits(random.normal(size=count).astype(wide), dtype)
    else:
        numbers = random.integers(0, 256, count * np.dtype(dtype).itemsize, np.uint8).view(dtype)
    if draw == "random":
        return numbers
    is_special = random.random(count) < (0.02 if draw == "special" else 0.5)
    return np.where(is_special, random.choice(specials(dtype), count), numbers)


def value(argument: Mapping[str, Any], call: Call, draw: str, random: np.random.Generator) -> Any:
    """What is bound to an argument: an array, or the words for memory that nobody has written."""
    name, dtype = argument["name"], dtype_of(argument["element_type"])
    if name in call.numbers:
        given = call.numbers[name]
        if isinstance(given, dict):
            fields = {one["name"]: given.get(one["name"], 0) for one in argument["fields"]}
            return struct_bytes(name, argument["element_size"], argument["fields"], fields)
        return np.atleast_1d(np.array(given, dtype))
    if argument["is_written"]:
        return f"unset:{call.elements}:{'uint16' if dtype == 'bfloat16' else dtype}"
    array = data(dtype, call.elements, draw, random, call.small.get(name, 0))
    return np.sort(array) if name in call.is_sorted else array


def draws_of(family: Family) -> Tuple[str, ...]:
    by_element = family.name.startswith(("unary", "binary", "select", "copy", "arange"))
    return ("random", "many specials") if by_element else ("random", "special")


def script_of(arguments: List[Dict[str, Any]], call: Call, kernel: str, draws: Tuple[str, ...], folder: Path) -> Dict[str, Any]:
    """A script that runs the kernel once for each draw; its arrays are files in the folder."""
    random = np.random.default_rng(sum(map(ord, kernel)))
    arrays: Dict[str, str] = {}
    passes, outputs = [], {}
    for n, draw in enumerate(draws):
        buffers = []
        for argument in arguments:
            name = f"{argument['name']}_{n}"
            bound = value(argument, call, draw, random)
            if isinstance(bound, np.ndarray):
                np.save(folder / f"{name}.npy", bound)
                bound = str(folder / f"{name}.npy")
            else:
                outputs[name] = f"out_{name}.npy"
            arrays[name] = bound
            buffers.append({"index": argument["index"], "array": name})
        extents = {"groups": list(call.groups)} if call.groups else {"grid": list(call.grid)}
        passes.append({"function": kernel, **extents, "group": list(call.group), "buffers": buffers})
    return {"arrays": arrays, "passes": passes, "outputs": outputs}


def on_road(script: Mapping[str, Any], road: Mapping[str, Any], constants: Mapping[int, Any]) -> Dict[str, Any]:
    """The script on one of the roads, with the function constants that this declares."""
    words = [{"index": index, "value": constant} for index, constant in constants.items()]
    return {**script, **road, "passes": [{**one, "constants": words} for one in script["passes"]]}


def outcome_of(script: Mapping[str, Any], road: Mapping[str, Any], constants: Mapping[int, Any]) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "script.json").write_text(json.dumps(on_road(script, road, constants)))
        ended = run_program("metal", "run", "script.json", "--device", "emulated", "--json", "said.json", folder=folder)
        if not (Path(folder) / "said.json").is_file():
            return Outcome(error=(ended.stderr or ended.stdout).strip())
        said = json.loads((Path(folder) / "said.json").read_text())
        outcome = Outcome(error=said["error"] or "", findings={one["check"] for one in said["reports"]})
        if not outcome.error:
            outcome.arrays = {name: np.load(Path(folder) / file) for name, file in script["outputs"].items()}
        return outcome


def spent(script: Mapping[str, Any], road: Mapping[str, Any], constants: Mapping[int, Any]) -> Tuple[float, float]:
    """Seconds of processor time, and MiB of memory at the most, of a run of the program."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "script.json").write_text(json.dumps(on_road({**script, "outputs": {}}, road, constants)))
        command = [program(), "metal", "run", "script.json", "--device", "emulated"]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise RuntimeError(f"{script['passes'][0]['function']}: exit status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
