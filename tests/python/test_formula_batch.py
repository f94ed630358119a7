"""The property batch: a row has the same bits whatever the number of rows is."""

import numpy as np
import pytest

import assay
from assay import gallery
from formula_right_kernels import kahan, rms_einsum, softmax_plain, softmax_tiled
from formula_settings import SEED
from formula_tried import blocked, chain, named, pairwise, rms_by, softmax_by

softmax = assay.operation(x="N, D", properties="batch=N")(gallery.softmax.formula)
rms_norm = assay.operation(x="N, D", weight="D", properties="batch=N")(gallery.rms_norm.formula)
matmul = assay.operation(a="M, K", b="K, N", properties="batch=M", limits={"M": 65, "K": 257, "N": 9})(gallery.matmul.formula)


def by_rows(few, many, rows):
    """Sums in one order for few rows and in another for many."""

    def total(terms):
        return (few if len(terms) < rows else many)(terms)

    return total


def in_two_parts_of_long_sums(p):
    """Splits K among the cores that few rows leave idle."""
    h = p.a.shape[1] // 2 if len(p.a) < 8 else 0
    part = lambda k: sum((p.a[:, i : i + 1] * p.b[i] for i in k), np.zeros((len(p.a), p.b.shape[1]), np.float32))  # noqa: E731
    return part(range(h)) + part(range(h, p.a.shape[1]))


def product_by_a_chain(p):
    return sum((p.a[:, i : i + 1] * p.b[i] for i in range(p.a.shape[1])), np.zeros((len(p.a), p.b.shape[1]), np.float32))


FAULTY = [
    (softmax, softmax_by(by_rows(chain, pairwise, 2), "alone_by_a_chain")),
    (softmax, softmax_by(by_rows(blocked(16), chain, 64), "few_rows_by_blocks")),
    (rms_norm, rms_by(by_rows(blocked(8), blocked(64), 17), "blocks_by_rows")),
    (rms_norm, rms_by(lambda terms: blocked(1 + len(terms))(terms), "blocks_as_rows")),
    (matmul, in_two_parts_of_long_sums),
]
RIGHT = [
    (softmax, softmax_plain),
    (softmax, softmax_tiled),
    (softmax, softmax_by(kahan, "kahan")),
    (softmax, softmax_by(blocked(64), "blocks_of_64")),
    (rms_norm, rms_by(chain, "by_a_chain")),
    (rms_norm, rms_by(pairwise, "by_halves")),
    (matmul, product_by_a_chain),
]


def ids(pairs):
    return [pytest.param(*one, id=one[1].__name__) for one in pairs]


@pytest.mark.parametrize("operation, kernel", ids(FAULTY))
def test_sums_whose_order_depends_on_the_batch_fail(operation, kernel):
    result = assay.gate(operation, kernel, cases=60, reach="quick", seed=SEED)
    assert list(result.failures) == ["batch"], result


@pytest.mark.parametrize("operation, kernel", ids(RIGHT))
def test_sums_of_one_order_pass(operation, kernel):
    assay.gate(operation, kernel, cases=60, reach="quick", seed=SEED).raise_for_failure()


def test_a_failure_is_replayed(capsys):
    operation, kernel = FAULTY[0]
    failure = assay.gate(operation, kernel, cases=60, filter="batch", seed=SEED).failures["batch"]
    assert "where N = " in failure.explanation
    assert not assay.replay(kernel, failure.reproducer, operation=operation)
    assert assay.replay(named("right", softmax_by(chain, "chain")), failure.reproducer, operation=operation)
