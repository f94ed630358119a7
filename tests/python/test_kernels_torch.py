"""assay.torch: PyTorch's signatures and semantics, autograd that cannot be misled, torch.compile, and the gate's verdict.

Debian 12's PyTorch (1.13) computes through torch.autograd.Function; the tests of torch.library and torch.compile need a
PyTorch that has custom_op.
"""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import assay  # noqa: E402
from assay.torch import CTCLoss, _define, _gpu, _judged, _svd, _svd_formula  # noqa: E402
from assay.torch import ctc_loss, linear_cross_entropy, randomized_svd, svd  # noqa: E402

needs_custom_op = pytest.mark.skipif(
    not hasattr(torch.library, "custom_op"), reason=f"PyTorch {torch.__version__} has no torch.library.custom_op"
)
KERNELS = {"ctc": ctc_loss, "cce": linear_cross_entropy, "svd": svd}
RANDOM = torch.Generator().manual_seed(1)


def normal(*shape, dtype=torch.float32):
    return torch.randn(*shape, generator=RANDOM).to(dtype)


LOGITS = normal(9, 3, 5)
BATCH = (torch.tensor([[1, 2, 2], [3, 0, 0], [4, 4, 1]]), torch.tensor([9, 5, 7]), torch.tensor([3, 1, 2]))
OPTIONS_OF_CTC = {"blank": 0, "reduction": "mean", "zero_infinity": False}
HIDDEN, WEIGHT, BIAS = normal(2, 4, 3), normal(7, 3), normal(7)
TARGETS = torch.tensor([[1, 6, -100, 0], [2, 2, 5, -100]])
LOGITS_OF_CTC = {"inputs": "logits", "gradient_of": "logits"}


@pytest.mark.parametrize("operation, declared", [("ctc", {}), ("ctc", LOGITS_OF_CTC), ("cce", {}), ("svd", {})])
def test_the_gate_passes_it(operation, declared):
    assay.gate(operation, KERNELS[operation], cases=4, **declared).raise_for_failure()


def fails(operation, fn, found_by, **declared):
    """Whether the gate finds a fault of `fn`, a function with the signature of assay.torch's."""
    kernel = _judged.kernels(fn, fn, fn)[operation]
    declared = {**KERNELS[operation].assay_declared, **declared}
    return not assay.gate(operation, kernel, cases=8, reach="none", filter=f"^{found_by}$", **declared).passed


@pytest.mark.parametrize("operation", ["ctc", "cce"])
def test_the_gate_finds_an_upstream_gradient_that_is_ignored(operation, monkeypatch):
    assert not fails(operation, KERNELS[operation], "linearity", dtype="float32", reductions="sum")
    monkeypatch.setattr(_define, "scaled", lambda kept, upstream: tuple(kept))
    assert fails(operation, KERNELS[operation], "linearity", dtype="float32", reductions="sum")


def test_the_gate_finds_a_mean_that_forgets_the_target_lengths():
    def mean_of_losses(*arguments, **options):
        *given, reduction, zero_infinity = arguments
        loss = ctc_loss(*given, "none", zero_infinity, **options)
        return loss if reduction == "none" else loss.sum() / (len(loss) or 1) if reduction == "mean" else loss.sum()

    assert not fails("ctc", ctc_loss, "reductions")
    assert fails("ctc", mean_of_losses, "reductions")


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("logits", [False, True])
def test_ctc_is_that_of_pytorch_in_double(reduction, logits):
    upstream = torch.tensor([0.5, -2.0, 3.0]) if reduction == "none" else torch.tensor(-1.5)
    x, y = LOGITS.clone().requires_grad_(), LOGITS.double().requires_grad_()
    loss = ctc_loss(x if logits else x.log_softmax(-1), *BATCH, reduction=reduction, logits=logits)
    truth = torch.nn.functional.ctc_loss(y.log_softmax(-1), *BATCH, reduction=reduction)
    loss.backward(upstream)
    truth.backward(upstream.double())
    assert loss.shape == truth.shape and torch.allclose(loss.double(), truth, rtol=1e-6, atol=0)
    assert torch.allclose(x.grad.double(), y.grad, rtol=0, atol=1e-6)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_cross_entropy_is_that_of_pytorch_in_double(reduction):
    inputs = [one.clone().requires_grad_() for one in (HIDDEN, WEIGHT, BIAS)]
    wide = [one.double().requires_grad_() for one in (HIDDEN, WEIGHT, BIAS)]
    loss = linear_cross_entropy(inputs[0], inputs[1], TARGETS, inputs[2], reduction=reduction, label_smoothing=0.1)
    logits = (wide[0] @ wide[1].T + wide[2]).flatten(0, 1)
    truth = torch.nn.functional.cross_entropy(logits, TARGETS.flatten(), reduction=reduction, label_smoothing=0.1)
    truth = truth.reshape(loss.shape)
    upstream = torch.linspace(-1, 2, loss.numel()).reshape(loss.shape)
    loss.backward(upstream)
    truth.backward(upstream.double())
    assert torch.allclose(loss.double(), truth, rtol=1e-6, atol=1e-7)
    for one, other in zip(inputs, wide):
        assert torch.allclose(one.grad.double(), other.grad, rtol=0, atol=2e-6)


