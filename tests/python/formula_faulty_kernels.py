"""Faulty kernels of the gallery's operations: faults that were reported against published kernels, and their like."""

import numpy as np

import formula_right_kernels as right

f32 = np.float32


def _max(x):
    return x.max(-1, keepdims=True, initial=-np.inf)


def _softmax(x, m=None, s=None, e=None):
    e = np.exp(x - (_max(x) if m is None else m)) if e is None else e
    return e / (e.sum(-1, keepdims=True) if s is None else s)


def _bfloat16(x):
    return (np.ascontiguousarray(x, f32).view(np.uint32) & 0xFFFF0000).view(f32)


def _tiles(n, tile=16):
    return n // tile * tile if n >= tile else n


def _norm(x, eps=2.0**-17, mean=True, n=None):
    n = max(x.shape[-1], 1) if n is None else n
    d = x - x.sum(-1, keepdims=True) / f32(n) if mean else x
    return d / np.sqrt((d * d).sum(-1, keepdims=True) / f32(n) + f32(eps))


def _variance_by_squares(p):
    m = p.x.mean(-1, keepdims=True)
    return (p.x - m) / np.sqrt((p.x * p.x).mean(-1, keepdims=True) - m * m + f32(2.0**-17)) * p.weight + p.bias


def _attention(p, scale=0.25, shift=0, values=None, low=-np.inf, last=0):
    s = p.q @ np.swapaxes(p.k, -1, -2) * f32(scale)
    t = np.arange(p.q.shape[1])
    s = np.where(t[:, None] + shift >= t, s, f32(low))
    e = np.exp(s - s.max(-1, keepdims=True, initial=-np.inf))
    if last:
        e[..., -last:] = 0
    return e / e.sum(-1, keepdims=True) @ (p.v if values is None else values)


def _flash(p, rescale_total, rescale_out, tile=4):
    s = right._scores(p)
    m = np.full((*s.shape[:2], 1), f32(-np.inf))
    total, out = np.zeros_like(m), np.zeros(p.q.shape, f32)
    for at in range(0, s.shape[-1], tile):
        part = s[..., at : at + tile]
        new = np.maximum(m, part.max(-1, keepdims=True))
        keep, e = np.exp(m - new), np.exp(part - new)
        total = total * (keep if rescale_total else 1) + e.sum(-1, keepdims=True)
        out = out * (keep if rescale_out else 1) + e @ p.v[:, at : at + tile]
        m = new
    return out / total if s.size else p.v.copy()


def _chopped(kernel):
    def chopped(p):
        out = np.array(kernel(p))
        out[..., _tiles(out.shape[-1], 8) :] = 0
        return out

    return chopped


def _last_zero(kernel):
    def zeroed(p):
        out = np.array(kernel(p))
        out.reshape(-1)[-1:] = 0
        return out

    return zeroed


