#!/usr/bin/env python3
"""Custom kernels of MLX's users, unchanged, through assay.metal.mlx.metal_kernel: mlx_custom_kernels.py FOLDER

FOLDER holds checkouts: mlx (its own tests of custom kernels), mlx-lm, mlx-vlm and mlx-examples, whose kernels are compared with
what their authors wrote beside them in MLX's operations, or with NumPy. A case that says that its kernel is at fault has to be
found so. Needs MLX 0.32 or later for Linux, `pip install mlx[cpu]`,
and the package `assay` on the path. Exit status 1 if something is refused, found or wrong.
"""

import importlib
import pathlib
import sys
import types
import unittest
import warnings

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from assay import metal

CASES = []


def pretend_there_is_a_gpu():
    """Authors ask whether there is one. `with mx.stream(mx.cpu)` still means MLX's own operations."""
    streams, real = [mx.gpu], mx.stream

    class Stream:
        def __init__(self, of):
            self.of, self.real = of, real(mx.cpu)

        def __enter__(self):
            streams.append(self.of)
            return self.real.__enter__()

        def __exit__(self, *problem):
            streams.pop()
            return self.real.__exit__(*problem)

    mx.fast.metal_kernel = metal.mlx.metal_kernel
    mx.metal.is_available = lambda: True
    mx.is_available = lambda device: True
    mx.default_device = lambda: streams[-1]
    mx.stream = Stream
    mx.set_default_device = lambda device: None  # MLX has no other here


def module(folder, name):
    """A module of a package whose __init__ is not run: it would import tokenizers and the like."""
    parts = name.split(".")
    for n in range(1, len(parts)):
        package = ".".join(parts[:n])
        if package not in sys.modules:
            sys.modules[package] = types.ModuleType(package)
            sys.modules[package].__path__ = [str(folder.joinpath(*parts[:n]))]
    return importlib.import_module(name)


def case(name, fault=""):
    """The function below is a case. `fault`: the check that has to find something in the kernel."""

    def add(run):
        CASES.append((name, fault, run))
        return run

    return add


def close(got, expected, within):
    """All elements of both, of which each may have several."""
    for one, other in zip(got, expected):
        error = np.abs(np.array(one.astype(mx.float32)) - np.array(other.astype(mx.float32)))
        if one.shape != other.shape or not np.all(error <= within):
            raise AssertionError(f"shapes {one.shape} and {other.shape}, largest error {error.max():.3g}: expected {within:.3g}")


def normal(*shape, scale=1.0):
    return mx.random.normal(shape) * scale


def recurrent(folder, vectorized, masked):
    delta = module(folder / "mlx-lm", "mlx_lm.models.gated_delta")
    b, t, hk, hv, d = 2, 3, 2, 4, 32
    q, k, v = normal(b, t, hk, d, scale=0.2), normal(b, t, hk, d, scale=0.2), normal(b, t, hv, d)
    g, beta = mx.random.uniform(shape=(b, t, hv, d) if vectorized else (b, t, hv)), mx.random.uniform(shape=(b, t, hv))
    state = normal(b, hv, d, d)
    mask = mx.array([[True, True, False], [True, False, True]]) if masked else None
    got, expected = (f(q, k, v, g, beta, state, mask) for f in (delta.gated_delta_kernel, delta.gated_delta_ops))
    if masked:  # where it is masked the kernel writes 0, and the operations what nobody reads
        expected = (mx.where(mask[..., None, None], expected[0], 0), expected[1])
    close(got, expected, 1e-5)


for vectorized in (False, True):
    for masked in (False, True):
        case(f"mlx-lm gated_delta_step{'_vec' * vectorized}{'_mask' * masked}")(
            lambda folder, v=vectorized, m=masked: recurrent(folder, v, m)
        )


def state_space(folder, project, package):
    ssm = module(folder / project, f"{package}.models.ssm")
    n, h, groups, d, size = 2, 4, 2, 8, 64
    x, b, c = normal(n, 1, h, d), normal(n, 1, groups, size), normal(n, 1, groups, size)
    rates, skip, dt, bias = (normal(*shape) for shape in ((h,), (h,), (n, 1, h), (h,)))
    given, limits = (x, rates, b, c, skip, dt, bias), (0.001, 100.0)
    got = ssm.ssm_update_kernel(*given, mx.zeros((n, h, d, size)), limits)
    close(got, ssm.ssm_attn(*given, None, limits), 1e-4)


case("mlx-lm ssm_kernel")(lambda folder: state_space(folder, "mlx-lm", "mlx_lm"))
case("mlx-vlm ssm_kernel")(lambda folder: state_space(folder, "mlx-vlm", "mlx_vlm"))


@case("mlx-lm wkv7_kernel")
def rwkv(folder):
    text = (folder / "mlx-lm/mlx_lm/models/rwkv7.py").read_text()
    scope = {"mx": mx, "nn": nn}
    begin, end = text.index("def _make_wkv7_kernel"), text.index("class LayerNormPerHead")
    exec(compile("from typing import *\nfrom functools import partial\n" + text[begin:end], "rwkv7.py", "exec"), scope)
    b, t, h, d = 2, 3, 2, 64
    r, w, k, v, a, bb = (normal(b, t, h, d, scale=0.3) for _ in range(6))
    state = normal(b, h, d, d)
    after, y = np.array(state), np.zeros((b, t, h, d), np.float32)
    R, W, K, V, A, B = (np.array(x) for x in (r, w, k, v, a, bb))
    for n in range(t):
        sa = np.einsum("bhij,bhj->bhi", after, A[:, n])
        after = after * W[:, n, :, None] + V[:, n, :, :, None] * K[:, n, :, None] + sa[..., None] * B[:, n, :, None]
        y[:, n] = np.einsum("bhij,bhj->bhi", after, R[:, n])
    close(scope["wkv7_kernel"](r, w, k, v, a, bb, state), (mx.array(y), mx.array(after)), 1e-4)


