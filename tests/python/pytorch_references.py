"""Functions and modules of PyTorch with the extents of their inputs: one line for each row of the table, or for a few."""

import torch
import torch.nn.functional as F
from torch import nn

PAIR = {"x": "N, D", "y": "N, D"}
IMAGE, LINE, VOLUME = {"x": "N, C, H, W"}, {"x": "N, C, L"}, {"x": "N, C, D, H, W"}
HEADS = {"q": "B, H, T, D", "k": "B, H, S, D", "v": "B, H, S, E"}


def unary(name, kind=""):
    return lambda x: getattr(torch, name)(x), {"x": f"N, D{kind}"}


def activation(name):
    return lambda x: getattr(F, name)(x), {"x": "N, 4"}


def binary(name):
    return lambda x, y: getattr(torch, name)(x, y), {"x": "N, D", "y": "N, D of positive"}


def reduction(name):
    def reduced(x):
        result = getattr(torch, name)(x, dim=1, keepdim=True)
        return result[0] if isinstance(result, tuple) else result

    return reduced, {"x": "N, D, 3"}


def loss(name):
    def every_reduction(x, y):
        f = getattr(F, name)
        return f(x, y), f(x, y, reduction="none"), f(x, y, reduction="sum")

    return every_reduction, PAIR


def written_in_place(x):
    y = x * 2
    y[:, 0] = x[:, 1]
    y[:, 1] += 3
    y.view(-1)[0] = 7.0
    z = torch.zeros(y.shape)
    z[:, 2] = y[:, 0]
    z += 1
    u = torch.ones(y.shape)
    u[:, 1] *= y[:, 1]
    z = z + u
    y.relu_()
    w = torch.empty_like(y)
    w.copy_(z)
    y[x > 1] = 9.0
    y.unsqueeze_(1).transpose_(0, 2)
    return y, z, w


def through_views(x):
    y = x.clone()
    left, right = y.chunk(2, dim=1)
    left.mul_(2)
    y.transpose(0, 1)[0] = 5.0
    return y, left + right


