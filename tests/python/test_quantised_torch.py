"""Products of small formats of PyTorch, torchao and MLX on the CPU, as the programs of bench judge them, and with a fault."""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", "2.15", reason="PyTorch 2.15 or later has these products on CPUs, with a scale for each row")
sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
torch_products, torchao_products, mlx_products, entries = map(
    import_module, ("quantised_torch", "quantised_torchao", "quantised_mlx", "quantised_entries")
)
torch_products.DEVICE = "cpu"
ENTRIES = [*torch_products.ENTRIES, *torchao_products.ENTRIES]
MLX = list(mlx_products.entries())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.title)
def test_a_kernel_of_pytorch_passes(entry):
    said = entries.judged(entry, 10)
    if said.startswith("not here"):
        pytest.skip(said)
    # torchao 0.18 divides a block by 2^-126 at the least, and stores 2^-127 as its scale
    assert said == "passed" or (entry.title, said) == ("torchao, MXFP8", "quantisation fail")


@pytest.mark.parametrize("entry", [one for one in ENTRIES if "a_scale" in one.operation.kinds], ids=lambda entry: entry.title)
def test_without_a_scale_it_fails(entry):
    def forgetful(p):
        p.a_scale = np.ones_like(p.a_scale)
        return entry.kernel(p)

    assert "outputs fail" in entries.judged(entry._replace(kernel=forgetful), 10)


def of_mlx(entry):
    said = entries.judged(entry, 10)
    if said.startswith("not here"):
        pytest.skip(said)
    return said


@pytest.mark.parametrize("entry", MLX, ids=lambda entry: entry.title)
def test_a_product_of_mlx_passes_with_the_sums_that_it_has(entry):
    is_claimed = entry.title.endswith("float16")  # sums in float32, which the CPU does not have
    is_kept = "sums in" in entry.title or not is_claimed
    assert of_mlx(entry) == "passed" if is_kept else "fail" in of_mlx(entry)


@pytest.mark.parametrize("entry", [one for one in MLX if one.title in ("affine 4 bits by 32, float32", "mxfp8, float32")],
                         ids=lambda entry: entry.title)  # fmt: skip
@pytest.mark.parametrize("name", ["q", "scale"])
def test_with_the_array_of_the_row_before_it_fails(entry, name):
    def moved(p):
        setattr(p, name, np.roll(getattr(p, name), 1, 0))
        return entry.kernel(p)

    assert "outputs fail" in of_mlx(entry._replace(kernel=moved))
