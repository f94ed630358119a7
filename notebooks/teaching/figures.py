"""The figures that several notebooks have, in one style: lattices, heat maps, curves.

Colours are Okabe and Ito's (2008), which readers of all kinds of colour vision can tell apart.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .show import number

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PURPLE = (
    "#000000 #e69f00 #56b4e9 #009e73 #f0e442 #0072b2 #d55e00 #cc79a7".split()
)
GREY = "#8a8a8a"

plt.rcParams.update(
    {
        "figure.dpi": 110,
        "savefig.bbox": "tight",
        "figure.facecolor": "white",
        "font.size": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.prop_cycle": plt.cycler(color=[BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK]),
        "axes.titlelocation": "left",
        "axes.titlesize": 11,
        "image.cmap": "Blues",
        "legend.frameon": False,
        "svg.hashsalt": "assay",
    }
)


def figure(width: float = 7.2, height: float = 3.2, rows: int = 1, columns: int = 1, **options: Any) -> Tuple[Figure, Any]:
    """A figure and its axes."""
    return plt.subplots(rows, columns, figsize=(width, height), constrained_layout=True, **options)


def is_reachable(t: int, s: int, T: int, L: int) -> bool:
    """Whether a path can be in state s at frame t: reference/ctc/labels.h, `live_states`."""
    return max(0, L - 2 * (T - t)) <= s < min(L, 2 * t + 2)


def may_skip_to(states: Sequence[int], s: int) -> bool:
    """Whether a path may step from state s - 2 to s: reference/ctc/labels.h."""
    return s >= 2 and states[s] != states[0] and states[s] != states[s - 2]


def _steps_to(states: Sequence[int], s: int) -> Sequence[int]:
    return [s - d for d in (0, 1, 2) if s - d >= 0 and (d < 2 or may_skip_to(states, s))]


def _edges(ax: Axes, states: Sequence[int], T: int, path: Optional[Sequence[int]]) -> None:
    L = len(states)
    for t in range(1, T):
        for s in range(L):
            for before in _steps_to(states, s):
                if is_reachable(t, s, T, L) and is_reachable(t - 1, before, T, L):
                    ax.plot([t - 1, t], [before, s], color=GREY, lw=0.8, zorder=1)
    if path is not None:
        ax.plot(range(T), path, color=RED, lw=3, zorder=2, solid_capstyle="round")


def lattice(
    ax: Axes,
    states: Sequence[int],
    T: int,
    names: Sequence[str],
    values: Optional[np.ndarray] = None,
    *,
    path: Optional[Sequence[int]] = None,
    show: bool = True,
    size: float = 620,
) -> None:
    """Frames to the right, states l' downwards, the transitions that are allowed between states that a path can be in.

    `values` [T, L] colour the states and, with `show`, stand in them; `path` [T] of states is drawn over the edges.
    `names` [L] stand at the states' side.
    """
    L = len(states)
    _edges(ax, states, T, path)
    sizes = None if values is None else np.array([[float(x) for x in row] for row in values], float)
    top = None if sizes is None else np.nanmax(np.where(np.isfinite(sizes), np.abs(sizes), 0)) or 1.0
    for t in range(T):
        for s in range(L):
            reachable = is_reachable(t, s, T, L)
            share = 0.0 if sizes is None or not np.isfinite(sizes[t, s]) else abs(sizes[t, s]) / top
            face = plt.get_cmap("Blues")(0.75 * share) if reachable else "white"
            edge = BLACK if reachable else "#d9d9d9"
            ax.scatter([t], [s], s=size, color=[face], edgecolors=[edge], linewidths=1, zorder=3)
            if values is not None and show and reachable:
                colour = "white" if share > 0.7 else BLACK
                ax.text(t, s, number(values[t, s]), ha="center", va="center", fontsize=8, color=colour, zorder=4)
    ax.set_xlim(-0.6, T - 0.4)
    ax.set_ylim(L - 0.4, -0.6)
    ax.set_xticks(range(T), [f"t = {t}" for t in range(T)])
    ax.set_yticks(range(L), names)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)


def heat(
    ax: Axes, values: np.ndarray, *, x: str = "frame", y: str = "", rows: Optional[Sequence[str]] = None, **options: Any
) -> Any:
    """A matrix as an image, its first index to the right; `rows` name the second."""
    image = ax.imshow(np.asarray(values, float).T, aspect="auto", interpolation="nearest", **options)
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if rows is not None:
        ax.set_yticks(range(len(rows)), rows)
    ax.tick_params(length=0)
    return image
