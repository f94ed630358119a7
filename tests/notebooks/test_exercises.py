"""exercise: it must take what is right, however it was computed, and say where anything else is wrong."""

from fractions import Fraction

import numpy as np
import pytest
from teaching import exercise

NAN = float("nan")


def says(capsys, function, reference, *cases, **options):
    exercise(function, reference, cases, **options)
    return capsys.readouterr().out.strip()


def doubled_in_place(x):
    for i in range(len(x)):
        x[i] = 2 * x[i]
    return x


@pytest.mark.parametrize("numbers", [[1, 2], np.array([1.0, 2.0])])
def test_takes_what_is_computed_in_place(capsys, numbers):
    def double(x):
        return [2 * e for e in x]

    assert says(capsys, doubled_in_place, double, (numbers,), (numbers,)) == "Right."
    assert list(numbers) == [1, 2], "the next case has them too"


def test_takes_numpy_s_truth(capsys):
    assert says(capsys, lambda x: np.bool_(x > 1), lambda x: x > 1, (1,), (2,)) == "Right."
    assert says(capsys, lambda x: np.bool_(x > 0), lambda x: x > 1, (1,), (2,)).startswith("Not yet. <lambda>(1)")


def test_whole_numbers_are_equal_or_wrong(capsys):
    assert says(capsys, lambda n: 10**n, lambda n: 10**n, (13,), (400,)) == "Right."
    assert says(capsys, lambda n: 10**n + 1, lambda n: 10**n, (13,)).startswith("Not yet.")


@pytest.mark.parametrize("wrong", [NAN, float("inf"), 2.0 + 1e-9, [2.0], None, "two"])
def test_one_wrong_element_is_wrong(capsys, wrong):
    said = says(capsys, lambda: [1.0, wrong, 3.0], lambda: [1.0, 2.0, 3.0], ())
    assert said == f"Not yet. <lambda>()\n  returned {[1.0, wrong, 3.0]}\n  expected [1.0, 2.0, 3.0]"


def test_what_cannot_be_viewed_is_wrong(capsys):
    said = says(capsys, lambda: None, lambda: [1, 2], (), view=lambda rows: rows[0])
    assert said == "Not yet. <lambda>()\n  returned None\n  expected 1"


def test_says_what_was_raised_and_what_is_open(capsys):
    assert "raised ZeroDivisionError: division by zero" in says(capsys, lambda x: 1 / x, lambda x: x, (0,))
    assert says(capsys, lambda x: ..., lambda x: x, (0,)).startswith("Your turn: write <lambda>")


def test_shows_in_place_of_printing(capsys):
    shown = []
    said = says(capsys, lambda x: x, lambda x: 2 * x, (3,), show=lambda *all: shown.append(all))
    assert (said, shown) == ("Not yet. <lambda>(3)", [(3, 6, 3)])


def test_prints_where_it_cannot_show(capsys):
    said = says(capsys, lambda: None, lambda: [1], (), show=lambda got, expected: got[0])
    assert said == "Not yet. <lambda>()\n  returned None\n  expected [1]"


def test_fractions_are_written_short(capsys):
    said = says(capsys, lambda x: [x], lambda x: [2 * x, 1 / x], (Fraction(-5, 2),))
    assert said == "Not yet. <lambda>(-5/2)\n  returned [-5/2]\n  expected [-5, -2/5]"
    assert says(capsys, lambda x: x, lambda x: 0, ([Fraction(3, 1), 0.5],)).startswith("Not yet. <lambda>([3, 0.5])")