FAULTY = {
    "softmax": {
        "zeros": lambda p: np.zeros_like(p.x),
        "uniform": lambda p: np.full_like(p.x, 1 / max(p.x.shape[-1], 1)),
        "maximum_not_subtracted": lambda p: _softmax(p.x, f32(0)),
        "maximum_of_the_array": lambda p: _softmax(p.x, p.x.max(initial=-np.inf)),
        "last_left_out_of_the_sum": lambda p: _softmax(p.x, s=np.exp(p.x - _max(p.x))[..., :-1].sum(-1, keepdims=True)),
        "last_tile_left_out": lambda p: _softmax(
            p.x, s=np.exp(p.x - _max(p.x))[..., : _tiles(p.x.shape[-1])].sum(-1, keepdims=True)),
        "bfloat16_exponentials": lambda p: _softmax(p.x, e=_bfloat16(np.exp(p.x - _max(p.x)))),
        "constant_in_the_divisor": lambda p: _softmax(p.x, s=np.exp(p.x - _max(p.x)).sum(-1, keepdims=True) + f32(1e-5)),
        "wrong_axis": lambda p: np.exp(p.x - _max(p.x)) / np.exp(p.x - _max(p.x)).sum(0, keepdims=True),
        "powers_of_two": lambda p: _softmax(p.x, e=np.exp2(p.x - _max(p.x))),
        "not_normalised": lambda p: np.exp(p.x - _max(p.x)),
        "large_scores_clipped": lambda p: _softmax(np.clip(p.x, -20, 20)),
        "tail_not_written": _chopped(right.softmax_plain),
        "last_is_zero": _last_zero(right.softmax_plain),
        "input_in_half": lambda p: _softmax(p.x.astype(np.float16).astype(f32)),
    },
    "log_softmax": {
        "log_of_a_softmax": lambda p: np.log(_softmax(p.x)),
        "large_common_offset": lambda p: p.x - np.log(np.exp(p.x).sum(-1, keepdims=True)),
        "no_logarithm": lambda p: p.x - _max(p.x) - np.exp(p.x - _max(p.x)).sum(-1, keepdims=True),
        "clamped": lambda p: np.maximum(right.log_softmax_plain(p), f32(-15)),
        "sum_in_bfloat16": lambda p: p.x - _max(p.x) - np.log(_bfloat16(np.exp(p.x - _max(p.x)).sum(-1, keepdims=True))),
    },
    "rms_norm": {
        "weight_forgotten": lambda p: _norm(p.x, mean=False),
        "weight_plus_one": lambda p: _norm(p.x, mean=False) * (1 + p.weight),
        "no_constant": lambda p: _norm(p.x, 0, mean=False) * p.weight,
        "constant_outside_the_root": lambda p: p.x / (np.sqrt((p.x * p.x).mean(-1, keepdims=True)) + f32(2.0**-17)) * p.weight,
        "mean_subtracted": lambda p: _norm(p.x) * p.weight,
        "sum_for_mean": lambda p: _norm(p.x, mean=False, n=1) * p.weight,
        "n_minus_one": lambda p: _norm(p.x, mean=False, n=max(p.x.shape[-1] - 1, 1)) * p.weight,
        "squares_in_bfloat16": lambda p: p.x / np.sqrt(_bfloat16((p.x * p.x).mean(-1, keepdims=True)) + f32(2.0**-17)) * p.weight,
    },
    "layer_norm": {
        "variance_by_squares": _variance_by_squares,
        "bias_forgotten": lambda p: _norm(p.x) * p.weight,
        "bias_twice": lambda p: _norm(p.x) * p.weight + 2 * p.bias,
        "unbiased_variance": lambda p: (p.x - p.x.mean(-1, keepdims=True)) / np.sqrt(
            p.x.var(-1, keepdims=True) * f32(p.x.shape[-1] / max(p.x.shape[-1] - 1, 1)) + f32(2.0**-17)) * p.weight + p.bias,
        "other_constant": lambda p: _norm(p.x, 1e-5) * p.weight + p.bias,
        "tail_not_written": _chopped(right.layer_plain),
    },
    "matmul": {
        "last_term_left_out": lambda p: p.a[:, :-1] @ p.b[:-1],
        "last_tile_left_out": lambda p: p.a[:, : _tiles(p.a.shape[1])] @ p.b[: _tiles(p.a.shape[1])],
        "tf32_inputs": lambda p: _bfloat16(p.a) @ _bfloat16(p.b),
        "half_result": lambda p: (p.a @ p.b).astype(np.float16).astype(f32),
        "first_row_everywhere": lambda p: np.broadcast_to(p.a[:1] @ p.b, (len(p.a), p.b.shape[1])) if len(p.a) else p.a @ p.b,
        "last_is_zero": _last_zero(right.matmul_blas),
    },
    "causal_attention": {
        "sees_the_next_token": lambda p: _attention(p, shift=1),
        "does_not_see_itself": lambda p: _attention(p, shift=-1),
        "no_mask": lambda p: _attention(p, shift=1000),
        "finite_mask": lambda p: _attention(p, low=-30),
        "scale_forgotten": lambda p: _attention(p, scale=1),
        "total_not_rescaled": lambda p: _flash(p, False, True),
        "output_not_rescaled": lambda p: _flash(p, True, False),
        "values_of_the_first_head": lambda p: _attention(p, values=np.broadcast_to(p.v[:1], p.v.shape)) if len(p.v) else p.v,
        "last_key_left_out": lambda p: _attention(p, last=1),
    },
}  # fmt: skip
