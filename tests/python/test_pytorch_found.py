"""What strangers found: right kernels in PyTorch that were accused, and runs that could not be shared out."""

from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import assay  # noqa: E402
from test_executor import but_for_times  # noqa: E402

two_processes = partial(ProcessPoolExecutor, 2)


@pytest.mark.parametrize(
    "function, inputs",
    [
        (lambda x, y: x + y, dict(x="N, D", y="N, D")),
        (lambda x: x.sum(-1), dict(x="N, D")),
        (lambda x, w, b: x @ w + b, dict(x="N, K", w="K, D", b="D")),
        (lambda x: x.clone().reshape(-1), dict(x="N, D")),
        (lambda x, y: torch.cat([x, y]), dict(x="N", y="M")),
    ],
)
def test_a_gradient_that_is_the_upstream_itself_is_right(function, inputs):
    assay.gradcheck(function, function, cases=20, **inputs).raise_for_failure()


class KeepsItsGradient(torch.autograd.Function):
    kept = {}

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, upstream):
        return KeepsItsGradient.kept.setdefault(upstream.shape, torch.empty_like(upstream)).copy_(upstream * 2)


def test_a_gradient_in_memory_that_the_next_call_overwrites_is_an_error():
    failures = assay.gradcheck(lambda x: x * 2, KeepsItsGradient.apply, x="N, D", cases=20).failures
    assert any("overwritten by this call" in one.explanation for one in failures.values())


def softmax(x):
    return torch.softmax(x, -1)


def seldom_wrong(x):
    return torch.softmax(x, -1) * (1.01 if x.shape[0] == 3 else 1)


linear = torch.nn.Linear(5, 3)


@pytest.mark.parametrize("reference, kernel, x", [(softmax, softmax, "N, D"), (softmax, seldom_wrong, "N, D"), (linear, linear, "N, 5")])
def test_a_run_is_shared_out(reference, kernel, x):
    asked = dict(cases=40, reach="none", **({"input": x} if reference is linear else {"x": x}))
    one, many = (assay.gate(reference, kernel, **asked, **on) for on in ({}, dict(executor=two_processes, shards=2)))
    assert one.passed == (kernel is not seldom_wrong)
    assert but_for_times(many)[0] == but_for_times(one)[0]


def test_a_reference_that_cannot_be_sent_is_refused():
    with pytest.raises(TypeError, match="cannot be sent to the workers"):
        assay.gate(lambda x: x * 2, softmax, x="N", cases=1, executor=two_processes, shards=2)


def weighted(x, w):
    return (x * w).sum(-1) / w.sum(-1)


def test_a_road_may_be_rounded_where_the_formula_is_exactly_0():
    def first(x, w):
        return (x * (w / w.sum(-1, keepdim=True))).sum(-1)

    def road(xp, x, w):
        return xp.sum(x * (w / xp.sum(w, axis=-1, keepdims=True)), axis=-1)

    inputs = dict(x="N, D", w="N, D of positive", empty=False, largest=1e12, cases=60)
    assay.gate(weighted, first, road=road, **inputs).raise_for_failure()
    assert "outputs" in assay.gate(weighted, lambda x, w: first(x, w) * 1.0001, road=road, **inputs).failures
    other = assay.gate(weighted, first, road=lambda xp, x, w: road(xp, x, w) + 2.0**-30, **inputs)
    assert any("expected a road to the same results" in one.explanation for one in other.failures.values())


def averaged(x, v):
    return torch.softmax(x, -1) @ v


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_an_average_may_be_divided_last(seed):
    def last(x, v):
        e = torch.exp(x - x.amax(-1, keepdim=True))
        return (e @ v) / e.sum(-1, keepdim=True)

    assay.gate(averaged, last, x="N, T", v="T, E", empty=False, seed=seed, cases=60).raise_for_failure()
    for wrong in (1.001, np.nan, np.inf):
        assert not assay.gate(averaged, lambda x, v: last(x, v) * wrong, x="N, T", v="T, E", empty=False, cases=20).passed  # noqa: B023


def test_factors_that_overflow_before_a_0_are_not_held_against_a_product():
    def prod(a):
        return a.prod(-1)

    assay.gate(prod, prod, a="N, D", largest=100, limits={"D": 500}).raise_for_failure()  # more factors overflow in all cases
    assert not assay.gate(prod, lambda a: prod(a) * 1.001, a="N, D", largest=100).passed


class Triples(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def backward(ctx, upstream):
        return upstream * 3


def doubled(x):
    return x * 2


def test_a_line_that_judges_again_names_the_function_of_autograd():
    failure = assay.gate(doubled, Triples.apply, x="N", cases=10, reach="none").failures["outputs"]
    assert "from test_pytorch_found import Triples" in failure.again and "assay.replay(Triples.apply, " in failure.again
    assert "#" not in failure.again

    class Local(Triples):
        pass

    failure = assay.gate(doubled, Local.apply, x="N", cases=10, reach="none").failures["outputs"]
    assert "assay.replay(Local.apply, " in failure.again


def test_the_fresh_seed_of_a_test_is_no_input():
    assert assay.pytest_gate(doubled, doubled, x="N", seed="fresh").pytestmark


def through_result(xp, x, upstream):
    top = xp.max(x, axis=-1, keepdims=True)
    y = top + xp.log(xp.sum(xp.exp(x - top), axis=-1, keepdims=True))
    return xp.expand_dims(upstream, axis=-1) * xp.exp(x - y)


class LogSumExp(torch.autograd.Function):
    """Of another making than PyTorch's; the gradient has a relative fault."""

    fault = 0.0

    @staticmethod
    def forward(ctx, x):
        top = x.amax(-1, keepdim=True)
        y = top + torch.log(torch.exp(x - top).sum(-1, keepdim=True))
        ctx.save_for_backward(x, y)
        return y[..., 0].clone()

    @staticmethod
    def backward(ctx, upstream):
        x, y = ctx.saved_tensors
        return upstream[..., None] * torch.exp(x - y) * (1 + LogSumExp.fault)


def test_a_gradient_through_the_rounded_result_passes_by_its_road_alone(monkeypatch):
    def logsumexp(x):
        return torch.logsumexp(x, -1)

    given = dict(x="N, D", empty=False, cases=30, reach="none")
    assert "gradient" in assay.gradcheck(logsumexp, logsumexp, **given).failures
    for right in (logsumexp, LogSumExp.apply):
        assay.gradcheck(logsumexp, right, road=through_result, **given).raise_for_failure()
    monkeypatch.setattr(LogSumExp, "fault", 1e-5)
    assert "gradient" in assay.gradcheck(logsumexp, LogSumExp.apply, road=through_result, **given).failures
