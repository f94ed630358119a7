"""What a kernel of a reference in PyTorch declares of its arithmetic."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import assay  # noqa: E402

F = torch.nn.functional
SIZES = dict(limits={"N": 9, "T": 40, "D": 9, "E": 9}, empty=False, cases=40, reach="none", largest=1e12)


def attention(q, k, v):
    p = torch.softmax(q @ k.T, -1)
    return p @ v


NEEDS_SDPA = pytest.mark.skipif(not hasattr(F, "scaled_dot_product_attention"), reason="PyTorch 2.0 has it first")


def by_function(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, scale=1.0)


def in_one_piece(q, k, v):
    return torch.softmax(q @ k.T, -1).bfloat16().float() @ v


def in_blocks(q, k, v):
    """Online: the weights of a block are narrow before their sum is known."""
    top, total, out = torch.full((len(q), 1), -torch.inf), torch.zeros(len(q), 1), torch.zeros(len(q), v.shape[1])
    for keys, values in zip(k.split(3), v.split(3)):
        scores = q @ keys.T
        above = torch.maximum(top, scores.amax(-1, keepdim=True))
        e, scale = torch.exp(scores - above), torch.exp(top - above)
        total, out, top = total * scale + e.sum(-1, keepdim=True), out * scale + e.bfloat16().float() @ values, above
    return out / total


@pytest.mark.parametrize("reference, name", [(attention, "p"), pytest.param(by_function, "weights", marks=NEEDS_SDPA)])
@pytest.mark.parametrize("kernel", [in_one_piece, in_blocks])
def test_weights_in_16_bits(reference, name, kernel):
    given = dict(q="N, D", k="T, D", v="T, E", **SIZES)
    assert not assay.gate(reference, kernel, **given).passed
    assay.gate(reference, kernel, rounds={name: "bfloat16"}, **given).raise_for_failure()
    assert not assay.gate(reference, kernel, rounds={name: "float16"}, **given).passed
    faulty = lambda q, k, v: kernel(q, k, v.bfloat16().float())  # noqa: E731
    assert not assay.gate(reference, faulty, rounds={name: "bfloat16"}, **given).passed


def test_the_hint_names_a_variable_of_the_reference():
    failure = assay.gate(attention, in_one_piece, q="N, D", k="T, D", v="T, E", **SIZES).failures["outputs"]
    assert "declare rounds={'p': 'bfloat16'}" in failure.explanation


def rms_norm(x, weight):
    normed = x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)
    return normed * weight, normed


def test_a_value_that_is_returned_too():
    """As Llama's: what is normed is kept in 16 bits before the weight is applied, and saved for the backward pass."""

    def kernel(x, weight):
        normed = (x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)).bfloat16().float()
        return normed * weight, normed

    given = dict(x="N, D", weight="D", cases=40, reach="none", largest=1e12)
    failure = assay.gate(rms_norm, kernel, **given).failures["outputs"]
    assert "keeps normed in float16 or bfloat16, declare rounds=" in failure.explanation
    assay.gate(rms_norm, kernel, rounds={"normed": "bfloat16"}, **given).raise_for_failure()
    for spoiled in (torch.nan, torch.inf, 1.01):

        def faulty(x, weight, spoiled=spoiled):
            return tuple(torch.where(one == one.amax(), one * spoiled, one) for one in kernel(x, weight))

        assert not assay.gate(rms_norm, faulty, rounds={"normed": "bfloat16"}, **given).passed


def test_names_of_a_reference_that_takes_multiples():
    def heads(x):
        h = torch.tanh(x.view(-1, 8, x.shape[1] // 8)) if x.shape[1] % 8 == 0 else x.view(-1, 8, 8)
        return h.sum(-1)

    kernel = lambda x: torch.tanh(x.view(-1, 8, x.shape[1] // 8)).bfloat16().float().sum(-1)  # noqa: E731
    given = dict(x="N, D", extents={"D": "multiple of 8"}, limits={"N": 5, "D": 40}, cases=20, reach="none")
    assay.gate(heads, kernel, rounds={"h": "bfloat16"}, **given).raise_for_failure()


def as_tf32(x):
    return torch.from_numpy((np.ascontiguousarray(x).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32).reshape(x.shape))


def test_a_linear_layer_in_tf32():
    given = dict(input="N, K", weight="M, K", bias="M", cases=40, reach="none")
    kernel = lambda x, w, b: as_tf32(x) @ as_tf32(w).T + b  # noqa: E731
    assert "products='tf32'" in assay.gate(F.linear, kernel, **given).failures["outputs"].explanation
    assay.gate(F.linear, kernel, products="tf32", **given).raise_for_failure()
    assert not assay.gate(F.linear, lambda x, w, b: as_tf32(x) @ as_tf32(w).T + as_tf32(b), products="tf32", **given).passed
