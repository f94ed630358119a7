"""Which extent has the rows that a GPU is given past 2^31 elements; the kernels on a GPU are in test_pytorch_cuda.py."""

import pytest

torch = pytest.importorskip("torch")

import assay  # noqa: E402
from assay._many_rows import rows_extent  # noqa: E402


def softmax(x):
    return torch.softmax(x, -1)


def of_columns(x):
    return torch.softmax(x, 0)


def total(x):
    return x.sum()


def two_inputs(x, weight):
    return x * weight, (x * weight).sum(-1)


def across(x, y):
    return x @ y.transpose(0, 1)


def looked_up(x, at):
    return x[at]


@pytest.mark.parametrize(
    "reference, inputs, extent",
    [
        (softmax, dict(x="N, D"), "N"),
        (softmax, dict(x="B, T, D"), "B"),
        (softmax, dict(x="D"), ""),
        (of_columns, dict(x="N, D"), ""),
        (total, dict(x="N, D"), ""),
        (two_inputs, dict(x="N, D", weight="D"), "N"),
        (across, dict(x="N, D", y="N, D"), ""),
        (looked_up, dict(x="V, D", at="N of index V"), ""),
    ],
)
def test_rows_are_found_by_trying(reference, inputs, extent):
    assert rows_extent(assay.operation(**inputs)(reference)) == extent


def test_an_extent_with_a_limit_is_not_far():
    assert rows_extent(assay.operation(x="N, D", limits={"N": 100})(softmax)) == ""
