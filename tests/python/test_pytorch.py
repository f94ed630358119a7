"""Functions and modules of PyTorch as formulas: each row of the table says what PyTorch computes; kernels take tensors."""

import os
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import torch.nn.functional as F  # noqa: E402
from pytorch_references import FUNCTIONS, MODULES  # noqa: E402
from torch import nn  # noqa: E402

import assay  # noqa: E402
from assay.pytorch import table  # noqa: E402

NEAR = 2.0**40  # PyTorch's layer norm makes NaN of larger numbers, whose squares overflow


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_as_traced_is_what_pytorch_computes(name):
    function, inputs = FUNCTIONS[name]
    made = assay.operation(**inputs)(function)  # which compares the trace with PyTorch's own result in float64
    assert made.trace(made.usual_extents()).shapes


@pytest.mark.parametrize("name", MODULES)
def test_a_module_as_traced_is_what_pytorch_computes(name):
    torch.manual_seed(1)
    make, inputs = MODULES[name]
    made = assay.operation(**inputs)(make())
    assert len(made.inputs) == len(inputs) + len(list(made.reference.parameters()))


def test_a_row_that_is_wrong_is_no_truth(monkeypatch):
    monkeypatch.setitem(table.ROWS, "silu", lambda xp, input: input * xp.sigmoid(1.0001 * input))
    with pytest.raises(assay.NotTraceable, match="output 0 of .* as traced is not what PyTorch computes in float64"):
        assay.operation(x="N")(lambda x: F.silu(x))


PASSING = ["elementwise: exp", "elementwise: F.mish", "elementwise: F.gelu", "elementwise: sigmoid", "reductions: softmaxes",
           "products: linear",
    "norms: layer",
           "norms: batch", "convolutions: conv1d", "pooling: average 2d", "losses: smooth_l1_loss", "shapes: pad"]  # fmt: skip


@pytest.mark.parametrize("name", PASSING)
def test_pytorchs_own_functions_pass(name):
    function, inputs = FUNCTIONS[name]
    assay.gate(function, function, cases=20, largest=NEAR, **inputs).raise_for_failure()


def rms_norm(x, weight):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * weight


RMS = {"x": "N, D", "weight": "D"}


def without_epsilon(x, weight):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True)) * weight


def over_rows(x, weight):
    return x * torch.rsqrt((x * x).mean(0, keepdim=True) + 1e-5) * weight


def with_nan(x, weight):
    return rms_norm(x, weight) * float("nan")


def with_infinity(x, weight):
    return rms_norm(x, weight) / 0


def with_one_wrong(x, weight):
    y = rms_norm(x, weight)
    if y.numel() > 5:
        y.view(-1)[-1] += 0.01
    return y


def in_its_input(x, weight):
    return x.mul_(2)


def as_float64(x, weight):
    return rms_norm(x, weight).double()


@pytest.mark.parametrize(
    "kernel", [rms_norm, lambda x, w: (x / torch.sqrt(torch.sum(x**2, -1, keepdim=True) / max(x.shape[-1], 1) + 1e-5)) * w]
)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_right_kernels_pass_in_each_type(kernel, dtype):
    def wide(x, weight):
        return kernel(
            x.to(torch.promote_types(x.dtype, torch.float32)), weight.to(torch.promote_types(x.dtype, torch.float32))
        ).to(x.dtype)

    assay.gate(rms_norm, wide, cases=20, dtype=dtype, largest=NEAR, **RMS).raise_for_failure()


@pytest.mark.parametrize(
    "kernel", [without_epsilon, over_rows, with_nan, with_infinity, with_one_wrong, in_its_input, as_float64]
)
def test_faulty_kernels_fail(kernel):
    result = assay.gate(rms_norm, kernel, cases=20, **RMS)
    assert not result.passed and result["outputs"].verdict in ("fail", "error")


class Squares(torch.autograd.Function):
    factor = 2

    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return (x * x * weight).sum(-1)

    @classmethod
    def backward(cls, ctx, g):
        x, weight = ctx.saved_tensors
        return cls.factor * g[..., None] * x * weight, (g[..., None] * x * x).sum(0)


class Doubled(Squares):
    factor = 4


def squares(x, weight):
    return (x * x * weight).sum(-1)


