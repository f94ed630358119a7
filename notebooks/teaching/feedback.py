"""What is drawn of an answer that is not right: where it is wrong, and seldom what is right.

`exercise` calls one of these in place of printing both results, `check` after its hint.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from .ctc_figures import all_paths
from .figures import BLUE, GREEN, GREY, ORANGE, RED, figure, heat, is_reachable, lattice
from .questions import plain, same
from .show import number
from .speech import labels_of, letters

Cell = Tuple[int, int]


def _numbers(rows: Sequence[Sequence[Any]]) -> np.ndarray:
    """Fractions written as text become fractions; what is no number, NaN."""

    def one(x: Any) -> Any:
        x = plain(x)
        try:
            float(x)
        except (TypeError, ValueError):
            return float("nan")
        return x

    made = np.empty((len(rows), len(rows[0])), object)
    made[:] = [[one(x) for x in row] for row in rows]
    return made


def _misshapen(got: Any, expected: Sequence[Sequence[Any]]) -> bool:
    """Says so where `got` is no table of the shape that is due."""
    T, L = len(expected), len(expected[0])
    try:
        lengths = [len(row) for row in got]
    except TypeError:
        lengths = []
    if lengths != [L] * T:
        print(f"  returned rows of lengths {lengths}: expected {T} rows of {L} numbers")
    return lengths != [L] * T


def _ring(ax: Axes, places: Sequence[Cell], size: float, width: float) -> None:
    """Red rings around states of a lattice, the first of them thick."""
    for i, (t, s) in enumerate(places):
        ax.scatter([t], [s], s=1.35 * size, facecolors="none", edgecolors=RED, linewidths=width if i else 2 * width, zorder=5)


def cells(got: Any, expected: Sequence[Sequence[Any]], states: Sequence[int], *, backward: bool = False) -> None:
    """Names the first wrong cell (t, s) of a table [T][L], in the order of its recursion, and draws the table.

    Only the cells that a path can be in count.
    """
    if _misshapen(got, expected):
        return
    T, L = len(expected), len(states)
    live = [(t, s) for t in (range(T)[::-1] if backward else range(T)) for s in range(L) if is_reachable(t, s, T, L)]
    wrong = [(t, s) for t, s in live if not same(got[t][s], expected[t][s])]
    if not wrong:
        print("  Every cell is right.")
        return
    t, s = wrong[0]
    print(f"  first wrong: (t, s) = ({t}, {s}), state {letters([states[s]])} at frame {t}")
    print(f"  returned {got[t][s]}, expected {expected[t][s]}; {len(wrong)} of {len(live)} cells are wrong")
    _, ax = figure(1.2 + 1.6 * T, 0.6 + 0.6 * L)
    lattice(ax, states, T, list(letters(states)), _numbers(got), size=620)
    _ring(ax, wrong, 620, 1.5)
    ax.set_title(f"Yours: what is wrong has a ring, first of all ({t}, {s})")


def marked(named: Any, due: Sequence[Cell], states: Sequence[int], T: int) -> None:
    """Draws the cells that somebody named, with a ring around those that are wrong, and says how many lack."""
    cells_named = [tuple(int(x) for x in cell) for cell in named]
    wrong = [cell for cell in cells_named if cell not in due]
    lacking = len(set(due) - set(cells_named))
    print(f"  {len(wrong)} that you named do not belong there, and {lacking} are not named yet")
    values = np.zeros((T, len(states)))
    for t, s in cells_named:
        if 0 <= t < T and 0 <= s < len(states):
            values[t, s] = 1
    _, ax = figure(1.2 + 1.2 * T, 0.6 + 0.5 * len(states))
    lattice(ax, states, T, list(letters(states)), values, show=False, size=300)
    _ring(ax, wrong, 300, 2)
    ax.set_title("The cells that you named; those with a ring do not belong there")


def matrix(got: Any, expected: Sequence[Sequence[Any]], names: Sequence[str], title: str) -> None:
    """Names the first wrong element of rows [T][C], and draws the rows in colours with a cross on what is wrong."""
    if _misshapen(got, expected):
        return
    T, C = len(expected), len(expected[0])
    wrong = [(t, k) for t in range(T) for k in range(C) if not same(got[t][k], expected[t][k])]
    if wrong:
        t, k = wrong[0]
        print(f"  first wrong: frame {t}, class {names[k]}: {got[t][k]}; {len(wrong)} of {T * C} are wrong")
    numbers = _numbers(got)
    _, ax = figure(1.4 + 1.4 * T, 0.8 + 0.5 * C)
    heat(ax, numbers.astype(float), rows=names, cmap="RdBu_r", vmin=-1, vmax=1)
    for t in range(T):
        for k in range(C):
            ax.text(t, k, number(numbers[t, k]), ha="center", va="center", fontsize=9)
    ax.scatter([t for t, _ in wrong], [k for _, k in wrong], marker="x", s=900, color=RED, alpha=0.6, linewidths=1.5)
    ax.set_xticks(range(T), [f"t = {t}\nsum {number(numbers[t].sum())}" for t in range(T)])
    ax.set_xlabel("")
    ax.set_title(title)


def bars(groups: Dict[str, Sequence[Any]], names: Sequence[str], title: str) -> None:
    """Groups of numbers side by side, one colour a group; what is not finite is said in place of its bar."""
    _, ax = figure(2.4 + 0.9 * len(names), 2.6)
    width = 0.8 / len(groups)
    for i, (name, values) in enumerate(groups.items()):
        heights = _numbers([values])[0].astype(float)
        finite = np.isfinite(heights)
        places = np.arange(len(heights)) + (i - (len(groups) - 1) / 2) * width
        ax.bar(places, np.where(finite, heights, 0), width, color=(BLUE, ORANGE, GREEN)[i], label=name)
        for place, height in zip(places[~finite], heights[~finite]):
            ax.text(place, 0, str(height), rotation=90, ha="center", va="bottom", color=RED)
    ax.axhline(0, color=GREY, lw=0.8)
    ax.set_xticks(range(len(names)), names)
    ax.set_title(title)
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))


def number_line(values: Sequence[float], whole: Optional[int], title: str) -> None:
    """The numbers of a format as ticks above whole numbers as ticks below; `whole` is an answer, in red."""
    _, ax = figure(8.2, 1.5)
    low, high = min(values), max(values)
    ax.vlines(values, 0.05, 0.8, color=BLUE, lw=2)
    ax.vlines(np.arange(int(low), int(high) + 1), -0.8, -0.05, color=GREY, lw=1)
    if whole is not None:
        ax.vlines([whole], -0.95, 0.95, color=RED, lw=2)
    ax.axhline(0, color=GREY, lw=0.8)
    ax.set_ylim(-1, 1)
    ax.set_yticks([0.45, -0.45], ["in the format", "whole numbers"])
    ax.tick_params(axis="y", length=0)
    ax.set_title(title)


def plane(errs: np.ndarray, points: Sequence[float], pair: Sequence[float], title: str) -> None:
    """Where a function of two numbers errs, a map [v, w] of truth values over `points`, and a pair that somebody tried."""
    _, ax = figure(4.6, 3.6)
    ends = (points[0], points[-1], points[0], points[-1])
    ax.imshow(np.asarray(errs, float).T, cmap=ListedColormap(["#cfe3f3", ORANGE]), vmin=0, vmax=1, origin="lower", extent=ends)
    ax.scatter([pair[0]], [pair[1]], marker="x", s=120, color=RED, linewidths=2.5, clip_on=False)
    ax.set_xlabel("v")
    ax.set_ylabel("w")
    ax.set_title(title)


def alignments(words: Sequence[str], labels: Sequence[int], due: Sequence[str]) -> None:
    """Draws the alignments of a list that are right, each as a path, and says which others are none."""
    right: List[str] = [word for word in dict.fromkeys(words) if word in due]
    strange = [word for word in words if word not in due]
    print(f"  {len(right)} of {len(due)} found" + (f"; no alignments of it: {' '.join(strange)}" if strange else ""))
    if len(right) + len(strange) < len(words):
        print("  some more than once")
    states = [0, *(k for label in labels for k in (label, 0))]
    if right:
        all_paths(states, [[0 if c == "-" else labels_of(c)[0] for c in word] for word in right], "Found so far")
