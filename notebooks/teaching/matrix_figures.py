"""Figures of linear cross-entropy and of the singular value decomposition: notebooks 08 and 09."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any, Dict, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from .figures import BLACK, BLUE, GREEN, GREY, ORANGE, RED


def bars(ax: Axes, sizes: Dict[str, float], unit: str, highlight: Sequence[str] = ()) -> None:
    """Sizes as horizontal bars with the number at their ends; those of `highlight` in red."""
    names = list(sizes)
    colours = [RED if name in highlight else BLUE for name in names]
    ax.barh(range(len(names)), list(sizes.values()), color=colours, height=0.6)
    for i, size in enumerate(sizes.values()):
        ax.text(size, i, f" {size:,.2f} {unit}" if size < 10 else f" {size:,.0f} {unit}", va="center")
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlim(0, 1.15 * max(sizes.values()))
    ax.tick_params(length=0)
    ax.set_xticks([])
    ax.spines["bottom"].set_visible(False)


def running_sum(ax: Axes, logits: np.ndarray, names: Sequence[str], maxima: np.ndarray, logs: np.ndarray) -> None:
    """Logits as stems; over them the running maximum and the running log-sum-exp after each."""
    words = np.arange(len(logits))
    ax.vlines(words, min(logits) - 1, logits, color=GREY, lw=3, alpha=0.5)
    ax.plot(words, logits, "o", color=GREY, ms=4, label="logit $x_v$")
    ax.step(words, maxima, where="post", color=BLUE, lw=1.8, label="largest so far")
    ax.step(words, logs, where="post", color=ORANGE, lw=1.8, label="log-sum-exp so far")
    ax.set_xticks(words, names)
    ax.set_ylim(min(logits) - 1, None)
    ax.set_ylabel("logit")
    ax.legend(loc="center right", bbox_to_anchor=(0.95, 0.74))


def arrows(ax: Axes, columns: np.ndarray, names: Sequence[str], colours: Sequence[str] = (BLUE, ORANGE)) -> None:
    """The two columns of a 2 x 2 matrix as arrows from the origin, on equal axes."""
    for column, name, colour in zip(columns.T, names, colours):
        style = dict(arrowstyle="-|>", color=colour, lw=2.4, shrinkA=0, shrinkB=0)
        ax.annotate("", xy=column, xytext=(0, 0), arrowprops=style)
        beyond = dict(xytext=10 * column / np.hypot(*column), textcoords="offset points")
        ax.annotate(name, column, color=colour, ha="center", va="center", **beyond)
    ax.plot(0, 0, "o", color=BLACK, ms=3)
    ax.set_aspect("equal")


def ellipse(ax: Axes, A: np.ndarray) -> None:
    """Where the 2 x 2 matrix A takes the unit circle."""
    angle = np.linspace(0, 2 * np.pi, 400)
    ax.plot(*(A @ np.array([np.cos(angle), np.sin(angle)])), color=GREY, lw=1)


def cosines(columns: np.ndarray) -> np.ndarray:
    """log10 |cosine| of each two columns, which are Decimals; NaN on the diagonal."""
    with localcontext() as context:
        context.prec = 120
        lengths = [sum(x * x for x in column).sqrt() for column in columns.T]
        unit = [[x / length for x in column] for column, length in zip(columns.T, lengths)]
        sizes = [[abs(sum(x * y for x, y in zip(a, b))) for b in unit] for a in unit]
    result = np.array([[float(max(x, Decimal("1e-300")).log10()) for x in row] for row in sizes])
    np.fill_diagonal(result, np.nan)
    return result


def cosine_maps(axes: Sequence[Axes], sweeps: Sequence[Any], floor: float = -16) -> Any:
    """How orthogonal each two columns are, before the first sweep and after each; white is orthogonal."""
    image = None
    for i, (ax, sweep) in enumerate(zip(axes, sweeps)):
        image = ax.imshow(cosines(sweep.AV), vmin=floor, vmax=0, interpolation="nearest")
        ax.set_title("A itself" if i == 0 else f"after sweep {i}", fontsize=10)
        ax.set_xticks([])
        ax.set_yticks([])
        for spine in ax.spines.values():
            spine.set_visible(True)
            spine.set_color(GREY)
    return image


def convergence(ax: Axes, worst: Dict[str, Sequence[float]]) -> None:
    """log10 of the largest cosine that each sweep met, for several orders of rotation."""
    for name, values in worst.items():
        ax.plot(range(1, len(values) + 1), values, "o-", label=name)
    ax.set_xlabel("sweep")
    ax.set_ylabel(r"$\log_{10}$ of the largest cosine met")
    ax.legend()


def relative_errors(ax: Axes, S: np.ndarray, errors: Dict[str, np.ndarray], floor: float, note: str) -> None:
    """Relative errors against singular values, both logarithmic; one below `floor` stands at it. `note` is at error 1."""
    for (name, values), marker, colour in zip(errors.items(), "os", (RED, GREEN)):
        ax.loglog(S, np.maximum(values, floor), marker + "-", label=name, color=colour)
    ax.axhline(1, color=GREY, lw=0.8, ls="--")
    ax.annotate(note, (S[0], 1), xytext=(0, 4), textcoords="offset points", color=GREY)
    ax.invert_xaxis()
    ax.set_xlabel("singular value")
    ax.set_ylabel("relative error")
    ax.legend()


def verdicts(ax: Axes, kernels: Sequence[str], properties: Sequence[str], caught: Sequence[Sequence[bool]]) -> None:
    """Which property catches which kernel."""
    for i, row in enumerate(caught):
        for j, found in enumerate(row):
            word, colour = ("fails", "white") if found else ("passes", BLACK)
            ax.text(j, i, word, ha="center", va="center", color=colour, fontsize=9)
    ax.imshow(np.array(caught, float), cmap=ListedColormap(["#dcebf5", RED]), vmin=0, vmax=1, aspect="auto")
    ax.set_xticks(range(len(properties)), properties)
    ax.set_yticks(range(len(kernels)), kernels)
    ax.set_xticks(np.arange(len(properties) - 1) + 0.5, minor=True)
    ax.set_yticks(np.arange(len(kernels) - 1) + 0.5, minor=True)
    ax.grid(which="minor", color="white", lw=2)
    ax.tick_params(which="both", length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
