"""Problems in KernelBench's form, and answers that are wrong: forward functions of a ModelNew that has the Model's parameters."""

import torch
import torch.nn.functional as F

CONVOLUTION = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=1)
        self.scale = nn.Parameter(torch.randn(out_channels, 1, 1))

    def forward(self, x):
        return torch.relu(self.conv(x)) * self.scale

batch_size, in_channels, out_channels = 16, 32, 64
height = width = 128
kernel_size = 3

def get_inputs():
    return [torch.rand(batch_size, in_channels, height, width)]

def get_init_inputs():
    return [in_channels, out_channels, kernel_size]
"""

LINEAR = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.linear = nn.Linear(in_features, out_features)
        self.norm = nn.LayerNorm(out_features)

    def forward(self, x):
        return self.norm(torch.nn.functional.gelu(self.linear(x)))

batch_size = 1024
in_features = 8192
out_features = 4096

def get_inputs():
    return [torch.rand(batch_size, in_features)]

def get_init_inputs():
    return [in_features, out_features]
"""

BATCH_NORM = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.bn = nn.BatchNorm2d(features)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        return self.pool(self.bn(x))

batch_size = 64
features = 64
height = 256
width = 512

def get_inputs():
    return [torch.rand(batch_size, features, height, width)]

def get_init_inputs():
    return [features]
"""

ATTENTION = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, Q, K, V):
        return torch.nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=True)

batch_size = 32
num_heads = 16
sequence_length = 512
embedding = 64

def get_inputs():
    shape = (batch_size, num_heads, sequence_length, embedding)
    return [torch.rand(shape), torch.rand(shape), torch.rand(shape)]

def get_init_inputs():
    return []
"""

GROUP_NORM = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, num_features, num_groups):
        super().__init__()
        self.gn = nn.GroupNorm(num_groups, num_features)

    def forward(self, x):
        x = self.gn(x)
        return (x * torch.sigmoid(x)).mean(dim=2)

batch_size = 112
features = 64
num_groups = 2
length = 512

def get_inputs():
    return [torch.rand(batch_size, features, length)]

def get_init_inputs():
    return [features, num_groups]
"""

LOSS = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, predictions, targets):
        return torch.nn.functional.smooth_l1_loss(predictions, targets, reduction="none").mean(dim=1)

batch_size = 32768
input_shape = (1024,)

def get_inputs():
    return [torch.rand(batch_size, *input_shape), torch.rand(batch_size, *input_shape)]

def get_init_inputs():
    return []
"""

SOFTMAX = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x, mask):
        return torch.cumsum(torch.softmax(x, dim=1) * mask, dim=1)

batch_size = 4096
dim = 65536

def get_inputs():
    return [torch.rand(batch_size, dim), torch.randint(0, 2, (batch_size, dim)).bool()]

def get_init_inputs():
    return []
