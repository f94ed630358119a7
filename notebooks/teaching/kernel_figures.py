"""Figures of 07-from-formula-to-kernel and 14-metal-puzzles: how threads share work, and what the checker finds in a shader."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Dict, List, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from assay._program import run_program

from .figures import BLACK, BLUE, GREY, ORANGE, RED, figure
from .show import run


def _inputs(ax: Axes, t: int, s: int, sources: Sequence[int]) -> None:
    for source in sources:
        arrow = FancyArrowPatch(
            (t - 0.87, source), (t - 0.13, s), arrowstyle="-|>", mutation_scale=12, color=RED, lw=1.6, zorder=3
        )
        ax.add_patch(arrow)


def threads(names: Sequence[str], T: int, cell: int, sources: Sequence[int]) -> Figure:
    """States downwards, a thread each; frames to the right, a barrier between; what state `cell` reads at frame 2."""
    L = len(names)
    drawn, ax = figure(8.2, 3.9)
    for s in range(L):
        ax.axhline(s, color=GREY, lw=0.8, zorder=0)
        for t in range(T):
            ax.scatter([t], [s], s=330, color=[(BLUE, ORANGE)[t % 2]], edgecolors="white", linewidths=1.5, zorder=2)
    for t in range(1, T):
        ax.axvline(t - 0.5, ymin=0.01, ymax=0.99, color=BLACK, lw=2.2, zorder=1)
    _inputs(ax, 2, cell, sources)
    ax.set_xticks(range(T), [f"t = {t}\na[{t % 2}]" for t in range(T)])
    ax.set_yticks(range(L), [f"thread {s}:  {name}" for s, name in enumerate(names)])
    ax.set_xlim(-0.5, T - 0.5)
    ax.set_ylim(L - 0.5, -0.5)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_title("A thread for each state, a barrier (vertical line) for each frame, two buffers by turns")
    return drawn


def check_shader(shader: str, *arguments: str) -> None:
    """Runs `assay metal check` on a shader and prints what it says."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "shader.metal").write_text(shader)
        run("metal", "check", "shader.metal", *arguments, folder=folder)


def findings(shader: str, *arguments: str) -> List[str]:
    """What `assay metal check` reports of a shader, one line each: the check, what happened, and at which lines."""
    with TemporaryDirectory() as folder:
        path, report = Path(folder) / "shader.metal", Path(folder) / "report.json"
        path.write_text(shader)
        run_program("metal", "check", str(path), *arguments, "--json", str(report))
        outcome = json.loads(report.read_text())
    if outcome["error"]:
        raise ValueError(outcome["error"])
    return [_in_a_line(found) for found in outcome["reports"]]


def _in_a_line(found: Dict[str, Any]) -> str:
    places = [f"{place['action']}, line {place['line']}" for place in (found["event"], found["other"]) if place]
    return f"{found['check']}: " + "; ".join(places)


def _additions(ax: Axes, n: int, steps: Sequence[Sequence[Sequence[int]]], title: str) -> None:
    """Places to the right, steps downwards; an arrow for each (from, to) of a step."""
    for row, pairs in enumerate([[], *steps]):
        changed = {to for _, to in pairs}
        for place in range(n):
            ax.scatter([place], [row], s=150, color=[ORANGE if place in changed else GREY], zorder=2)
        for source, to in pairs:
            arrow = FancyArrowPatch((source, row - 0.85), (to, row - 0.15), arrowstyle="-|>", mutation_scale=10, color=BLUE)
            ax.add_patch(arrow)
    ax.set_xticks(range(n), [f"t[{place}]" for place in range(n)])
    ax.set_yticks(range(len(steps) + 1), ["loaded", *(f"step {i + 1}" for i in range(len(steps)))])
    ax.set_xlim(-0.5, n - 0.5)
    ax.set_ylim(len(steps) + 0.5, -0.5)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_title(title)


def adders(n: int) -> Figure:
    """Which place of a shared array of n, a power of two, each step of a tree and of a scan adds to which."""
    distances = [2**i for i in range(n.bit_length() - 1)]
    drawn, axes = figure(9.6, 2.9, columns=2)
    tree = [[(place + d, place) for place in range(d)] for d in reversed(distances)]
    scan = [[(place - d, place) for place in range(d, n)] for d in distances]
    _additions(axes[0], n, tree, "Tree: the sum")
    _additions(axes[1], n, scan, "Scan: all running sums")
    return drawn
