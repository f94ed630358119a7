"""What a kernel does wrong before its numbers count: each mistake is named, with what was expected."""

from unittest.mock import MagicMock

import numpy as np
import pytest

import assay
from assay import gallery
from assay._arithmetic import Types
from assay._called import kernel_calls
from assay._formula_calls import KernelCall
from formula_right_kernels import softmax_plain

f32 = np.float32


def of_shape(change):
    return lambda p: change(softmax_plain(p))


def raises(p):
    return np.linalg.inv(np.zeros((2, 2)))


class Reused:
    """Writes all results into one array."""

    __name__ = "reused"

    def __init__(self):
        self.array = np.zeros(1, f32)

    def __call__(self, p):
        self.array = self.array if self.array.shape == p.x.shape else np.zeros(p.x.shape, f32)
        self.array[:] = softmax_plain(p)
        return self.array


def changes_its_input(p):
    p.x -= p.x.max(-1, keepdims=True, initial=-np.inf)
    return softmax_plain(p)


def changes_the_upstream(p):
    p.upstream *= 2
    return p.upstream / 2 * softmax_plain(p)


@pytest.mark.parametrize(
    "kernel, says",
    [
        (lambda p: None, "the kernel returned None: expected output 0 [3, 4]"),
        (lambda p: (softmax_plain(p), None), "the kernel returned 2 results: expected output 0 [3, 4]"),
        (lambda p: softmax_plain(p).tolist(), "the kernel returned 3 results: expected output 0 [3, 4]"),
        (lambda p: "done", "output 0 is no array (str is not an array"),
        (lambda p: {"y": softmax_plain(p)}, "output 0 is no array (dict is not an array"),
        (of_shape(lambda y: y[:, :1]), "output 0 has the shape [3, 1]: expected [3, 4] where N=3, D=4"),
        (of_shape(lambda y: y.T.copy()), "output 0 has the shape [4, 3]: expected [3, 4] where N=3, D=4; transpose it"),
        (of_shape(np.ravel), "output 0 has the shape [12]: expected [3, 4] where N=3, D=4; reshape it"),
        (of_shape(lambda y: y.astype(np.float64)), "output 0 is float64: expected float32, the type of the inputs; convert it, or declare"),
        (of_shape(lambda y: y + 0j), "output 0 is complex64: expected float32, the type of the inputs; convert it$"),
        (of_shape(lambda y: y.astype(object)), "output 0 is object: expected float32, the type of the inputs; convert it$"),
        (of_shape(lambda y: y > 0), "output 0 is bool: expected float32, the type of the inputs; convert it$"),
        (lambda p: np.broadcast_to(f32(0), (1 << 40,)), "output 0 is no array (4398046511104 bytes of the shape [1099511627776]"),
        (lambda p: p.x, "output 0 is a view of the input x: expected an array of its own; return a copy"),
        (lambda p: p.x[::-1], "output 0 is a view of the input x"),
        (Reused(), "output 0 of the call before was overwritten by this call: expected a new array for each call"),
        (changes_its_input, "the kernel changed its input x: expected its values as before; copy it before writing"),
        (raises, "the kernel raised LinAlgError: Singular matrix"),
        (lambda p: p.y, "the problem has no 'y': expected one of extents, x, upstreams, upstream"),
    ],
)
def test_a_mistake_is_named(kernel, says):
    said = said_of(kernel)
    assert said.endswith(says[:-1]) if says.endswith("$") else says in said


def said_of(kernel, operation=gallery.softmax, arrays=([1.0, 2.0, 3.0] * 4,), gradient=False):
    """What is said of a kernel's second call: x [3, 4], and an upstream of ones."""
    call = KernelCall(operation, kernel, Types("float32", {}), gradient)
    with kernel_calls():
        for factor in (1, 2):
            outcome, said = call({"N": 3, "D": 4}, [[factor * x for x in one] for one in arrays], [[1.0] * 12], 0)
    assert outcome == "failed"
    return said


def test_mistakes_of_a_backward_pass_are_named():
    arrays = [[1.0] * 12, [1.0] * 4]
    said = said_of(lambda p: p.upstream * p.weight, gallery.rms_norm, arrays, gradient=True)
    assert "the kernel returned 1 results: expected the gradient of x [3, 4], the gradient of weight [4], as a tuple" in said
    said = said_of(lambda p: (p.x * p.weight, p.x * p.weight), gallery.rms_norm, arrays, gradient=True)
    assert "the gradient of weight has the shape [3, 4]: expected [4] where N=3, D=4" in said
    assert "the kernel changed its input upstreams[0]" in said_of(changes_the_upstream, gradient=True)


def test_an_exception_is_shown_with_the_kernels_line():
    assert "in raises" in said_of(raises) and "_formula_calls.py" not in said_of(raises)


def test_a_mistake_is_an_error_of_each_property_and_can_be_replayed():
    result = assay.gate(gallery.softmax, lambda p: None, cases=2, reach="none")
    assert all(one.verdict == "error" for one in result.properties if one.name != "many-rows")
    failure = result.failures["outputs"]
    assert "the kernel returned None" in failure.explanation
    assert not assay.replay(lambda p: None, failure.reproducer, operation=gallery.softmax)
    assert assay.replay(softmax_plain, failure.reproducer, operation=gallery.softmax)


def test_a_kernel_that_takes_arrays_and_no_problem_is_refused():
    def norm(x, weight):
        return x * weight

    with pytest.raises(TypeError, match=r"norm\(x, weight\) does not take one argument: .* write lambda p: norm\(p.x, p.weight\)"):
        assay.gate(gallery.rms_norm, norm)


class WithoutAttributes:
    def __getattr__(self, name):
        raise RuntimeError(f"no attributes: {name}")

    def __call__(self, p):
        return softmax_plain(p)


def with_a_long_text(p):
    raise RuntimeError("a" * 20_000_000)


@pytest.mark.parametrize(
    "make, verdict, says",
    [
        (WithoutAttributes, "pass", ""),
        (MagicMock, "error", "MagicMock is not an array"),  # which has __fspath__, as paths have
        (lambda: with_a_long_text, "error", " characters) ... "),
    ],
)
def test_what_can_be_called_has_a_verdict(make, verdict, says):
    found = assay.gate(gallery.softmax, make(), cases=3, reach="none", filter="outputs")["outputs"]
    assert found.verdict == verdict and says in str(found.failure)
