"""Operations of one's own: right kernels pass, faulty ones fail, and what cannot be traced says what to do."""

import warnings

import numpy as np
import pytest

import assay
from assay import gallery
from assay.__main__ import mutants_table
from formula_faulty_kernels import FAULTY
from formula_right_kernels import RIGHT, softmax_plain

CASES = 60
warnings.filterwarnings("ignore", category=RuntimeWarning)


@pytest.mark.parametrize("name, kernel", [(name, one) for name, kernels in RIGHT.items() for one in kernels])
def test_right_kernels_pass(name, kernel):
    assay.gate(getattr(gallery, name), kernel, cases=CASES).raise_for_failure()


@pytest.mark.parametrize("name, fault", [(name, one) for name, kernels in FAULTY.items() for one in kernels])
def test_faulty_kernels_fail(name, fault):
    result = assay.gate(getattr(gallery, name), FAULTY[name][fault], cases=CASES)
    assert [one.name for one in result.properties if one.verdict == "fail"], result


def softmax_backward(p):
    y = softmax_plain(p)
    return y * (p.upstream - (y * p.upstream).sum(-1, keepdims=True))


def test_a_backward_pass_is_judged():
    assay.gradcheck(gallery.softmax, softmax_backward).raise_for_failure()
    ignores_upstream = assay.gradcheck(gallery.softmax, lambda p: softmax_plain(p) * (1 - softmax_plain(p)))
    assert ignores_upstream["gradient"].verdict == "fail"


def test_gradient_agrees_with_differences_at_100_digits():
    x, g = np.array([[0.5, -1.25, 3.0]]), np.array([[1.0, -2.0, 0.25]])
    from decimal import Decimal, localcontext

    exact = gallery.layer_norm.truth(x, [1, 2, 3], [0, 1, 0], upstream=g, digits=100)["gradients"][0]
    step = 2.0**-40

    def at(i, sign):
        moved = x.copy()
        moved[0, i] += sign * step
        y = gallery.layer_norm.truth(moved, [1, 2, 3], [0, 1, 0], digits=100)["outputs"][0]
        return sum(Decimal(a) * Decimal(float(b)) for a, b in zip(y, g[0]))

    with localcontext() as context:
        context.prec = 100
        for i in range(3):
            difference = (at(i, 1) - at(i, -1)) / Decimal(2 * step)
            assert abs(difference - Decimal(exact[i])) < Decimal(10) ** -18


def test_float16_in_with_float32_between():
    def kernel(p):
        x = p.x.astype(np.float32)
        e = np.exp(x - x.max(-1, keepdims=True, initial=-np.inf))
        return (e / e.sum(-1, keepdims=True)).astype(np.float16)

    assay.gate(gallery.softmax, kernel, dtype="float16", cases=CASES).raise_for_failure()


def test_replay():
    kernel = FAULTY["softmax"]["powers_of_two"]
    failure = assay.gate(gallery.softmax, kernel, cases=20, filter="outputs").failures["outputs"]
    assert repr(failure.reproducer) in failure.again
    assert not assay.replay(kernel, failure.reproducer, operation=gallery.softmax)
    assert assay.replay(softmax_plain, failure.reproducer, operation=gallery.softmax)


def test_mutants_are_noticed():
    rows = gallery.softmax.mutants(cases=40)
    missed = [name for name, killed, _ in rows if not killed]
    print(mutants_table(gallery.softmax, 40))
    assert sum(killed for _, killed, _ in rows) >= 0.7 * len(rows), missed


@pytest.mark.parametrize(
    "formula, says",
    [
        (lambda xp, x: x if x[0] > 0 else -x, "xp.where"),
        (lambda xp, x: xp.fft(x), "can be traced"),
        (lambda xp, x: x[: x.shape[0] // 2] + x[:1] + xp.zeros((7,)), "do not broadcast"),
        (lambda xp, x: np.exp(x), "."),
    ],
)
def test_errors_say_what_to_do(formula, says):
    with pytest.raises((TypeError, ValueError), match=says):
        assay.operation(x="8")(formula).trace({})


test_pytest_gate = assay.pytest_gate(gallery.softmax, softmax_plain, cases=20)
