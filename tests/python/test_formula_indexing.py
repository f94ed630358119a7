"""Elements by index inputs: embeddings, labels and sums into rows; right kernels pass, planted faults fail."""

import numpy as np
import pytest

import assay

f32 = np.float32


@assay.operation(table="V, D", at="N of index V")
def embedding(xp, table, at):
    return table[at]


@assay.operation(x="N, V", label="N of index V", minus_infinity="x")
def cross_entropy(xp, x, label):
    m = xp.max(x, axis=1, keepdims=True)
    total = xp.log(xp.sum(xp.exp(x - m), axis=1)) + m[:, 0]
    return total - x[xp.arange(x.shape[0]), label]


@assay.operation(buffer="V, D", at="N of index V", rows="N, D")
def scattered(xp, buffer, at, rows):
    return xp.add_at(buffer, at, rows)


@assay.operation(x="N, V, D", at="N, K of index V")
def gathered(xp, x, at):
    return xp.take_along_axis(x, at[:, :, None], axis=1)


def embedding_plain(p):
    return p.table[p.at]


def embedding_row_by_row(p):
    out = np.zeros((len(p.at), p.table.shape[1]), f32)
    for n, at in enumerate(p.at):
        out[n] = p.table[at]
    return out


def embedding_of_the_next(p):
    return p.table[np.minimum(p.at + 1, len(p.table) - 1)]


def embedding_in_int8(p):
    return p.table[p.at.astype(np.int8).astype(int) % max(len(p.table), 1)]


def embedding_backward(p):
    out = np.zeros_like(p.table)
    np.add.at(out, p.at, p.upstream)
    return out


def embedding_backward_sorted(p):
    """By segments of equal indices, in another order and in float64."""
    out = np.zeros(p.table.shape)
    order = np.argsort(p.at, kind="stable")[::-1]
    for n in order:
        out[p.at[n]] += p.upstream[n]
    return out.astype(f32)


def embedding_backward_that_overwrites(p):
    """Threads write rows side by side without atomic additions: the last one wins."""
    out = np.zeros_like(p.table)
    out[p.at] = p.upstream
    return out


def _softmax(x):
    m = x.max(1, keepdims=True, initial=-np.inf)
    e = np.exp(x - m)
    return e, e.sum(1, keepdims=True), m


def cross_entropy_plain(p):
    e, total, m = _softmax(p.x)
    return np.log(total[:, 0]) + m[:, 0] - p.x[np.arange(len(p.x)), p.label]


def cross_entropy_online(p):
    m, total = np.full(len(p.x), -np.inf, f32), np.zeros(len(p.x), f32)
    for k in range(p.x.shape[1]):
        new = np.maximum(m, p.x[:, k])
        safe = np.where(np.isfinite(new), new, f32(0))
        total = total * np.exp(m - safe) + np.exp(p.x[:, k] - safe)
        m = new
    logsumexp = np.where(np.isfinite(m), np.log(total) + m, np.nan).astype(f32)
    return logsumexp - np.take_along_axis(p.x, p.label[:, None], 1)[:, 0]


def cross_entropy_of_label_zero(p):
    e, total, m = _softmax(p.x)
    return np.log(total[:, 0]) + m[:, 0] - p.x[:, 0]


def cross_entropy_backward(p):
    e, total, _ = _softmax(p.x)
    out = e / total
    out[np.arange(len(out)), p.label] -= 1
    return out * p.upstream[:, None]


def cross_entropy_backward_without_labels(p):
    e, total, _ = _softmax(p.x)
    return e / total * p.upstream[:, None]


def scattered_plain(p):
    out = p.buffer.copy()
    np.add.at(out, p.at, p.rows)
    return out


def scattered_by_a_product(p):
    return p.buffer + ((np.arange(len(p.buffer))[:, None] == p.at).astype(f32) @ p.rows).astype(f32)


def scattered_overwriting(p):
    out = p.buffer.copy()
    out[p.at] = p.buffer[p.at] + p.rows
    return out


def scattered_backward(p):
    return p.upstream.copy(), p.upstream[p.at]


def scattered_backward_in_order(p):
    return p.upstream.copy(), np.resize(p.upstream, p.rows.shape)


def gathered_plain(p):
    return np.take_along_axis(p.x, p.at[:, :, None], 1)


def gathered_flat(p):
    N, V, D = p.x.shape
    return p.x.reshape(N * V, D)[(np.arange(N)[:, None] * V + p.at).reshape(-1)].reshape(N, p.at.shape[1], D)


def gathered_of_the_first_row(p):
    return p.x[:1][np.zeros(len(p.x), int)[:, None], p.at]


RIGHT = [
    (embedding, embedding_plain), (embedding, embedding_row_by_row), (cross_entropy, cross_entropy_plain),
    (cross_entropy, cross_entropy_online), (scattered, scattered_plain), (scattered, scattered_by_a_product),
    (gathered, gathered_plain), (gathered, gathered_flat),
]  # fmt: skip
FAULTY = [
    (embedding, embedding_of_the_next), (embedding, embedding_in_int8), (cross_entropy, cross_entropy_of_label_zero),
    (scattered, scattered_overwriting), (gathered, gathered_of_the_first_row),
]  # fmt: skip
RIGHT_BACKWARD = [
    (embedding, embedding_backward), (embedding, embedding_backward_sorted), (cross_entropy, cross_entropy_backward),
    (scattered, scattered_backward),
]  # fmt: skip
FAULTY_BACKWARD = [
    (embedding, embedding_backward_that_overwrites), (cross_entropy, cross_entropy_backward_without_labels),
    (scattered, scattered_backward_in_order),
]  # fmt: skip