def test_gradcheck_judges_what_autograd_gives():
    assay.gradcheck(squares, Squares.apply, cases=20, **RMS).raise_for_failure()
    assay.gradcheck(squares, squares, cases=20, **RMS).raise_for_failure()
    assert not assay.gradcheck(squares, Doubled.apply, cases=20, **RMS).passed
    detached = assay.gradcheck(squares, lambda x, weight: squares(x, weight).detach(), cases=4, **RMS)
    assert "have no gradient" in detached.failures["gradient"].explanation


def test_a_gradient_that_is_stopped_is_no_truth():
    def normalized(x):
        return x / x.detach().abs().sum()

    assay.gate(normalized, lambda x: x / x.abs().sum(), cases=10, largest=NEAR, x="N of positive").raise_for_failure()
    with pytest.raises(assay.NotTraceable, match="normalized calls detach"):
        assay.gradcheck(normalized, normalized, x="N of positive")


def linear():
    torch.manual_seed(1)
    return nn.Linear(3, 2)


def test_parameters_are_inputs_and_a_kernel_is_a_module_or_a_function():
    assay.gate(linear(), linear(), cases=20, input="N, 3").raise_for_failure()
    assay.gate(linear(), lambda x, weight, bias: x @ weight.T + bias, cases=20, input="N, 3").raise_for_failure()
    assert not assay.gate(linear(), lambda x, weight, bias: x @ weight.T, cases=20, input="N, 3").passed
    assert not assay.gradcheck(linear(), lambda x, weight, bias: x @ weight.T + bias.detach(), cases=20, input="N, 3").passed
    assay.gradcheck(linear(), linear(), cases=20, input="N, 3").raise_for_failure()
    with pytest.raises(Exception, match="expected those of the reference: weight"):
        assay.gate(linear(), nn.Linear(4, 2), input="N, 3")


def test_a_trace_leaves_the_module_as_it_was():
    module = linear()
    before = dict(module.named_parameters())
    assay.operation(input="N, 3")(module).trace({"N": 2})
    assert all(one is before[name] for name, one in module.named_parameters())