ELEMENTWISE = {
    name: unary(name)
    for name in (
        "exp expm1 tanh abs sign neg sin cos erf erfc floor ceil trunc round exp2 square sigmoid relu selu sinh cosh tan frac"
    ).split()
}
ELEMENTWISE.update({name: unary(name, " of unit") for name in "log log1p sqrt rsqrt log2 log10 reciprocal logit".split()})
ELEMENTWISE.update(
    {
        f"F.{name}": activation(name)
        for name in (
            "relu6 silu mish softplus hardswish hardtanh hardsigmoid elu celu gelu leaky_relu logsigmoid "
            "softsign tanhshrink hardshrink softshrink "
            "glu"
        ).split()
    }
)
ELEMENTWISE.update({name: binary(name) for name in "add sub mul div maximum minimum logaddexp eq ne lt le gt ge".split()})
ELEMENTWISE.update({
    "tanh gelu": (lambda x: F.gelu(x, approximate="tanh"), {"x": "N, D"}),
    "prelu": (lambda x, w: F.prelu(x, w), {"x": "N, C", "w": "C"}),
    "powers": (lambda x: x**3 + x**0.5 + x**-1 + x**1.5 + 2**x, {"x": "N of positive"}),
    "clamps": (lambda x: torch.clamp(x, min=-0.5, max=0.5) + x.clamp(min=0) + (x + 0).clamp_(0, 1), {"x": "N"}),
    "where": (lambda x, m: torch.where(m, x, 0.5) + x.masked_fill(~m, 1.0) + torch.where(x > 0, x, -x),
        {"x": "N", "m": "N of flag"}),
    "masks": (lambda x, m, k: ((m & k) | ~m) * x + (m ^ k), {"x": "N", "m": "N of flag", "k": "N of flag"}),
    "addcmul": (lambda x, y: torch.addcmul(x, x, y, value=2) + torch.lerp(x, y, 0.3) + torch.addcdiv(x, x, y),
        {"x": "N", "y": "N of positive"}),
    "remainders": (lambda x, y: torch.remainder(x, y) + x % 2 + torch.fmod(x, 3) + x // y, {"x": "N", "y": "N of positive"}),
    "torch.relu itself": (torch.relu, {"x": "N"}),
})  # fmt: skip

SHAPES = {
    "chain": (lambda x: x.reshape(x.size(0), -1).transpose(0, 1).reshape(-1, 2).permute(1, 0).flatten().unsqueeze(0),
        {"x": "N, 4, D"}),
    "expand": (lambda x: x[:, None].expand(-1, 3, -1).repeat(1, 2, 1).flip(0).roll(1, 0), {"x": "N, D"}),
    "cat": (lambda x, y: torch.cat([x, y], dim=-1) * torch.stack([x, x], 1).sum(1).repeat(1, 2), PAIR),
    "split": (lambda x: (*x.chunk(2, -1), *x.split(3, dim=-1), *x.unbind(1)[:2]), {"x": "N, 6"}),
    "pad": (lambda x: (F.pad(x, (1, 2), "reflect"), F.pad(x, (1, -1), value=2.0), F.pad(x, (1, 1), "replicate"),
                       F.pad(x, (1, 1), "circular")), {"x": "N, D, 5"}),
    "triangles": (lambda x: torch.tril(x) + x.triu(1) @ torch.eye(x.size(-1)), {"x": "N, N"}),
    "diagonals": (lambda x, y: torch.diag(x) @ y + torch.diag_embed(x), {"x": "N", "y": "N, N"}),
    "slices": (lambda x: x[:, 1:] + x[..., :-1] + x[:, [0, 1]][:, :1], {"x": "N, 5"}),
    "pixels": (lambda x: (F.pixel_shuffle(x, 2), F.pixel_unshuffle(x, 2)), {"x": "N, 4, 2, 4"}),
    "in place": (written_in_place, {"x": "N, 4"}), "through views": (through_views, {"x": "N, 4"}),
    "constants": (lambda x: x * torch.arange(x.size(1)) + torch.ones_like(x) + x.new_zeros(1) + torch.full_like(x, 2.0),
        {"x": "N, D"}),
}  # fmt: skip

REDUCTIONS = {name: reduction(name) for name in "sum mean var std max min amax amin prod logsumexp".split()}
REDUCTIONS.update({
    "all of it": (lambda x: x.sum() + x.mean() + x.max() + x.min() + x.std() + x.var(unbiased=False) + x.norm() + x.sum((0, 1)),
        {"x": "N, D"}),
    "norms": (lambda x: torch.linalg.norm(x, dim=-1) + torch.linalg.vector_norm(x, ord=3, dim=-1) + torch.norm(x, p=1, dim=1),
        {"x": "N, D"}),
    "cumulative": (lambda x: torch.cumsum(x, 1) + torch.cumprod(x, 1) + torch.cummax(x, 1)[0] + torch.logcumsumexp(x, 1),
        {"x": "N, D"}),
    "positions": (lambda x: (torch.argmax(x, 1), x.argmin(0), torch.argsort(x, 1), x.max(1)[1]), {"x": "N, D"}),
    "sorted": (lambda x: (*torch.sort(x, 1, descending=True), *x.topk(1), *torch.median(x, 1), x.kthvalue(1)[0]), {"x": "N, D"}),
    "softmaxes": (lambda x: F.softmax(x, dim=-1) + torch.log_softmax(x, 1) + F.softmin(x, 1) + x.softmax(-1), {"x": "N, D"}),
})  # fmt: skip

PRODUCTS = {
    "matmul": (lambda a, b: a @ b + torch.mm(a, b) + torch.addmm(a @ b, a, b, beta=0.5, alpha=2.0), {"a": "M, K", "b": "K, N"}),
    "bmm": (lambda a, b: torch.bmm(a, b) + torch.baddbmm(a @ b, a, b) + torch.einsum("bmk,bkn->bmn", a, b),
        {"a": "B, M, K", "b": "B, K, N"}),
    "mv": (lambda a, b: a @ b + torch.mv(a, b) + torch.outer(b, b).sum(0) + torch.dot(b, b) + b @ a, {"a": "M, M", "b": "M"}),
    "einsum": (lambda a, b: torch.einsum("bijl,lk->bijk", a, b), {"a": "B, I, J, L", "b": "L, K"}),
    "tensordot": (lambda a, b: torch.tensordot(a, b, dims=([1], [0])), {"a": "I, J", "b": "J, K"}),
    "linear": (lambda x, w, b: F.linear(x, w, b), {"x": "N, T, I", "w": "O, I", "b": "O"}),
    "bilinear": (lambda x, y, w, b: F.bilinear(x, y, w, b), {"x": "N, I", "y": "N, J", "w": "O, I, J", "b": "O"}),
    "distances": (lambda x, y: F.cosine_similarity(x, y, dim=1) + F.pairwise_distance(x, y) + torch.cdist(x, y).sum(1), PAIR),
}  # fmt: skip

CONVOLUTIONS = {
    "conv1d": (lambda x, w, b: F.conv1d(x, w, b, stride=2, padding=1, dilation=2), {**LINE, "w": "O, C, 3", "b": "O"}),
    "conv2d": (lambda x, w, b: F.conv2d(x, w, b, padding=1), {**IMAGE, "w": "O, C, 3, 3", "b": "O"}),
    "groups": (lambda x, w: F.conv2d(x, w, None, stride=(2, 1), padding="valid", groups=2),
        {"x": "N, 4, H, W", "w": "6, 2, 3, 2"}),
    "same": (lambda x, w: F.conv2d(x, w, padding="same"), {**IMAGE, "w": "O, C, 3, 5"}),
    "conv3d": (lambda x, w: F.conv3d(x, w), {**VOLUME, "w": "O, C, 2, 3, 2"}),
    "transposed 1d": (lambda x, w: F.conv_transpose1d(x, w, stride=2, padding=1, output_padding=1, dilation=2),
        {**LINE, "w": "C, O, 3"}),
    "transposed 2d": (lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1, groups=2),
        {"x": "N, 4, H, W", "w": "4, 3, 3, 3", "b": "6"}),
    "transposed 3d": (lambda x, w: F.conv_transpose3d(x, w, padding=2), {**VOLUME, "w": "C, O, 3, 3, 2"}),
    "unfold": (lambda x: F.unfold(x, 2, padding=1), IMAGE),
}  # fmt: skip

