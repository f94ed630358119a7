"""Casts to PyTorch's types of 8 bits in references: they round as PyTorch does, and results of such a type are codes."""

import pytest

torch = pytest.importorskip("torch", "2.1", reason="PyTorch 2.1 and later have float8")

import assay  # noqa: E402

NAMES = [name for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz") if hasattr(torch, name)]
SIZES = {"x": "N, D", "cases": 20, "limits": {"N": 9, "D": 33}}


def quantise_rows(x):
    scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-12) / 448
    return (x / scale).to(torch.float8_e4m3fn), scale


def by_reciprocal(x):
    most = x.abs().amax(-1, keepdim=True).clamp(min=1e-12)
    scale = most / 448
    return (x.double() / scale.double()).clamp(-448, 448).float().to(torch.float8_e4m3fn), scale


def in_bits(x):
    codes, scale = quantise_rows(x)
    return codes.view(torch.uint8), scale


def spoiled(change):
    def kernel(x):
        codes, scale = quantise_rows(x)
        return change(codes.view(torch.uint8).clone()).view(torch.float8_e4m3fn), scale

    return kernel


def one_code_off(bits):
    bits[..., -1:] ^= 1
    return bits


@pytest.mark.parametrize("kernel", [quantise_rows, by_reciprocal, in_bits])
def test_codes_of_a_reference_are_judged_as_codes(kernel):
    result = assay.gate(quantise_rows, kernel, **SIZES)
    assert result.passed and result["quantisation"].verdict == "pass", result.table


@pytest.mark.parametrize("change", [one_code_off, lambda bits: bits & 0x7F, lambda bits: bits * 0, lambda bits: bits | 0x7F])
def test_wrong_codes_fail(change):
    assert "quantisation" in assay.gate(quantise_rows, spoiled(change), **SIZES).failures


@pytest.mark.parametrize("name", NAMES)
def test_a_cast_on_the_way_rounds_and_overflows_as_pytorch(name):
    def reference(x):
        return x.to(getattr(torch, name)).to(torch.float32) * 3

    def at_the_other_end(x):
        """With what is too large saturated where PyTorch does not, and otherwise infinite."""
        dtype = getattr(torch, name)
        most = torch.finfo(dtype).max
        if torch.tensor(1e30).to(dtype).float().isfinite():
            return torch.where(x.abs() > 2 * most, x * torch.inf, reference(x))
        return reference(x.clamp(-most, most))

    assert assay.gate(reference, reference, **SIZES).passed
    for wrong in (lambda x: x * 3, at_the_other_end, lambda x: x.to(torch.float16).to(torch.float32) * 3):
        assert "outputs" in assay.gate(reference, wrong, **SIZES).failures, wrong


SCALED = {"x": "N, D", "weight": "D", "cases": 30, "limits": {"N": 9, "D": 33}}


def in_fp8(x, weight):
    return (x * 4).to(torch.float8_e4m3fn).to(torch.float32) * weight


def by_detach(x, weight):
    """As it is usually written: straight through, without rounding the gradient. Of large y, y + (q - y) is not q."""
    y = x * 4
    return (y + (y.to(torch.float8_e4m3fn).to(torch.float32) - y).detach()) * weight


def by_function(of_gradient):
    class Cast(torch.autograd.Function):
        @staticmethod
        def forward(ctx, y):
            ctx.save_for_backward(y)
            return y.to(torch.float8_e4m3fn).to(torch.float32)

        @staticmethod
        def backward(ctx, g):
            return of_gradient(g, *ctx.saved_tensors)

    def kernel(x, weight):
        return Cast.apply(x * 4) * weight

    return kernel


def in_e5m2(g, y):
    return g.to(torch.float8_e5m2).to(torch.float32)


def one_nan(g, y):
    g = g.clone()
    g.view(-1)[-1:] = torch.nan
    return g


@pytest.mark.parametrize("kernel", [in_fp8, by_detach, by_function(lambda g, y: g)])
def test_gradients_go_straight_through_a_cast_rounded_or_not(kernel):
    limit = {"largest": 100} if kernel is by_detach else {}
    result = assay.gradcheck(in_fp8, kernel, **SCALED, **limit)
    assert result.passed, result.table


@pytest.mark.parametrize("of_gradient", [
    lambda g, y: g * 0, lambda g, y: g / 4, lambda g, y: torch.where(y.abs() > 448, 0, g), in_e5m2, one_nan, lambda g, y: g * torch.inf,
])  # fmt: skip
def test_other_gradients_of_a_cast_fail(of_gradient):
    result = assay.gradcheck(in_fp8, by_function(of_gradient), **SCALED)
    assert result["gradient"].verdict == "fail", result.table


@pytest.mark.skipif(not hasattr(torch, "float8_e8m0fnu"), reason="this PyTorch has no float8_e8m0fnu")
def test_powers_of_two_are_those_of_sizes_and_have_no_gradient():
    def power(x):
        return x.to(torch.float8_e8m0fnu).to(torch.float32)

    assert assay.gate(power, power, **SIZES).passed
    assert "outputs" in assay.gate(power, lambda x: power(x) * 2, **SIZES).failures
    with pytest.raises(TypeError, match="float8_e8m0fnu, through which autograd's gradients lose their signs"):
        assay.gradcheck(power, power, **SIZES)
