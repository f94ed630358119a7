#!/usr/bin/python3
"""The kernels of assay.torch beside PyTorch's own functions, and beside the C++ call that they make: time and memory.

    ./assay bench python                       with the PyTorch of /usr/bin/python3
    VENV/bin/python build/release/bench/bench_python       with another one; `--threads 2`, `--device cuda`

Each row is one run in which all take turns: medians of the second of two calls in a row, of processor time on one thread,
else of time on the clock. Memory is the peak beyond inputs and gradients, of a process of its own. Then two models are
trained with both (notebooks/training/train.py). On a GPU: times on the clock, until the GPU has finished.
"""

import argparse
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "validation/python"))

import numpy as np  # noqa: E402
import torch  # noqa: E402

import assay  # noqa: E402
import train  # noqa: E402
from assay import _kernels  # noqa: E402
from assay._options import DEFAULTS, CceOptions, CtcOptions  # noqa: E402

F = torch.nn.functional


DEVICE = "cpu"


def finished():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def medians(calls, repetitions, clock):
    """Milliseconds by name. In random order, since a call after PyTorch is slower."""
    times, turns = {name: [] for name in calls}, random.Random(1)
    for _ in range(repetitions):
        for name, call in turns.sample(list(calls.items()), len(calls)):
            call()
            finished()
            start = clock()
            call()
            finished()
            times[name].append(clock() - start)
    return {name: 1e3 * statistics.median(one) for name, one in times.items()}


def ctc(T, N, C, threads):
    """The batches of `./assay bench ctc`: numbers of labels uniform in 1..T and feasible."""
    random = np.random.default_rng(1)
    lengths = random.integers(1, T + 1, N)
    rows = [random.integers(1, C, n) for n in lengths]
    for b, row in enumerate(rows):
        while len(rows[b]) + np.count_nonzero(np.diff(rows[b]) == 0) > T:
            rows[b] = rows[b][:-1]
    targets = np.concatenate(rows)
    batch = (targets, np.full(N, T), np.array([len(row) for row in rows]))
    integers = [torch.from_numpy(one) for one in batch]
    x = torch.from_numpy(random.standard_normal((T, N, C)).astype(np.float32)).to(DEVICE).requires_grad_()

    def backward(loss_of):
        x.grad = None
        loss_of().backward()

    def direct():
        loss, gradient = np.empty((), np.float32), np.empty((T, N, C), np.float32)
        none, options = np.empty(0, np.float32), {**DEFAULTS[CtcOptions], "logits": True}
        _kernels.ctc_loss(x.detach().numpy(), "float32", *batch, none, options, loss, gradient, threads)
        return loss, gradient

    class Least(torch.autograd.Function):
        """The C++ call and nothing else: what PyTorch's autograd takes."""

        @staticmethod
        def forward(ctx, x):
            loss, ctx.gradient = direct()
            return torch.from_numpy(loss)

        @staticmethod
        def backward(ctx, upstream):
            return torch.from_numpy(ctx.gradient)

    return {
        "C++": direct,
        "assay": lambda: backward(lambda: assay.torch.ctc_loss(x, *integers, logits=True)),
        "C++ in autograd": lambda: backward(lambda: Least.apply(x)),
        "assay, log_probs": lambda: backward(lambda: assay.torch.ctc_loss(x.log_softmax(-1), *integers)),
        "PyTorch": lambda: backward(lambda: F.ctc_loss(x.log_softmax(-1), *integers)),
    }


def cross_entropy(N, H, V, threads):
    torch.manual_seed(1)
    hidden, weight = (torch.randn(rows, H, device=DEVICE) for rows in (N, V))
    hidden, weight = hidden.requires_grad_(), (weight * H**-0.5).requires_grad_()
    targets = torch.randint(V, (N,), device=DEVICE)

    def backward(loss_of):
        hidden.grad = weight.grad = None
        loss_of().backward()

    def direct():
        arrays = [one.detach().numpy() for one in (hidden, weight)]
        none = np.empty(0, np.float32)
        call = _kernels.CceCall(*arrays, none, targets.numpy(), none, "float32", DEFAULTS[CceOptions])
        call.loss(np.empty((), np.float32), *(np.empty_like(one) for one in arrays), none, threads)

    calls = {
        "C++": direct,
        "assay": lambda: backward(lambda: assay.torch.linear_cross_entropy(hidden, weight, targets)),
        "PyTorch": lambda: backward(lambda: F.cross_entropy(hidden @ weight.T, targets)),
    }
    if hasattr(F, "linear_cross_entropy"):
        options = torch.nn.LinearCrossEntropyOptions()
        calls["chunked"] = lambda: backward(lambda: F.linear_cross_entropy(hidden, weight, targets, options=options))
    return calls