POOLING = {
    "max 1d": (lambda x: F.max_pool1d(x, 3, stride=2, padding=1, dilation=2, ceil_mode=True), LINE),
    "max 2d": (lambda x: F.max_pool2d(x, 2), IMAGE), "max 3d": (lambda x: F.max_pool3d(x, 2, padding=1), VOLUME),
    "average 1d": (lambda x: F.avg_pool1d(x, 3, stride=2, padding=1, ceil_mode=True, count_include_pad=False), LINE),
    "average 2d": (lambda x: F.avg_pool2d(x, 3, stride=2, padding=1), IMAGE),
    "average 3d": (lambda x: F.avg_pool3d(x, 2), VOLUME),
    "adaptive": (lambda x: (F.adaptive_avg_pool2d(x, (3, 2)), F.adaptive_max_pool2d(x, (3, 2))), IMAGE),
    "global": (lambda x: F.adaptive_avg_pool2d(x, 1), IMAGE), "powers": (lambda x: F.lp_pool2d(x, 2, 2), IMAGE),
    "resized": (lambda x: (F.interpolate(x, scale_factor=2), F.interpolate(x, size=(5, 2), mode="bilinear"),
                           F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True)), IMAGE),
}  # fmt: skip

NORMS = {
    "layer": (lambda x, w, b: F.layer_norm(x, (x.shape[-1],), w, b), {"x": "N, D", "w": "D", "b": "D"}),
    "group": (lambda x, w, b: F.group_norm(x, 2, w, b), {"x": "N, 4, L", "w": "4", "b": "4"}),
    "batch": (lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b), {**LINE, "m": "C", "v": "C of positive", "w": "C", "b": "C"}),
    "batch in training": (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), {**LINE, "w": "C", "b": "C"}),
    "instance": (lambda x, w, b: F.instance_norm(x, None, None, w, b), {**LINE, "w": "C", "b": "C"}),
    "local response": (lambda x: F.local_response_norm(x, 3), LINE),
    "normalize": (lambda x: F.normalize(x, dim=-1), {"x": "N, D"}),
}  # fmt: skip

