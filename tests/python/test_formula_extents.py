"""What sizes a kernel takes: the cases have those alone, and the faults at them are found."""

import numpy as np
import pytest

import assay


@assay.operation(x="N, D", properties="rows=N batch=N")
def total(xp, x):
    return xp.sum(x, axis=-1)


class Seen:
    """A sum along D, which notes the sizes of its calls; wrong where `fault` says so."""

    def __init__(self, fault=lambda n, d: False):
        self.sizes, self.fault, self.__name__ = [], fault, "seen"

    def __call__(self, p):
        self.sizes.append(p.x.shape)
        y = p.x.sum(-1)
        return y + np.float32(0.5) * (1 + np.abs(y)) if self.fault(*p.x.shape) else y


def gate(kernel, **declared):
    return assay.gate(total, kernel, cases=60, empty=False, own_process=False, **declared)


TAKEN = {"D": [64, 128, 1000], "N": "multiple of 16, at least 20"}


@pytest.mark.parametrize("reach", ["none", "quick"])
def test_cases_have_the_sizes_that_are_taken(reach):
    kernel = Seen()
    gate(kernel, extents=TAKEN, reach=reach).raise_for_failure()
    rows, columns = {n for n, _ in kernel.sizes}, {d for _, d in kernel.sizes}
    assert columns == {64, 128, 1000} if reach == "quick" else {64, 128} <= columns < {64, 128, 1000}
    assert all(n % 16 == 0 and n >= 32 for n in rows) and {32, 48, 64} <= rows


@pytest.mark.parametrize("fault", [lambda n, d: d == 1000, lambda n, d: d == 128, lambda n, d: n == 48, lambda n, d: n > 1000])
def test_a_fault_at_a_size_that_is_taken_is_found_and_shrunk_to_one(fault):
    failure = gate(Seen(fault), extents=TAKEN).failures["outputs"]
    words = dict(word.split("=", 1) for word in failure.reproducer.split() if "=" in word)
    if "N" in words:  # else the case is in a file
        assert int(words["N"]) % 16 == 0 and int(words["D"]) in (64, 128, 1000) and fault(int(words["N"]), int(words["D"]))
    assert not assay.replay(Seen(fault), failure.reproducer, operation=total, extents=TAKEN)


def test_what_a_kernel_makes_of_other_sizes_is_not_held_against_it():
    def strict(p):
        assert p.x.shape[0] % 16 == 0 and p.x.shape[1] in (64, 128, 1000), p.x.shape
        return p.x.sum(-1)

    gate(strict, extents=TAKEN).raise_for_failure()
    assert "outputs" in gate(strict).failures


def test_sizes_above_the_usual_limit_are_tried():
    kernel = Seen()
    gate(kernel, extents={"D": "at least 5000", "N": [1, 3]}, reach="none").raise_for_failure()
    assert min(d for _, d in kernel.sizes) == 5000 and {n for n, _ in kernel.sizes} == {1, 3}


@pytest.mark.parametrize(
    "extents, error, told",
    [
        ({"K": [1]}, ValueError, "'K' is no extent: expected N, D"),
        ({"D": []}, ValueError, "extents\\['D'\\] = \\[\\]: expected sizes in a list"),
        ({"D": [0, 64]}, ValueError, "expected sizes in a list, 'multiple of 128'"),
        ({"D": [True]}, ValueError, "expected sizes in a list"),
        ({"D": 64}, ValueError, "extents\\['D'\\] = 64: expected sizes in a list"),
        ({"D": "multiples of 64"}, ValueError, "expected sizes in a list"),
        ({"D": "multiple of 0"}, ValueError, "expected sizes in a list"),
        ("D", TypeError, "extents = 'D': expected sizes by name"),
    ],
)
def test_what_is_no_declaration_of_sizes_is_refused(extents, error, told):
    with pytest.raises(error, match=told):
        gate(Seen(), extents=extents)


def test_a_limit_that_leaves_no_size_is_refused():
    with pytest.raises(ValueError, match="limits\\['D'\\] = 100: expected 128 or more, the smallest size that is taken"):
        gate(Seen(), extents={"D": "multiple of 128"}, limits={"D": 100})
