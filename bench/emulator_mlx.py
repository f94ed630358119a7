"""What MLX's kernels cost on the emulator: their first compilation, and checked runs of large arrays.

    python3 bench/emulator_mlx.py PROGRAM MLX [--runs 3]

PROGRAM is build/release/validation/assay, MLX a checkout. Each figure is the median of some runs, in seconds: of the wall,
and of the processor (user and system, clang included). Compilations begin with an empty cache, and with one that holds
Metal's library. "start and fill" is a run of one thread with 64 MiB of random numbers and 64 MiB of unwritten memory.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import struct
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Callable, List, Tuple

KERNELS = Path("mlx/backend/metal/kernels")
COPY = """#include <metal_stdlib>
kernel void copy(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  y[i] = x[i];
}
"""
GEMM = "steel_gemm_fused_nn_float32_float32_bm64_bn64_bk16_wm2_wn2"
FFT_CONSTANTS = {1: "1", 2: "8", 3: "1024", 6: "3", 12: "1"}  # by index; the others are 0


def buffers(*words: str) -> List[str]:
    return [part for index, word in enumerate(words) for part in ("--buffer", f"{index}={word}")]


def softmax(kernel: str) -> List[str]:
    return ["--kernel", kernel, *buffers("random:4096x4096", "unset:4096x4096", "4096"), "--grid", "4194304", "--group", "1024"]


def gemm(folder: Path, n: int) -> List[str]:
    params = struct.pack("<8i3q3i4x", n, n, n, n, n, n, n // 64, n // 64, 0, 0, 0, 0, n // 16, 1)
    (folder / "params").write_bytes(params)
    constants = {10: "false", 100: "false", 110: "false", 200: "true", 201: "true", 202: "true"}
    words = ["--buffer", f"0=random:{n}x{n}", "--buffer", f"1=random:{n}x{n}", "--buffer", f"3=unset:{n}x{n}",
             "--buffer", f"4=file:{folder / 'params'}"]  # fmt: skip
    for index, value in constants.items():
        words += ["--constant", f"{index}={value}"]
    return ["--kernel", GEMM, *words, "--grid", f"{n // 64 * 32},{n // 64 * 2},2", "--group", "32,2,2"]


def fft_step(mlx: Path, step: int) -> List[str]:
    """One of the two steps of 1024 points in which MLX computes 2^20."""
    words = [str(mlx / KERNELS / "fft.metal"), "-I", str(mlx), "--kernel", f"four_step_mem_4096_float2_float2_{step}_false",
             *buffers("random:1048576", "unset:1048576", "1024", "1024", "1024"),
             "--grid", "256,4,128", "--group", "1,4,128"]  # fmt: skip
    for index in range(23):
        words += ["--constant", f"{index}={FFT_CONSTANTS.get(index, '0')}"]
    return words


def seconds(command: List[str], cache: Path) -> Tuple[float, float]:
    """Of the wall and of the processor."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "XDG_CACHE_HOME": str(cache)})
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show(name: str, runs: int, one: Callable[[], Tuple[float, float]]) -> None:
    wall, processor = zip(*(one() for _ in range(runs)))
    print(f"{name:<34} {statistics.median(wall):6.2f} {statistics.median(processor):6.2f}", flush=True)


def first(command: List[str], cache: Path, before: List[str]) -> Tuple[float, float]:
    """With nothing in the cache but what `before` leaves there."""
    shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir()
    if before:
        seconds(before, cache)
    return seconds(command, cache)


def compilations(check: List[str], mlx: Path, runs: int, folder: Path, copy: Path) -> None:
    kernels = [
        ("softmax.metal", "block_softmax_float32"),
        ("steel/gemm/kernels/steel_gemm_fused.metal", GEMM),
        ("fft.metal", "fft_mem_1024_float2_float2"),
    ]
    for file, kernel in kernels:
        command = [*check, str(mlx / KERNELS / file), "-I", str(mlx), "--kernel", kernel]

        library = [*check, str(copy), "--kernel", "copy"]
        show(f"compile {kernel[:20]}", runs, partial(first, command, folder / "cache", library))
        show("  with an empty cache", runs, partial(first, command, folder / "cache", []))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("mlx", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    check, mlx = [str(given.program), "metal", "check"], given.mlx.resolve()
    print(f"{'':<34} {'wall':>6} {'processor':>6}   load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (copy := folder / "copy.metal").write_text(COPY, encoding="utf-8")
        compilations(check, mlx, given.runs, folder, copy)
        one = ["--grid", "1", "--group", "1"]
        softmax_file = str(mlx / KERNELS / "softmax.metal")
        gemm_file = str(mlx / KERNELS / "steel/gemm/kernels/steel_gemm_fused.metal")
        commands = {
            "start": [str(copy), *buffers("random:4", "unset:4"), *one],
            "start and fill": [str(copy), *buffers("random:4096x4096", "unset:4096x4096"), *one],
            "softmax 4096 x 4096": [softmax_file, "-I", str(mlx), *softmax("block_softmax_float32")],
            "looped softmax 4096 x 4096": [softmax_file, "-I", str(mlx), *softmax("looped_softmax_float32")],
            "steel gemm 1024^3": [gemm_file, "-I", str(mlx), *gemm(folder, 1024)],
            "FFT 2^20, the first step": fft_step(mlx, 0),
            "FFT 2^20, the second step": fft_step(mlx, 1),
        }
        for title, words in commands.items():
            seconds([*check, *words], folder / "cache")  # compiles it
            show(title, given.runs, partial(seconds, [*check, *words], folder / "cache"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
