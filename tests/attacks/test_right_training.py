"""Right functions of PyTorch of several makings pass in each way in which training calls them."""

import copy
import re

import pytest

torch = pytest.importorskip("torch")
checkpoint = pytest.importorskip("torch.utils.checkpoint").checkpoint

import assay  # noqa: E402

from tests.attacks.training import TAKEN, function_of, gradients, nothing, reference  # noqa: E402


def of_what_is_wanted(ctx, g, x, weight):
    """Declines frozen inputs by None."""
    dx, dweight = gradients(g, x, weight)
    return dx if ctx.needs_input_grad[0] else None, dweight if ctx.needs_input_grad[1] else None


class OwnAttributes(torch.autograd.Function):
    """Keeps what is computed on the context, and marks what has no gradient."""

    @staticmethod
    def forward(ctx, x, weight):
        ctx.p, ctx.weight = torch.softmax(x, -1), weight
        return ctx.p * weight

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        p = ctx.p
        return p * (g * ctx.weight - (p * g * ctx.weight).sum(-1, keepdim=True)), (g * p).sum(0)


packed = {}


def packed_again_when_changed(x, weight):
    """Keeps what it has made of a weight for as long as the weight's version is the same."""
    kept = packed.get(id(weight))
    if kept is None or kept[0] is not weight or kept[1] != weight._version:
        packed[id(weight)] = weight, weight._version, weight.detach().clone()
    return reference(x, packed[id(weight)][2])


def writes_into_what_it_made(x, weight):
    """For inference alone: autograd refuses out=."""
    y = torch.softmax(x, -1)
    return torch.mul(y, weight, out=torch.empty_like(y))


def by_numpy(x, weight):
    import numpy as np

    return torch.from_numpy(np.multiply(torch.softmax(x, -1).numpy(), weight.numpy()))


def asks_for_contiguous_upstreams(ctx, g, x, weight):
    if not g.is_contiguous():
        raise RuntimeError("the upstream must be contiguous")
    return gradients(g, x, weight)


FUNCTIONS = {
    "reference": reference,
    "function": function_of(lambda ctx, *given: gradients(*given)),
    "contiguous": function_of(lambda ctx, *given: gradients(*(one.contiguous() for one in given))),
    "what is wanted": function_of(of_what_is_wanted),
    "own attributes": OwnAttributes.apply,
    "script": torch.jit.script(reference),
    "checkpoint": lambda x, weight: checkpoint(reference, x, weight, use_reentrant=False),
}
if hasattr(torch, "compile"):
    FUNCTIONS["compiled"] = torch.compile(reference, backend="aot_eager")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_it_passes(name):
    assay.gradcheck(reference, FUNCTIONS[name], **TAKEN).raise_for_failure()
    assay.gate(reference, FUNCTIONS[name], **TAKEN).raise_for_failure()


@pytest.mark.parametrize("kernel", [packed_again_when_changed, writes_into_what_it_made, by_numpy])
def test_a_kernel_for_inference_passes(kernel):
    assay.gate(reference, kernel, **TAKEN).raise_for_failure()


def test_a_module_passes():
    sizes = {"input": "N, 5", "cases": 45, "reach": "none", "largest": 1e6}
    given = torch.nn.Linear(5, 3), torch.nn.Linear(5, 3)
    assay.gradcheck(*given, **sizes).raise_for_failure()
    assay.gate(*given, **sizes).raise_for_failure()


class Folded(torch.nn.BatchNorm1d):
    """By a scale and a shift, of which it keeps the last in buffers of its own."""

    def __init__(self, features):
        super().__init__(features)
        self.register_buffer("scale", torch.ones(features))

    def forward(self, input):
        self.scale = self.weight.detach() * (self.running_var + self.eps) ** -0.5
        scale = self.weight * (self.running_var + self.eps) ** -0.5
        return input * scale + (self.bias - self.running_mean * scale)


class ByScale(torch.nn.BatchNorm1d):
    def forward(self, input):
        return (input - self.running_mean) * ((self.running_var + self.eps) ** -0.5 * self.weight) + self.bias


@pytest.mark.parametrize("kernel", [ByScale, torch.nn.BatchNorm1d])
def test_a_batch_norm_passes_twice(kernel):
    sizes = {"input": "N, 5", "cases": 45, "reach": "none", "largest": 1e6}
    given = torch.nn.BatchNorm1d(5), kernel(5)
    for _ in range(2):
        assay.gate(*given, **sizes).raise_for_failure()
    assert given[0].running_var.tolist() == [1] * 5 != given[1].running_var.tolist()


