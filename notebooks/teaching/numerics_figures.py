"""The figures of 15-where-the-digits-go, errors of gradients as maps and the lines that made them; the shares of 13."""

from __future__ import annotations

from typing import Any, Sequence, Tuple

import numpy as np
from matplotlib.figure import Figure

from .figures import BLUE, GREY, ORANGE, figure, heat
from .speech import letters


def error_maps(panels: Sequence[Tuple[str, np.ndarray]], classes: Sequence[int], title: str, floor: float = 1e-8) -> Figure:
    """Errors [T, C] of some classes as maps on one logarithmic scale, frames to the right; NaN is orange."""
    drawn, axes = figure(8.2, 2.7, 1, len(panels), sharey=True)
    for ax, (name, errors) in zip(axes, panels):
        ax.set_facecolor(ORANGE)
        shown = np.log10(np.maximum(errors[:, list(classes)], floor))
        image = heat(ax, shown, x="frame t", rows=list(letters(classes)), vmin=np.log10(floor), vmax=0)
        worst = "NaN" if np.isnan(errors).any() else f"{np.max(errors):.0e}"
        ax.set_title(f"{name}\nworst: {worst}", fontsize=10)
    axes[0].set_ylabel("class k")
    drawn.colorbar(image, ax=axes, label="log10 of the error", pad=0.01)
    drawn.suptitle(title, fontsize=11, x=0.01, ha="left")
    return drawn


def share_maps(panels: Sequence[Tuple[str, np.ndarray]], title: str, floor: float = 1e-20) -> Figure:
    """Matrices of an attention's shares on one logarithmic scale, keys to the right; shares of 0 are white."""
    drawn, axes = figure(7.2, 2.9, 1, len(panels), sharey=True)
    for ax, (name, shares) in zip(axes, panels):
        shown = np.log10(np.where(shares > 0, np.maximum(shares, floor), np.nan))
        image = heat(ax, shown.T, x="hears position s", vmin=np.log10(floor), vmax=0)
        ax.set_title(name, fontsize=10)
    axes[0].set_ylabel("position t")
    drawn.colorbar(image, ax=axes, label="log10 of the share", pad=0.01)
    drawn.suptitle(title, fontsize=11, x=0.01, ha="left")
    return drawn


def lines(panels: Sequence[Tuple[str, Any, str]], title: str, most: int = 4) -> Figure:
    """For each kernel its lines with the largest shares of the error, from (name, KernelNumerics, source)."""
    rows = []
    for name, found, source in panels:
        text = source.split("\n")
        for loss in sorted(found.lines, key=lambda one: -one.share)[:most]:
            if loss.share >= 0.01:
                rows.append((name, loss.share, f"{loss.line:3}  {text[loss.line - 1].strip()}"))
    drawn, ax = figure(8.2, 0.6 + 0.27 * len(rows))
    names = [name for name, *_ in rows]
    for i, (name, share, line) in enumerate(rows):
        is_first = i == 0 or names[i - 1] != name
        ax.barh(i, 100 * share, color=BLUE, height=0.7)
        ax.text(100 * share + 1, i, line if len(line) <= 62 else line[:59] + "...", va="center", fontsize=8, family="monospace")
        if is_first and i:
            ax.axhline(i - 0.5, color=GREY, lw=0.8)
    ax.set_yticks([names.index(name) for name in dict.fromkeys(names)], list(dict.fromkeys(names)))
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlim(0, 290)
    ax.set_xticks([0, 50, 100], ["0 %", "50 %", "100 %"])
    ax.tick_params(length=0)
    ax.spines["left"].set_visible(False)
    ax.set_title(title)
    return drawn
