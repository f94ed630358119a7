"""Image filters of apps: BBMetalImage, Forge, Alloy, drawing, optical flow, the game of life."""

import numpy as np

from assay.metal import unset

from .case import case
from .pictures import HEIGHT, ROUNDING, WIDTH, filter_case, h, luminance, mix, picture, sampled, with_alpha

BB, FOLDER = "Silence-GitHub/BBMetalImage", "BBMetalImage/BBMetalImage/BBMetal"
WEIGHTS = (0.2125, 0.7154, 0.0721)
MATRIX = np.array([[0.2, 0.3, 0.4, 0.1], [0.5, 0.1, 0.2, 0], [0.3, 0.3, 0.3, 0.1], [0, 0.1, 0, 0.9]], np.float32)


def bb(name, kernel, values, expected, **more):
    filter_case(BB, f"{FOLDER}{name}Filter.metal", kernel + "Kernel", values, expected, **more)


bb("Brightness", "brightness", [0.25], lambda x: with_alpha(x[..., :3] + h(0.25), x[..., 3:]))
bb("Contrast", "contrast", [1.5], lambda x: with_alpha((x[..., :3] - h(0.5)) * h(1.5) + h(0.5), x[..., 3:]))
bb("ColorInversion", "colorInversion", [], lambda x: with_alpha(h(1) - x[..., :3], x[..., 3:]))
bb("Exposure", "exposure", [1.0], lambda x: with_alpha(x[..., :3] * h(2), x[..., 3:]))
bb("Gamma", "gamma", [2.0], lambda x: with_alpha(x[..., :3] * x[..., :3], x[..., 3:]), roundings=1)
bb("Luminance", "luminance", [], lambda x: with_alpha(np.repeat(luminance(x[..., :3], WEIGHTS), 3, 2), x[..., 3:]), roundings=1)
bb("Posterize", "posterize", [8.0], lambda x: np.floor(x * h(8) + h(0.5)) / h(8))
bb("Saturation", "saturation", [0.5], lambda x: with_alpha(mix(luminance(x[..., :3], WEIGHTS), x[..., :3], h(0.5)), x[..., 3:]),
   roundings=2)  # fmt: skip
bb("ColorMatrix", "colorMatrix", [0.5, MATRIX], lambda x: h(0.5) * (x @ MATRIX.T.astype(h)) + h(0.5) * x, roundings=3)
bb("Flip", "flip", [True, False], lambda x: x[:, ::-1])
bb("MultiplyBlend", "multiplyBlend", [], lambda x, y: multiplied(x, sampled(y)), count=2, roundings=3)
bb("ScreenBlend", "screenBlend", [], lambda x, y: h(1) - (h(1) - sampled(y)) * (h(1) - x), count=2, roundings=2)
bb("DifferenceBlend", "differenceBlend", [], lambda x, y: with_alpha(np.abs(sampled(y) - x)[..., :3], x[..., 3:]), count=2,
   roundings=1)  # fmt: skip
bb("Sharpen", "sharpen", [0.5], lambda x: with_alpha(
    (x * h(3) - (sampled(x, -1) + sampled(x, 1) + sampled(x, 0, -1) + sampled(x, 0, 1)) * h(0.5))[..., :3],
    sampled(x, 0, 1)[..., 3:]), roundings=4)  # fmt: skip


def multiplied(x, y):
    return y * x + y * (h(1) - x[..., 3:]) + x * (h(1) - y[..., 3:])


def swept(x, across, down):
    """A sample at unsigned(column) + across: left of the picture, the kernels come out at its right edge, and so upwards."""
    got = sampled(x, across, down)
    if across < 0:
        got[:, :-across] = sampled(x, WIDTH)[:, -1:]
    if down < 0:
        got[:-down] = sampled(x, 0, HEIGHT)[-1:]
    return got


def grey_of(values):
    return with_alpha(np.repeat(values[..., :1], 3, 2), h(1))


bb("Dilation", "dilation", [2, False], lambda x: grey_of(np.max([swept(x, n, 0) for n in range(-2, 3)], 0)), roundings=1)
bb("Erosion", "erosion", [1, True], lambda x: grey_of(np.min([swept(x, 0, n) for n in range(-1, 2)], 0)), roundings=1)
bb("SobelEdgeDetection", "sobelEdgeDetection", [0.25], lambda x: grey_of(sobel(x[..., :1])), roundings=4)


def sobel(x):
    def at(across, down):
        return sampled(x, across, down).astype(np.float32)

    down = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1)
    right = at(1, 1) + 2 * at(1, 0) + at(1, -1) - at(-1, 1) - 2 * at(-1, 0) - at(-1, -1)
    return 0.25 * np.hypot(down, right)


FORGE = "hollance/Forge", "Forge/Forge/Shaders.metal"


def forge(kernel, values, expected):
    @case(*FORGE, kernel)
    def _(library, r):
        x = picture(r)
        got = library[kernel](*values, x, unset(x.shape, "float16"), grid=(WIDTH, HEIGHT), group=(8, 4))
        return [(got, expected(x), 0)]


