"""Attention and softmax."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._references import operation
from ..gallery import causal_attention
from .entry import Family
from .narrow import f32

FAMILY = Family("attention")
SMALL = {"T": 33, "S": 65, "D": 17}


@operation(x="N, D")
def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


@operation(q="T, D", k="S, D", v="S, D", limits=SMALL)
def attention(xp: Any, q: Any, k: Any, v: Any) -> Any:
    scores = xp.matmul(q, xp.matrix_transpose(k)) * 0.25
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return xp.matmul(e / xp.sum(e, axis=-1, keepdims=True), v)


@operation(q="T, D", k="S, D", v="S, D", keep="T, S of flag", limits=SMALL)
def masked_attention(xp: Any, q: Any, k: Any, v: Any, keep: Any) -> Any:
    """A query without any key gives 0."""
    scores = xp.matmul(q, xp.matrix_transpose(k)) * 0.25
    m = xp.max(xp.where(keep, scores, -xp.inf), axis=-1, keepdims=True)
    e = xp.where(keep, xp.exp(xp.where(keep, scores - m, 0)), 0)
    total = xp.sum(e, axis=-1, keepdims=True)
    return xp.matmul(e / xp.where(total > 0, total, 1), v)


@operation(q="T, D", k="T, D", v="T, D", limits={"T": 65, "D": 17})
def window_attention(xp: Any, q: Any, k: Any, v: Any) -> Any:
    """Each position sees itself and the three before it."""
    steps = xp.arange(q.shape[0])
    sees = (steps[:, None] >= steps) & (steps[:, None] - steps < 4)
    scores = xp.where(sees, xp.matmul(q, xp.matrix_transpose(k)) * 0.25, -xp.inf)
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return xp.matmul(e / xp.sum(e, axis=-1, keepdims=True), v)


@operation(q="KV, G, T, D", k="KV, T, D", v="KV, T, D", limits={"KV": 9, "G": 33, "T": 9, "D": 9})
def grouped_attention(xp: Any, q: Any, k: Any, v: Any) -> Any:
    """Each of KV heads of keys and values serves G heads of queries."""
    scores = xp.matmul(q, xp.matrix_transpose(k)[:, None]) * 0.25
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return xp.matmul(e / xp.sum(e, axis=-1, keepdims=True), v[:, None])


def _scores(p: Any) -> Any:
    return p.q @ np.swapaxes(p.k, -1, -2) * f32(0.25)


def _soft(s: Any, m: Any = None) -> Any:
    e = np.exp(s - (s.max(-1, keepdims=True) if m is None else m))
    return e / e.sum(-1, keepdims=True)


def right_softmax(p: Any) -> Any:
    return _soft(p.x)


def right_attention(p: Any) -> Any:
    """Flash attention in tiles of 16."""
    return _flash(p, True)


def _flash(p: Any, rescales: bool) -> Any:
    s, out = _scores(p), f32(0)
    m, total = np.full((len(s), 1), f32(-np.inf)), f32(0)
    for at in range(0, s.shape[1], 16):
        part = s[:, at : at + 16]
        new = np.maximum(m, part.max(-1, keepdims=True))
        keep, e = np.exp(m - new), np.exp(part - new)
        total, out = total * keep + e.sum(-1, keepdims=True), out * (keep if rescales else 1) + e @ p.v[at : at + 16]
        m = new
    return out / total


def right_masked(p: Any) -> Any:
    s = np.where(p.keep, _scores(p), f32(-np.inf))
    m = s.max(-1, keepdims=True)
    e = np.exp(s - np.where(m == -np.inf, f32(0), m))
    total = e.sum(-1, keepdims=True)
    return (e / np.where(total > 0, total, f32(1))) @ p.v


def _steps(p: Any) -> Any:
    t = np.arange(p.q.shape[-2])
    return t[:, None] - t


def right_causal(p: Any) -> Any:
    return _soft(np.where(_steps(p) >= 0, _scores(p), f32(-np.inf))) @ p.v


def _window(p: Any, back: int, ahead: int) -> Any:
    return _soft(np.where((_steps(p) <= back) & (_steps(p) >= -ahead), _scores(p), f32(-np.inf))) @ p.v


def right_window(p: Any) -> Any:
    return _window(p, 3, 0)


def _grouped(p: Any, kv_of: Any) -> Any:
    """Heads of queries in a row, head h with the keys and values kv_of(h); None leaves its output as it was."""
    KV, G = p.q.shape[:2]
    q, out = p.q.reshape(KV * G, *p.q.shape[2:]), np.zeros((KV * G, *p.q.shape[2:]), f32)
    for h in range(KV * G):
        kv = kv_of(h, KV, G)
        if kv is not None:
            out[h] = _soft(q[h] @ p.k[kv].T * f32(0.25)) @ p.v[kv]
    return out.reshape(p.q.shape)


def right_grouped(p: Any) -> Any:
    return _grouped(p, lambda h, KV, G: h // G)


SQUARE = {"T": 32, "S": 32, "D": 16}


@FAMILY.fault("tracel-ai/burn#4694", masked_attention, right_masked, shape=SQUARE)
def fully_masked_row(p: Any) -> Any:
    """the maximum of a masked row is -inf, and -inf less -inf is NaN"""
    return _soft(np.where(p.keep, _scores(p), f32(-np.inf))) @ p.v


@FAMILY.fault("ml-explore/mlx#2395", masked_attention, right_masked, shape=SQUARE)
def mean_of_masked_row(p: Any) -> Any:
    """masked scores are the lowest number: a row without keys gives the mean of all values"""
    return _soft(np.where(p.keep, _scores(p), np.finfo(f32).min)) @ p.v


@FAMILY.fault("flashinfer-ai/flashinfer#4267", attention, right_attention, shape=SQUARE)
def finite_sentinel(p: Any) -> Any:
    """the running maximum begins at -50000: rows below it give zeros"""
    s = _scores(p)
    e = np.exp(s - np.maximum(s.max(-1, keepdims=True), f32(-5e4)))
    total = e.sum(-1, keepdims=True)
    return (e / np.where(total > 0, total, f32(1))) @ p.v


@FAMILY.fault("Dao-AILab/flash-attention#2082", causal_attention, right_causal, shape={"H": 2, "T": 64, "D": 16})
def row_max_of_masked_block(p: Any) -> Any:
    """a block that is masked throughout sets the running maximum to 0, and scores far below it vanish"""
    s = np.where(_steps(p) >= 0, _scores(p), f32(-np.inf))
    last = (p.q.shape[1] - 1) // 16 * 16  # blocks of 16 keys, from the last to the first
    masked = (s[..., last:] == -np.inf).all(-1, keepdims=True)
    e = np.exp(s - np.where(masked, np.maximum(s.max(-1, keepdims=True), f32(0)), s.max(-1, keepdims=True)))
    total = e.sum(-1, keepdims=True)
    return (e / np.where(total > 0, total, f32(1))) @ p.v


@FAMILY.fault("rasbt/LLMs-from-scratch#1062", causal_attention, right_causal, shape={"H": 2, "T": 32, "D": 16})
def inverted_mask(p: Any) -> Any:
    """the mask says what to keep, and was taken for what to hide"""
    return _soft(np.where(_steps(p) <= 0, _scores(p), f32(-np.inf))) @ p.v


@FAMILY.fault("tenstorrent/tt-metal#48700", causal_attention, right_causal, shape={"H": 2, "T": 64, "D": 16})
def causal_by_blocks(p: Any) -> Any:
    """blocks of 32 are causal, and within its own block a query sees what comes later"""
    t = np.arange(p.q.shape[1])
    return _soft(np.where(t[:, None] // 32 >= t // 32, _scores(p), f32(-np.inf))) @ p.v


@FAMILY.fault("triton-lang/triton tutorial on attention, docs/conformance.md", causal_attention, right_causal,
              shape={"H": 2, "T": 64, "D": 16})  # fmt: skip
def mask_by_adding(p: Any) -> Any:
    """later keys are masked by adding -1000000: they come through where scores are as low"""
    return _soft(_scores(p) + np.where(_steps(p) >= 0, f32(0), f32(-1e6))) @ p.v


@FAMILY.fault("zml/zml#763", window_attention, right_window, shape={"T": 64, "D": 16})
def window_one_too_long(p: Any) -> Any:
    """the window of flash attention counts the keys before the query, not the query itself"""
    return _window(p, 4, 0)


@FAMILY.fault("ModelTC/LightLLM#1311", window_attention, right_window, shape={"T": 64, "D": 16})
def window_on_both_sides(p: Any) -> Any:
    """the window is given for both sides, and later keys are seen"""
    return _window(p, 3, 3)


@FAMILY.fault("HazyResearch/HipKittens#22", grouped_attention, right_grouped, shape={"KV": 8, "G": 8, "T": 8, "D": 8})
def heads_by_group_size(p: Any) -> Any:
    """blocks go to heads with the size of a group in place of the number of groups: right for 64 heads on 8"""
    KV, G = p.q.shape[:2]
    done = {(b % G) * G + b // G for b in range(KV * G)}
    return _grouped(p, lambda h, KV, G: h // G if h in done else None)


@FAMILY.fault("PSAL-POSTECH/ONNXim#33", grouped_attention, right_grouped, shape={"KV": 4, "G": 4, "T": 8, "D": 8})
def key_head_by_wrong_divisor(p: Any) -> Any:
    """the head of keys is h / KV in place of h / G"""
    return _grouped(p, lambda h, KV, G: min(h // KV, KV - 1))


@FAMILY.fault("FlashML-org/FreeToken#177", grouped_attention, right_grouped, shape={"KV": 2, "G": 16, "T": 8, "D": 8})
def tile_across_groups(p: Any) -> Any:
    """a tile of 16 heads has one head of keys, also where it reaches into the next group"""
    return _grouped(p, lambda h, KV, G: (h // 16 * 16 if G > 16 else h) // G)


@FAMILY.fault("sarkar-dipankar/gpuemu-corpus attention_triton_buggy", attention, right_attention, shape=SQUARE)
def scale_forgotten(p: Any) -> Any:
    """scores are not divided by the root of the head's size"""
    return _soft(p.q @ p.k.T) @ p.v


