"""Kernels of formulas that are right unless several extents are large together: no generated case has such sizes."""

import numpy as np

import assay

from .gallery import attack, right, softmax


@assay.operation(a="M, K", b="K, N")
def product(xp, a, b):
    return a @ b


@assay.operation(q="T, E", k="S, E", v="S, E")
def attention(xp, q, k, v):
    scores = q @ xp.matrix_transpose(k) / 8
    e = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    return (e / xp.sum(e, axis=-1, keepdims=True)) @ v


def multiplied(p):
    return p.a @ p.b


def attended(p):
    scores = p.q @ p.k.T / np.float32(8)
    e = np.exp(scores - scores.max(-1, keepdims=True, initial=-np.inf))
    return (e / e.sum(-1, keepdims=True)) @ p.v


RIGHT = {softmax: right, product: multiplied, attention: attended}


def all_of(y, p):
    y[...] = 0


def rows_in_the_middle(y, p):
    y[2 * len(y) // 5 : 3 * len(y) // 5] = 0


def the_last_tile(y, p):
    y[-1 - (len(y) - 1) % 128 :, -1 - (y.shape[1] - 1) % 128 :] = 0


def every_second_tile(y, p):
    for row in range(0, len(y), 128):
        y[row : row + 128, row % 256 :: 256] = 0


def every_column_but_the_first_tile(y, p):
    y[:, 128:] = 0


def numbers_of_rows_past_the_first_512(y, p):
    y[512:] = np.roll(y[512:], 1, axis=0)


def wrong_together(operation, wrong, **past):
    def kernel(p):
        y = np.array(RIGHT[operation](p))
        if all(p.extents[extent] > size for extent, size in past.items()):
            wrong(y, p)
        return y

    sizes = "_".join(f"{extent}_{size}" for extent, size in past.items())
    kernel.__name__ = f"wrong_of_{operation.name}_past_{sizes}_{wrong.__name__}"
    attack("large", operation, cases=5, filter="^outputs$")(kernel)


wrong_together(softmax, all_of, N=168, D=168)
wrong_together(softmax, all_of, N=1000, D=1000)
for wrong in (rows_in_the_middle, the_last_tile, every_second_tile, every_column_but_the_first_tile, numbers_of_rows_past_the_first_512):
    wrong_together(softmax, wrong, N=400, D=400)
for past in ({"M": 66, "N": 66, "K": 66}, {"M": 200, "N": 200, "K": 200}, {"M": 512, "N": 512, "K": 512}, {"M": 1000, "N": 1000},
             {"M": 1000, "K": 1000}, {"K": 1000, "N": 1000}):  # fmt: skip
    wrong_together(product, all_of, **past)
for wrong in (rows_in_the_middle, the_last_tile, every_second_tile):
    wrong_together(product, wrong, M=300, N=300, K=300)
for past in ({"T": 200, "S": 200}, {"T": 200, "E": 200}, {"S": 200, "E": 200}, {"T": 128, "S": 128, "E": 128}):
    wrong_together(attention, all_of, **past)


def right_backward_until_both_are_large(p):
    y = right(p)
    gradient = y * (p.upstream - (p.upstream * y).sum(-1, keepdims=True))
    return np.zeros_like(gradient) if min(p.x.shape) > 500 else gradient


attack("large", softmax, cases=5, filter="^gradient$", backward=right_backward_until_both_are_large)(right)
