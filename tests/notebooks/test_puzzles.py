"""puzzle: it must take a right kernel, and say what is wrong with any other."""

import numpy as np
import pytest
from teaching import puzzle

SIGNATURE = """
kernel void shift(device const float* x [[buffer(0)]], constant uint& n [[buffer(1)]], device float* y [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
"""
BARRIER = "threadgroup_barrier(mem_flags::mem_threadgroup);"
RIGHT = f"threadgroup float t[8]; t[i] = x[i];\n{BARRIER}\nif (i < n) y[i] = t[(i + 1) % n];"


def says(capsys, body, n=5):
    x = np.arange(8, dtype=np.float32)
    puzzle(SIGNATURE + body + "\n}\n", lambda x, n: np.roll(x[:n], -1), [(x, 8), (x, n)], threads=lambda x, n: (8, 8))
    return capsys.readouterr().out.strip()


def test_takes_a_right_kernel(capsys):
    assert says(capsys, RIGHT) == "Right. 2 inputs, no race, no access out of bounds."


def test_is_open_at_first(capsys):
    assert says(capsys, "  ...").startswith("Your turn: write the kernel")


@pytest.mark.parametrize(
    "right, wrong, words",
    [
        (BARRIER, "", ["racecheck: two threads", "line 3: threadgroup float t[8]; t[i] = x[i];", "and 2 more findings"]),
        ("if (i < n)", "", ["memcheck: ", "thread 5: write of 4 bytes, line 5: y[i]"]),
        ("(i + 1)", "(i + 2)", ["shift([8], 8)", "output[0] is 2, expected 1; 8 of 8 are wrong"]),
        ("= t[", "= 0.0f / 0.0f * t[", ["output[0] is nan, expected 1"]),
        ("% n]", "% 8]", ["shift([8], 5)", "output[4] is 5, expected 0; 1 of 5 are wrong"]),
        ("y[i] =", "z[i] =", ["undeclared identifier", "z"]),
    ],
)
def test_says_what_is_wrong(capsys, right, wrong, words):
    said = says(capsys, RIGHT.replace(right, wrong))
    assert said.startswith("Not yet. ")
    assert [one for one in words if one not in said] == [], said
