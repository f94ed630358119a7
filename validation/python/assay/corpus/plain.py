"""CTC, linear cross-entropy and the SVD in plain NumPy, each a class with steps that a faulty kernel replaces."""

from __future__ import annotations

from typing import Any, Callable, Dict, Tuple

import numpy as np

from .rules import Arrays

# The properties of the built-in operations that compare with the reference.
COMPARED = {"ctc": "^(loss|gradient)$", "cce": "^(loss|dhidden|dweight)$", "svd": "^(values|reconstruction)$"}


def log_softmax(x: np.ndarray) -> np.ndarray:
    d = x - x.max(-1, keepdims=True)
    return d - np.log(np.exp(d).sum(-1, keepdims=True))


class Ctc:
    """Graves et al. 2006 in log space: alpha and beta both hold the frame's own probability."""

    def __init__(self, real: Any = np.float32) -> None:
        self.real = real

    def __call__(self, p: Any) -> Tuple[np.ndarray, np.ndarray]:
        x = p.logits.astype(self.real)
        loss, gradient = np.zeros(x.shape[1], self.real), np.zeros(x.shape, self.real)
        for b, length in enumerate(p.input_lengths):
            loss[b], gradient[:length, b] = self.row(x[:length, b], self.labels(p, b), p)
            self.past(gradient[:, b], x[:, b], length)
        upstream = np.ones(1, self.real) if p.upstream is None else p.upstream.astype(self.real)
        weighted = self.weighted(gradient, upstream)
        return loss.astype(p.logits.dtype), weighted.astype(p.logits.dtype)

    def labels(self, p: Any, b: int) -> np.ndarray:
        return p.targets[b, : p.target_lengths[b]]

    def past(self, gradient: np.ndarray, x: np.ndarray, length: int) -> None:
        """What a row's gradient is past its length: 0, as it is."""

    def weighted(self, gradient: np.ndarray, upstream: np.ndarray) -> np.ndarray:
        return gradient * upstream[:, None]

    def row(self, x: np.ndarray, labels: np.ndarray, p: Any) -> Tuple[Any, Any]:
        if len(x) == 0:
            return self.no_frames(labels, p), np.zeros(x.shape, self.real)
        z = np.full(2 * len(labels) + 1, p.blank)
        z[1::2] = labels
        y = log_softmax(x)
        alpha = self.forward(y, z, self.skips(z, p.blank))
        beta = self.forward(y[::-1], z[::-1], self.skips(z[::-1], p.blank))[::-1, ::-1]
        log_p = self.total(alpha)
        if log_p == -np.inf:
            return self.impossible(y, p)
        return self.loss(log_p), self.gradient(y, z, alpha, beta, log_p)

    def no_frames(self, labels: np.ndarray, p: Any) -> float:
        return 0.0 if len(labels) == 0 or p.zero_infinity else np.inf

    def loss(self, log_p: Any) -> Any:
        return max(0.0, -log_p)

    def total(self, alpha: np.ndarray) -> Any:
        return np.logaddexp.reduce(alpha[-1, -2:])

    def skips(self, z: np.ndarray, blank: int) -> np.ndarray:
        skips = np.zeros(len(z), bool)
        skips[2:] = (z[2:] != blank) & (z[2:] != z[:-2])
        return skips

    def first(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        return y[0, z[:2]]

    def forward(self, y: np.ndarray, z: np.ndarray, skips: np.ndarray) -> np.ndarray:
        alpha = np.full((len(y), len(z)), -np.inf, self.real)
        alpha[0, :2] = self.first(y, z)
        for t in range(1, len(y)):
            total = alpha[t - 1].copy()
            total[1:] = np.logaddexp(total[1:], alpha[t - 1, :-1])
            total[2:] = np.where(skips[2:], np.logaddexp(total[2:], alpha[t - 1, :-2]), total[2:])
            alpha[t] = total + y[t, z]
        return alpha

    def impossible(self, y: np.ndarray, p: Any) -> Tuple[Any, Any]:
        return (0, np.zeros_like(y)) if p.zero_infinity else (np.inf, np.full_like(y, np.nan))

    def posterior(self, y: np.ndarray, z: np.ndarray, alpha: np.ndarray, beta: np.ndarray, log_p: Any) -> np.ndarray:
        is_possible = (alpha > -np.inf) & (beta > -np.inf)
        return np.where(is_possible, np.exp(np.where(is_possible, alpha + beta - y[:, z] - log_p, 0)), 0)

    def gradient(self, y: np.ndarray, z: np.ndarray, alpha: np.ndarray, beta: np.ndarray, log_p: Any) -> np.ndarray:
        gradient, gamma = np.exp(y), self.posterior(y, z, alpha, beta, log_p)
        for state, label in enumerate(z):
            gradient[:, label] -= gamma[:, state]
        return gradient


class Cce:
    """logits = hidden weight^T + bias, a cap, label smoothing; rows of ignored tokens are not read."""

    def __init__(self, real: Any = np.float32) -> None:
        self.real = real

    def __call__(self, p: Any) -> Tuple[np.ndarray, ...]:
        valid = p.targets != p.ignore_index
        known = np.where(valid, p.targets, 0)
        hidden, weight = np.where(valid[:, None], p.hidden, 0).astype(self.real), p.weight.astype(self.real)
        if len(known) == 0:
            return self.given(p, np.zeros(0, self.real), np.zeros_like(hidden), np.zeros_like(weight))
        logits, slope = self.logits(p, hidden, weight)
        y = self.log_softmax(logits)
        loss = np.where(valid, self.losses(p, y, known), 0)
        d = self.dlogits(p, y, known) * slope * self.scale(p, valid)[:, None]
        d = self.stored(p, d)
        return self.given(p, loss, d @ weight, self.dweight(p, d, hidden), d)

    def given(self, p: Any, loss: Any, dhidden: Any, dweight: Any, d: Any = None) -> Tuple[np.ndarray, ...]:
        if p.reduction != "none":
            loss = loss.sum() / (self.count(p) if p.reduction == "mean" else 1)
        dbias = () if p.bias is None else ((np.zeros(len(p.weight)) if d is None else d.sum(0)).astype(p.bias.dtype),)
        dtype = p.hidden.dtype
        return (np.asarray(loss, np.float32), dhidden.astype(dtype), dweight.astype(dtype), *dbias)

    def capped(self, p: Any, raw: np.ndarray) -> Tuple[np.ndarray, Any]:
        if p.logit_softcap == 0 or np.isinf(p.logit_softcap):
            return raw, 1
        cap = self.real(p.logit_softcap)
        t = np.tanh(raw / cap)
        return cap * t, (1 - t) * (1 + t)

    def logits(self, p: Any, hidden: np.ndarray, weight: np.ndarray) -> Tuple[np.ndarray, Any]:
        raw = hidden @ weight.T
        return self.capped(p, raw if p.bias is None else raw + p.bias.astype(self.real))

    def log_softmax(self, logits: np.ndarray) -> np.ndarray:
        return log_softmax(logits)

    def losses(self, p: Any, y: np.ndarray, known: np.ndarray) -> np.ndarray:
        due = -y[np.arange(len(known)), known]
        eps = self.real(p.label_smoothing)
        return due if eps == 0 else (1 - eps) * due - eps / self.real(y.shape[1]) * y.sum(-1)

    def dlogits(self, p: Any, y: np.ndarray, known: np.ndarray) -> np.ndarray:
        d = np.exp(y)
        eps = self.real(p.label_smoothing)
        d -= eps / self.real(d.shape[1])
        d[np.arange(len(known)), known] -= 1 - eps
        return d

    def count(self, p: Any) -> int:
        return max(int((p.targets != p.ignore_index).sum()), 1)

    def upstream(self, p: Any) -> np.ndarray:
        return np.ones(1, self.real) if p.upstream is None else p.upstream.astype(self.real)

    def scale(self, p: Any, valid: np.ndarray) -> np.ndarray:
        return np.where(valid, self.upstream(p) / self.real(self.count(p) if p.reduction == "mean" else 1), 0)

    def stored(self, p: Any, d: np.ndarray) -> np.ndarray:
        return d

    def dweight(self, p: Any, d: np.ndarray, hidden: np.ndarray) -> np.ndarray:
        return d.T @ hidden


class Svd:
    """LAPACK's."""

    def __init__(self, real: Any = np.float32) -> None:
        self.real = real

    def __call__(self, p: Any) -> Tuple[np.ndarray, ...]:
        if not np.isfinite(p.A).all():
            raise ValueError(f"A[{np.argwhere(~np.isfinite(p.A))[0]}]: expected a finite number")
        return np.linalg.svd(p.A.astype(self.real), full_matrices=False)


def _values_and_product(p: Any, results: Arrays) -> Arrays:
    """What tests of an SVD compare, since vectors have signs: the singular values, and the product of the factors."""
    U, S, Vh = results
    return [S, (U * S[:, None, :]) @ Vh]


KERNELS: Dict[str, Callable[[Any], Callable[[Any], Any]]] = {"ctc": Ctc, "cce": Cce, "svd": Svd}
COMPARISONS: Dict[str, Callable[[Any, Arrays], Arrays]] = {"svd": _values_and_product}
