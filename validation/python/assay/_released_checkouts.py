"""Faults of published code that no package has: each file is loaded from a checkout of its repository.

Nothing of the repositories is here. `--checkouts DIR` names a folder that holds them, each under its own name.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import subprocess
import sys
from types import ModuleType
from typing import Any, Callable, Dict

import numpy as np

from ._pipe import Unsupported
from ._released_faults import Fault, softmax

FOLDER = "ASSAY_CHECKOUTS"  # names the folder, for interpreters that are started too

REPOSITORIES = {
    "triton": "https://github.com/triton-lang/triton",
    "applied-ai": "https://github.com/pytorch-labs/applied-ai",
    "tritonbench": "https://github.com/pytorch-labs/tritonbench",
    "reference-kernels": "https://github.com/gpu-mode/reference-kernels",
    "KernelBench": "https://github.com/ScalingIntelligence/KernelBench",
}


def checkout(name: str) -> str:
    """The folder of a repository. Raises ModuleNotFoundError, with what to do, where there is none."""
    folder = os.environ.get(FOLDER, "")
    path = os.path.join(folder, name)
    if not folder or not os.path.isdir(path):
        raise ModuleNotFoundError(f"no checkout: git clone {REPOSITORIES[name]} into the folder of --checkouts")
    return path


def version(name: str) -> str:
    """The repository's name with its commit, where git knows it."""
    path = checkout(name)
    asked = ["git", "-C", path, "rev-parse", "--show-toplevel", "--short=8", "HEAD"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split()
    is_own = len(said) == 2 and os.path.realpath(said[0]) == os.path.realpath(path)
    return f"{name} {said[1]}" if is_own else name


def _file(name: str, path: str) -> ModuleType:
    """A file of a repository as a module; what it imports from beside it is found there."""
    whole = os.path.join(checkout(name), path)
    found = f"assay_checkout_{os.path.splitext(os.path.basename(path))[0]}"
    if found not in sys.modules:
        spec = importlib.util.spec_from_file_location(found, whole)
        if spec is None or spec.loader is None or not os.path.isfile(whole):
            raise ModuleNotFoundError(f"the checkout of {name} has no {path}: expected a version that has")
        module = importlib.util.module_from_spec(spec)
        sys.path.insert(0, os.path.dirname(whole))
        try:
            sys.modules[found] = module
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[found]
            raise
        finally:
            sys.path.remove(os.path.dirname(whole))
    return sys.modules[found]


def _package(name: str, module: str) -> ModuleType:
    """A module of a repository that is a package at its top."""
    path = checkout(name)
    if path not in sys.path:
        sys.path.append(path)
    return importlib.import_module(module)


# The references.


def product(a: Any, b: Any) -> Any:
    return a @ b


def total(x: Any) -> Any:
    return x.sum()


def attention(q: Any, k: Any, v: Any) -> Any:
    import torch

    return torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5, -1) @ v


def causal_attention(q: Any, k: Any, v: Any) -> Any:
    """With a scale of 1."""
    import torch

    later = torch.ones(q.shape[-2], q.shape[-2], dtype=torch.bool, device=q.device).triu(1)
    return torch.softmax((q @ k.transpose(-1, -2)).masked_fill(later, float("-inf")), -1) @ v


# The functions of the repositories.


def applied_ai_softmax(x: Any) -> Any:
    return _file("applied-ai", "kernels/triton/training/fused_softmax/softmax.py").fused_softmax(x)


def tritonbench_softmax(x: Any) -> Any:
    return _package("tritonbench", "tritonbench.operators.softmax.operator").Operator.triton_softmax(None, x)()


def tritonbench_matmul(a: Any, b: Any) -> Any:
    return _package("tritonbench", "tritonbench.operators.gemm.triton_matmul").matmul(a, b)


def tutorial_attention(q: Any, k: Any, v: Any) -> Any:
    """It takes blocks of 128 frames."""
    if q.shape[-2] % 128:
        raise Unsupported("frames that are no multiple of 128")
    return _file("triton", "python/tutorials/06-fused-attention.py").attention(q, k, v, True, 1.0, False)


def gpu_mode_sum(x: Any) -> Any:
    """As its problem calls it: with memory for the result that is not set."""
    import torch

    return _file("reference-kernels", "problems/pmpp_v2/vectorsum_py/submission.py")._custom_kernel((x, torch.empty(1).to(x)))


def kernelbench_attention(q: Any, k: Any, v: Any) -> Any:
    return _file("KernelBench", "src/kernelbench/prompts/few_shot/model_new_ex_flash_attn.py").ModelNew()(q, k, v)


def _low_scores() -> Dict[str, np.ndarray]:
    """Of the first frame one key is visible, with a score of -719104; the others have scores of 0."""
    q, k, v = (np.zeros((1, 1, 128, 64), np.float32) for _ in range(3))
    q[:], k[0, 0, 0], v[0, 0, 0] = 106, -106, 1
    return {"q": q, "k": k, "v": v}


def _of(repository: str) -> Callable[[], str]:
    return lambda: version(repository)


_ON_GPU = {"empty": False, "largest": 1e4}
_HEADS = {"q": "B, H, T, 64", "k": "B, H, T, 64", "v": "B, H, T, 64"}
_VIEW = "a transposed view is read as its transpose"

CHECKOUT_FAULTS = (
    Fault("fused_softmax", "applied-ai", _VIEW, softmax, applied_ai_softmax, {"x": "N, D"}, _ON_GPU, version=_of("applied-ai")),
    Fault("triton_softmax", "tritonbench", _VIEW, softmax, tritonbench_softmax, {"x": "N, D"}, _ON_GPU, version=_of("tritonbench")),
    Fault("matmul in bfloat16", "tritonbench", "it goes through float16: inf for 262144", product, tritonbench_matmul,
          {"a": "M, K", "b": "K, N"}, {**_ON_GPU, "dtype": "bfloat16", "contiguous": True},
          lambda: {"a": np.full((1, 1), 512, np.float32), "b": np.full((1, 1), 512, np.float32)}, version=_of("tritonbench")),
    Fault("attention of the tutorial", "triton", "a mask of -1e6: later keys come through at scores of -720000", causal_attention,
          tutorial_attention, _HEADS, {**_ON_GPU, "dtype": "float16", "contiguous": True}, _low_scores, version=_of("triton")),
    Fault("vectorsum", "reference-kernels", "adds into memory that is not set to 0", total, gpu_mode_sum, {"x": "N"},
          {**_ON_GPU, "contiguous": True, "same_bits": False}, version=_of("reference-kernels")),
    Fault("attention", "KernelBench", "NaN unless the frames are a multiple of 32", attention, kernelbench_attention,
          {key: text.replace("64", "32") for key, text in _HEADS.items()}, {**_ON_GPU, "contiguous": True},
          version=_of("KernelBench")),
)  # fmt: skip
