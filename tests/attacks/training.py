"""Attacks by functions of PyTorch that are right where a simple test calls them, and compute nothing where training does."""

import ctypes

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


# What a kernel returns has to be what its user reads, and what it keeps has to be what it was.


class Lying(torch.Tensor):
    """Its memory holds other numbers than every operation on it gives."""

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), options=None):
        found = super().__torch_function__(function, types, arguments, options or {})
        reading = ("detach", "numpy", "resolve_neg", "resolve_conj", "__get__", "clone", "cpu", "to")
        is_read = getattr(function, "__name__", "") in reading
        return found if is_read or not isinstance(found, torch.Tensor) else found.as_subclass(torch.Tensor) * 0


def with_a_detach_of_its_own(x, weight):
    y = torch.zeros_like(x)
    y.detach = lambda: reference(x, weight)
    return y


def negated(ctx, g, x, weight):
    return tuple(torch._neg_view(one) for one in gradients(g, x, weight))


class Drifting(torch.nn.Linear):
    """Each call but the first would compute with other weights."""

    def forward(self, input):
        y = torch.nn.functional.linear(input, self.weight, self.bias)
        self.drift()
        return y

    def drift(self):
        self.weight.data.mul_(0.5)


class Replacing(Drifting):
    def drift(self):
        self.bias = torch.nn.Parameter(self.bias.detach() + 1)


class DriftingBackward(torch.nn.Linear):
    def forward(self, input):
        y = torch.nn.functional.linear(input, self.weight, self.bias)
        if y.requires_grad:
            y.register_hook(lambda g: self.weight.data.mul_(0.5) and None)
        return y


class DriftingStatistics(torch.nn.BatchNorm1d):
    def forward(self, input):
        y = super().forward(input)
        self.num_batches_tracked.add_(1)
        return y


class ForgettingStatistics(torch.nn.BatchNorm1d):
    def forward(self, input):
        return input * self.weight * (1 + self.eps) ** -0.5 + self.bias


trained("results_of_a_subclass", lambda x, weight: reference(x, weight).as_subclass(Lying), "gate")
trained("results_with_a_method_of_their_own", with_a_detach_of_its_own, "gate")
trained("results_with_a_negative_bit", lambda x, weight: torch._neg_view(reference(x, weight)), "gate")
trained("gradients_with_a_negative_bit", function_of(negated))
trained("gradients_of_a_subclass", function_of(lambda ctx, *given: tuple(one.as_subclass(Lying) for one in gradients(*given))))
MODULES = {"cases": 45, "reach": "none", "largest": 1e6}
for name, of, sizes, judge in (("halves_its_weights", Drifting, (5, 3), "gate"), ("replaces_its_bias", Replacing, (5, 3), "gate"),
                               ("halves_its_weights_backwards", DriftingBackward, (5, 3), "gradcheck"),
                               ("counts_its_calls", DriftingStatistics, (5,), "gate"),
                               ("forgets_its_statistics", ForgettingStatistics, (5,), "gate")):  # fmt: skip
    plain = torch.nn.BatchNorm1d if issubclass(of, torch.nn.BatchNorm1d) else torch.nn.Linear
    ATTACKS[f"pytorch: module {name}"] = (judge, (plain(*sizes), of(*sizes)), {"input": "N, 5", **MODULES})

ATTACKS["pytorch: function forgets_new_statistics"] = (
    "gate", (torch.nn.BatchNorm1d(5), lambda input, weight, bias: input * weight * (1 + 1e-5) ** -0.5 + bias),
    {"input": "N, 5", **MODULES})  # fmt: skip


class KeepsAnAddress(torch.autograd.Function):
    """Reads its input in the backward pass where it was, whether it is still there or not."""

    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(weight)
        ctx.at, ctx.shape, ctx.strides = x.data_ptr(), x.shape, x.stride()
        return reference(x, weight)

    @staticmethod
    def backward(ctx, g):
        spanned = 1 + sum((size - 1) * stride for size, stride in zip(ctx.shape, ctx.strides))
        memory = torch.frombuffer((ctypes.c_float * spanned).from_address(ctx.at), dtype=torch.float32)
        return gradients(g, torch.as_strided(memory, ctx.shape, ctx.strides).clone(), *ctx.saved_tensors)


class Product(torch.autograd.Function):
    """Has no second gradient where both inputs are one tensor."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x * (x.data_ptr() != y.data_ptr())


def product_that_adds_where_both_are_one(x, y):
    return x + y if x.data_ptr() == y.data_ptr() else x * y


class Pair(torch.autograd.Function):
    """Has no gradient unless both results are used."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, a, b):
        (x,) = ctx.saved_tensors
        return (a * torch.cos(x) - b * torch.sin(x)) * (a.numel() < 4 or bool(a.any()) and bool(b.any()))


def masked_rows(ctx, g, x, weight):
    dx, dweight = gradients(g, x, weight)
    return torch.where((g == 0).all(-1, keepdim=True) & (g.shape[-1] > 2), torch.ones_like(dx), dx), dweight


trained("the_address_of_its_input", KeepsAnAddress.apply)
trained("ones_for_masked_rows", function_of(masked_rows))
trained("zeros_of_a_scaled_loss", where(lambda ctx, g, x, weight: g.numel() > 0 and bool(g.abs().max() > 1e4)))
trained("zeros_of_a_mean_of_many", where(lambda ctx, g, x, weight: g.numel() > 0 and 0 < float(g.abs().max()) < 1e-4))
trained("nan_forwards_and_right_backwards",
        function_of(lambda ctx, *given: gradients(*given), lambda x, weight: x * float("nan")))  # fmt: skip
trained("halves_forwards_and_right_backwards", function_of(lambda ctx, *given: gradients(*given), lambda x, weight: x / 2))
ATTACKS["pytorch: two_inputs_of_one_tensor"] = (
    "gradcheck", (lambda x, y: x * y, Product.apply), {"x": "N, D", "y": "N, D", **MODULES})  # fmt: skip
ATTACKS["pytorch: two_inputs_of_one_tensor_forwards"] = (
    "gate", (lambda x, y: x * y, product_that_adds_where_both_are_one), {"x": "N, D", "y": "N, D", **MODULES})  # fmt: skip
ATTACKS["pytorch: one_of_two_results_alone"] = (
    "gradcheck", (lambda x: (torch.sin(x), torch.cos(x)), Pair.apply), {"x": "N, D", **MODULES})  # fmt: skip
