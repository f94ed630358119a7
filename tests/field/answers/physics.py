"""Steps of simulations, and noise."""

import numpy as np

from assay.metal import unset

from .case import case

SAND = "thebasilisk/falling-sand", "src/shaders.metal"


@case(*SAND, "hash_kernel")
def _(library, r):
    places = (r.random((60, 2), np.float32) * 2 - 1).astype(np.float32)
    cells = np.floor(places / np.float32(0.125)).astype(np.int64)
    hashed = (15823 * cells[:, 0] + 9737333 * cells[:, 1]) % 2**32
    entries, offsets = unset((60, 4), "uint32"), np.zeros(60, np.uint32)
    got = library.hash_kernel(places, entries, offsets, np.array([0.125, 60], np.float32), grid=60)
    expected = np.stack([hashed % 60, hashed, np.arange(60), np.zeros(60)], 1).astype(np.uint32)
    return [(got, expected, 0), (offsets, np.full(60, 60), 0)]


@case(*SAND, "physics_kernel")
def _(library, r):
    places, speeds = r.random((50, 2), np.float32), (r.random((50, 2), np.float32) - np.float32(0.5)) / 2
    gravity, step = np.float32(-0.5), np.float32(0.125)
    fast = speeds + np.array([0, gravity * step], np.float32)
    speed = np.where((np.hypot(*fast.T) >= 0.5)[:, None], fast - np.array([0, gravity * step], np.float32), fast)
    place = places + speed * step
    below, outside = place[:, 1] <= 0, (place[:, 0] <= 0) | (place[:, 0] >= 1)
    place[below, 1] = 0
    speed[below, 1] *= -1
    speed[outside, 0] *= -1
    library.physics_kernel(places, speeds, np.array([gravity]), np.array([step]), np.array([50], np.uint32), grid=50)
    return [(places, place, 2.0**-23), (speeds, speed, 2.0**-23)]


def accelerations(places, masses, softening):
    towards = places[None] - places[:, None]
    square = (towards**2).sum(2) + softening
    return (masses[None, :, None] * towards / square[..., None] ** 1.5).sum(1)


@case("LucasBesterman/nbodysim-objc", "Shaders.metal", "nbody_kernel")
def _(library, r):
    particles = np.zeros((30, 16), np.float32)
    particles[:, (0, 1, 2, 4, 5, 6, 12)] = r.random((30, 7), np.float32)
    count, (step, softening, hubble, scale) = 30, np.array([0.125, 0.25, 0.5, 2], np.float32)
    parameters = np.array([0, step, softening, hubble, scale], np.float32)
    parameters[:1].view(np.uint32)[:] = count
    after = np.zeros((30, 16), np.float32)
    library.nbody_kernel(particles, after, parameters, grid=30)
    place, speed = (particles[:, k : k + 3].astype(np.float64) for k in (0, 4))
    pull = accelerations(place, particles[:, 12].astype(np.float64), softening) * scale - 2 * hubble * speed
    half = speed + pull * step / 2
    allowed = 2.0**-17  # 30 terms of up to 8, each rounded a few times
    return [(after[:, :3], place + half * step, allowed), (after[:, 4:7], half + pull * step / 2, allowed)]


REACTION = "rchaining/reaction-diffusion-model", "Shaders.metal"
ARGUMENTS = np.array([4, 0.25, 0.5, 0.25, 0.055, 0.062, 1], np.float32)  # frequency, scale, diffusions, feed, kill, step


@case(*REACTION, "sim_main")
def _(library, r):
    grid = r.random((32, 32, 4), np.float32)
    got = library.sim_main(ARGUMENTS, grid, unset(grid.shape, "float32"), grid=(32, 32), group=(32, 32))
    a, b = grid[..., 0].astype(np.float64), grid[..., 1].astype(np.float64)
    spread = [sum(np.roll(x, *by) for by in ((1, 0), (-1, 0), (1, 1), (-1, 1))) - 4 * x for x in (a, b)]
    feed, kill = (float(one) for one in ARGUMENTS[4:6])
    new = [a + 0.5 * spread[0] - a * b * b + feed * (1 - a), b + 0.25 * spread[1] + a * b * b - (feed + kill) * b]
    expected = np.stack([np.clip(new[0], 0, 1), np.clip(new[1], 0, 1), 0 * a, 0 * a], 2)
    return [(got, expected, 2.0**-20)]


@case(*REACTION, "sim_main", fault="memcheck")
def _(library, r):
    """In the second group of a column, a corner that nobody uses is read at column -1."""
    grid = r.random((64, 64, 4), np.float32)
    library.sim_main(ARGUMENTS, grid, unset(grid.shape, "float32"), grid=(64, 64), group=(32, 32))
    return []


def gradient(x, y):
    """The hash of a lattice point, in the kernel's own order of float32 operations."""
    f = np.float32
    dots = x * f(127.1) + y * f(311.7), x * f(269.5) + y * f(183.3)
    parts = [np.sin(dot.astype(np.float64)).astype(f) * f(43758.5453123) for dot in dots]
    return [2 * (part - np.floor(part)) - 1 for part in parts]


@case(*REACTION, "init_simulation")
def _(library, r):
    got = library.init_simulation(ARGUMENTS, unset((32, 32, 4), "float32"), grid=(32, 32), group=(8, 8))
    y, x = np.meshgrid(*2 * [np.arange(32, dtype=np.float32) / 32 * ARGUMENTS[0]], indexing="ij")
    column, row = np.floor(x), np.floor(y)
    u, v = ((t**3 * (t * (t * 6 - 15) + 10)) for t in (x - column, y - row))
    corner = {}
    for i in (0, 1):
        for j in (0, 1):
            across, down = gradient(column + np.float32(i), row + np.float32(j))
            corner[i, j] = across * (x - column - i) + down * (y - row - j)
    low, high = (corner[0, j] + (corner[1, j] - corner[0, j]) * u for j in (0, 1))
    noise = low + (high - low) * v
    one = np.ones_like(noise)
    return [(got, np.stack([one, noise * ARGUMENTS[1] + 0.5, 0 * one, one], 2), 2.0**-6)]  # sin, times 43758
