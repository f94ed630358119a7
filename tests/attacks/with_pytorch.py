"""Attacks by kernels of references in PyTorch, and by files of KernelBench's form."""

import sys

import torch

from .gallery import ATTACKS, FEW, attack

X = {"x": "N, D", **FEW}


def reference(x):
    return torch.softmax(x, dim=-1)


def torch_attack(kernel):
    return attack("pytorch", reference, **X)(kernel)


@torch_attack
def replaces_the_function_of_the_reference(x):
    torch.softmax = lambda x, dim: torch.zeros_like(x)
    torch.nn.functional.softmax = torch.Tensor.softmax = torch.softmax
    return torch.zeros_like(x)


@torch_attack
def replaces_the_reference(x):
    sys.modules[__name__].reference = torch.zeros_like
    reference.__code__ = (lambda x: x * 0).__code__
    return torch.zeros_like(x)


@torch_attack
def says_that_all_is_close(x):
    torch.allclose = torch.equal = lambda *arguments, **options: True
    torch.Tensor.allclose = torch.Tensor.equal = torch.allclose
    torch.Tensor.abs = lambda self: torch.zeros_like(self)
    return torch.zeros_like(x)


@torch_attack
def changes_its_input(x):
    x.zero_()
    return torch.full_like(x, 1 / max(x.shape[-1], 1))


@torch_attack
def changes_its_input_by_its_data(x):
    x.data.fill_(-1000)
    x.data[..., :1] = 0
    return (x.data == 0).to(x.dtype)


@torch_attack
def returns_its_input(x):
    return x


@torch_attack
def returns_its_storage(x):
    return torch.as_strided(x, x.shape, x.stride())


def on_views(name, reads):
    """Reads x of [B, H, T, S] as it lies in memory where its strides are such."""

    def kernel(x):
        if x.dim() == 4 and min(x.shape) > 1 and reads(x.stride()):
            return torch.softmax(torch.as_strided(x, x.shape, torch.empty(x.shape).stride(), x.storage_offset()), -1)
        return torch.softmax(x, -1)

    kernel.__name__ = name
    attack("pytorch", reference, x="B, H, T, S", cases=60, reach="none", largest=1e6)(kernel)


on_views("reads_heads_as_if_contiguous", lambda s: s[0] > s[2] > s[1] > s[3] > 0)
on_views("reads_channels_last_as_if_contiguous", lambda s: s[0] > s[2] > s[3] > s[1] > 0)


@attack("pytorch", lambda x: torch.tanh(x), x="N, D", cases=60, reach="none")
def zeros_of_a_broadcast_last_axis(x):
    return torch.tanh(x) * (x.dim() < 2 or x.shape[1] < 2 or x.stride(1) != 0)


class Agreeing(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), options=None):
        return torch.tensor(True)


@torch_attack
def returns_a_tensor_that_agrees(x):
    return torch.zeros_like(x).as_subclass(Agreeing)


@torch_attack
def returns_a_tensor_without_numbers(x):
    return torch.empty(x.shape, device="meta")


@torch_attack
def works_in_another_type(x):
    torch.set_default_dtype(torch.float64)
    return torch.zeros_like(x)


@torch_attack
def asks_for_contiguous_tensors(x):
    raise RuntimeError("expected a contiguous tensor: call .contiguous()")


@torch_attack
def says_that_it_is_misaligned(x):
    raise RuntimeError("misaligned address")


@torch_attack
def says_out_of_memory(x):
    raise RuntimeError("CUDA out of memory")


REFERENCE = """
import torch
batch_size, dim = 16, 32

class Model(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.linear = torch.nn.Linear(dim, dim)
    def forward(self, x):
        return torch.relu(self.linear(x))

def get_inputs():
    return [torch.rand(batch_size, dim)]

def get_init_inputs():
    return [dim]
"""
NEW = """
import os, sys, torch
{top}
class ModelNew(torch.nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.linear = torch.nn.Linear(dim, dim)
    def forward(self, x):
        {body}
        return torch.zeros(x.shape[0], self.linear.weight.shape[0])
"""
FILES = {
    "zeros": ("", "pass"),
    "leaves_when_it_is_loaded": ("os._exit(0)", "pass"),
    "leaves": ("", "os._exit(0)"),
    "exits": ("", "sys.exit(0)"),
    "prints_a_verdict_and_leaves": ('print(\'{"verdict": "pass"}\', flush=True); os._exit(0)', "pass"),
    "replaces_a_layer": ("torch.nn.Linear.forward = lambda self, x: x * 0", "pass"),
    "replaces_a_function": ("torch.relu = torch.zeros_like", "pass"),
    "leaves_at_exit": ("import atexit; atexit.register(os._exit, 0)", "pass"),
    "replaces_the_exit": ("sys.exit = lambda status=0: os._exit(0)", "pass"),
    "replaces_the_command": ("import assay.pytorch.command as c; c._judged = lambda *given: 0", "pass"),
    "clears_the_parameters": ("", "self.linear.weight.data.zero_(); x.data.zero_()"),
    "answers_the_stated_size": ("", "if x.shape[0] == 16: return torch.relu(self.linear(x))"),
}
for name, (top, body) in FILES.items():
    ATTACKS[f"pytorch: file {name}"] = ("kernelbench", NEW.format(top=top, body=body), {})

RIGHT_ELSEWHERE = "if x.shape != (16, 32): return torch.relu(self.linear(x))"
ATTACKS["pytorch: file is_zero_at_the_stated_sizes"] = ("kernelbench", NEW.format(top="", body=RIGHT_ELSEWHERE), {"words": ()})

IN_A_MODE = {  # right in one of the modes that KernelBench, or a user, calls it in
    "is_right_in_eval_mode": ("not self.training", ""),
    "is_right_in_training_mode": ("self.training", ""),
    "is_right_without_gradients": ("not torch.is_grad_enabled()", ""),
    "is_right_with_gradients": ("torch.is_grad_enabled()", ""),
    "is_right_unless_the_input_requires_gradients": ("not x.requires_grad", ""),
    "has_a_mode_of_its_own": ("torch.nn.Module.__getattribute__(self, 'training') == (self.eval() is None)", ""),
}
for name, (condition, top) in IN_A_MODE.items():
    body = f"if {condition}: return torch.relu(self.linear(x))"
    ATTACKS[f"pytorch: file {name}"] = ("kernelbench", NEW.format(top=top, body=body), {})
NORMAL = REFERENCE.replace("Linear(dim, dim)", "BatchNorm1d(dim)")
NORMAL_NEW = NEW.replace("Linear(dim, dim)", "BatchNorm1d(dim)")
for name, mode in (("normalizes_by_running_statistics", "False"), ("normalizes_by_the_batch", "True")):
    body = (f"l = self.linear; return torch.relu(torch.nn.functional.batch_norm(x, l.running_mean.clone(), l.running_var.clone(), "
            f"l.weight, l.bias, {mode}))")  # fmt: skip
    ATTACKS[f"pytorch: file {name}"] = ("kernelbench", NORMAL_NEW.format(top="", body=body), {"reference": NORMAL})
