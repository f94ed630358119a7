"""Whether random results have the means and spreads of others, and whether as many elements vary together. What is expected
follows from how many runs there are, and from how rare the large deviations are that make the variance."""

from __future__ import annotations

import math
from typing import Tuple

import numpy as np

_FAR = 5.5  # standard errors of a mean, as a root of the mean square over each of
_PARTS = 16  # parts of a result
_WIDER = 4.0  # times the variance
_TOGETHER = 16.0  # times as alike are two runs; where dropout is rare, chance makes it 6
_RUNS = 128  # at most, that are so compared
_SUMS = 8  # of all elements, with signs
_SURE = 6.0  # standard errors of the logarithm of a ratio
_RARE = 3  # large deviations more or less are chance
_SAME = 1e-3  # of a result's size: less is rounding


def _limit(least: float, rough: float) -> float:
    """Of a ratio whose logarithm has the variance `rough`."""
    return max(least, math.exp(min(_SURE * math.sqrt(rough), 99.0)))


def _together(of: np.ndarray) -> float:
    """1 where all elements vary together, 1 / n where n of one size vary apart: how alike two runs are."""
    products = of @ of.T
    usual = float(np.diag(products).mean())
    np.fill_diagonal(products, 0.0)
    return float((products**2).sum()) / (len(of) * (len(of) - 1) * usual**2)


def _roughness(squares: np.ndarray) -> float:
    return float(squares.var() / squares.mean() ** 2)


def _ratio(got: np.ndarray, due: np.ndarray, rounding: float) -> Tuple[float, float]:
    """Of the means of squares, one for each run, and what is expected at most of it or its inverse."""
    usual = due if due.mean() > rounding else got
    if usual.mean() <= rounding:
        return 1.0, _WIDER
    rare = _RARE * float((usual**2).mean() / usual.mean()) / len(usual)
    rough = max(_roughness(usual), 2.0) * (1 / len(got) + 1 / len(due))
    return float((got.mean() + rare) / (due.mean() + rare)), _limit(_WIDER, rough)


def _other_spread(got: np.ndarray, due: np.ndarray, rounding: float) -> str:
    """Of deviations from the mean over runs."""
    signs = np.random.default_rng(7).choice([-1.0, 1.0], (due.shape[1], _SUMS))
    signs[:, 0] = 1
    each = (got**2).sum(1), (due**2).sum(1)
    for what, one, its in [("elements", *each), *(("a sum of them", (got @ sign) ** 2, (due @ sign) ** 2) for sign in signs.T)]:
        ratio, most = _ratio(one, its, rounding)
        if not 1 / most <= ratio <= most:
            return f"has {ratio:.3g} times Model's variance of {what}: expected {1 / most:.3g} to {most:.3g}"
    if min(one.mean() for one in each) <= rounding:
        return ""
    runs = min(len(got), len(due), _RUNS)
    share, usual = _together(got[:runs]), _together(due[:runs])
    most = _limit(_TOGETHER, _roughness(each[1]) * 2 / runs)
    if not 1 / most <= share / usual <= most:
        return f"draws {1 / share:.3g} elements apart, where Model draws {1 / usual:.3g}"
    return ""


def why_other_numbers(got: np.ndarray, due: np.ndarray) -> str:
    """What is wrong with `got`, a row for each run, where `due` are Model's; "" of the same means and spreads."""
    if not np.array_equal(np.isfinite(got).all(0), np.isfinite(due).all(0)):
        return "gives NaN or infinity where Model gives numbers, or the reverse"
    usual = np.isfinite(due).all(0)
    got, due = got[:, usual], due[:, usual]
    size = float(np.sqrt(np.mean(due * due))) if due.size else 0.0
    off = got.mean(0) - due.mean(0)
    if size == 0:
        return "gives other numbers than 0, which Model gives" if off.any() else ""
    standard_error = np.sqrt(due.var(0, ddof=1) / len(due) + got.var(0, ddof=1) / len(got)) + _SAME * size
    parts = np.array_split((off / standard_error) ** 2, min(_PARTS, len(off)))
    far, most = math.sqrt(max(float(one.mean()) for one in parts)), _FAR * (1 + 8 / min(len(got), len(due)))
    if not far <= most:
        return f"has means over {len(got)} runs that are {far:.3g} standard errors from Model's: expected at most {most:.3g}"
    return _other_spread(got - got.mean(0), due - due.mean(0), len(off) * (_SAME * size) ** 2)