def test_the_other_calls_of_pytorch_ctc_are_taken():
    expected = ctc_loss(LOGITS, *BATCH, logits=True)
    assert torch.equal(expected, ctc_loss(LOGITS, BATCH[0].int(), (9, 5, 7), [3, 1, 2], logits=True))
    assert torch.equal(expected, CTCLoss(logits=True)(LOGITS, *BATCH))
    one = ctc_loss(LOGITS[:, 0], BATCH[0][0], 9, 3, reduction="none", logits=True)
    assert one.shape == () and torch.equal(one, ctc_loss(LOGITS, *BATCH, reduction="none", logits=True)[0])
    infeasible = ctc_loss(LOGITS[:1], BATCH[0], (1, 1, 1), BATCH[2], zero_infinity=True, reduction="none", logits=True)
    assert infeasible[0] == 0 and infeasible[1] > 0


@pytest.mark.parametrize(
    "loss_of",
    [
        lambda x: ctc_loss(x, *BATCH, logits=True),
        lambda x: ctc_loss(x, *BATCH, reduction="none", logits=True).sum(),
        lambda x: linear_cross_entropy(x.reshape(-1, 5), torch.eye(5), torch.arange(27) % 5),
    ],
)
def test_each_backward_pass_has_the_gradient_for_itself(loss_of):
    x = LOGITS.clone().requires_grad_()
    loss = loss_of(x.view(-1).view(x.shape))  # through views, PyTorch adds in place to what it was given
    loss.backward(retain_graph=True)
    once = x.grad.clone()
    loss.backward(retain_graph=True)
    (2 * loss).backward()
    assert torch.allclose(x.grad, 4 * once, rtol=1e-6, atol=0)


def test_a_scaled_loss_keeps_small_gradients_in_float16():
    x = torch.tensor([[[0.0, 0.0, -14.0]]], dtype=torch.float16, requires_grad=True)
    (ctc_loss(x, torch.tensor([[1]]), (1,), (1,), logits=True) * 2.0**16).backward()
    y = LOGITS.new_tensor([0.0, 0.0, -14.0]).softmax(0)[2].item()  # 4e-7, of which float16 has three bits
    assert x.grad[0, 0, 2].item() == pytest.approx(2.0**16 * y, rel=2.0**-11)


@pytest.mark.skipif(hasattr(torch, "func"), reason="PyTorch 2 has torch.func, by which it is computed")
def test_a_second_derivative_of_cross_entropy_is_refused_by_name():
    x = HIDDEN.clone().requires_grad_()
    (first,) = torch.autograd.grad(linear_cross_entropy(x, WEIGHT, TARGETS), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="assay.torch.linear_cross_entropy has no second derivative with PyTorch 1"):
        first.sum().backward()


def test_a_gradient_that_is_not_finite_is_refused_by_name():
    x = LOGITS.clone().requires_grad_()
    for bad in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match=r"upstream\[0\] = (nan|inf): expected a finite number"):
            ctc_loss(x, *BATCH, logits=True).backward(torch.tensor(bad))


