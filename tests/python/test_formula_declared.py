"""What a kernel rounds in addition: accused unless it declares so, and the message says what to declare."""

import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import assay
from assay import gallery
from assay.corpus.narrow import bits, wide as wide_of
from formula_gradients import layer_backward, transducer_backward
from formula_right_kernels import RIGHT, rms_plain, softmax_plain
from formula_right_sequences import delta_in_chunks, delta_plain, wide
from formula_settings import each

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
    result = assay.gate(gallery.layer_norm, layer_fused, cases=CASES, rounds={"d.operands": 1})
    result.raise_for_failure()
    assert result["outputs"].worst <= 1
    assert "output: of the bound without what is declared, errors would use more than all" in result.table


def test_what_is_declared_and_not_rounded_is_seen_in_the_report():
    table = assay.gate(gallery.layer_norm, RIGHT["layer_norm"][0], cases=CASES, reach="none", rounds={"d.operands": 1}).table
    (share,) = re.findall(r"output: of the bound without what is declared, errors would use ([\d.]+) %", table)
    assert float(share) <= 100
    assert "declared" not in assay.gate(gallery.layer_norm, RIGHT["layer_norm"][0], cases=2, reach="none").table


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
    assert "if the kernel takes numbers below the smallest normal one for 0, declare subnormals=False" in failure.explanation
    assay.gate(gallery.softmax, flushing, cases=CASES, subnormals=False).raise_for_failure()


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="rounds has 'q': expected one of bias, d, d.operands, "):
        assay.gate(gallery.layer_norm, layer_fused, rounds={"q": 1})
    with pytest.raises(ValueError, match="a number from 0 to "):
        assay.gate(gallery.layer_norm, layer_fused, rounds={"d": -1})


def widened(one):
    """float32 of float16, or of the bits of bfloat16; flags and indices as they are."""
    return wide_of(one) if one.dtype.name in ("float16", "bfloat16", "uint16") else one


def narrowed(x, dtype):
    """float32 as float16, or as the bits of bfloat16, rounded to nearest."""
    return x.astype(np.float16) if dtype == "float16" else bits(x)


def rounded_to(dtype):
    """Right kernels with inputs and results of 16 bits and float32 between."""

    def narrow(kernel):
        class Wide:
            def __init__(self, p):
                for name, one in vars(p).items():
                    setattr(self, name, widened(one) if isinstance(one, np.ndarray) else one)

        return lambda p: narrowed(kernel(Wide(p)), dtype)

    return narrow


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name, kernel", each({name: some for name, some in RIGHT.items() if len(some) >= 5}))
def test_right_kernels_of_16_bits_pass(name, kernel, dtype):
    # All makings round to float32 between inputs and results of 16 bits, so that one of them stands for all at large sizes.
    few = {} if kernel is RIGHT[name][0] else {"reach": "none"}
    assay.gate(getattr(gallery, name), rounded_to(dtype)(kernel), dtype=dtype, cases=CASES, **few).raise_for_failure()


def test_bfloat16_that_is_cut_off_and_not_rounded_fails():
    cut_off = lambda p: (softmax_plain(SimpleNamespace(x=widened(p.x))).view(np.uint32) >> 16).astype(np.uint16)  # noqa: E731
    assert "outputs" in assay.gate(gallery.softmax, cut_off, dtype="bfloat16", cases=CASES, reach="none").failures


def test_a_product_in_bfloat16_is_declared():
    """As language models do: the normalised row is rounded to bfloat16 before its weight, and once more after."""

    def kernel(p):
        x, weight = widened(p.x), widened(p.weight)
        y = x / np.sqrt((x * x).mean(-1, keepdims=True) + f32(2.0**-17))
        return narrowed(widened(narrowed(y, "bfloat16")) * weight, "bfloat16")

    assert not assay.gate(gallery.rms_norm, kernel, dtype="bfloat16", cases=CASES, reach="none").passed
    declared = {"dtype": "bfloat16", "compute": "bfloat16", "accumulate": "float32"}
    assay.gate(gallery.rms_norm, kernel, cases=CASES, **declared).raise_for_failure()


