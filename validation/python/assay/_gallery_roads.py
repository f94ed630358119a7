"""Roads that kernels take to results of assay.gallery other than the formula's own, for assay.gate(..., road=...)."""

from __future__ import annotations

from typing import Any, Dict, Tuple

Lattice = Dict[Tuple[int, int], Any]


def _steps(xp: Any, y: Any, labels: Any) -> Tuple[Any, Any]:
    """Which entries are the labels, [3, V], and their log-probabilities, [T, 3]."""
    is_label = xp.arange(y.shape[2]) == labels[:, None]
    return is_label, xp.sum(xp.where(is_label, y[:, :3, :], 0), axis=-1)


def _alpha(xp: Any, y: Any, emit: Any) -> Lattice:
    """log-probabilities of all ways to a cell."""
    alpha: Lattice = {}
    for t in range(y.shape[0]):
        for u in range(4):
            ways = [alpha[t - 1, u] + y[t - 1, u, 0]] if t > 0 else []
            ways += [alpha[t, u - 1] + emit[t, u - 1]] if u > 0 else []
            alpha[t, u] = xp.logaddexp(*ways) if len(ways) == 2 else ways[0] if ways else 0.0
    return alpha


def _beta(xp: Any, y: Any, emit: Any) -> Lattice:
    """log-probabilities of all ways from a cell to the end."""
    beta: Lattice = {(y.shape[0], 3): 0.0}
    for t in reversed(range(y.shape[0])):
        for u in reversed(range(4)):
            ways = [beta[t + 1, u] + y[t, u, 0]] if (t + 1, u) in beta else []
            ways += [beta[t, u + 1] + emit[t, u]] if u < 3 else []
            beta[t, u] = xp.logaddexp(*ways) if len(ways) == 2 else ways[0]
    return beta


def transducer_gradient(xp: Any, logits: Any, labels: Any, upstream: Any) -> Any:
    """By alpha and beta in logarithms, as warp-transducer: the posterior of a step is exp(alpha + y + beta - total)."""
    if logits.shape[0] == 0:
        return logits
    d = logits - xp.max(logits, axis=-1, keepdims=True)
    y = d - xp.log(xp.sum(xp.exp(d), axis=-1, keepdims=True))
    is_label, emit = _steps(xp, y, labels)
    alpha, beta = _alpha(xp, y, emit), _beta(xp, y, emit)
    total, rows = alpha[y.shape[0] - 1, 3] + y[-1, 3, 0], []
    for t in range(y.shape[0]):
        for u in range(4):
            g = xp.zeros((y.shape[2],))
            if (t + 1, u) in beta:
                g = g - xp.where(xp.arange(y.shape[2]) == 0, xp.exp(alpha[t, u] + y[t, u, 0] + beta[t + 1, u] - total), 0)
            if u < 3:
                g = g - xp.where(is_label[u], xp.exp(alpha[t, u] + emit[t, u] + beta[t, u + 1] - total), 0)
            rows.append(g)
    g = xp.reshape(xp.stack(rows, axis=0), y.shape)
    return upstream * (g - xp.exp(y) * xp.sum(g, axis=-1, keepdims=True))
