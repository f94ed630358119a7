"""Figures of the notebooks on CTC's alignments, forward and backward variables and gradient (01 to 04)."""

from __future__ import annotations

from itertools import groupby
from typing import Any, Dict, List, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from assay.steps import CtcSteps

from .figures import BLACK, BLUE, GREEN, GREY, ORANGE, RED, figure, heat, lattice
from .speech import Utterance, letters, waveform

PALE_GREY = "#e4e4e4"


def path_of(alignment: Sequence[int], states: Sequence[int]) -> List[int]:
    """The states [T] that an alignment goes through: there is one way, notebook 01 says why."""
    path: List[int] = []
    s = 0
    for t, k in enumerate(alignment):
        if t == 0:
            s = 0 if k == states[0] else 1
        elif k != states[s]:
            s += 1 if k in (states[0], states[min(s + 1, len(states) - 1)]) else 2
        path.append(s)
    return path


def all_paths(states: Sequence[int], alignments: Sequence[Sequence[int]], title: str, columns: int = 5) -> None:
    """Each alignment as a path of its own through the lattice, its text above."""
    T, rows = len(alignments[0]), -(-len(alignments) // columns)
    names = list(letters(states))
    fig, axes = figure(1.6 * columns, 1.7 * rows + 0.3, rows, columns, squeeze=False)
    fig.suptitle(title, x=0.01, ha="left")
    for ax in axes.flat[len(alignments) :]:
        ax.axis("off")
    for ax, alignment in zip(axes.flat, alignments):
        lattice(ax, states, T, names, path=path_of(alignment, states), size=50)
        ax.set_title(letters(alignment), family="monospace", loc="center")
        ax.set_xticks([])


def posteriors(ax: Axes, y: np.ndarray, classes: Sequence[int], title: str, **options: Any) -> None:
    """Some classes of a matrix [T, C] as a heat map, each named by its letter."""
    image = heat(ax, np.asarray(y, float)[:, list(classes)], rows=list(letters(classes).replace(" ", "␣")), **options)
    ax.set_title(title)
    ax.figure.colorbar(image, ax=ax, pad=0.02)


def heard(utterance: Utterance, y: np.ndarray, classes: Sequence[int], title: str) -> None:
    """The sound of an utterance over what the network says of it, frame by frame."""
    fig, (above, below) = figure(7.4, 3.6, 2, sharex=True, height_ratios=(1, 2.4))
    times, samples = waveform(utterance.recording)
    above.plot(times - 0.5, samples, color=BLUE, lw=0.6)  # frame t is drawn from t - 1/2 on
    above.set_title(title)
    above.set_yticks([])
    above.tick_params(length=0)
    above.spines[["left", "bottom"]].set_visible(False)
    posteriors(below, y, classes, "", vmin=0, vmax=1)
    below.set_xlim(-0.5, len(y) - 0.5)


def runs(ax: Axes, alignments: Sequence[Sequence[int]], states: Sequence[int]) -> None:
    """Alignments as runs of frames; dark is the frame that each label, and each blank between equal ones, must have."""
    for i, alignment in enumerate(alignments):
        top, path = 1.45 * i, path_of(alignment, states)
        for t, k in enumerate(alignment):
            ax.add_patch(Rectangle((t, top), 1, 0.8, facecolor=_run_colour(states, path, t), edgecolor="white"))
            ax.text(t + 0.5, top + 0.4, letters([k]), ha="center", va="center", family="monospace", fontsize=12)
        start = 0
        for s, run in groupby(path):
            length = len(list(run))
            ax.plot([start + 0.08, start + length - 0.08], [top + 0.9] * 2, color=BLACK, lw=1.2)
            ax.text(start + length / 2, top + 0.96, f"run {s}", ha="center", va="top", fontsize=8)
            start += length
    ax.set_xlim(-0.05, len(alignments[0]) + 0.05)
    ax.set_ylim(1.45 * len(alignments) - 0.1, -0.05)
    ax.axis("off")


def _run_colour(states: Sequence[int], path: Sequence[int], t: int) -> str:
    """Dark for the first frame of a run that may not be empty."""
    s = path[t]
    first = t == 0 or path[t - 1] != s
    is_label = s % 2 == 1
    is_due = is_label or (0 < s < len(states) - 1 and states[s - 1] == states[s + 1])
    return (ORANGE if is_label else "#b0b0b0") if first and is_due else ("#fbe3b0" if is_label else PALE_GREY)


def growth(ax: Axes, T: Sequence[int], counts: Dict[str, Sequence[int]], limit: float, limit_name: str) -> None:
    """Numbers of alignments over the number of frames, on a logarithmic axis, and a limit that is named."""
    for name, values in counts.items():
        shown = [(t, float(n)) for t, n in zip(T, values) if n > 0]
        ax.plot(*zip(*shown), lw=2)
        ax.text(shown[-1][0] + 1, shown[-1][1], name, va="center")
    ax.axhline(limit, color=GREY, ls="--", lw=1)
    ax.text(1.35 * T[-1], limit * 4, limit_name, color="#555555", fontsize=9, ha="right")
    ax.set_yscale("log")
    ax.set_xlabel("frames T")
    ax.set_ylabel("alignments")
    ax.set_xlim(T[0], 1.35 * T[-1])


def states_heat(ax: Axes, values: np.ndarray, states: Sequence[int], title: str, path: Sequence[int]) -> None:
    """Logarithms over frames and states [T, L] as a heat map, what is -inf left white, and a path over them."""
    shown = np.ma.masked_invalid(np.asarray(values, float))
    image = heat(ax, shown, rows=list(letters(states)), y="state")
    ax.plot(range(len(path)), path, color=RED, lw=2.5, marker="o", ms=5)
    ax.figure.colorbar(image, ax=ax, pad=0.02)
    ax.set_title(title)


def invariant_steps(ax: Axes, curves: Dict[str, np.ndarray], p: float) -> None:
    """sum over s of alpha beta as a share of p, frame by frame: first what is whole, then a curve a fault."""
    looks = ((PALE_GREY, "", 9), (BLUE, "s", 2), (ORANGE, "D", 2), (GREEN, "^", 2))
    for (name, values), (colour, marker, width) in zip(curves.items(), looks):
        share = np.array([float(x / p) for x in values])
        ax.step(range(len(share)), share, where="mid", color=colour, lw=width, marker=marker, ms=6, label=name)
    ax.set_xticks(range(len(share)), [f"t = {t}" for t in range(len(share))])
    ax.set_ylim(0.6, 1.05)
    ax.set_ylabel("sum over states / p")
    ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))