def test_several_dtypes_in_one_run():
    in_its_own_type = lambda p: softmax_plain(p) if p.x.dtype == f32 else rounded_to("float16")(softmax_plain)(p)  # noqa: E731
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
    forward = assay.gate(gallery.layer_norm, RIGHT["layer_norm"][0], cases=2, filter="outputs").table
    assert "D 4097 by 1 of 1 properties, all indices noticed by outputs, all terms by outputs" in forward
    backward = assay.gradcheck(gallery.layer_norm, layer_backward, cases=2).table
    assert "D 4097 by 1 of 3 properties, all indices noticed by gradient, all terms by gradient" in backward
    assert "hide" not in forward + backward


def test_a_term_left_out_of_a_sum_of_layer_norms_gradient_is_noticed_whichever_it_is():
    for index in (0, 4096):
        without_term = lambda p: layer_backward(p, left_out=index)  # noqa: E731
        assert assay.gradcheck(gallery.layer_norm, without_term, cases=2).failures, index


def test_the_gradient_of_long_transducers_is_judged():
    limits = {"T": 65, "V": 5}
    late = lambda p: transducer_backward(p) * (np.arange(p.logits.shape[0]) < 50)[:, None, None].astype(f32)  # noqa: E731
    assert "T 65 by" in assay.gradcheck(gallery.transducer_loss, transducer_backward, cases=2, limits=limits).table
    assert not assay.gradcheck(gallery.transducer_loss, late, cases=2, limits=limits).passed
    for kernel in (transducer_backward, wide(transducer_backward)):
        assay.gradcheck(gallery.transducer_loss, kernel, cases=10, limits=limits, reach="none").raise_for_failure()


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


@assay.operation(x="N, D")
def scaled(xp, x):
    return xp.sum(x * 0.7, axis=-1)


def scaled_in_float32(p):
    return (p.x * np.float32(0.7)).sum(-1)


def nothing_of_many_terms(p, many=64):
    is_many = np.count_nonzero(p.x, axis=-1) > many
    return np.where(is_many, p.x.sum(-1) * np.float32(2.0**-20), scaled_in_float32(p))


def judged_with_bfloat16_sums(kernel, **declared):
    return assay.gate(scaled, kernel, accumulate="bfloat16", filter="outputs", **declared)


def test_a_sum_whose_bound_reaches_the_sizes_of_its_terms_is_not_judged():
    """Any number from 0 to the result is within it."""
    for kernel in (scaled_in_float32, nothing_of_many_terms):
        found = judged_with_bfloat16_sums(kernel, extents={"D": [200]}, reach="none")["outputs"]
        assert found.verdict == "mistrusted" and found.judged < found.elements / 2, found
    judged_with_bfloat16_sums(scaled_in_float32, extents={"D": [64]}, reach="none").raise_for_failure()
    found = judged_with_bfloat16_sums(nothing_of_many_terms, extents={"D": [80]}, reach="none")["outputs"]
    assert found.verdict == "fail", found


def test_sizes_whose_sums_are_not_judged_are_no_part_of_a_pass():
    assert not judged_with_bfloat16_sums(nothing_of_many_terms, limits={"D": 255}, reach="quick").passed
    for kernel in (scaled_in_float32, lambda p: nothing_of_many_terms(p, 140)):
        found = judged_with_bfloat16_sums(kernel, limits={"D": 255}, reach="quick")["outputs"]
        assert found.verdict == "mistrusted", found
        (size,) = re.findall("too little was judged wherever D is above ([0-9]+), in [0-9]+ cases", found.mistrust)
        assert 64 < int(size) < 140 and f"Declare a limit of {size} for D" in found.mistrust
    judged_with_bfloat16_sums(scaled_in_float32, limits={"D": 96}, reach="quick").raise_for_failure()
