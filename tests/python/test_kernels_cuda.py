"""assay.torch on tensors of an NVIDIA GPU: the gate's verdict, PyTorch's streams and devices, refusals.

Skipped where PyTorch sees no GPU: run by hand, on a machine that has one.
"""

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("PyTorch sees no GPU", allow_module_level=True)

import assay  # noqa: E402
from assay.torch import _judged, ctc_loss, patch_torch  # noqa: E402

LOGITS = torch.randn(9, 3, 5, generator=torch.Generator().manual_seed(1))
BATCH = (torch.tensor([[1, 2, 2], [3, 0, 0], [4, 4, 1]]), torch.tensor([9, 5, 7]), torch.tensor([3, 1, 2]))


def on_gpu(fn):
    """`fn` with its tensors moved to the GPU and its result moved back; autograd moves the gradients."""

    def moved(*arguments, **options):
        return fn(*(one.cuda() if isinstance(one, torch.Tensor) else one for one in arguments), **options).cpu()

    return moved


@pytest.mark.parametrize("declared", [{}, {"inputs": "logits", "gradient_of": "logits"}])
def test_the_gate_passes_it(declared):
    fn = on_gpu(ctc_loss)
    declared = {**ctc_loss.assay_declared, **declared}
    assay.gate("ctc", _judged.kernels(fn, fn, fn)["ctc"], cases=8, **declared).raise_for_failure()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_it_agrees_with_the_kernel_for_cpus(dtype, reduction):
    results = []
    for device in ("cpu", "cuda"):
        x = LOGITS.to(device, dtype).requires_grad_()
        loss = ctc_loss(x, *BATCH, reduction=reduction, logits=True)
        loss.backward(torch.full_like(loss, 3.0))
        assert loss.device == x.device == x.grad.device and x.grad.dtype == dtype
        results.append((loss.detach().cpu(), x.grad.cpu().float()))
    (loss, gradient), (gpu_loss, gpu_gradient) = results
    eps = torch.finfo(dtype).eps
    assert torch.allclose(loss, gpu_loss, rtol=1e-6, atol=0)
    assert torch.allclose(gradient, gpu_gradient, rtol=2 * eps, atol=3e-6)


def test_it_is_in_the_order_of_the_current_stream():
    truth = ctc_loss(LOGITS, *BATCH, logits=True)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        x = torch.zeros(9, 3, 5, device="cuda")
        big = torch.randn(4096, 4096, device="cuda")
        for _ in range(30):
            big = big @ big * 1e-3
        x += LOGITS.cuda() + 0 * big[0, 0].nan_to_num()
        loss = ctc_loss(x, *BATCH, logits=True)
        x.zero_()  # after the loss has read it
    side.synchronize()
    assert torch.allclose(loss.cpu(), truth, rtol=1e-6, atol=0)


def test_many_calls_before_the_first_has_run():
    x = LOGITS.cuda()
    losses = [ctc_loss(x * k, *BATCH, logits=True) for k in range(100)]
    for k in (0, 50, 99):
        assert torch.allclose(losses[k].cpu(), ctc_loss(LOGITS * k, *BATCH, logits=True), rtol=1e-5, atol=1e-6)


def test_rows_that_are_not_contiguous_and_empty_batches():
    x = LOGITS.transpose(0, 1).contiguous().cuda().transpose(0, 1)
    assert torch.allclose(ctc_loss(x, *BATCH, logits=True).cpu(), ctc_loss(LOGITS, *BATCH, logits=True), rtol=1e-6)
    nothing = torch.zeros(0, dtype=torch.int64)
    empty = ctc_loss(torch.zeros(4, 0, 3, device="cuda"), nothing, nothing, nothing, reduction="none", logits=True)
    assert empty.shape == (0,) and empty.is_cuda


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_the_kernel_for_cpus_refuses_is_refused(value):
    x = LOGITS.clone()
    x[2, 1, 3] = value
    with pytest.raises(ValueError, match=rf"logits\[t=2, b=1, c=3\] = {value}: expected a finite number or -inf"):
        ctc_loss(x.cuda(), *BATCH, logits=True)
    x[2, 1, 3] = 0
    x[8, 1] = value  # past the row's length: nobody reads it
    assert torch.allclose(ctc_loss(x.cuda(), *BATCH, logits=True).cpu(), ctc_loss(x, *BATCH, logits=True), rtol=1e-6)
    with pytest.raises(ValueError, match=r"targets\[b=0, s=1\] = 5: expected a label in \[0, C=5\)"):
        ctc_loss(LOGITS.cuda(), torch.full((3, 3), 5), *BATCH[1:], logits=True)


def test_patched_programs_use_it():
    x = LOGITS.cuda().log_softmax(-1)
    with patch_torch() as patch:
        loss = torch.nn.functional.ctc_loss(x, *BATCH)
    assert patch.calls["torch.nn.functional.ctc_loss"] == [1, 0]
    assert torch.allclose(loss.cpu(), ctc_loss(LOGITS, *BATCH, logits=True), rtol=1e-5)
