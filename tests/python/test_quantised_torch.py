"""PyTorch's products of small formats, on the CPU: bench/quantised_torch.py, and the same with a scale forgotten."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", "2.15", reason="PyTorch 2.15 or later has these products on CPUs, with a scale for each row")
PATH = Path(__file__).resolve().parents[2] / "bench" / "quantised_torch.py"


def script():
    spec = importlib.util.spec_from_file_location("quantised_torch", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.DEVICE = "cpu"
    return module


SCRIPT = script()


@pytest.mark.parametrize("entry", SCRIPT.ENTRIES, ids=lambda entry: entry.title)
def test_a_kernel_of_pytorch_passes(entry):
    said = SCRIPT.judged(entry, 10)
    if said.startswith("not here"):
        pytest.skip(said)
    # torchao 0.18 divides a block by 2^-126 at the least, and stores 2^-127 as its scale
    assert said == "passed" or (entry.title, said) == ("torchao, MXFP8", "quantisation fail")


@pytest.mark.parametrize("entry", [one for one in SCRIPT.ENTRIES if hasattr(one.operation, "kinds") and "a_scale" in one.operation.kinds],
                         ids=lambda entry: entry.title)  # fmt: skip
def test_without_a_scale_it_fails(entry):
    def forgetful(p):
        p.a_scale = np.ones_like(p.a_scale)
        return entry.kernel(p)

    assert "outputs fail" in SCRIPT.judged(entry._replace(kernel=forgetful), 10)