@case("mlx-lm bitlinear_matmul")
def ternary(folder):
    layers = module(folder / "mlx-lm", "mlx_lm.models.bitlinear_layers")
    weights = np.random.default_rng(1).integers(-1, 2, (16, 128))
    layer = layers.BitLinear(128, 16, bias=False)
    packed = sum((weights[4 * n : 4 * n + 4] + 1) << 2 * n for n in range(4))
    layer.weight = mx.array(packed.astype(np.uint8))
    x = normal(3, 128)
    close([layer(x)], [x @ mx.array(weights.T.astype(np.float32))], 1e-4)


@case("mlx-examples lstm")
def lstm(folder):
    text = (folder / "mlx-examples/encodec/encodec.py").read_text()
    scope = {"mx": mx}
    begin, end = text.index("_lstm_kernel ="), text.index("class LSTM")
    exec(compile(text[begin:end], "encodec.py", "exec"), scope)
    x, h_in, cell = normal(1, 3, 32), normal(1, 32), normal(1, 8)
    i, f, g, o = mx.split(h_in + x[:, 1], 4, axis=-1)
    new = mx.sigmoid(f) * cell + mx.sigmoid(i) * mx.tanh(g)
    close(scope["lstm_custom"](x, h_in, cell, 1), (mx.sigmoid(o) * mx.tanh(new), new), 1e-6)


def resized(folder, name, *arguments, **more):
    kernels = module(folder / "mlx-vlm", "mlx_vlm.models.kernels")
    got = getattr(kernels, name)(*arguments, **more)
    kernels._HAS_METAL = False
    expected = getattr(kernels, name)(*arguments, **more)
    kernels._HAS_METAL = True
    close([got], [expected], 1e-4)


case("mlx-vlm nearest")(lambda folder: resized(folder, "nearest_interpolate", normal(1, 2, 5, 7), size=(8, 9)))
case("mlx-vlm bicubic")(lambda folder: resized(folder, "bicubic_interpolate", normal(1, 2, 5, 7), size=(8, 9)))


def sampled_up_to(most):
    return lambda folder: resized(folder, "grid_sample", normal(1, 5, 7, 2), mx.random.uniform(-most, most, (1, 4, 3, 2)))


case("mlx-vlm grid_sample")(sampled_up_to(0.7))
case("mlx-vlm grid_sample at the edge", fault="memcheck")(sampled_up_to(1))  # reads outside of x what it then leaves out


def divergence(folder, name):
    """Its simdgroups use `shared` again without a barrier in between, and once with one of mem_none."""
    loss = getattr(module(folder / "mlx-lm", "mlx_lm.tuner.losses"), name)
    loss(normal(1, 2, 4000), normal(1, 2, 4000))


case("mlx-lm kl_div_loss", fault="racecheck")(lambda folder: divergence(folder, "kl_div_loss"))
case("mlx-lm js_div_loss", fault="racecheck")(lambda folder: divergence(folder, "js_div_loss"))


@case("mlx-vlm llguidance_mask")
def masked_logits(folder):
    structured = module(folder / "mlx-vlm", "mlx_vlm.structured")
    logits, words = normal(2, 70), mx.array([[-1, 5, 2], [0, -1, 1]], dtype=mx.int32)
    bits = np.unpackbits(np.array(words).view(np.uint8), axis=1, bitorder="little")[:, :70].astype(bool)
    got = np.array(structured._apply_llguidance_mask(logits, words))
    if not np.array_equal(got, np.where(bits, np.array(logits), -np.inf)):
        raise AssertionError("other logits are left")


def own_tests(path, chosen):
    """Whether all tests of a file whose names contain a word are run and pass."""
    sys.path.insert(0, str(path.parent))
    suite = unittest.TestSuite(
        one for many in unittest.defaultTestLoader.loadTestsFromName(path.stem) for one in many if chosen in one.id()
    )
    result = unittest.TextTestRunner(verbosity=0, stream=sys.stdout).run(suite)
    bad = len(result.failures) + len(result.errors) + len(result.skipped)
    print(f"MLX's own tests: {result.testsRun - bad} of {result.testsRun}", flush=True)
    return result.testsRun > 0 and bad == 0


def verdict(run, fault, folder):
    try:
        run(folder)
    except metal.CheckError as error:
        return {one.check for one in error.reports} == {fault}, f"{'its own fault' if fault else 'FOUND'}: {error.reports[0]}"
    except Exception as error:  # refused, or wrong
        return False, f"{type(error).__name__}: {str(error)[:300]}"
    return not fault, "right" if not fault else f"expected {fault}"


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    warnings.simplefilter("ignore", metal.MetalWarning)
    pretend_there_is_a_gpu()
    mx.random.seed(1)
    good = own_tests(folder / "mlx/python/tests/test_fast.py", "custom")
    for name, fault, run in CASES:
        is_good, text = verdict(run, fault, folder)
        good &= is_good
        print(f"{name}: {text}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
