#!/usr/bin/env python3
"""Two compilers compared: kernels of MLX from their published sources, and as Apple's compiler has compiled them.

    python tests/field/compilers.py compare [--sources FOLDER] [--wheels FOLDER] [--share 1] [--filter REGEX] [--jobs 2]
    python tests/field/compilers.py compare --plant contraction --filter '^gemv_float32'     # must find differences
    python tests/field/compilers.py cost

`compare` runs both on the emulator, every access checked, on the same random numbers and on the same numbers with NaN,
infinities, zeros, subnormal and extreme ones among them, and compares what they write bit for bit. `cost` measures what a
checked run of a compiled kernel takes beside one from source. The wheel of MLX 0.32.4 for macOS is fetched from PyPI into
--wheels unless it is there: it has the library and the headers of the kernels. The .metal files that instantiate them are
taken from --sources, a checkout of MLX, or cloned. Nothing of MLX is stored in the repository. Exit status: 0 if each
difference has a name in CAUSES, 1 if not (with --plant: 0 if there are differences), 77 if wheel or sources cannot be had.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np

from apple_libraries import fetched, names_of
from assay._program import run_program
from mlx_calls import Call, gemm, rows
from mlx_families import FAMILIES, Family, chosen, instances
from mlx_roads import (
    KERNELS, METAL_VERSION, Outcome, draws_of, dtype_of, outcome_of, plant_contraction, published, said_of, script_of, spent,
)  # fmt: skip


@dataclass
class Comparison:
    family: str
    kernel: str
    outcome: str  # "equal", a cause, or what went wrong
    detail: str = ""


def float_of(array: np.ndarray, dtype: str) -> np.ndarray:
    return (array.astype(np.uint32) << 16).view(np.float32) if dtype == "bfloat16" else array


def difference(source: Outcome, compiled: Outcome, dtypes: Mapping[str, str]) -> Tuple[str, str]:
    """ "equal", the kind of the difference and its first place, or why there is nothing to compare."""
    if source.error or compiled.error:
        return "not run", source.error or compiled.error
    if source.findings != compiled.findings:
        return "other findings", f"source: {sorted(source.findings)}, compiled: {sorted(compiled.findings)}"
    worst: Tuple[str, str] = ("equal", "")
    written = 0
    for name, array in source.arrays.items():
        other = compiled.arrays[name]
        bits = array.view(f"u{array.dtype.itemsize}"), other.view(f"u{array.dtype.itemsize}")
        written += int((array.view(np.uint8) != 255).sum())
        differ = bits[0] != bits[1]
        if not differ.any():
            continue
        numbers = float_of(array, dtypes[name])[differ], float_of(other, dtypes[name])[differ]
        first = int(np.flatnonzero(differ)[0])
        text = f"{name}[{first}]: {int(differ.sum())} of {array.size}: {numbers[0][0]!r}, compiled {numbers[1][0]!r}"
        if all(one.dtype.kind == "f" and np.isnan(one).all() for one in numbers):
            worst = worst if worst[0] == "differs" else ("bits of a NaN", text)
        else:
            worst = ("differs", text)
    return worst if written else ("nothing written", "")


# What is known of kernels whose results differ: a pattern of their names, the kind of the difference, and its cause.
CAUSES: List[Tuple[str, str, str]] = [
    # Metal does not say which NaN comes out of two; processors keep that of the first operand, and optimisers may swap them.
    ("", "bits of a NaN", "bits of a NaN"),
    # bool / bool by zero is undefined, and Apple's optimiser makes a constant of it; in the source it is found.
    (r"(Divide|Remainder|DivMod)bool_", "other findings", "undefined division removed"),
    # Its products move by 4 i elements in the i-th step, where 4 are meant, and end behind a thread's own array; MLX's host
    # calls none of these kernels.
    (r"qmv_quad_\w+_b_(6_d_|[35]_d_128)", "differs", "reads behind a private array"),
    # MLX 0.32.4 lets NaN win. Its .metal files came from commit 846d17622 of 0.32.2, which does not; headers are in the wheel.
    ("^arg(min|max)_b?float", "differs", "source older than the library"),
    # The least element of no unsigned numbers has the bits of memory that nobody has written.
    (r"init_reduce_min(uint|bool_)", "nothing written", "equal"),
]


def cause_of(kernel: str, outcome: str) -> str:
    return next((cause for pattern, kind, cause in CAUSES if kind == outcome and re.search(pattern, kernel)), outcome)


@dataclass
class Prepared:
    script: Dict[str, Any]
    roads: List[Tuple[Dict[str, Any], Dict[int, Any]]]  # from source and compiled, each with its function constants
    dtypes: Dict[str, str]  # of what is written


class Comparer:
    def __init__(self, library: Path, folder: Path) -> None:
        self.library, self.folder = library, folder
        self.known: Dict[str, str] = {}

    def listing(self, source: Path) -> str:
        """The names of a source's kernels and function constants, in lines."""
        if str(source) not in self.known:
            self.known[str(source)] = run_program("metal", "list", str(source)).stdout
        return self.known[str(source)]

    def is_published(self, family: Family, kernel: str) -> bool:
        return bool(family.instances) or f"kernel {kernel}\n" in self.listing(self.file(family.source)).replace(" = ", "\n")

    def file(self, source: str) -> Path:
        return self.folder / KERNELS / f"{source}.metal"

    def source_of(self, family: Family, match: "re.Match[str]") -> Path:
        if not family.instances:
            return self.file(family.source)
        file = self.file(f"one_{match.string}")
        file.write_text(instances(family, match))
        return file

    def prepared(self, family: Family, match: "re.Match[str]", folder: Path, call: Call, draws: Tuple[str, ...]) -> "Prepared":
        source = self.source_of(family, match)
        arguments, names = said_of(self.library, match.string)
        absent = {names[index] for index, constant in call.constants.items() if index in names and constant is False}
        taken = [one for one in arguments if one["kind"] == "buffer" and one["condition"] not in absent]
        script = script_of(taken, call, match.string, draws, folder)
        declared = set(map(int, re.findall(r"function_constant\((\d+)\)", self.listing(source))))
        types = {one["name"]: dtype_of(one["element_type"]) for one in taken}
        roads = [
            (road, {index: call.constants[index] for index in call.constants if index in known})
            for road, known in (({"source": str(source), "metal_version": METAL_VERSION}, declared),
                                ({"source": str(self.library)}, set(names)))
        ]  # fmt: skip
        return Prepared(script, roads, {name: types[name.rpartition("_")[0]] for name in script["outputs"]})

    def compare(self, family: Family, match: "re.Match[str]") -> Comparison:
        call = family.call(match, {one["name"]: one["element_size"] for one in said_of(self.library, match.string)[0]})
        with tempfile.TemporaryDirectory() as folder:
            prepared = self.prepared(family, match, Path(folder), call, draws_of(family))
            source, compiled = (outcome_of(prepared.script, *road) for road in prepared.roads)
        outcome, detail = difference(source, compiled, prepared.dtypes)
        return Comparison(family.name, match.string, cause_of(match.string, outcome), detail)


