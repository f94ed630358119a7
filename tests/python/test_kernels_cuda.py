"""assay.torch on tensors of an NVIDIA GPU: the gate's verdict, PyTorch's streams and devices, refusals.

Skipped where PyTorch sees no GPU: run by hand, on a machine that has one.
"""

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("PyTorch sees no GPU", allow_module_level=True)

import assay  # noqa: E402
from assay._own_kernels import judged_as  # noqa: E402
from assay.torch import _judged, ctc_loss, linear_cross_entropy, patch_torch, randomized_svd, svd  # noqa: E402

LOGITS = torch.randn(9, 3, 5, generator=torch.Generator().manual_seed(1))
BATCH = (torch.tensor([[1, 2, 2], [3, 0, 0], [4, 4, 1]]), torch.tensor([9, 5, 7]), torch.tensor([3, 1, 2]))


KERNELS = {"ctc": ctc_loss, "cce": linear_cross_entropy, "svd": svd}


def on_gpu(fn):
    """`fn` with its tensors moved to the GPU and its results moved back; autograd moves the gradients."""

    def moved(*arguments, **options):
        result = fn(*(one.cuda() if isinstance(one, torch.Tensor) else one for one in arguments), **options)
        return result.cpu() if isinstance(result, torch.Tensor) else type(result)(*(one.cpu() for one in result))

    return moved


@pytest.mark.parametrize(
    "operation, declared",
    [
        ("ctc", {}),
        ("ctc", {"inputs": "logits", "gradient_of": "logits"}),
        ("cce", {}),
        ("cce", {"dtype": "bfloat16"}),
        ("svd", {"dtype": ("float32", "bfloat16")}),
    ],
)
def test_the_gate_passes_it(operation, declared):
    fn = on_gpu(KERNELS[operation])
    judged_as(operation, fn, _judged.kernels(fn, fn, fn)[operation])
    assay.gate(operation, fn, cases=8, **{**KERNELS[operation].assay_declared, **declared}).raise_for_failure()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_it_agrees_with_the_kernel_for_cpus(dtype, reduction):
    results = []
    for device in ("cpu", "cuda"):
        x = LOGITS.clone().to(device, dtype).requires_grad_()
        loss = ctc_loss(x, *BATCH, reduction=reduction, logits=True)
        loss.backward(torch.full_like(loss, 3.0))
        assert loss.device == x.device == x.grad.device and x.grad.dtype == dtype
        results.append((loss.detach().cpu(), x.grad.cpu().float()))
    (loss, gradient), (gpu_loss, gpu_gradient) = results
    eps = torch.finfo(dtype).eps
    assert torch.allclose(loss, gpu_loss, rtol=1e-6, atol=0)
    assert torch.allclose(gradient, gpu_gradient, rtol=2 * eps, atol=3e-6)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("with_bias", [False, True])
def test_cross_entropy_agrees_with_the_kernel_for_cpus(reduction, with_bias):
    random = torch.Generator().manual_seed(2)
    arrays = [torch.randn(*shape, generator=random) for shape in ((2, 4, 8), (50, 8), (50,))][: 3 if with_bias else 2]
    targets = torch.tensor([[1, 6, -100, 0], [2, 49, 5, -100]])
    results = []
    for device in ("cpu", "cuda"):
        hidden, weight, *bias = (one.clone().to(device).requires_grad_() for one in arrays)
        options = {"reduction": reduction, "label_smoothing": 0.1, "z_loss": 1e-3, "logit_softcap": 20.0}
        loss = linear_cross_entropy(hidden, weight, targets.to(device), *bias, **options)
        loss.backward(torch.linspace(-1, 2, loss.numel(), device=device).reshape(loss.shape))
        results.append([one.cpu() for one in (loss.detach(), hidden.grad, weight.grad, *(one.grad for one in bias))])
    for one, other in zip(*results):
        assert torch.allclose(one, other, rtol=1e-5, atol=2e-6)
    with pytest.raises(ValueError, match="weight is on cpu: expected cuda:0, as hidden is"):
        linear_cross_entropy(hidden, arrays[1], targets)
    with pytest.raises(ValueError, match=r"hidden\[n=0, h=1\] = nan: expected a finite number"):
        linear_cross_entropy(torch.tensor([[0.0, float("nan")]]).cuda(), torch.ones(3, 2).cuda(), torch.tensor([1]))


def test_ignored_tokens_may_hold_anything_and_entries_may_be_masked():
    hidden = torch.tensor([[float("nan"), 0.0], [1.0, 2.0]])
    bias = torch.tensor([0.0, -float("inf"), 1.0])
    arguments = (hidden, torch.eye(3, 2), torch.tensor([-100, 2]), bias)
    expected = linear_cross_entropy(*arguments)
    assert torch.allclose(linear_cross_entropy(*(one.cuda() for one in arguments)).cpu(), expected, rtol=1e-6)


@pytest.mark.parametrize("shape", [(3, 4, 3), (2, 3, 5), (64, 8, 8), (2, 70, 70)])
def test_the_svd_and_its_gradient_agree_with_the_kernel_for_cpus(shape):
    A = torch.randn(*shape, generator=torch.Generator().manual_seed(3))
    results = []
    for device in ("cpu", "cuda"):
        x = A.clone().to(device).requires_grad_()
        U, S, Vh = svd(x)
        (torch.arange(S.shape[-1], device=device) * S).sum().backward()
        results.append([one.detach().cpu() for one in (U * S.unsqueeze(-2) @ Vh, S, x.grad)])
    for one, other in zip(*results):
        assert torch.allclose(one, other, rtol=1e-5, atol=2e-5)
    assert torch.allclose(results[1][0], A, atol=2e-5)


def test_what_the_svd_on_gpus_has_not_is_refused():
    with pytest.raises(ValueError, match="A is float64: expected float32, float16 or bfloat16"):
        svd(torch.eye(2, dtype=torch.float64, device="cuda"))
    with pytest.raises(ValueError, match="A is on cuda:0: expected the CPU"):
        randomized_svd(torch.eye(2, device="cuda"), 1)
    with pytest.raises(ValueError, match=r"A\[b=0, i=1, j=0\] = inf: expected a finite number"):
        svd(torch.tensor([[1.0, 0.0], [float("inf"), 1.0]], device="cuda"))


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
    with pytest.raises(ValueError, match=r"targets\[b=0, s=0\] = 5: expected a label in \[0, C=5\)"):
        ctc_loss(LOGITS.cuda(), torch.full((3, 3), 5), *BATCH[1:], logits=True)


def test_patched_programs_leave_it_to_pytorch():
    x = LOGITS.cuda().log_softmax(-1)
    with patch_torch() as patch:
        torch.nn.functional.ctc_loss(x, *BATCH)
    assert patch.calls["torch.nn.functional.ctc_loss"] == [0, 1]


def unaligned(tensor):
    """The same on the GPU, in memory that is aligned to an element only."""
    return torch.cat([tensor.new_zeros(1), tensor.flatten()]).cuda()[1:].view(tensor.shape)


def test_tensors_need_no_alignment():
    random = torch.Generator().manual_seed(3)
    logits = torch.randn(9, 3, 300, generator=random)
    losses = [ctc_loss(x, *BATCH, logits=True) for x in (logits.cuda(), unaligned(logits))]
    assert torch.equal(*losses)
    hidden, weight = (torch.randn(n, 8, generator=random) for n in (5, 50))
    targets = torch.tensor([1, 6, 49, 0, 3]).cuda()
    losses = [linear_cross_entropy(move(hidden), move(weight), targets) for move in (torch.Tensor.cuda, unaligned)]
    assert torch.equal(*losses)