REFUSED = {
    "dropout": (lambda x: F.dropout(x, 0.5, training=True), "dropout in training mode draws random numbers"),
    "random": (lambda x: x + torch.randn(x.shape[-1]), "randn draws random numbers"),
    "random like": (lambda x: x + torch.rand_like(x), "rand_like draws random numbers"),
    "item": (lambda x: x * x.sum().item(), r"tensor.item\(\): its value is not known while tracing"),
    "branch": (lambda x: x if x.sum() > 0 else -x, "a branch or a loop depends on data"),
    "nonzero": (lambda x: x.nonzero(), "whose shape depends on data"),
    "no row": (lambda x: torch.linalg.svd(x)[1], "svd is not among PyTorch's functions"),
    "part of a constant": (lambda x: torch.zeros(x.shape[0], 2)[:, 0].add_(x.sum(1)), "add_ writes into a part of a constant"),
    "nothing": (lambda x: None, "returned nothing"),
    "to NumPy": (lambda x: torch.tensor(np.exp(x.numpy())), r"tensor.numpy\(\)"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_traced_is_refused_by_name_with_the_line(name):
    function, text = REFUSED[name]
    with pytest.raises(assay.NotTraceable, match=text) as refused:
        assay.operation(x="N, D")(function)
    assert "line" in str(refused.value) or name == "nothing"


@pytest.mark.parametrize("inputs, text", [
    ({"x": "N, D"}, "the reference takes weight, which is not declared"),
    ({**RMS, "z": "N"}, "z='N': the reference takes x, weight"),
    ({"X": "N, D"}, "X='N, D': the reference takes x, weight: expected one of them"),
])  # fmt: skip
def test_inputs_are_those_of_the_reference(inputs, text):
    with pytest.raises(ValueError, match=text):
        assay.gate(rms_norm, rms_norm, **inputs)


def test_a_reference_without_sizes_of_its_inputs_is_asked_for_them():
    with pytest.raises(TypeError, match='a function of PyTorch or JAX with the sizes of its inputs, x="N, D"'):
        assay.gate(rms_norm, rms_norm)


def test_sizes_that_the_reference_refuses_are_no_cases():
    made = assay.operation(x="N, C, H, W")(lambda x: F.max_pool2d(x, 3))
    assert made.least == {"N": 1, "C": 1, "H": 3, "W": 3}
    result = made.gate(lambda x: F.max_pool2d(x, 3), cases=20)
    result.raise_for_failure()
    assert sum(result["outputs"].skipped.values()) < result["outputs"].cases


def test_masks_are_results_and_strides_may_be_declined():
    assay.gate(lambda x: x > 0, lambda x: x > 0, cases=20, x="N").raise_for_failure()
    assert not assay.gate(lambda x: x > 0, lambda x: x >= 0, cases=20, x="N").passed
    viewed = assay.gate(lambda x: x.reshape(-1) * 2, lambda x: x.view(-1) * 2, cases=40, x="N, D")
    viewed.raise_for_failure()
    assert any("not contiguous" in reason for reason in viewed["outputs"].skipped)
    declared = assay.gate(lambda x: x.reshape(-1) * 2, lambda x: x.view(-1) * 2, cases=40, x="N, D", contiguous=True)
    assert not any("not contiguous" in reason for reason in declared["outputs"].skipped)


@pytest.mark.parametrize("error", [
    RuntimeError("0 active drivers ([]). There should only be one."),
    ValueError("Pointer argument (at 0) cannot be accessed from Triton (cpu tensor?)"),
    RuntimeError("Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"),
])  # fmt: skip
def test_a_kernel_that_wants_a_gpu_is_told_to_declare_it(error):
    def kernel(x):
        raise error

    (failure, *_) = assay.gate(lambda x: x * 2, kernel, cases=4, x="N").failures.values()
    assert str(error) in failure.explanation and 'declare device="cuda"' in failure.explanation


def test_another_error_is_not_taken_for_a_missing_gpu():
    def kernel(x):
        raise RuntimeError("the size of tensor a must match the size of tensor b")

    assert "device" not in assay.gate(lambda x: x * 2, kernel, cases=4, x="N").failures["outputs"].explanation


def test_a_position_is_a_choice_among_ties():
    def argmax(x):
        return torch.argmax(x, dim=1)

    def last_of_ties(x):
        return x.shape[1] - 1 - torch.argmax(x.flip(1), dim=1)

    assay.gate(argmax, argmax, cases=20, x="N, D").raise_for_failure()
    assay.gate(argmax, last_of_ties, cases=20, x="N, D").raise_for_failure()
    assert not assay.gate(argmax, lambda x: torch.argmin(x, dim=1), cases=20, x="N, D").passed
    assert not assay.gate(argmax, lambda x: torch.argmax(x, dim=1).float(), cases=20, x="N, D").passed


def test_a_view_of_an_input_is_right_where_the_reference_returns_one():
    assay.gate(lambda x: x.t(), lambda x: x.t(), cases=10, x="N, D").raise_for_failure()
    assert not assay.gate(lambda x: x * 1, lambda x: x, cases=10, x="N, D").passed


def test_a_failure_can_be_replayed(capsys):
    failure = assay.gate(rms_norm, with_nan, cases=4, **RMS).failures["outputs"]
    assert "operation=assay.operation(x='N, D', weight='D')(rms_norm)" in failure.again
    assert not assay.replay(with_nan, failure.reproducer, operation=rms_norm, **RMS)
    assert assay.replay(rms_norm, failure.reproducer, operation=rms_norm, **RMS)


def test_mutants_and_explanations_come_from_the_trace():
    made = assay.operation(**RMS)(rms_norm)
    assert any(killed for _, killed, _ in made.mutants(cases=10))
    explained = assay.explain(made, np.array([[1.0, 2.0]]), np.array([1.0, 1.0]))
    assert explained.outputs[0].lost_bits < 12


def test_assay_needs_no_pytorch():
    """Imported where PyTorch cannot be, a formula is judged as ever."""
    code = ("import sys; sys.modules['torch'] = None; import assay, numpy as np\n"
            "op = assay.operation(x='N')(lambda xp, x: 2 * x)\n"
            "assert op.gate(lambda p: np.float32(2) * p.x, cases=4).passed and 'assay.pytorch' not in sys.modules")  # fmt: skip
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)


def test_a_reference_that_calls_einops_is_traced():
    einops = pytest.importorskip("einops")

    def blocks(x):
        return einops.rearrange(einops.rearrange(x, "b (c l) d -> b d c l", l=2).cumsum(-1), "b d c l -> b (c l) d")

    made = assay.operation(x="B, 6, D")(blocks)
    made.gate(lambda x: x.reshape(len(x), 3, 2, x.shape[2]).cumsum(2).reshape(x.shape), cases=20).raise_for_failure()
    assert not made.gate(lambda x: x.cumsum(1), cases=20).passed