def print_table(comparisons: List[Comparison]) -> None:
    families = list(dict.fromkeys(one.family for one in comparisons))
    print(f"{'family':24}{'compared':>9}{'equal':>7}  others")
    for family in [*families, ""]:
        chosen_ones = [one for one in comparisons if family in ("", one.family)]
        counts = Counter(one.outcome for one in chosen_ones)
        equal = counts.pop("equal", 0)
        others = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
        print(f"{family or 'all':24}{len(chosen_ones):9}{equal:7}  {others}")


def compare(given: argparse.Namespace, comparer: Comparer) -> int:
    pattern = re.compile(given.filter)
    names = [name for name in names_of(str(comparer.library)) if pattern.search(name)]
    kernels = list(chosen(names, given.share, comparer.is_published))
    comparisons: List[Comparison] = []
    with ThreadPoolExecutor(given.jobs) as pool:
        for one in pool.map(lambda pair: comparer.compare(*pair), kernels):
            comparisons.append(one)
            if one.outcome != "equal":
                print(f"{one.kernel}: {one.outcome}: {one.detail}", flush=True)
    print_table(comparisons)
    if given.plant:
        return 0 if any(one.outcome == "differs" for one in comparisons) else 1
    named = {"equal"} | {cause for _, _, cause in CAUSES}
    return 0 if comparisons and all(one.outcome in named for one in comparisons) else 1