def gradient_rows(walk: CtcSteps, classes: Sequence[int], frames: slice, title: str) -> None:
    """What the network says, what it would say if it knew the text, and the difference, which is the gradient."""
    fig, axes = figure(8.2, 8, 3, 1, sharex=True)
    fig.suptitle(title, x=0.01, ha="left", fontsize=12)
    extent = (frames.start - 0.5, frames.stop - 0.5, len(classes) - 0.5, -0.5)
    shares, signs = {"vmin": 0, "vmax": 1}, {"cmap": "RdBu_r", "vmin": -1, "vmax": 1}
    posteriors(axes[0], walk.y[frames], classes, "y: what the network says", extent=extent, **shares)
    posteriors(axes[1], walk.posterior[frames], classes, "γ: the same, given the text", extent=extent, **shares)
    posteriors(axes[2], walk.gradient[frames], classes, "y - γ: the gradient", extent=extent, **signs)
    for ax in axes[:2]:
        ax.set_xlabel("")


def shares_lost(ax: Axes, lost: np.ndarray, limit: float, limit_name: str) -> None:
    """How many transitions carry which share of p, on a logarithmic axis; what is left of the limit is not seen."""
    bins = np.arange(2 * np.floor(np.log10(lost.min()) / 2), 1, 2)
    ax.hist(np.log10(lost), bins=bins, color=BLUE, rwidth=0.9)
    ax.axvline(np.log10(limit), color=RED, lw=1.5, ls="--")
    ax.text(np.log10(limit) - 0.7, ax.get_ylim()[1], limit_name, color=RED, ha="right", va="top")
    ax.set_xlabel("share of p that the transition carries")
    ax.set_ylabel("transitions")
    ticks = bins[bins % 10 == 0]
    ax.set_xticks(ticks, [rf"$10^{{{int(b)}}}$" for b in ticks])
