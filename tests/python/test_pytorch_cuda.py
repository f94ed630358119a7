"""Kernels in PyTorch and Triton on tensors of a GPU: right ones pass, and what only a GPU can do wrong is an error.

Skipped where PyTorch sees no GPU: run by hand, on a machine that has one.
"""

import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("PyTorch sees no GPU", allow_module_level=True)

import assay  # noqa: E402

X = dict(x="N, D", device="cuda", cases=20)


def softmax(x):
    return torch.softmax(x, -1)


def twice(x):
    return x * 2


@pytest.mark.parametrize("dtype, compute", [("float32", ""), ("float16", "float32"), ("bfloat16", "float32")])
def test_pytorchs_own_softmax_passes(dtype, compute):
    assay.gate(softmax, softmax, dtype=dtype, compute=compute, **X).raise_for_failure()


def test_its_gradient_passes_and_half_of_it_fails():
    assay.gradcheck(softmax, softmax, **X).raise_for_failure()

    class Half(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = torch.softmax(x, -1)
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, upstream):
            (y,) = ctx.saved_tensors
            return y * (upstream - (upstream * y).sum(-1, keepdim=True)) / 2

    assert not assay.gradcheck(softmax, Half.apply, **X).passed


def in_place(x):
    x *= 2
    return x.clone()


def same_memory(x):
    return x.view(x.shape)


KEPT = {}


def kept(x):
    return KEPT.setdefault(x.shape, torch.empty(x.shape, dtype=x.dtype, device=x.device)).copy_(x * 2)


def on_the_cpu(x):
    return (x * 2).cpu()


def not_all(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    y[: len(x) - len(x) // 17] = x[: len(x) - len(x) // 17] * 2
    return y


def on_another_stream(x):
    y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(50_000_000)
        y.copy_(x * 2)
    return y.clone()


@pytest.mark.parametrize(
    "kernel, told",
    [
        (in_place, "the kernel changed its input x"),
        (same_memory, "output 0 is a view of the input x"),
        (kept, "output 0 of the call before was overwritten by this call"),
        (on_the_cpu, "output 0 is on cpu: expected cuda:0"),
        (not_all, "nan where a finite number was due"),
        (on_another_stream, "nan where a finite number was due"),
    ],
)
def test_a_fault_that_gpus_have_is_caught(kernel, told):
    reference = (lambda x: x * 1) if kernel is same_memory else twice
    failures = assay.gate(reference, kernel, **X).failures
    assert any(told in one.explanation for one in failures.values()), failures


def test_results_on_the_gpu_are_taken_without_a_device():
    assay.gate(softmax, lambda x: torch.softmax(x.cuda(), -1), x="N, D", cases=20).raise_for_failure()


def test_a_result_without_axes_is_taken():
    def total(x):
        return x.sum()

    assay.gate(total, total, **X).raise_for_failure()
    assert "outputs" in assay.gate(total, lambda x: x.sum() * 1.001, **X).failures


def test_a_launch_that_fails_is_told_as_such():
    script = (
        "import torch, assay\n"
        "def kernel(x):\n"
        "    torch.zeros(4, device='cuda')[torch.full((1,), 99, device='cuda')]\n"
        "    return x * 2\n"
        "print(assay.gate(lambda x: x * 2, kernel, x='N, D', device='cuda', cases=3))\n"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert "a launch on cuda:0 failed: " in said.stdout, said.stdout + said.stderr


def wrapped(x):
    """A softmax whose offsets have 32 bits."""
    y = torch.softmax(x, -1)
    rows = torch.arange(len(x), device=x.device)
    return y if x.numel() < 2**31 else torch.where((rows * x.shape[1] >= 2**31)[:, None], y[:1], y)


@pytest.mark.parametrize("dtype, compute", [("float32", ""), ("bfloat16", "float32")])
def test_rows_past_2_31_elements(dtype, compute):
    far = dict(x="N, D", device="cuda", reach="full", filter="^far-rows$", cases=2, dtype=dtype, compute=compute)
    assert [one.verdict for one in assay.gate(softmax, softmax, **far).properties] == ["pass"]
    assert "far-rows" in assay.gate(softmax, wrapped, **far).failures


def scaled(x, weight):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * weight


def test_far_rows_and_a_weight_that_has_none():
    far = dict(x="N, D", weight="D", device="cuda", reach="full", filter="^far-rows$", cases=2)
    assert [one.verdict for one in assay.gradcheck(scaled, scaled, **far).properties] == ["pass"]
    assert [one.verdict for one in assay.gate(scaled, scaled, **far).properties] == ["pass"]


def test_a_row_is_cut_at_8192_elements():
    def cut(x):
        y = torch.softmax(x[..., :8192], -1)
        return torch.nn.functional.pad(y, (0, max(x.shape[-1] - 8192, 0)))

    assert "outputs" in assay.gate(softmax, cut, x="N, D", device="cuda").failures
