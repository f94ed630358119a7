"""A type for each array: of inputs, indices, results and their gradients."""

import warnings

import numpy as np
import pytest

import assay
from assay import gallery
from assay.corpus.narrow import bfloat16, bits, wide

f32 = np.float32
warnings.filterwarnings("ignore", category=RuntimeWarning)
MIXED = dict(dtypes={"x": "bfloat16", "output": "bfloat16"}, cases=40, reach="none")


def rms(x, weight):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + f32(2.0**-17)) * weight


def plain(p):
    return bits(rms(wide(p.x), p.weight))


def in_float64(p):
    x = wide(p.x).astype(np.float64)
    return bits((x / np.sqrt((x * x).mean(-1, keepdims=True) + 2.0**-17) * p.weight).astype(f32))


@pytest.mark.parametrize("kernel", [plain, in_float64])
def test_activations_in_16_bits_and_a_weight_in_32(kernel):
    result = assay.gate(gallery.rms_norm, kernel, **MIXED)
    result.raise_for_failure()
    assert 0.9 < result["outputs"].worst <= 1


def of_weight(change):
    return lambda p: bits(rms(wide(p.x), change(p.weight)))


@pytest.mark.parametrize("kernel", [
    of_weight(bfloat16),  # its digits are lost
    of_weight(lambda w: w * f32(1.01)),
    lambda p: bits(bfloat16(rms(wide(p.x), f32(1))) * p.weight),  # Llama's, which declares it
    lambda p: np.where(np.arange(p.x.shape[-1]) == 3, np.uint16(0x7FC0), plain(p)),  # NaN
    lambda p: np.where(np.arange(p.x.shape[-1]) == 3, np.uint16(0x7F80), plain(p)),  # infinite
])  # fmt: skip
def test_faults(kernel):
    assert not assay.gate(gallery.rms_norm, kernel, **MIXED).passed


def test_a_result_in_more_bits_than_the_inputs():
    """The loss of logits in 16 bits: held to float32's roundoff."""

    @assay.operation(x="N, D")
    def log_sum_exp(xp, x):
        top = xp.max(x, axis=-1, keepdims=True)
        return xp.log(xp.sum(xp.exp(x - top), axis=-1)) + top[:, 0]

    def kernel(p):
        x = p.x.astype(f32)
        top = x.max(-1, keepdims=True, initial=-np.inf)
        return np.log(np.exp(x - top).sum(-1)) + top[:, 0]

    given = dict(dtype="float16", dtypes={"output": "float32"}, cases=40, reach="none", empty=False)
    assay.gate(log_sum_exp, kernel, **given).raise_for_failure()
    assert not assay.gate(log_sum_exp, lambda p: kernel(p).astype(np.float16).astype(f32), **given).passed
    failure = assay.gate(log_sum_exp, lambda p: kernel(p).astype(np.float16), **given).failures["outputs"]
    assert "output 0 is float16: expected float32, as declared" in failure.explanation
    failure = assay.gate(log_sum_exp, kernel, dtype="float16", cases=4, empty=False).failures["outputs"]
    assert "declare dtype='float32', or of this array alone dtypes={'output0': 'float32'}" in failure.explanation


def test_gradients_have_the_types_of_their_inputs():
    def backward(p):
        x = p.x.astype(np.float64)
        r = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + 2.0**-17)
        up = p.upstream.astype(np.float64)
        g = up * p.weight
        dx = g * r - x * r**3 * (g * x).mean(-1, keepdims=True)
        return dx.astype(np.float16), (up * x * r).sum(0).astype(f32)

    given = dict(dtypes={"x": "float16"}, cases=40, reach="none", empty=False)
    assay.gradcheck(gallery.rms_norm, backward, **given).raise_for_failure()
    assert not assay.gradcheck(gallery.rms_norm, lambda p: [one.astype(f32) for one in backward(p)], **given).passed
    narrow = lambda p: (backward(p)[0], backward(p)[1].astype(np.float16).astype(f32))  # noqa: E731
    assert not assay.gradcheck(gallery.rms_norm, narrow, **given).passed


def test_indices_of_32_bits():
    @assay.operation(table="V, D", at="N of index V")
    def embedding(xp, table, at):
        return table[at]

    seen = []

    def kernel(p):
        seen.append(p.at.dtype)
        return p.table[p.at]

    assay.gate(embedding, kernel, dtypes={"at": "int32"}, cases=10, own_process=False).raise_for_failure()
    assert set(seen) == {np.dtype(np.int32)}


def test_mistakes():
    for dtypes, said in (
        ({"w": "float32"}, "dtypes has 'w': expected x, weight, output"),
        ({"x": "int32"}, "dtypes['x'] = 'int32'"),
        (["x"], "dtypes = ['x']: expected types by the names of arrays"),
    ):
        with pytest.raises((ValueError, TypeError)) as error:
            assay.gate(gallery.rms_norm, plain, dtypes=dtypes)
        assert said in str(error.value)