def costly_calls() -> Dict[str, Call]:
    """Kernels whose checked runs take about a second, with calls of a hundred times the usual size."""
    product = "steel_gemm_fused_nn_float32_float32_bm64_bn64_bk16_wm2_wn2"
    family = next(one for one in FAMILIES if re.match(one.pattern, product))
    small = gemm(re.match(family.pattern, product), {})  # type: ignore[arg-type]
    params = {**small.numbers["params"], "M": 512, "N": 512, "K": 512, "lda": 512, "ldb": 512, "ldd": 512, "ldc": 512,
              "tiles_n": 8, "tiles_m": 8, "gemm_k_iterations_aligned": 32}  # fmt: skip
    added = {**small.numbers["addmm_params"], "ldc": 512}
    calls = {
        "block_softmax_float32": rows(4096, 4, count=1024),
        "rmsfloat32": rows(4096, 4, count=1024),
        "block_logsumexp_float16": rows(4096, 4, count=1024),
        product: replace(small, numbers={**small.numbers, "params": params, "addmm_params": added}, groups=(8, 8, 1)),
        "vv_Addfloat32": Call({"size": 1 << 22}, grid=(1 << 22,), group=(256,)),
    }
    return {name: replace(call, elements=1 << 22) for name, call in calls.items()}


def cost(comparer: Comparer, runs: int) -> int:
    """Prints what a checked run takes compiled beside from source; fails where a median ratio is above 1.5."""
    worst = 0.0
    print(f"{'kernel':60}{'seconds':>16}{'ratio':>7}{'MiB':>14}{'ratio':>7}")
    for name, call in costly_calls().items():
        family, match = next((one, found) for one in FAMILIES if (found := re.match(one.pattern, name)))
        with tempfile.TemporaryDirectory() as folder:
            prepared = comparer.prepared(family, match, Path(folder), call, ("random",))
            for road in prepared.roads:
                spent(prepared.script, *road)  # compiles it
            taken = [[spent(prepared.script, *road) for road in prepared.roads] for _ in range(runs)]
        (source, memory), (compiled, more) = (np.median([pair[n] for pair in taken], axis=0) for n in (0, 1))
        ratios = statistics.median(pair[1][0] / pair[0][0] for pair in taken), more / memory
        worst = max(worst, *ratios)
        print(f"{name:60}{source:7.2f}, {compiled:7.2f}{ratios[0]:7.2f}{memory:6.0f}, {more:6.0f}{ratios[1]:7.2f}", flush=True)
    return 0 if worst <= 1.5 else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["compare", "cost"])
    parser.add_argument("--wheels", type=Path, default=Path.home() / ".cache/assay-wheels")
    parser.add_argument("--sources", type=Path, help="a checkout of MLX")
    parser.add_argument("--share", type=float, default=1, help="of the thousand kernels that are compared by default")
    parser.add_argument("--filter", default="", help="kernels whose names this regular expression is found in")
    parser.add_argument("--plant", choices=["contraction"], help="differences that must be seen")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--runs", type=int, default=5, help="of each kernel whose cost is measured")
    given = parser.parse_args()
    library = fetched(given.wheels)["mlx-metal"].absolute()
    with tempfile.TemporaryDirectory() as folder:
        comparer = Comparer(library, published(Path(folder), given.wheels, given.sources))
        if given.plant:
            plant_contraction(comparer.folder)
        return compare(given, comparer) if given.what == "compare" else cost(comparer, given.runs)


if __name__ == "__main__":
    sys.exit(main())
