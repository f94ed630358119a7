"""What a kernel rounds in addition: accused unless it declares so, and the message says what to declare."""

import warnings

import numpy as np
import pytest

import assay
from assay import gallery
from formula_right_kernels import RIGHT, rms_plain, softmax_plain
from formula_right_sequences import delta_plain, delta_in_chunks

CASES = 40
f32 = np.float32
warnings.filterwarnings("ignore", category=RuntimeWarning)


def layer_fused(p):
    """x r - mean r with one rounding at the end, as PyTorch computes it."""
    mean = p.x.mean(-1, keepdims=True)
    d = p.x - mean
    r = 1 / np.sqrt((d * d).mean(-1, keepdims=True) + f32(2.0**-17))
    return (p.x.astype(np.float64) * r - (mean * r).astype(np.float64)).astype(f32) * p.weight + p.bias


def test_a_kernel_passes_that_declares_what_it_rounds():
    failure = assay.gate(gallery.layer_norm, layer_fused, cases=CASES).failures["outputs"]
    assert "declare rounds={'d.operands': 1}" in failure.explanation
    assay.gate(gallery.layer_norm, layer_fused, cases=CASES, rounds={"d.operands": 1}).raise_for_failure()


def test_what_is_declared_is_no_blank_cheque():
    without_root = lambda p: p.x * p.weight  # noqa: E731
    failure = assay.gate(gallery.rms_norm, without_root, cases=CASES).failures["outputs"]
    assert "declare" not in failure.explanation
    assert not assay.gate(gallery.layer_norm, lambda p: layer_fused(p) * f32(1.001), cases=CASES, rounds={"d.operands": 1}).passed


def test_flushed_subnormals_are_declared():
    def flushing(p):
        y = softmax_plain(p)
        return np.where(np.abs(y) < np.finfo(f32).tiny, f32(0), y)

    failure = assay.gate(gallery.softmax, flushing, cases=CASES).failures["outputs"]
    assert "declare" not in failure.explanation
    assay.gate(gallery.softmax, flushing, cases=CASES, subnormals=False).raise_for_failure()


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="rounds has 'q': expected one of bias, d, d.operands, "):
        assay.gate(gallery.layer_norm, layer_fused, rounds={"q": 1})
    with pytest.raises(ValueError, match="at least 0"):
        assay.gate(gallery.layer_norm, layer_fused, rounds={"d": -1})


def rounded_to(dtype):
    """Right kernels with inputs and results of 16 bits and float32 between."""

    def narrow(kernel):
        class Wide:
            def __init__(self, p):
                for name, one in vars(p).items():
                    is_real = isinstance(one, np.ndarray) and one.dtype == np.float16
                    setattr(self, name, one.astype(f32) if is_real else one)

        return lambda p: kernel(Wide(p)).astype(dtype)

    return narrow


@pytest.mark.parametrize("name, k", [(name, k) for name in ("softmax", "rms_norm", "layer_norm", "matmul", "causal_attention") for k in range(3)])
def test_right_kernels_of_16_bits_pass(name, k):
    kernel = rounded_to(np.float16)(RIGHT[name][k])
    assay.gate(getattr(gallery, name), kernel, dtype="float16", cases=CASES).raise_for_failure()


def test_several_dtypes_in_one_run():
    in_its_own_type = lambda p: softmax_plain(p) if p.x.dtype == f32 else rounded_to(np.float16)(softmax_plain)(p)  # noqa: E731
    result = assay.gate(gallery.softmax, in_its_own_type, dtype=("float32", "float16"), cases=10, reach="none")
    assert result.passed and len(result.record["runs"]) == 2
    assert [one.name for one in result.properties if one.name.startswith("outputs")] == ["outputs float32", "outputs float16"]
    wrong_in_16 = lambda p: softmax_plain(p) * p.x.dtype.type(1 if p.x.dtype == f32 else 1.1)  # noqa: E731
    failed = assay.gate(gallery.softmax, wrong_in_16, dtype=("float32", "float16"), cases=10, reach="none").failures
    assert failed and all(name.endswith("float16") for name in failed)


def test_long_recurrences_are_judged():
    limits = {"T": 129}
    faulty = lambda p: delta_in_chunks(p, carries=len(p.q) < 65)  # noqa: E731
    for kernel, passes in ((delta_plain, True), (delta_in_chunks, True), (faulty, False)):
        result = assay.gate(gallery.gated_delta_rule, kernel, cases=20, limits=limits, filter="outputs")
        assert result.passed == passes, result


def test_every_term_of_a_layer_norm_is_noticed():
    result = assay.gate(gallery.layer_norm, RIGHT["layer_norm"][0], cases=2, filter="outputs")
    assert "D 4097 by 1 of 1 properties, all indices noticed by outputs, all terms by outputs" in result.table
    assert "hide" not in result.table


def test_the_gradient_of_a_product_over_a_zero():
    product = assay.operation(x="N")(lambda xp, x: xp.prod(x))
    truth = product.truth(np.array([2.0, 0, 5]), upstream=np.array(1.0), digits=20)["gradients"][0]
    assert [float(one) for one in truth] == [0, 10, 0]


def test_truth_is_proven():
    x = np.array([[1.0, 2, 3]])
    said = gallery.rms_norm.truth(x, [1, 2, 3], digits=30, upstream=x)
    assert said["certified"]
    for exact, ball in zip(said["gradients"][0], gallery.rms_norm.enclosures(x, [1, 2, 3], digits=30, upstream=x)[1]):
        middle, radius = ball.strip("[]").split(" +/- ")
        assert abs(float(exact) - float(middle)) < 1e-15 and float(radius) < 1e-25
    assert "truths proven by enclosures, 0 equal" in assay.gate(gallery.rms_norm, rms_plain, cases=5, reach="none").table
