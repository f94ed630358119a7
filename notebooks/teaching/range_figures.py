"""The figures of 05-number-ranges: what formats hold, which cells of alpha are lost, errors beside their bound."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Sequence, Tuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from .figures import BLACK, BLUE, GREY, ORANGE, RED, figure

Format = Tuple[str, int, int, int]  # name, binary digits, exponents of the smallest number and beyond the largest


def formats(rows: Sequence[Format], marks: Sequence[Tuple[str, float]], title: str) -> Figure:
    """Each format as a bar from its smallest number to its largest; `marks` are decimal exponents with a name."""
    drawn, ax = figure(8.2, 2.9)
    for i, (name, digits, low, high) in enumerate(rows):
        left, right = low * np.log10(2), high * np.log10(2)
        ax.barh(i, right - left, left=left, height=0.55, color=BLUE)
        ax.text(right + 6, i, f"{digits * np.log10(2):.1f} decimal digits", va="center")
    for name, exponent in marks:
        ax.axvline(exponent, color=RED, lw=1.2, ls="--")
        ax.text(exponent, -0.75, name, color=RED, ha="center", va="bottom", fontsize=9)
    ax.set_yticks(range(len(rows)), [row[0] for row in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(-520, 520)
    ax.set_xlabel("power of ten")
    ax.set_title(title, pad=22)
    ax.tick_params(axis="y", length=0)
    return drawn


def is_lost(alpha: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """[T, L]: where alpha is 0 though `truth`, of Decimals, is not; NaN counts as lost."""
    return ~(np.asarray(alpha, float) > 0) & (truth != Decimal(0))


def lost_cells(panels: Sequence[Tuple[str, np.ndarray]], truth: np.ndarray, title: str, columns: int = 2) -> Figure:
    """Maps of alpha, frames to the right and states downwards: kept, lost to underflow, and where no path goes."""
    rows = -(-len(panels) // columns)
    drawn, axes = figure(8.2, 0.5 + 2.1 * rows, rows, columns, sharex=True, sharey=True, squeeze=False)
    colours = ListedColormap(["white", "#cfe3f3", ORANGE])
    for ax, (name, alpha) in zip(axes.flat, panels):
        kind = np.where(truth == Decimal(0), 0, np.where(is_lost(alpha, truth), 2, 1))
        ax.imshow(kind.T, cmap=colours, vmin=0, vmax=2, aspect="auto", interpolation="nearest")
        ax.set_title(name, fontsize=10)
        ax.tick_params(length=2)
    for ax in axes[-1]:
        ax.set_xlabel("frame t")
    for ax in axes[:, 0]:
        ax.set_ylabel("state s")
    drawn.suptitle(title, fontsize=11, x=0.01, ha="left")
    return drawn


def curves(lines: Sequence[Tuple[str, np.ndarray]], title: str, y: str) -> Figure:
    """Positive numbers by frame, on a logarithmic scale, each line named at its end."""
    drawn, ax = figure(8.2, 3.3)
    for name, values in lines:
        shown = np.where(values > 0, values, np.nan)
        (line,) = ax.semilogy(shown, lw=1.8)
        last = np.flatnonzero(np.isfinite(shown))[-1]
        ax.text(last + len(values) / 100, shown[last], name, color=line.get_color(), va="center")
    T = max(len(values) for _, values in lines)
    ax.set_xticks(range(0, T + 1, T // 4))
    ax.set_xlim(0, 1.3 * T)  # room for the names
    ax.set_xlabel("frame t")
    ax.set_ylabel(y)
    ax.set_title(title)
    return drawn


def beside_bound(groups: Sequence[Tuple[str, np.ndarray]], bound: np.ndarray, title: str) -> Figure:
    """Errors against their bounds, an element a point; what lies above the line is beyond its bound.

    Errors of 0, which a logarithmic scale has not, stand at the lower edge.
    """
    drawn, ax = figure(8.2, 4.0)
    low, high = bound.min() / 3, bound.max() * 3
    ax.plot([low, high], [low, high], color=BLACK, lw=1.5, label="error = bound")
    for (name, errors), colour in zip(groups, (BLUE, ORANGE)):
        ax.scatter(bound, np.maximum(errors, low * 1e-4), s=5, color=colour, label=name, alpha=0.6, linewidths=0)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(low, high)
    ax.grid(color=GREY, alpha=0.2)
    ax.set_xlabel("bound of the element")
    ax.set_ylabel("error of the element")
    ax.legend(loc="lower right", markerscale=3)
    ax.set_title(title)
    return drawn


def difference(x: Any, truth: Any) -> np.ndarray:
    """|x - truth| of numbers and Decimals; NaN where x is not finite."""
    pairs = zip(np.ravel(x), np.ravel(truth))  # a Decimal of a float is that float: what is rounded is the difference
    values = [float(abs(Decimal(float(a)) - b)) if np.isfinite(float(a)) else np.nan for a, b in pairs]
    return np.reshape(values, np.shape(truth))


def worst_by_frame(x: np.ndarray, truth: np.ndarray, *, logarithms: bool) -> np.ndarray:
    """[T]: the largest relative error of alpha in each frame, from ln alpha or from scaled alpha, over what is kept.

    An error of ln alpha is a relative error of alpha. Scaled cells below 1e-30 are near float's end and left out.
    """
    if logarithms:
        kept = np.array([[cell.is_finite() for cell in row] for row in truth])
    else:
        kept = x > 1e-30
    error = difference(np.where(kept, x, 0), np.where(kept, truth, Decimal(0)))
    return (error if logarithms else error / np.where(kept, x, 1)).max(axis=1)
