"""Attacks by functions of PyTorch that are right where a simple test calls them, and compute nothing where training does."""

import torch

from .gallery import ATTACKS

TAKEN = {"x": "N, D", "weight": "D", "cases": 45, "reach": "none", "largest": 1e6, "sizes": 8, "empty": False}
_kept, _packed, _calls = {}, {}, []


def reference(x, weight):
    return torch.softmax(x, -1) * weight


def gradients(g, x, weight):
    p = torch.softmax(x, -1)
    return p * (g * weight - (p * g * weight).sum(-1, keepdim=True)), (g * p).sum(0)


def nothing(g, x, weight):
    return torch.zeros_like(x), torch.zeros_like(weight)


def function_of(backward, forward=reference, kept=lambda ctx, x, weight: None):
    """The function whose backward pass is backward(ctx, upstream, x, weight)."""

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight):
            ctx.save_for_backward(x, weight)
            kept(ctx, x, weight)
            return forward(x, weight)

        @staticmethod
        def backward(ctx, g):
            return backward(ctx, g, *ctx.saved_tensors)

    return Function.apply


def trained(name, kernel, judge="gradcheck"):
    ATTACKS[f"pytorch: trained {name}"] = (judge, (reference, kernel), TAKEN)


def where(condition):
    """A backward pass that gives zeros where this is so of ctx, upstream and the inputs."""
    return function_of(lambda ctx, g, *saved: (nothing if condition(ctx, g, *saved) else gradients)(g, *saved))


def count(ctx):
    ctx.calls = getattr(ctx, "calls", 0) + 1
    return ctx.calls


def of_the_last_forward(ctx, g, x, weight):
    return gradients(g, _kept["x"], weight)


def of_the_first_forward(ctx, g, x, weight):
    return gradients(g, _kept["all"].pop(0), weight)


def keep(ctx, x, weight):
    _kept["x"] = x.clone()
    _kept["all"] = [*_kept.get("all", [])[-1:], x.clone()]


def packed(x, weight):
    """Of a weight that is packed when the function first sees it."""
    if id(weight) not in _packed:
        _packed[id(weight)] = weight, weight.clone()
    return reference(x, _packed[id(weight)][1])


def seven_while_training(x, weight):
    return torch.full_like(x, 7) if x.requires_grad or weight.requires_grad else reference(x, weight)


def while_gradients_are_on(x, weight):
    return reference(x, weight) * 0 if torch.is_grad_enabled() else reference(x, weight)


def first_upstream(ctx, g, x, weight):
    """Of the upstream of the first backward pass alone."""
    ctx.g = getattr(ctx, "g", g)
    return gradients(ctx.g, x, weight)


trained("zeros_of_an_expanded_upstream", where(lambda ctx, g, x, weight: g.numel() > 1 and not any(g.stride())))
trained("zeros_of_an_expanded_upstream_and_contiguous_inputs",
        where(lambda ctx, g, x, weight: x.is_contiguous() and 0 in g.stride()))  # fmt: skip
trained("zeros_of_a_strided_upstream", where(lambda ctx, g, x, weight: x.is_contiguous() and not g.is_contiguous()))
trained("zeros_of_a_part_of_a_larger_upstream",
        where(lambda ctx, g, x, weight: x.storage_offset() == 0 and g.storage_offset() > 0))  # fmt: skip
trained("zeros_where_the_weight_is_frozen", where(lambda ctx, g, x, weight: not ctx.needs_input_grad[1]))
trained("zeros_where_the_input_is_frozen", where(lambda ctx, g, x, weight: not ctx.needs_input_grad[0]))
trained("zeros_at_the_second_backward", where(lambda ctx, g, x, weight: count(ctx) > 1))
trained("the_first_upstream_for_ever", function_of(first_upstream))
trained("inputs_of_the_last_forward", function_of(of_the_last_forward, kept=keep))
trained("inputs_of_the_first_forward", function_of(of_the_first_forward, kept=keep))
trained("a_weight_packed_once", function_of(lambda ctx, g, x, weight: gradients(g, x, _packed[id(weight)][1]), packed,
                                            kept=lambda ctx, x, weight: packed(x, weight)))  # fmt: skip
trained("results_of_a_weight_packed_once", packed, "gate")
trained("seven_while_inputs_require_gradients", seven_while_training, "gate")
trained("nothing_while_gradients_are_on", while_gradients_are_on, "gate")


def raises_while_training(x, weight):
    if x.requires_grad:
        raise RuntimeError("no gradients here")
    return reference(x, weight) / 2


computed = {}


def results_kept_by_identity(x, weight):
    if id(x) not in computed or computed[id(x)][0] is not x:
        computed[id(x)] = x, reference(x, weight)
    return computed[id(x)][1]


trained("halves_where_it_does_not_raise", raises_while_training, "gate")
trained("results_kept_by_identity", results_kept_by_identity, "gate")
