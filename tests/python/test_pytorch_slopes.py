"""Gradients of activations: PyTorch's own pass, and those of other makings; each of a few usual faults fails."""

import pytest

torch = pytest.importorskip("torch")

import assay  # noqa: E402

F = torch.nn.functional
OWN = {
    "sigmoid": torch.sigmoid,
    "expm1": torch.expm1,
    "tanh": torch.tanh,
    "erf": torch.erf,
    "silu": lambda x: F.silu(x),
    "gelu": lambda x: F.gelu(x),
    "softplus": lambda x: F.softplus(x),
    "elu": lambda x: F.elu(x),
    "mish": lambda x: F.mish(x),
}


def judged(reference, kernel, **inputs):
    return assay.gradcheck(reference, kernel, cases=30, reach="none", **(inputs or {"x": "N, D"}))


@pytest.mark.parametrize("name", OWN)
def test_pytorchs_own_gradient_passes(name):
    def reference(x):
        return OWN[name](x)

    judged(reference, reference).raise_for_failure()


def with_gradient(value, slope):
    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return value(x)

        @staticmethod
        def backward(ctx, upstream):
            return upstream * slope(*ctx.saved_tensors)

    return Function.apply


def silu(x):
    return F.silu(x)


def sigmoid(x):
    return torch.sigmoid(x)


def expm1(x):
    return torch.expm1(x)


RIGHT = {
    "of both sides": (sigmoid, lambda x: torch.sigmoid(x) * torch.sigmoid(-x)),
    "of an exponential": (sigmoid, lambda x: torch.exp(-x.abs()) / (1 + torch.exp(-x.abs())) ** 2),
    "silu by sides": (silu, lambda x: torch.sigmoid(x) + x * torch.sigmoid(x) * torch.sigmoid(-x)),
    "silu as Liger has it": (silu, lambda x: torch.sigmoid(x) * (1 - torch.sigmoid(x)) * x + torch.sigmoid(x)),
    "exp": (expm1, torch.exp),
}
FAULTY = {
    "its value": (sigmoid, torch.sigmoid),
    "half": (sigmoid, lambda x: torch.sigmoid(x) * (1 - torch.sigmoid(x)) / 2),
    "1 + s": (sigmoid, lambda x: torch.sigmoid(x) * (1 + torch.sigmoid(x))),
    "one term of silu": (silu, torch.sigmoid),
    "no x": (silu, lambda x: torch.sigmoid(x) * (2 - torch.sigmoid(x))),
    "the value of expm1": (expm1, torch.expm1),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_slope_of_another_making_passes(name):
    reference, slope = RIGHT[name]
    judged(reference, with_gradient(reference, slope)).raise_for_failure()


@pytest.mark.parametrize("name", FAULTY)
def test_a_wrong_slope_fails(name):
    reference, slope = FAULTY[name]
    assert "gradient" in judged(reference, with_gradient(reference, slope)).failures


def test_a_sigmoid_by_powers_of_two_passes_and_one_that_underflows_fails():
    def by_powers(x):
        return 1 / (1 + torch.exp2(x * -1.4426950408889634))

    def underflows(x):
        return torch.where(x < -40, torch.zeros_like(x), torch.sigmoid(x))

    assay.gate(sigmoid, by_powers, x="N, D", cases=40).raise_for_failure()
    assert "outputs" in assay.gate(sigmoid, underflows, x="N, D", cases=40).failures


def cross_entropy_of_a_quarter(x):
    return F.binary_cross_entropy(x, torch.full_like(x, 0.25), reduction="none")


def quotients(x):
    """At 0 and 1, where a logarithm is kept at -100, there is no derivative."""
    return torch.where((x == 0) | (x == 1), torch.zeros_like(x), 0.75 / (1 - x) - 0.25 / x)


def test_where_there_is_no_derivative_nothing_is_due():
    inputs, reference = {"x": "N, D of unit"}, cross_entropy_of_a_quarter
    judged(reference, with_gradient(reference, quotients), **inputs).raise_for_failure()
    for faulty in (lambda x: quotients(x) * 2, lambda x: torch.where(x < 0.5, torch.nan, quotients(x))):
        assert "gradient" in judged(reference, with_gradient(reference, faulty), **inputs).failures


def swiglu(a, b):
    return F.silu(a) * b


class SwigluFromSaved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return swiglu(a, b)

    @staticmethod
    def backward(ctx, upstream):
        a, b = ctx.saved_tensors
        s = torch.sigmoid(a)
        return upstream * (a * s * (1 - s) + s) * b, upstream * a * s


def test_swiglu_whose_slope_comes_from_the_rounded_sigmoid_passes():
    judged(swiglu, SwigluFromSaved.apply, a="N, D", b="N, D").raise_for_failure()


def test_no_gradient_that_is_nan_or_has_one_wrong_element_passes():
    def nan(x):
        return torch.where(x > 1, torch.nan, torch.sigmoid(x) * torch.sigmoid(-x))

    def infinite(x):
        return torch.sigmoid(x) * torch.sigmoid(-x) + torch.where(x > 1, torch.inf, 0.0)

    def one(x):
        slope = torch.sigmoid(x) * torch.sigmoid(-x)
        if slope.numel() > 4:
            slope.view(-1)[-1] *= 1.001
        return slope

    for slope in (nan, infinite, one):
        assert "gradient" in judged(sigmoid, with_gradient(sigmoid, slope)).failures
