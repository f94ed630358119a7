"""What the cases of image filters share: pictures in half, and samples between texels."""

import numpy as np

from assay.metal import unset

from .case import case

HEIGHT, WIDTH = 9, 14
ROUNDING = 2.0**-10  # of half, for numbers up to 2
h = np.float16


def picture(r):
    return r.random((HEIGHT, WIDTH, 4)).astype(h)


def with_alpha(colour, alpha):
    return np.concatenate([colour, np.broadcast_to(alpha, colour.shape[:2] + (1,))], axis=2).astype(h)


def moved(image, x, y):
    """The texel at (column + x, row + y), clamped to the edge."""
    rows = np.clip(np.arange(HEIGHT) + y, 0, HEIGHT - 1)
    columns = np.clip(np.arange(WIDTH) + x, 0, WIDTH - 1)
    return image[rows][:, columns]


def sampled(image, x=0, y=0):
    """A linear sample at (column + x, row + y) of texels' corners: the mean of four."""
    wide = image.astype(np.float32)
    four = moved(wide, x, y) + moved(wide, x - 1, y) + moved(wide, x, y - 1) + moved(wide, x - 1, y - 1)
    return (four / 4).astype(h)


def mix(a, b, weight):
    return a + (b - a) * weight


def luminance(colour, weights):
    """dot() of half3, each operation rounded."""
    terms = colour * np.array(weights, h)
    return ((terms[..., :1] + terms[..., 1:2]) + terms[..., 2:]).astype(h)


def filter_case(project, file, kernel, values, expected, count=1, roundings=0, macros=None):
    """A kernel (buffers; output, pictures) with an answer of the pictures, within some roundings of half."""

    @case(project, file, kernel, macros)
    def _(library, r):
        given = [picture(r) for _ in range(count)]
        got = library[kernel](*values, unset((HEIGHT, WIDTH, 4), "float16"), *given, grid=(WIDTH, HEIGHT), group=(8, 4))
        answer = np.broadcast_to(expected(*given), got.shape)
        return [(got, answer, roundings * ROUNDING)]
