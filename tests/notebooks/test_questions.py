"""check: it must take what is right, and nothing else."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from teaching import check

NAN, INF = float("nan"), float("inf")


def says(capsys, *arguments, **options):
    check(*arguments, **options)
    return capsys.readouterr().out.strip()


@pytest.mark.parametrize(
    "answer, expected",
    [
        (5, 5),
        ("5/81", Fraction(5, 81)),
        (Fraction(5, 81), Fraction(5, 81)),
        ("10/162", Fraction(5, 81)),
        ("9 / 4", Fraction(9, 4)),
        (np.bool_(True), True),
        (False, np.bool_(False)),
        (np.int64(5), 5),
        (10**400, 10**400),
        (1e26 * (1 + 1e-13), 10**26),
        (np.array(0.5), Fraction(1, 2)),
        (0.5, Fraction(1, 2)),
        (0.1, Decimal("0.1")),
        (1 / 3, np.float64(1 / 3)),
        (INF, INF),
        (NAN, NAN),
        ("Yes", "yes"),
        (True, True),
        ([1, "1/2"], (1, Fraction(1, 2))),
        ([0, 1, 1], np.array([0, 1, 1])),
        ([], []),
    ],
)
def test_right(capsys, answer, expected):
    assert says(capsys, answer, expected) == "Right."


@pytest.mark.parametrize(
    "answer, expected",
    [
        (4, 5),
        ("5/80", Fraction(5, 81)),
        ("9 4", Fraction(9, 4)),
        ("1/0", Fraction(1, 2)),
        (np.bool_(True), False),
        (np.bool_(True), 1),
        (10**13 + 1, 10**13),
        (1e13 + 1, 10**13),
        (NAN, 5.0),
        (NAN, Fraction(1, 2)),
        (INF, 5.0),
        (-INF, INF),
        (5.0, NAN),
        ("no", "yes"),
        ("five", 5),
        (None, 5),
        (1, True),
        (True, 1),
        ([1, 2], [1, 2, 3]),
        ([1, NAN], [1.0, 2.0]),
        (1, [1]),
        ([[1]], 1),
        ({}, 0),
        (0.1 + 1e-9, 0.1),
        (0, 1e-300),
    ],
)
def test_wrong(capsys, answer, expected):
    assert says(capsys, answer, expected, "A hint.") == "Not yet. A hint."


def test_rough_answers_are_asked_for(capsys):
    assert says(capsys, 1300, 1343.0, within=0.05) == "Right."
    assert says(capsys, 1200, 1343.0, within=0.05) == "Not yet."
    assert says(capsys, NAN, 1343.0, within=0.05) == "Not yet."
    assert says(capsys, 1343.0, 0, within=0.05) == "Not yet."


def test_dots_are_no_answer(capsys):
    assert says(capsys, ..., 5).startswith("Your turn")


def test_draws_what_is_not_right(capsys):
    drawn = []
    assert says(capsys, 4, 5, "A hint.", show=drawn.append) == "Not yet. A hint."
    assert says(capsys, 5, 5, show=drawn.append) == "Right."
    assert says(capsys, ..., 5, show=drawn.append).startswith("Your turn")
    assert drawn == [4]