"""

PROBLEMS = {
    "convolution": CONVOLUTION,
    "linear": LINEAR,
    "batch_norm": BATCH_NORM,
    "group_norm": GROUP_NORM,
    "loss": LOSS,
    "softmax": SOFTMAX,
}
if hasattr(F, "scaled_dot_product_attention"):
    PROBLEMS["attention"] = ATTENTION


def conv(m, x, weight=None, bias=True, **options):
    weight = m.conv.weight if weight is None else weight
    return torch.relu(F.conv2d(x, weight, m.conv.bias if bias else None, **{"padding": 1, **options})) * m.scale


def cut(y, dim, tile=4):
    """The last elements after whole tiles are left 0."""
    y = y.clone()
    rest = y.shape[dim] % tile
    if rest:
        y.narrow(dim, y.shape[dim] - rest, rest).zero_()
    return y


def hidden(m, x):
    return F.gelu(m.linear(x))


def normal(y, m, eps=1e-5, unbiased=False, dim=-1):
    return (y - y.mean(dim, keepdim=True)) / torch.sqrt(
        y.var(dim, keepdim=True, unbiased=unbiased) + eps
    ) * m.norm.weight + m.norm.bias


def batch(m, x, mean=True, variance=True, eps=1e-5, affine=True, shift=True):
    at = (1, -1, 1, 1)
    y = x - m.bn.running_mean.view(at) if mean else x
    y = y / torch.sqrt((m.bn.running_var.view(at) if variance else 1) + eps)
    y = y * m.bn.weight.view(at) if affine else y
    return y + m.bn.bias.view(at) if shift else y


def attend(q, k, v, scale=None, mask=True, shift=0, dim=-1):
    scores = q @ k.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    allowed = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(shift)
    scores = scores.masked_fill(~allowed, float("-inf")) if mask else scores
    return torch.softmax(scores, dim) @ v


def grouped(m, x, groups=2, eps=1e-5, unbiased=False, weight=True, bias=True):
    y = x.reshape(x.shape[0], groups, -1)
    y = (y - y.mean(-1, keepdim=True)) / torch.sqrt(y.var(-1, keepdim=True, unbiased=unbiased) + eps)
    y = y.reshape(x.shape)
    y = y * m.gn.weight.view(1, -1, 1) if weight else y
    return y + m.gn.bias.view(1, -1, 1) if bias else y


def swished(y):
    return (y * torch.sigmoid(y)).mean(2)


def smooth(p, t, beta=1.0, half=0.5):
    d = (p - t).abs()
    return torch.where(d < beta, half * d * d / beta, d - 0.5 * beta)


def exponentials(x):
    return torch.exp(x - x.amax(1, keepdim=True))


RIGHT = {
    "convolution": [lambda m, x: conv(m, x), lambda m,
        x: F.conv2d(x, m.conv.weight, padding=1).add(m.conv.bias.view(-1, 1, 1)).clamp(min=0) * m.scale],
    "linear": [lambda m, x: m.norm(hidden(m, x)), lambda m, x: normal(F.gelu(x @ m.linear.weight.T + m.linear.bias), m)],
    "batch_norm": [lambda m, x: F.max_pool2d(batch(m, x), 2), lambda m, x: F.max_pool2d(F.batch_norm(
        x, m.bn.running_mean, m.bn.running_var, m.bn.weight, m.bn.bias), 2)],
    "attention": [lambda m, q, k, v: attend(q, k, v), lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)],
    "group_norm": [lambda m, x: swished(grouped(m, x)), lambda m, x: F.silu(m.gn(x)).sum(2) / x.shape[2]],
    "loss": [lambda m, p, t: smooth(p, t).mean(1), lambda m, p, t: F.smooth_l1_loss(p, t, reduction="none").sum(1) / p.shape[1]],
    "softmax": [lambda m, x, k: torch.cumsum(F.softmax(x, 1) * k, 1), lambda m, x, k: torch.cumsum(
        exponentials(x) / exponentials(x).sum(1, keepdim=True) * k, 1)],
}  # fmt: skip

FAULTS = {
    "convolution": {
        "transposed weight": lambda m, x: conv(m, x, m.conv.weight.transpose(2, 3)),
        "mirrored weight": lambda m, x: conv(m, x, m.conv.weight.flip(2, 3)),
        "no bias": lambda m, x: conv(m, x, bias=False),
        "no scale": lambda m, x: torch.relu(m.conv(x)),
        "scale before relu": lambda m, x: torch.relu(m.conv(x) * m.scale),
        "padding by the edge": lambda m, x: conv(m, F.pad(x, (1, 1, 1, 1), "replicate"), padding=0),
        "padding of ones": lambda m, x: conv(m, F.pad(x, (1, 1, 1, 1), value=1.0), padding=0),
        "shifted by one": lambda m, x: conv(m, F.pad(x, (2, 0, 2, 0)), padding=0),
        "no padding": lambda m, x: conv(m, x, padding=0),
        "stride": lambda m, x: conv(m, x, stride=2),
        "no relu": lambda m, x: m.conv(x) * m.scale,
        "leaky relu": lambda m, x: F.leaky_relu(m.conv(x), 0.01) * m.scale,
        "gelu for relu": lambda m, x: F.gelu(m.conv(x)) * m.scale,
        "channels in reverse": lambda m, x: conv(m, x.flip(1)),
        "last channel left out": lambda m, x: conv(m, torch.cat([x[:, :-1], 0 * x[:, -1:]], 1)),
        "tail of the rows": lambda m, x: cut(conv(m, x), 3),
        "tail of the batch": lambda m, x: cut(conv(m, x), 0),
        "zeros": lambda m, x: torch.zeros_like(conv(m, x)),
        "swapped height and width": lambda m, x: conv(m, x.transpose(2, 3), m.conv.weight.transpose(2, 3)),
        "half precision": lambda m, x: conv(m, x.bfloat16().float(), m.conv.weight.bfloat16().float()),
    },
    "linear": {
        "tanh for erf": lambda m, x: m.norm(F.gelu(m.linear(x), approximate="tanh")),
        "no bias": lambda m, x: m.norm(F.gelu(F.linear(x, m.linear.weight))),
        "bias after gelu": lambda m, x: m.norm(F.gelu(F.linear(x, m.linear.weight)) + m.linear.bias),
        "no gelu": lambda m, x: m.norm(m.linear(x)),
        "silu for gelu": lambda m, x: m.norm(F.silu(m.linear(x))),
        "epsilon forgotten": lambda m, x: normal(hidden(m, x), m, eps=0.0),
        "another epsilon": lambda m, x: normal(hidden(m, x), m, eps=1e-3),
        "unbiased variance": lambda m, x: normal(hidden(m, x), m, unbiased=True),
        "statistics over the batch": lambda m, x: normal(hidden(m, x), m, dim=0),
        "no weight of the norm": lambda m, x: F.layer_norm(hidden(m, x), m.norm.weight.shape, None, m.norm.bias),
        "no bias of the norm": lambda m, x: F.layer_norm(hidden(m, x), m.norm.weight.shape, m.norm.weight),
        "no norm": lambda m, x: hidden(m, x),
        "root mean square": lambda m, x: F.normalize(hidden(m, x), dim=-1) * x.shape[-1] ** 0.5 * m.norm.weight + m.norm.bias,
        "norm before gelu": lambda m, x: F.gelu(m.norm(m.linear(x))),
        "tail of the columns": lambda m, x: cut(m.norm(hidden(m, x)), 1),
        "last input left out": lambda m, x: m.norm(F.gelu(F.linear(x[:, :-1], m.linear.weight[:, :-1], m.linear.bias))),
        "constant": lambda m, x: torch.ones_like(hidden(m, x)),
        "NaN": lambda m, x: m.norm(hidden(m, x)) * float("nan"),
        "one wrong element": lambda m, x: m.norm(hidden(m, x)).index_fill(0, torch.tensor([0]), 1.0),
    },
    "batch_norm": {
        "batch statistics": lambda m, x: F.max_pool2d(F.batch_norm(x, None, None, m.bn.weight, m.bn.bias, training=True), 2),
        "running mean forgotten": lambda m, x: F.max_pool2d(batch(m, x, mean=False), 2),
        "running variance forgotten": lambda m, x: F.max_pool2d(batch(m, x, variance=False), 2),
        "epsilon of another size": lambda m, x: F.max_pool2d(batch(m, x, eps=1e-3), 2),
        "no weight": lambda m, x: F.max_pool2d(batch(m, x, affine=False), 2),
        "no bias": lambda m, x: F.max_pool2d(batch(m, x, shift=False), 2),
        "average for maximum": lambda m, x: F.avg_pool2d(batch(m, x), 2),
        "pooled first": lambda m, x: batch(m, F.max_pool2d(x, 2)),
        "ceil mode": lambda m, x: F.max_pool2d(batch(m, x), 2, ceil_mode=True),
        "padded with zeros": lambda m, x: F.max_pool2d(F.pad(batch(m, x), (1, 0, 1, 0)), 2)[
            :, :, : x.shape[2] // 2, : x.shape[3] // 2
        ],
        "maximum from zero": lambda m, x: F.max_pool2d(batch(m, x), 2).clamp(min=0),
        "input returned": lambda m, x: x,
    },
    "attention": {
        "no mask": lambda m, q, k, v: attend(q, k, v, mask=False),
        "mask off by one": lambda m, q, k, v: attend(q, k, v, shift=1),
        "no scale": lambda m, q, k, v: attend(q, k, v, scale=1.0),
        "scale of another size": lambda m, q, k, v: attend(q, k, v, scale=1 / q.shape[-1]),
        "softmax over queries": lambda m, q, k, v: attend(q, k, v, mask=False, dim=-2),
        "keys for values": lambda m, q, k, v: attend(q, k, k),
        "queries and keys exchanged": lambda m, q, k, v: attend(k, q, v),
        "values returned": lambda m, q, k, v: v.clone(),
    },
    "group_norm": {
        "one group": lambda m, x: swished(grouped(m, x, groups=1)),
        "a group for each channel": lambda m, x: swished(grouped(m, x, groups=x.shape[1])),
        "epsilon forgotten": lambda m, x: swished(grouped(m, x, eps=0.0)),
        "unbiased variance": lambda m, x: swished(grouped(m, x, unbiased=True)),
        "no weight": lambda m, x: swished(grouped(m, x, weight=False)),
        "no bias": lambda m, x: swished(grouped(m, x, bias=False)),
        "sum for mean": lambda m, x: F.silu(m.gn(x)).sum(2),
        "mean over the wrong axis": lambda m, x: F.silu(m.gn(x)).mean(1)[:, : x.shape[1]],
        "sigmoid alone": lambda m, x: torch.sigmoid(m.gn(x)).mean(2),
        "mean of one too few": lambda m, x: F.silu(m.gn(x)).sum(2) / max(x.shape[2] - 1, 1),
    },
    "loss": {
        "mean over the batch": lambda m, p, t: smooth(p, t).mean(0),
        "mean of all": lambda m, p, t: smooth(p, t).mean().expand(p.shape[0]).clone(),
        "half forgotten": lambda m, p, t: smooth(p, t, half=1.0).mean(1),
        "another beta": lambda m, p, t: smooth(p, t, beta=0.5).mean(1),
        "squares": lambda m, p, t: ((p - t) ** 2).mean(1),
        "absolute": lambda m, p, t: (p - t).abs().mean(1),
        "sum for mean": lambda m, p, t: smooth(p, t).sum(1),
        "sign forgotten": lambda m, p, t: smooth(p, -t).mean(1),
    },
    "softmax": {
        "no mask": lambda m, x, k: torch.cumsum(F.softmax(x, 1), 1),
        "mask inverted": lambda m, x, k: torch.cumsum(F.softmax(x, 1) * ~k, 1),
        "mask before softmax": lambda m, x, k: torch.cumsum(F.softmax(x * k, 1), 1),
        "over the wrong axis": lambda m, x, k: torch.cumsum(F.softmax(x, 0) * k, 1),
        "summed along the wrong axis": lambda m, x, k: torch.cumsum(F.softmax(x, 1) * k, 0),
        "exclusive sum": lambda m, x, k: torch.cumsum(F.softmax(x, 1) * k, 1) - F.softmax(x, 1) * k,
        "reverse sum": lambda m, x, k: torch.cumsum((F.softmax(x, 1) * k).flip(1), 1).flip(1),
        "no maximum": lambda m, x, k: torch.cumsum(torch.exp(x) / torch.exp(x).sum(1, keepdim=True) * k, 1),
        "logarithms": lambda m, x, k: torch.cumsum(F.log_softmax(x, 1) * k, 1),
    },
}