def test_inputs_on_gpus_are_refused_as_on_cpus():
    """The checks themselves, on tensors of the CPU."""
    x = LOGITS.clone()
    arguments = [one.numpy() for one in BATCH] + [np.empty(0, np.float32), {**OPTIONS_OF_CTC, "logits": True}]

    def expect_valid(*arguments):
        _gpu._expect_valid(_gpu._zero_if_finite(x), x, *arguments)

    x[8, 1] = float("nan")  # past the row's length: nobody reads it
    expect_valid(*arguments)
    x[4, 1, 2] = float("nan")
    with pytest.raises(ValueError, match=r"logits\[t=4, b=1, c=2\] = nan: expected a finite number or -inf"):
        expect_valid(*arguments)
    x[4, 1] = -float("inf")
    with pytest.raises(ValueError, match="= -inf for every class"):
        expect_valid(*arguments)
    expect_valid(*arguments[:-1], {**OPTIONS_OF_CTC, "logits": False})

    hidden = torch.tensor([[0.0, 1.0], [float("nan"), 2.0]])
    _gpu._expect_finite("hidden", "nh", hidden, ignored=np.array([False, True]))
    with pytest.raises(ValueError, match=r"hidden\[n=1, h=0\] = nan: expected a finite number"):
        _gpu._expect_finite("hidden", "nh", hidden, ignored=np.array([True, False]))
    with pytest.raises(ValueError, match=r"A\[b=0, i=1, j=1\] = -inf: expected a finite number"):
        _gpu._expect_finite("A", "bij", torch.tensor([[[0.0, 1.0], [2.0, -float("inf")]]]))