LOSSES = {
    name: loss(name)
    for name in (
        "mse_loss l1_loss smooth_l1_loss huber_loss soft_margin_loss poisson_nll_loss binary_cross_entropy_with_logits"
    ).split()
}
LOSSES.update({
    "binary_cross_entropy": (lambda x, y: F.binary_cross_entropy(x, y), {"x": "N of unit", "y": "N of unit"}),
    "kl_div": (lambda x, y: F.kl_div(x, y, reduction="batchmean") + F.kl_div(x, y, log_target=True, reduction="sum"),
               {"x": "N, D", "y": "N, D of unit"}),
    "margins": (lambda x, y: F.hinge_embedding_loss(x, y) + F.margin_ranking_loss(x, x * 2, y, margin=0.2), {"x": "N", "y": "N"}),
    "cosine_embedding": (lambda x, y, t: F.cosine_embedding_loss(x, y, t), {**PAIR, "t": "N"}),
    "triplet": (lambda x, y, z: F.triplet_margin_loss(x, y, z), {**PAIR, "z": "N, D"}),
    "cross_entropy": (lambda x, t: F.cross_entropy(x, t) + F.cross_entropy(x, t, label_smoothing=0.1, reduction="sum"),
                      {"x": "N, C", "t": "N of index C"}),
    "cross_entropy of shares": (lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1), {"x": "N, C", "t": "N, C of unit"}),
    "nll": (lambda x, t, w: F.nll_loss(x, t, w), {"x": "N, C", "t": "N of index C", "w": "C of positive"}),
})  # fmt: skip

INDICES = {
    "embedding": (lambda w, t: F.embedding(t, w), {"w": "V, D", "t": "B, T of index V"}),
    "gather": (lambda x, t: torch.gather(x, 1, t), {"x": "N, C", "t": "N, K of index C"}),
    "index_select": (lambda x, t: torch.index_select(x, 0, t) + x[t], {"x": "N, C", "t": "K of index N"}),
    "pairs": (lambda x, t: x[torch.arange(x.shape[0]), t], {"x": "N, C", "t": "N of index C"}),
    "scatter_add": (lambda x, t: torch.zeros(x.shape[0], 5, dtype=x.dtype).scatter_add(1, t, x),
        {"x": "N, C", "t": "N, C of index 5"}),
    "index_add": (lambda x, t: torch.zeros(5, x.shape[1], dtype=x.dtype).index_add(0, t, x), {"x": "N, C", "t": "N of index 5"}),
}  # fmt: skip

if hasattr(F, "scaled_dot_product_attention"):
    INDICES.update({
        "attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v), HEADS),
        "causal": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), HEADS),
        "mask": (lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m), {**HEADS, "m": "T, S of flag"}),
        "bias": (lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, attn_mask=m, scale=0.3), {**HEADS, "m": "T, S"}),
    })  # fmt: skip
if hasattr(F, "rms_norm"):
    NORMS["rms"] = (lambda x, w: F.rms_norm(x, (x.shape[-1],), w), {"x": "N, D", "w": "D"})
    INDICES["grouped heads"] = (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True),
                                {"q": "B, 4, T, D", "k": "B, 2, S, D", "v": "B, 2, S, E"})  # fmt: skip

FUNCTIONS = {f"{theme}: {name}": one for theme, part in {
    "elementwise": ELEMENTWISE, "shapes": SHAPES, "reductions": REDUCTIONS, "products": PRODUCTS, "convolutions": CONVOLUTIONS,
    "pooling": POOLING, "norms": NORMS, "losses": LOSSES, "indices": INDICES}.items() for name, one in part.items()}  # fmt: skip

MODULES = {
    "LSTM": (lambda: nn.LSTM(3, 4, 2, bidirectional=True), {"input": "T, B, 3"}),
    "GRU": (lambda: nn.GRU(3, 4, batch_first=True), {"input": "B, T, 3"}),
    "RNN": (lambda: nn.RNN(3, 4, nonlinearity="relu", bias=False), {"input": "T, B, 3"}),
    "LSTMCell": (lambda: nn.LSTMCell(3, 4), {"input": "B, 3"}),
    "GRUCell": (lambda: nn.GRUCell(3, 4), {"input": "B, 3"}), "RNNCell": (lambda: nn.RNNCell(3, 4), {"input": "B, 3"}),
    "Sequential": (lambda: nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        nn.Dropout(), nn.Flatten()),
                   {"input": "N, 2, H, W"}),
    "LayerNorm": (lambda: nn.LayerNorm(6), {"input": "N, 6"}),
    "MultiheadAttention": (lambda: nn.MultiheadAttention(4, 2, batch_first=True),
        {one: "B, T, 4" for one in ("query", "key", "value")}),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), {"src": "B, T, 4"}),
}  # fmt: skip
