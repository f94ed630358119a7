#!/usr/bin/python3
"""The kernels of assay.jax under jit beside assay.numpy and jax.numpy: time.

    VENV/bin/python build/release/bench/bench_jax       with the JAX of an environment of the same version of Python

Each row is one run in which all take turns: medians of the second of two calls in a row, on the clock. The losses are
computed from logits, with their gradients.
"""

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "validation/python"))

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import assay.jax  # noqa: E402
import assay.numpy  # noqa: E402

RANDOM = np.random.default_rng(1)


def normal(*shape):
    return jnp.asarray(RANDOM.standard_normal(shape, np.float32))


def ctc(T, N, C):
    x, lengths = normal(T, N, C), RANDOM.integers(1, T // 3, N)
    batch = (RANDOM.integers(1, C, (N, lengths.max())), np.full(N, T), lengths)

    def kernel(x):
        return assay.numpy.ctc_loss(x, *batch, logits=True)

    loss = jax.value_and_grad(lambda x: assay.jax.ctc_loss(x, *batch, logits=True))
    return {"assay.jax": (loss, x)}, kernel, (x,)


def cross_entropy(N, H, V):
    arrays, targets = (normal(N, H), normal(V, H) * H**-0.5), RANDOM.integers(0, V, N)

    def kernel(hidden, weight):
        return assay.numpy.linear_cross_entropy(hidden, weight, targets)

    def of_numpy(hidden, weight):
        return -jax.nn.log_softmax(hidden @ weight.T)[np.arange(N), targets].mean()

    loss = jax.value_and_grad(lambda *given: assay.jax.linear_cross_entropy(*given, targets), argnums=(0, 1))
    calls = {
        "assay.jax": (loss, *arrays),
        "jax.numpy": (jax.value_and_grad(of_numpy, argnums=(0, 1)), *arrays),
    }
    return calls, kernel, arrays


def svd(B, M, N):
    A = normal(B, M, N)
    calls = {
        "assay.jax": (lambda A: tuple(assay.jax.svd(A)), A),
        "assay.jax, vmap": (jax.vmap(lambda A: tuple(assay.jax.svd(A))), A),
        "jax.numpy": (lambda A: jnp.linalg.svd(A, full_matrices=False), A),
    }
    return calls, assay.numpy.svd, (A,)


ROWS = [
    (ctc, (50, 4, 28), 51), (ctc, (150, 64, 28), 25), (ctc, (150, 64, 5000), 5), (cross_entropy, (64, 64, 1000), 51),
    (cross_entropy, (1024, 512, 32000), 3), (svd, (4096, 8, 8), 11), (svd, (64, 64, 64), 5),
]  # fmt: skip


def medians(calls, repetitions):
    """Milliseconds by name."""
    times = {name: [] for name in calls}
    for _ in range(repetitions):
        for name, call in calls.items():
            call()
            start = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - start)
    return {name: 1e3 * statistics.median(one) for name, one in times.items()}


def waiting(function, *arguments):
    compiled = jax.jit(function)
    return lambda: jax.block_until_ready(compiled(*arguments))


def main():
    print(f"JAX {jax.__version__}; milliseconds")
    for operation, sizes, repetitions in ROWS:
        jitted, kernel, arrays = operation(*sizes)
        arrays = [np.asarray(one) for one in arrays]
        calls = {name: waiting(*call) for name, call in jitted.items()}
        ms = medians({**calls, "assay.numpy": lambda: kernel(*arrays)}, repetitions)
        row = "; ".join(f"{name} {one:.3g}" for name, one in ms.items())
        print(f"{operation.__name__} {' '.join(map(str, sizes))}: {row}", flush=True)


if __name__ == "__main__":
    main()