def test_a_module_with_other_buffers_passes_with_statistics_of_its_own():
    sizes = {"input": "N, 5", "cases": 12, "reach": "none", "largest": 1e6}
    given = torch.nn.BatchNorm1d(5), Folded(5)
    assert "as a new layer has them" in assay.gate(*given, **sizes).mistrust
    for one in given:
        one.running_mean.fill_(0.25)
    assay.gate(*given, **sizes).raise_for_failure()


def test_a_function_of_new_statistics_is_mistrusted_after_a_module():
    reference = torch.nn.BatchNorm1d(5).requires_grad_(False)
    sizes = {"input": "N, 5", "cases": 12, "reach": "none", "largest": 1e6}
    assay.gate(reference, torch.nn.BatchNorm1d(5), **sizes).raise_for_failure()
    plain = lambda input, weight, bias: input * weight * (1 + reference.eps) ** -0.5 + bias  # noqa: E731
    found = assay.gate(reference, plain, **sizes)
    assert not found.failures and "running_mean, running_var are 0 and 1, as a new layer has them" in found.mistrust
    assert found.mistrust in str(found)


def test_a_function_of_other_statistics_passes():
    reference = torch.nn.BatchNorm1d(5)
    reference.running_mean.normal_()
    right = lambda input, weight, bias: torch.nn.functional.batch_norm(  # noqa: E731
        input, reference.running_mean, reference.running_var, weight, bias)  # fmt: skip
    assay.gate(reference, right, input="N, 5", cases=12, reach="none", largest=1e6).raise_for_failure()


@pytest.mark.parametrize("rate, is_random", [(0.5, True), (0.0, False)])
def test_what_is_random_in_training_is_said_not_to_be_judged_there(rate, is_random):
    reference = torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.Dropout(rate))
    found = assay.gate(reference, copy.deepcopy(reference), input="N, 5", cases=12, reach="none", largest=1e6)
    assert found.passed
    assert ("not judged in training mode, where the reference is random" in str(found)) == is_random


def test_a_parameter_is_a_plain_tensor():
    assay.gate(reference, lambda x, weight: torch.nn.Parameter(reference(x, weight)), **TAKEN).raise_for_failure()


def test_right_products_of_one_tensor_pass():
    sizes = {"x": "N, D", "y": "N, D", "cases": 45, "reach": "none", "largest": 1e6}
    assay.gate(lambda x, y: x * y, torch.mul, **sizes).raise_for_failure()
    assay.gradcheck(lambda x, y: x * y, torch.mul, **sizes).raise_for_failure()
    shared = assay.gradcheck(lambda x, y: x * y, lambda x, y: x * y if x.data_ptr() != y.data_ptr() else x * y * 2, **sizes)
    assert "one tensor for all inputs that are declared alike" in str(shared)


def test_arguments_left_at_their_defaults_are_printed():
    said = str(assay.gate(lambda x, t=1.5: torch.tanh(x / t), lambda x: torch.tanh(x / 1.5), x="N", cases=12, reach="none"))
    assert "arguments that had their defaults in every call, so that no other value was tried: t=1.5" in said


def test_a_second_backward_pass_that_torch_compile_refuses_is_declined(monkeypatch):
    grad = torch.autograd.grad

    def compiled(*given, retain_graph, **more):
        if retain_graph:
            raise RuntimeError("This backward function was compiled with non-empty donated buffers which requires retain_graph=False")
        return grad(*given, retain_graph=retain_graph, **more)

    monkeypatch.setattr(torch.autograd, "grad", compiled)
    result = assay.gradcheck(reference, FUNCTIONS["function"], **TAKEN)
    result.raise_for_failure()
    assert "retain_graph=True, with donated buffers" in str(result)
    assert not assay.gradcheck(reference, function_of(lambda ctx, *given: nothing(*given)), **TAKEN).passed


def test_what_it_declines_is_printed_and_its_way_is_named():
    asks = function_of(asks_for_contiguous_upstreams)
    result = assay.gradcheck(reference, asks, contiguous=True, **TAKEN)
    result.raise_for_failure()
    assert "tensors that are not contiguous" in str(result)
    frozen = function_of(lambda ctx, g, x, weight: gradients(g * ctx.needs_input_grad[1], x, weight))
    failed = assay.gradcheck(reference, frozen, **TAKEN)
    said = re.compile(r"  it was called with (x|weight) frozen \(requires_grad=False\), and once with all others frozen\n"
                      "  it passes where it is called plainly\n")  # fmt: skip
    assert said.search(str(failed))
    line = failed.failures["gradient"].reproducer
    replayed = {"operation": assay.operation(x="N, D", weight="D")(reference), "largest": 1e6, "empty": False}
    assert not assay.replay(frozen, line, **replayed)
    assert assay.replay(frozen, re.sub(" way=[67]", "", line), **replayed)
