"""A kernel whose results depend on the calls before: the failure says so, and its line leads to it again."""

import numpy as np
import pytest

import assay
from assay import gallery


def softmax(p):
    e = np.exp(p.x - p.x.max(-1, keepdims=True, initial=-np.inf))
    return e / e.sum(-1, keepdims=True)


class ZerosOnEvery97thCall:
    def __init__(self):
        self.calls = 0

    def __call__(self, p):
        self.calls += 1
        return softmax(p) * np.float32(self.calls % 97 != 0)


class AnsweredBefore:
    """Remembers results by the shape alone."""

    def __init__(self):
        self.known = {}

    def __call__(self, p):
        return self.known.setdefault(p.x.shape, softmax(p)).copy()


def half(p):
    return softmax(p) / 2


HISTORY = "this case alone passes: the kernel's result depends on earlier calls"


def test_zeros_on_one_call_in_many_lead_to_the_line_of_the_run(capsys):
    result = assay.gate(gallery.softmax, ZerosOnEvery97thCall(), cases=40, reach="none", filter="^(outputs|rows)$")
    failures = [one for one in result.failures.values() if HISTORY in one.explanation]
    assert failures, str(result)
    for failure in failures:
        assert "softmax.gate(kernel, None, cases=40, seed=1" in failure.again and failure.again in str(result)
        exec(failure.again, {"kernel": ZerosOnEvery97thCall()})
        assert HISTORY in capsys.readouterr().out


@pytest.mark.parametrize("seed", range(1, 4))
def test_a_kernel_that_remembers_too_much_is_caught(seed):
    assert assay.gate(gallery.softmax, AnsweredBefore(), cases=60, seed=seed, reach="none", filter="^outputs$").failures


def test_a_wrong_kernel_fails_alone_and_is_replayed(capsys):
    failure = assay.gate(gallery.softmax, half, cases=20, reach="none", filter="^outputs$").failures["outputs"]
    assert HISTORY not in failure.explanation and "assay.replay(half, " in failure.again
    exec(failure.again, {"half": half})
    assert capsys.readouterr().out.startswith("fail outputs")


class GrowingWorkspace:
    """Keeps memory for the largest problem that it has met, and rounds otherwise where it has more than it needs."""

    def __init__(self):
        self.elements = 0

    def __call__(self, p):
        self.elements = max(self.elements, p.x.size)
        return softmax(p) * np.float32(1 + 2.0**-22 * (self.elements > p.x.size + 1000))


def test_memory_that_grew_with_a_large_problem_shows_in_repeat():
    failure = assay.gate(gallery.softmax, GrowingWorkspace(), cases=40, reach="none", filter="^repeat$").failures["repeat"]
    assert "and then" in failure.explanation and "depends on earlier calls" in failure.explanation
    assert assay.gate(gallery.softmax, softmax, cases=40, reach="none", filter="^repeat$").passed
