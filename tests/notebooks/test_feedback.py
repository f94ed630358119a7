"""feedback: a wrong table names its first wrong cell, and the picture has its ring there."""

from fractions import Fraction

import matplotlib
import numpy as np
import pytest
from teaching import exercise, feedback, figures, labels_of

from assay import steps

matplotlib.use("Agg")
AB, HALF = [0, 1, 0, 2, 0], Fraction(1, 2)
Y = [["1/4", "1/2", "1/4"], ["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]]


@pytest.fixture(autouse=True)
def no_figures():
    yield
    figures.plt.close("all")


def table(name="alpha"):
    return getattr(steps.ctc(labels_of("ab"), outputs=Y, number="exact"), name).tolist()


def rings():
    """Where the picture has red rings: [(t, s)], the first one first."""
    red = matplotlib.colors.to_rgba(figures.RED)
    found = [c for c in figures.plt.gca().collections if len(c.get_edgecolors()) and tuple(c.get_edgecolors()[0]) == red]
    return [tuple(int(x) for x in c.get_offsets()[0]) for c in found]


@pytest.mark.parametrize("wrong", [0, Fraction(1, 7), float("nan"), float("inf"), None, "one"])
@pytest.mark.parametrize("t, s", [(0, 0), (1, 1), (2, 4)])
def test_one_wrong_cell_is_named_and_drawn(capsys, t, s, wrong):
    got = table()
    got[t][s] = wrong
    exercise(lambda: got, table, [()], show=lambda got, due: feedback.cells(got, due, AB))
    said = capsys.readouterr().out
    assert f"first wrong: (t, s) = ({t}, {s}), state {'-a-b-'[s]} at frame {t}" in said and "1 of 7 cells" in said
    assert rings() == [(t, s)]


@pytest.mark.parametrize("backward, first", [(False, (0, 1)), (True, (2, 3))])
def test_first_is_first_in_the_order_of_the_recursion(capsys, backward, first):
    got = table()
    got[0][1] = got[2][3] = HALF
    got[0][1] += 1
    feedback.cells(got, table(), AB, backward=backward)
    assert f"({first[0]}, {first[1]})" in capsys.readouterr().out
    assert rings()[0] == first and len(rings()) == 2


def test_cells_that_no_path_is_in_do_not_count(capsys):
    got = table()
    got[0][4] = got[2][0] = None
    feedback.cells(got, table(), AB)
    assert "Every cell is right." in capsys.readouterr().out


@pytest.mark.parametrize("got", [None, 5, [], [[1, 2]], [[1] * 5] * 2, [[1] * 4] * 3])
def test_another_shape_is_said(capsys, got):
    feedback.cells(got, table(), AB)
    assert "expected 3 rows of 5 numbers" in capsys.readouterr().out
    assert figures.plt.get_fignums() == []


def test_cells_named_by_hand(capsys):
    feedback.marked([(2, 3), (0, 0)], [(2, 3), (2, 4)], AB, 3)
    assert "1 that you named do not belong there, and 1 are not named yet" in capsys.readouterr().out
    assert rings() == [(0, 0)]


@pytest.mark.parametrize("wrong", [float("nan"), HALF])
def test_rows_of_a_gradient(capsys, wrong):
    due = [[HALF, -HALF], [0, 0]]
    feedback.matrix([[HALF, wrong], [0, 0]], due, ["-", "a"], "Yours")
    assert "first wrong: frame 0, class a: " in capsys.readouterr().out


def test_bars_say_what_is_not_finite():
    feedback.bars({"yours": [float("nan"), 1], "right": [HALF, HALF]}, ["-", "a"], "Softmax")
    assert [text.get_text() for text in figures.plt.gca().texts] == ["nan"]


def test_alignments_found(capsys):
    feedback.alignments(["a-a", "aaa", "a-a"], [1, 1], ["a-a"])
    assert capsys.readouterr().out == "  1 of 1 found; no alignments of it: aaa\n  some more than once\n"


def test_lines_and_planes():
    feedback.number_line([1.0, 1.5, 2.0], 2, "Halves")
    feedback.plane(np.eye(3, dtype=bool), [0, 1, 2], (1, 1), "Errs")
    assert len(figures.plt.get_fignums()) == 2