def grey(x):
    zero = np.zeros_like(x[..., :3])
    y = x[..., :1] * h(0.299) + x[..., 1:2] * h(0.587) + x[..., 2:3] * h(0.114)
    return np.concatenate([y * h(255), zero], 2)


forge("rgb2Gray", [], grey)
forge("rgb2bgr", [], lambda x: with_alpha(x[..., 2::-1], h(0)))

ALLOY = "s1ddok/Alloy", "Sources/Alloy/Shaders/Shaders.metal"


def two_pictures(kernel, values, expected, constants):
    @case(*ALLOY, kernel)
    def _(library, r):
        x, y = (r.random((HEIGHT, WIDTH, 4), np.float32) for _ in range(2))
        out = unset(x.shape, "float32")
        got = library[kernel](*values, x, y, out, grid=(WIDTH, HEIGHT), group=(8, 4), constants=constants)
        return [(got, expected(x, y), 2.0**-23)]


ANY_GROUPS = {"deviceSupportsNonuniformThreadgroups": True}
two_pictures("textureWeightedMix", [0.25], lambda x, y: x + (y - x) * np.float32(0.25), ANY_GROUPS)
two_pictures("textureMultiplyAdd", [], lambda x, y: x + y * np.float32(0.5), {**ANY_GROUPS, "multiplierFC": 0.5})

DRAWING = "eisukekusachi/HandDrawingSwiftMetal"


def drawing_file(kernel, count, values, expected):
    @case(DRAWING, "CanvasView/Sources/CanvasView/Resources/Shaders/Texture.metal", kernel)
    def _(library, r):
        images = [r.random((HEIGHT, WIDTH, 4), np.float32) for _ in range(count)]
        got = library[kernel](*values, *images, unset((HEIGHT, WIDTH, 4), "float32"), grid=(WIDTH, HEIGHT))
        return [(got, np.broadcast_to(expected(*images), got.shape), 2.0**-23)]


COLOUR = np.array([0.5, 0.25, 0.125, 1], np.float32)
drawing_file("colorize_grayscale_texture", 1, [COLOUR], lambda x: np.concatenate([COLOUR[:3] * x[..., :1], x[..., :1]], 2))
drawing_file("merge_textures", 2, [0.5], lambda x, y: x * np.float32(0.5) + y * (1 - x[..., 3:] * np.float32(0.5)))
drawing_file("add_color_to_texture", 0, [COLOUR], lambda: COLOUR)

FLOW = "ZviSteinOpt/optFlowMetal", "src/src/kernels.metal"


def in_place(kernel, expected):
    @case(*FLOW, kernel)
    def _(library, r):
        x = r.random((HEIGHT, WIDTH, 4), np.float32)
        answer = np.concatenate([expected(x[..., :3]), x[..., 3:]], 2)
        library[kernel](0.5, x, grid=(WIDTH, HEIGHT))
        return [(x, answer, 0)]


in_place("scale", lambda x: x * np.float32(0.5))
in_place("offset", lambda x: x + np.float32(0.5))


@case(*FLOW, "rgbToGrayscale")
def _(library, r):
    x = r.random((HEIGHT, WIDTH, 4), np.float32)
    got = library.rgbToGrayscale(2.0, 0.5, x, unset(x.shape, "float32"), grid=(WIDTH, HEIGHT))
    mean = (x[..., :1] + x[..., 1:2] + x[..., 2:3]) / np.float32(3) * 2 + np.float32(0.5)
    return [(got, np.concatenate([np.repeat(mean, 3, 2), x[..., 3:]], 2), 0)]


@case("swaynos/rust-metal", "shaders/compute.metal", "crop_and_resize")
def _(library, r):
    image = r.random((20, 16, 4), np.float32)
    got = library.crop_and_resize(image, unset((8, 4), "float32"), 16, 20, 4, 8, 2, 2, grid=32)
    return [(got, image[2:18:2, ::4, 0], 0)]


def life(kernel, dtype, wrap, to_texture):
    @case("schwa/Compute", "Sources/Examples/Examples/GameOfLife/GameOfLife.metal", kernel)
    def _(library, r):
        alive = r.random((HEIGHT, WIDTH)) < 0.4
        around = np.pad(alive, 1, mode="wrap" if wrap else "constant").astype(int)
        neighbours = sum(around[1 + y : 1 + y + HEIGHT, 1 + x : 1 + x + WIDTH] for x in (-1, 0, 1) for y in (-1, 0, 1)) - alive
        given = to_texture(alive).astype(dtype)
        got = library[kernel](given, unset(given.shape, dtype), grid=(WIDTH, HEIGHT), constants={"wrap": wrap})
        return [(got.reshape(HEIGHT, WIDTH, -1)[..., 0], (neighbours == 3) | (alive & (neighbours == 2)), 0)]


life("gameOfLife_uint", "uint32", True, lambda alive: alive)
life("gameOfLife_float4", "float32", False, lambda alive: np.repeat(alive[..., None], 4, 2))