@FAMILY.fault("sarkar-dipankar/gpuemu-corpus flash_attention_triton_buggy", attention, right_attention,
              shape={"T": 16, "S": 16, "D": 16})  # fmt: skip
def accumulator_not_rescaled(p: Any) -> Any:
    """the output so far is not rescaled where a later tile has a larger score: right for one tile"""
    return _flash(p, False)


@FAMILY.fault("vllm-project/vllm#55009", softmax, right_softmax, shape={"N": 16, "D": 64})
def padding_loaded_as_zero(p: Any) -> Any:
    """lanes past the row are loaded as 0 and take part in the softmax: right for powers of two"""
    D = p.x.shape[-1]
    lanes = 1 << (D - 1).bit_length()
    return _soft(np.pad(p.x, ((0, 0), (0, lanes - D))))[:, :D]


@FAMILY.fault("ggml-org/ggml#1534", softmax, right_softmax, shape={"N": 16, "D": 64})
def maximum_of_first_subgroups(p: Any) -> Any:
    """only the first 16 of 64 partial maxima are read: what is far above them overflows"""
    return _soft(p.x, p.x[:, :256].max(-1, keepdims=True))


@FAMILY.fault("nerdai/llms-from-scratch-rs#30", softmax, right_softmax, shape={"N": 16, "D": 64})
def wrong_axis(p: Any) -> Any:
    """the softmax is taken over the other axis"""
    e = np.exp(p.x - p.x.max(0, keepdims=True))
    return e / e.sum(0, keepdims=True)