@pytest.mark.parametrize("shape", [(2, 5, 3), (2, 3, 5), (2, 4, 4)])
def test_the_gradient_of_svd_for_gpus_is_that_of_the_kernel(shape):
    U, S, Vh = svd(normal(*shape, dtype=torch.float64))
    S[0, 1] = S[0, 0]  # where it would divide by zero
    S[1, 2] = 0
    for wanted in itertools.product([False, True], repeat=3):
        cotangents = [torch.ones_like(one).tril(1) if want else None for one, want in zip((U, S, Vh), wanted)]
        expected = _svd._compute_backward(U, S, Vh, *cotangents)
        assert torch.allclose(_svd_formula.gradient(U, S, Vh, *cotangents), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("shape", [(3, 4, 3), (3, 4), (3, 3)])
def test_the_gradient_of_svd_passes_gradcheck(shape):
    A = normal(*shape, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda A: tuple(svd(A)), (A,))


def test_numbers_below_the_normal_range_are_not_flushed_to_zero():
    A = np.array([[1.37e-39]], np.float32)
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor cannot flush them")
    S = assay.numpy.svd(A).S
    torch.set_flush_denormal(False)
    assert S[0] == A[0, 0] > 0


@pytest.mark.parametrize("operation", ["ctc", "cce"])
def test_our_gradcheck_passes(operation):
    assay.gradcheck(operation, KERNELS[operation], cases=6).raise_for_failure()


def test_tensors_are_taken_without_a_copy_and_no_gradient_is_computed_unasked():
    for dtype in (torch.float32, torch.bfloat16):
        x = LOGITS.to(dtype)
        assert _define.array_of(x).ctypes.data == x.data_ptr()
    with torch.no_grad():
        assert not ctc_loss(LOGITS.clone().requires_grad_(), *BATCH, logits=True).requires_grad
    frozen = linear_cross_entropy(HIDDEN.clone().requires_grad_(), WEIGHT, TARGETS)
    assert frozen.requires_grad and frozen.grad_fn.wanted == (True, False, False)


def test_a_view_that_stands_for_the_opposite_of_its_memory():
    assert torch.equal(svd(torch._neg_view(WEIGHT)).S, svd(WEIGHT).S)
    imaginary = torch.complex(LOGITS, LOGITS).conj().imag
    assert torch.equal(ctc_loss(imaginary, *BATCH, logits=True), ctc_loss(-LOGITS, *BATCH, logits=True))


def test_meta_tensors_have_shapes():
    x = torch.empty(9, 3, 5, device="meta", dtype=torch.bfloat16, requires_grad=True)
    loss = ctc_loss(x, *BATCH, reduction="none", logits=True)
    assert loss.shape == (3,) and loss.dtype == torch.float32 and loss.device.type == "meta"
    hidden, weight, targets = (one.to("meta") for one in (HIDDEN, WEIGHT, TARGETS))
    assert linear_cross_entropy(hidden, weight, targets, reduction="none").shape == TARGETS.shape
    assert [tuple(one.shape) for one in svd(weight)] == [(7, 3), (3,), (3, 3)]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: ctc_loss(LOGITS.double(), *BATCH), "log_probs is float64: expected float32, float16 or bfloat16"),
        (lambda: ctc_loss(LOGITS[0, 0], *BATCH), r"log_probs has shape \[5\]: expected \[T, N, C\] or \[T, C\]"),
        (lambda: ctc_loss(LOGITS, *BATCH, reduction="max"), "reduction = 'max': expected 'none', 'mean' or 'sum'"),
        (lambda: ctc_loss(LOGITS, BATCH[0] + 3, *BATCH[1:]), r"targets\[b=0, s=1\] = 5: expected a label"),
        (lambda: ctc_loss(LOGITS * float("nan"), *BATCH), r"log_probs\[t=0, b=0, c=0\] = nan: expected"),
        (lambda: ctc_loss(LOGITS, BATCH[0].float(), *BATCH[1:]), "targets is float32: expected integers"),
        (lambda: ctc_loss(LOGITS, BATCH[0], None, BATCH[2]), "input_lengths = None: expected integers"),
        (lambda: linear_cross_entropy(HIDDEN, WEIGHT, TARGETS[0]), r"targets has shape \[4\]: expected \[2, 4\]"),
        (lambda: linear_cross_entropy(HIDDEN, WEIGHT.half(), TARGETS), "weight is float16: expected float32, as hidden is"),
        (lambda: linear_cross_entropy(HIDDEN, WEIGHT.T, TARGETS), r"weight \[3, 7\]: expected \[..., H\] and \[V, H\]"),
        (lambda: linear_cross_entropy(HIDDEN, WEIGHT, TARGETS, BIAS[:2]), r"bias has shape \[2\]: expected \[V=7\]"),
        (lambda: linear_cross_entropy(HIDDEN[..., :0], WEIGHT[:, :0], TARGETS), "H = 0: expected at least 1"),
        (lambda: linear_cross_entropy(HIDDEN, WEIGHT, TARGETS > 0), "targets is bool: expected integers"),
        (lambda: linear_cross_entropy(HIDDEN, WEIGHT, TARGETS.to("meta")), "targets is on meta, without values"),
        (lambda: ctc_loss(LOGITS, BATCH[0].to("meta"), *BATCH[1:]), "targets is on meta, without values"),
        (lambda: linear_cross_entropy(HIDDEN.to("meta"), WEIGHT, TARGETS), "weight is on cpu: expected meta, as hidden is"),
        (lambda: svd(WEIGHT.to_sparse()), "A is sparse_coo: expected a dense tensor; use A.to_dense()"),
        (lambda: svd(WEIGHT, full_matrices=True), r"full_matrices = True for A of shape \[7, 3\]"),
        (lambda: randomized_svd(WEIGHT, 4), "rank = 4: expected a whole number from 1 to 3"),
        (lambda: randomized_svd(WEIGHT, 1, seed=2**63), "seed = .*: expected a whole number from 0"),
    ],
)
def test_a_refusal_names_argument_value_and_expectation(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.skipif(not hasattr(torch, "uint64"), reason="PyTorch before 2.3 has no uint64")
def test_numbers_past_int64_are_refused():
    past = torch.tensor([2**64 - 100], dtype=torch.uint64)
    with pytest.raises(ValueError, match="targets: element 0 = 18446744073709551516: expected at most"):
        linear_cross_entropy(HIDDEN[0, :1], WEIGHT, past)
    small = torch.tensor([1, 6, 0, 2], dtype=torch.uint64)
    loss = [linear_cross_entropy(HIDDEN[0], WEIGHT, one) for one in (small, small.to(torch.int64))]
    assert loss[0] == loss[1]


def test_randomized_svd_says_that_it_has_no_gradient():
    A = normal(6, 4).requires_grad_()
    U, S, Vh = randomized_svd(A, 4)
    assert torch.allclose((U * S) @ Vh, A, atol=1e-5)
    with pytest.raises(NotImplementedError, match="randomized_svd has no gradient"):
        S.sum().backward()


@needs_custom_op
@pytest.mark.parametrize("reduction", ["none", "mean"])
def test_opcheck_of_the_losses(reduction):
    for x, wanted in ((LOGITS.clone().requires_grad_(), True), (LOGITS, False)):
        torch.library.opcheck(torch.ops.assay.ctc_loss, (x, *BATCH, 0, reduction, False, True, wanted))
    for wanted in ((True, True, True), (True, False, False), (False, False, False)):
        inputs = [one.clone().requires_grad_(want) for one, want in zip((HIDDEN.flatten(0, 1), WEIGHT, BIAS), wanted)]
        arguments = (*inputs[:2], TARGETS.flatten(), inputs[2], -100, 0.1, 5.0, 1e-3, reduction, *wanted)
        torch.library.opcheck(torch.ops.assay.linear_cross_entropy, arguments)


@needs_custom_op
def test_opcheck_of_the_rest():
    A = normal(2, 4, 3, dtype=torch.float64)
    torch.library.opcheck(torch.ops.assay.svd, (A.clone().requires_grad_(),))
    torch.library.opcheck(torch.ops.assay.randomized_svd, (A, 2, 10, 2, 0))
    torch.library.opcheck(torch.ops.assay.svd_backward, (*svd(A), torch.ones_like(A), None, None))
    torch.library.opcheck(torch.ops.assay.ctc_loss_backward, (torch.ones(()), LOGITS, *BATCH, 0, "mean", False, True))


def value_of_all(x, hidden, weight, A):
    loss = ctc_loss(x * 2, *BATCH, logits=True) + ctc_loss(x.bfloat16(), *BATCH, reduction="none", logits=True).sum()
    entropy = linear_cross_entropy(hidden, weight, TARGETS) + linear_cross_entropy(hidden, weight, TARGETS, reduction="none")
    return 3 * loss + entropy.sum() + (svd(A).S ** 2).sum()


@needs_custom_op
def test_compiled_in_one_graph_it_gives_the_same():
    inputs = [[one.clone().requires_grad_() for one in (LOGITS, HIDDEN, WEIGHT, WEIGHT)] for _ in range(2)]
    plain = value_of_all(*inputs[0])
    compiled = torch.compile(value_of_all, fullgraph=True, backend="aot_eager")(*inputs[1])
    plain.backward()
    compiled.backward()
    assert torch.allclose(plain, compiled, rtol=1e-6)
    for one, other in zip(*inputs):
        assert torch.allclose(one.grad, other.grad, rtol=1e-5, atol=1e-6)


@needs_custom_op
def test_a_dispatch_mode_sees_the_operators():
    from torch.utils._python_dispatch import TorchDispatchMode

    seen = []

    class Listening(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.append(function)
            return function(*args, **(kwargs or {}))

    with Listening():
        svd(WEIGHT.clone().requires_grad_()).S.sum().backward()
    assert {torch.ops.assay.svd.default, torch.ops.assay.svd_backward.default} <= set(seen)


@needs_custom_op
@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_vmap_calls_the_operators():
    A = normal(3, 4, 3)
    assert torch.equal(torch.vmap(lambda one: svd(one).S)(A), svd(A).S)


def test_assay_has_the_module_without_importing_pytorch_first():
    assert assay.torch.ctc_loss is ctc_loss and assay.patch_torch is assay.torch.patch_torch
    assert isinstance(assay.numpy.svd(np.eye(2)).S, np.ndarray)