def svd(B, M, N, threads):
    A = torch.randn(B, M, N, generator=torch.Generator().manual_seed(1)).to(DEVICE)
    K = min(M, N)

    def direct():
        factors = (np.empty(shape, np.float32) for shape in ((B, M, K), (B, K), (B, K, N)))
        _kernels.svd(A.numpy(), "float32", *factors, threads)

    return {
        "C++": direct,
        "assay": lambda: assay.torch.svd(A),
        "PyTorch": lambda: torch.linalg.svd(A, full_matrices=False),
    }


OPERATIONS = {"ctc": ctc, "cross_entropy": cross_entropy, "svd": svd}
ROWS = {
    "cpu": ["ctc 150 64 28", "ctc 150 64 5000", "cross_entropy 1024 512 32000", "svd 4096 8 8", "svd 64 64 64"],
    "cuda": [
        "ctc 150 1 28", "ctc 150 64 28", "ctc 150 256 28", "ctc 150 64 5000", "cross_entropy 4096 2048 32000",
        "svd 4096 8 8", "svd 4096 32 32",
    ],
}  # fmt: skip


def calls_of(row, threads):
    operation, *sizes = row.split()
    calls = OPERATIONS[operation](*(int(size) for size in sizes), threads)
    if DEVICE == "cuda":
        calls = {name: call for name, call in calls.items() if not name.startswith("C++")}
    return calls


def memory(name):
    """Bytes: VmRSS now, or VmHWM at its peak. (getrusage would count the process that started this one.)"""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name))


def peak(row, name, threads):
    """MiB by which memory grows at the most while linear cross-entropy is computed, beyond its gradients."""
    N, H, V = (int(size) for size in row.split()[1:])
    if DEVICE == "cuda":
        call = calls_of(row, threads)[name]
        free, _ = torch.cuda.mem_get_info()
        call()
        finished()
        return (free - torch.cuda.mem_get_info()[0]) / 2**20 - 4 * H * (N + V) / 2**20
    call, small = calls_of(row, threads)[name], cross_entropy(2, 2, 2, threads)[name]
    small()  # libraries are loaded
    before = memory("VmRSS")
    call()
    call()
    return (memory("VmHWM") - before) / 2**20 - 4 * H * (N + V) / 2**20


def main():
    parser = argparse.ArgumentParser(prog="assay bench python", description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=11)
    parser.add_argument("--peak", nargs=2, metavar=("ROW", "NAME"), help=argparse.SUPPRESS)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    given = parser.parse_args()
    global DEVICE
    DEVICE = given.device
    torch.set_num_threads(given.threads)
    if given.peak:
        return print(peak(*given.peak, given.threads))
    clock = time.process_time if given.threads == 1 and DEVICE == "cpu" else time.perf_counter
    where = torch.cuda.get_device_name() if DEVICE == "cuda" else f"{given.threads} threads"
    print(f"PyTorch {torch.__version__}, NumPy {np.__version__}, {where}; milliseconds")
    print("| batch | assay | x C++ | PyTorch | faster | others, MiB beside inputs and gradients |\n|---|---|---|---|---|---|")
    for row in ROWS[DEVICE]:
        ms = medians(calls_of(row, given.threads), given.repetitions, clock)
        others = [f"{name} {one:.3g} ms" for name, one in ms.items() if name not in ("C++", "assay", "PyTorch")]
        if row.startswith("cross_entropy"):
            names = [name for name in ms if name != "C++"]
            command = [sys.executable, __file__, "--threads", str(given.threads), "--device", DEVICE, "--peak", row]
            peaks = [float(subprocess.run([*command, name], check=True, capture_output=True).stdout) for name in names]
            others += [f"{name} {one:.0f} MiB" for name, one in zip(names, peaks)]
        assay_ms, peer = ms["assay"], ms["PyTorch"]
        over_cpp = f"{assay_ms / ms['C++']:.2f}" if "C++" in ms else ""
        ratios = f"{over_cpp} | {peer:.3g} | {peer / assay_ms:.2f}"
        print(f"| {row} | {assay_ms:.3g} | {ratios} | {'; '.join(others)} |", flush=True)
    for task, steps in (("recogniser", 100), ("language", 20)) if DEVICE == "cpu" else ():
        print(flush=True)
        train.compare(task, steps, given.threads)


if __name__ == "__main__":
    main()
