"""Filters and blends of Harbeth."""

import numpy as np

from .pictures import filter_case, h, luminance, mix, sampled, with_alpha

WEIGHTS = (0.2125, 0.7154, 0.0721)
COLOUR, BLEND = "Color Adjustment", "Blend Modes"
SEPIA = [[0.3588, 0.7044, 0.1368, 0], [0.2990, 0.5870, 0.1140, 0], [0.2392, 0.4696, 0.0912, 0], [0, 0, 0, 1]]


def harbeth(folder, kernel, values, expected, file="", **more):
    path = f"Sources/Compute/{folder}/{file or kernel}.metal"
    filter_case("yangKJ/Harbeth", path, kernel, values, expected, **more)


def colour(kernel, values, expected, **more):
    """A filter that leaves alpha as it is."""
    harbeth(COLOUR, kernel, values, lambda x: with_alpha(expected(x[..., :3]), x[..., 3:]), **more)


def blend(kernel, expected, roundings):
    """Half of the picture, and half of what the blend makes of it and a sample of another one."""
    harbeth(BLEND, kernel, [0.5], lambda x, y: mix(x, expected(x, sampled(y)).astype(h), h(0.5)), count=2, roundings=roundings)


def over(x, y):
    """What each picture shows where the other one is transparent."""
    return y * (h(1) - x[..., 3:]) + x * (h(1) - y[..., 3:])


def grey(x, of_colour):
    return mix(x, with_alpha(np.repeat(of_colour(x[..., :3]), 3, 2), h(1)), h(0.5))


colour("C7Brightness", [0.25], lambda x: x + h(0.25))
colour("C7Contrast", [1.5], lambda x: h(0.5) + (x - h(0.5)) * h(1.5))
colour("C7Exposure", [1.0], lambda x: x * h(2))
colour("C7Gamma", [2.0], lambda x: x * x, roundings=1)
colour("C7Saturation", [0.5], lambda x: mix(luminance(x, WEIGHTS), x, h(0.5)), roundings=2)
harbeth(COLOUR, "C7Posterize", [8.0], lambda x: np.floor(x * h(8) + h(0.5)) / h(8))
harbeth(COLOUR, "C7Opacity", [0.5], lambda x: with_alpha(x[..., :3], x[..., 3:] * h(0.5)))
harbeth(COLOUR, "C7Sepia", [0.5], lambda x: h(0.5) * (x @ np.array(SEPIA, h).T) + h(0.5) * x, roundings=3)
harbeth("Geometric Transform", "C7Mirror", [], lambda x: x[:, ::-1])
harbeth("Geometric Transform", "C7Flip", [0.0, 1.0], lambda x: x[::-1])
GREY = dict(file="C7Grayed", roundings=2)
harbeth("Other Effects", "C7GrayedLuminosity", [0.5], lambda x: grey(x, lambda c: luminance(c, (0.299, 0.587, 0.114))), **GREY)
harbeth("Other Effects", "C7GrayedAverage", [0.5], lambda x: grey(x, lambda c: c.mean(2, keepdims=True)), **GREY)
harbeth("Other Effects", "C7GrayedDesaturation", [0.5],
        lambda x: grey(x, lambda c: (c.max(2, keepdims=True) + c.min(2, keepdims=True)) * h(0.5)), **GREY)  # fmt: skip
blend("C7BlendMultiply", lambda x, y: y * x + over(x, y), 4)
blend("C7BlendScreen", lambda x, y: h(1) - (h(1) - y) * (h(1) - x), 3)
blend("C7BlendLighten", np.maximum, 2)
blend("C7BlendDarken", lambda x, y: with_alpha((np.minimum(y * x[..., 3:], x * y[..., 3:]) + over(x, y))[..., :3], h(1)), 4)
blend("C7BlendDifference", lambda x, y: with_alpha(np.abs(y - x)[..., :3], x[..., 3:]), 2)
blend("C7BlendSubtract", lambda x, y: with_alpha((x - y)[..., :3], x[..., 3:]), 2)
blend("C7BlendExclusion", lambda x, y: with_alpha(
    (y * x[..., 3:] + x * y[..., 3:] - h(2) * y * x + over(x, y))[..., :3], x[..., 3:]), 6)  # fmt: skip
