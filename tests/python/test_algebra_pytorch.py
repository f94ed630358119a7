"""The property `algebra` of references and kernels in PyTorch: the kernel's graph is traced and compared with the reference's."""

import pytest

torch = pytest.importorskip("torch")

import assay  # noqa: E402

F = torch.nn.functional


def attention(q, k, v):
    scores = q @ k.transpose(-1, -2) * 0.25
    keep = torch.ones(q.shape[0], q.shape[0], dtype=torch.bool).tril()
    return torch.softmax(scores.masked_fill(~keep, float("-inf")), -1) @ v


def divided_last(q, k, v):
    scores = q @ k.transpose(-1, -2) * 0.25
    at = torch.arange(q.shape[0])
    e = torch.exp(scores - scores.amax(-1, keepdim=True)) * (at[:, None] >= at)
    return (e @ v) / e.sum(-1, keepdim=True)


def in_logarithms(q, k, v):
    scores = (q * 0.5) @ (k * 0.5).transpose(-1, -2)
    keep = torch.ones(q.shape[0], q.shape[0], dtype=torch.bool).tril()
    scores = torch.where(keep, scores, torch.full_like(scores, -1e9))
    return torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True)) @ v


def mask_off_by_one(q, k, v):
    scores = q @ k.transpose(-1, -2) * 0.25
    keep = torch.ones(q.shape[0], q.shape[0], dtype=torch.bool).tril(1)
    return torch.softmax(scores.masked_fill(~keep, float("-inf")), -1) @ v


def cross_entropy(x, target):
    return F.cross_entropy(x, target, reduction="none")


def by_shifts(x, target):
    shifted = x - x.amax(-1, keepdim=True)
    return torch.log(torch.exp(shifted).sum(-1)) - shifted.gather(-1, target[:, None])[:, 0]


def by_product(x, target):
    return -torch.log(torch.softmax(x, -1).gather(-1, target[:, None])[:, 0])


def last_class_forgotten(x, target):
    return torch.logsumexp(torch.where(torch.arange(x.shape[1]) < x.shape[1] - (x.shape[1] > 200), x, -float("inf")), -1) - x.gather(
        -1, target[:, None])[:, 0]  # fmt: skip


def norm(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight


def by_linalg(x, weight):
    return weight * x / torch.sqrt(torch.sum(x * x, -1, keepdim=True) / x.shape[-1] + 1e-6)


def without_the_constant(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True)) * weight


REFERENCES = {
    attention: ({"q": "T, 4", "k": "T, 4", "v": "T, 3"}, [divided_last, in_logarithms], [mask_off_by_one]),
    cross_entropy: ({"x": "N, C", "target": "N of index C"}, [by_shifts, by_product], [last_class_forgotten]),
    norm: ({"x": "N, D", "weight": "D"}, [by_linalg], [without_the_constant]),
}


def verdict(reference, kernel, **options):
    return assay.gate(reference, kernel, **REFERENCES[reference][0], cases=6, filter="^algebra$", algebra=True, **options)[
        "algebra"
    ]


@pytest.mark.parametrize("reference,kernel", [(one, kernel) for one in REFERENCES for kernel in [one, *REFERENCES[one][1]]])
def test_right_kernels_are_equal(reference, kernel):
    found = verdict(reference, kernel)
    assert found.verdict == "pass" and found.judged > 0.8 * found.elements, found


@pytest.mark.parametrize("reference,kernel", [(one, kernel) for one in REFERENCES for kernel in REFERENCES[one][2]])
def test_faulty_kernels_differ(reference, kernel):
    assert verdict(reference, kernel).verdict == "fail"


def test_what_cannot_be_traced_is_not_judged():
    found = verdict(norm, lambda x, weight: torch.from_numpy(x.numpy()) * weight)
    assert found.verdict == "skipped" and any("not judged by the algebra" in why for why in found.skipped), found


def fused(q, k, v):
    return F.scaled_dot_product_attention(q[None, None], k[None, None], v[None, None], is_causal=True)[0, 0]


def own_scale(q, k, v, scale=8**-0.5, diagonal=0, masked=float("-inf")):
    scores = q @ k.transpose(-1, -2) * scale
    keep = torch.ones(q.shape[0], q.shape[0], dtype=torch.bool).tril(diagonal)
    return torch.softmax(scores.masked_fill(~keep, masked), -1) @ v


ATTENTION = {"q": "T, 8", "k": "T, 8", "v": "T, 3"}


@pytest.mark.skipif(not hasattr(F, "scaled_dot_product_attention"), reason="this PyTorch has no fused attention")
@pytest.mark.parametrize(
    "options,expected",
    [({}, "pass"), ({"diagonal": 1}, "fail"), ({"masked": -50.0}, "fail"), ({"scale": 0.353}, "fail")],
)
def test_fused_attention_is_followed(options, expected):
    found = assay.gate(
        fused, lambda q, k, v: own_scale(q, k, v, **options), **ATTENTION, cases=8, reach="none", filter="^algebra$", algebra=True
    )["algebra"]
    assert found.verdict == expected, found
    assert expected == "fail" or found.judged > 0.8 * found.elements, found


def gradient_verdict(reference, kernel):
    given = {"cases": 6, "filter": "^algebra$", "algebra": True, "reach": "none", **REFERENCES[reference][0]}
    return assay.gradcheck(reference, kernel, **given)["algebra"]


@pytest.mark.parametrize("reference,kernel", [(one, kernel) for one in REFERENCES for kernel in [one, *REFERENCES[one][1]]])
def test_gradients_by_autograd_are_equal(reference, kernel):
    found = gradient_verdict(reference, kernel)
    assert found.verdict == "pass" and found.judged > 0.5 * found.elements, found


@pytest.mark.parametrize("reference,kernel", [(attention, mask_off_by_one), (norm, without_the_constant)])
def test_gradients_of_faulty_kernels_differ(reference, kernel):
    assert gradient_verdict(reference, kernel).verdict == "fail"


class OwnGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        return norm(x, weight)


def without_autograd(x, weight):
    with torch.no_grad():
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
    return x * scale * weight


@pytest.mark.parametrize("kernel", [OwnGradient.apply, without_autograd, lambda x, weight: norm(x, weight.detach())])
def test_gradients_that_are_not_autograds_are_not_judged(kernel):
    found = gradient_verdict(norm, kernel)
    assert found.verdict == "skipped" and any("are not followed" in why for why in found.skipped), found