def named(pairs):
    return [pytest.param(*pair, id=pair[1].__name__) for pair in pairs]


@np.errstate(all="ignore")
def failures(operation, kernel=None, backward=None, **options):
    return operation.gate(kernel, backward, cases=60, **options).failures


@pytest.mark.parametrize("operation, kernel", named(RIGHT))
def test_a_right_kernel_passes(operation, kernel):
    assert not failures(operation, kernel)


@pytest.mark.parametrize("operation, kernel", named(FAULTY))
def test_a_faulty_kernel_fails(operation, kernel):
    assert "outputs" in failures(operation, kernel)


@pytest.mark.parametrize("operation, kernel", named(RIGHT_BACKWARD))
def test_a_right_backward_pass_passes(operation, kernel):
    assert not failures(operation, backward=kernel)


@pytest.mark.parametrize("operation, kernel", named(FAULTY_BACKWARD))
def test_a_faulty_backward_pass_fails(operation, kernel):
    assert "gradient" in failures(operation, backward=kernel)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 0.125])
@pytest.mark.parametrize("operation, kernel", named([(embedding, embedding_plain), (scattered, scattered_plain)]))
def test_one_wrong_element_fails(operation, kernel, wrong):
    def with_one(p):
        y = kernel(p)
        if y.size:
            y.flat[y.size // 2] = wrong
        return y

    assert failures(operation, with_one, filter="outputs", reach="none")


def test_large_tables_are_reached_and_every_row_is_noticed():
    result = embedding.gate(embedding_plain, filter="outputs", cases=20)
    assert "V 4097" in str(result) and "N 4097 by 1 of 1 properties, all indices noticed" in str(result), str(result)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_indices_are_not_rounded_to_the_type_of_the_numbers(dtype):
    def plain(p):
        assert p.at.dtype == np.int64 and (not p.at.size or p.at.max() < len(p.table))
        return p.table[p.at]

    assert not failures(embedding, plain, dtype=dtype, input_roundoff=2**-8)


def test_the_shapes_and_values_are_those_of_numpy():
    random = np.random.default_rng(0)
    x, at = random.normal(size=(3, 5, 2)), np.array([[4, 0, 1], [2, 2, 3]])
    forms = [
        lambda xp, x, at: xp.take(x, at, axis=1), lambda xp, x, at: x[:, at], lambda xp, x, at: x[..., at, :],
        lambda xp, x, at: x[1, at], lambda xp, x, at: x[xp.arange(3), at[0]], lambda xp, x, at: x[:, at[1], None, 1],
        lambda xp, x, at: xp.take(x, at), lambda xp, x, at: xp.take(x, np.array([2, 0]), axis=0),
        lambda xp, x, at: xp.take_along_axis(x, at[:, :, None], axis=1),
        lambda xp, x, at: xp.add_at(x, at, 2 * x[:, at], axis=1),
        lambda xp, x, at: xp.add_at(xp.zeros((5, 2)), at[0], x[:, 0]),
        lambda xp, x, at: xp.add_along_axis(x, xp.broadcast_to(at[1][:, None, None], (3, 1, 2)), x[:, :1], axis=1),
    ]  # fmt: skip
    for k, form in enumerate(forms):
        if k == 8:
            x2, at2 = x[:2], at
            operation = assay.operation(x="2, 5, 2", at="2, 3 of index 5")(lambda xp, x, at: form(xp, x, at))
        else:
            x2, at2 = x, at
            operation = assay.operation(x="3, 5, 2", at="2, 3 of index 5")(lambda xp, x, at: form(xp, x, at))
        due, got = operation(x2, at2), operation.truth(x2, at2, digits=20)
        assert list(operation.trace({}).shapes[0]) == list(np.shape(due)), k
        np.testing.assert_allclose(np.array(got["outputs"][0], float), np.reshape(due, -1), rtol=1e-15, err_msg=str(k))


def test_a_computed_index_that_an_error_may_change_widens_the_bound():
    @assay.operation(x="N", table="9")
    def looked_up(xp, x, table):
        return xp.take(table, xp.clip(xp.floor(xp.exp(x)), 0, 8), axis=0)

    table = np.arange(9.0) ** 2
    near, far = np.log(3.0), 0.5
    truth = looked_up.truth(np.array([near, far]), table)
    assert truth["outputs"][0][1] == "1" and truth["output_bounds"][0][1] == 0
    assert truth["output_bounds"][0][0] >= 5, "exp(log 3) may be below 3: 4 or 9"


@pytest.mark.parametrize(
    "formula, says",
    [
        (lambda xp, x, at: x[x > 0], "for a mask write xp.where"),
        (lambda xp, x, at: x[x], "an input that is declared as 'N of index V'"),
        (lambda xp, x, at: x[at, at], "one after the other|IndexError|expected"),
        (lambda xp, x, at: xp.take(x, at, axis=3), "expected an axis that it has"),
        (lambda xp, x, at: xp.take_along_axis(x, at[:, None]), "expected as many axes"),
        (lambda xp, x, at: xp.add_at(x, at, x[:3]), "expected shapes"),
    ],
)
def test_errors_say_what_to_do(formula, says):
    with pytest.raises((TypeError, ValueError, IndexError), match=says):
        assay.operation(x="8", at="5 of index 8")(lambda xp, x, at: formula(xp, x, at)).trace({})


@pytest.mark.parametrize("operation", [embedding, cross_entropy, gathered, scattered], ids=lambda one: one.name)
def test_the_faults_of_these_operations_are_killed(operation):
    missed = {fault for fault, noticed, _ in operation.mutants() if not noticed}
    assert not [fault for fault in missed if "take" in fault or "add_at" in fault], missed
