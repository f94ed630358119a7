"""Products of matrices, and sums of arrays."""

import numpy as np

from assay.metal import unset

from .case import case


def product(project, file, kernel, call, fault=""):
    @case(project, file, kernel, fault=fault)
    def _(library, r):
        a, b = r.standard_normal((40, 24), np.float32), r.standard_normal((24, 136), np.float32)
        allowed = 24 * 2.0**-24 * (np.abs(a) @ np.abs(b)).max()
        return [(call(library[kernel], a, b), a.astype(np.float64) @ b, allowed)]


SWEP = "Lazarus-931/swep"
product(SWEP, "gemm/m4/naive.metal", "gemm_naive",
        lambda kernel, a, b: kernel(a, b, unset((40, 136), "float32"), 40, 136, 24, grid=(136, 40), group=(8, 8)))  # fmt: skip


def of_best(kernel, a, b):
    """Its four simdgroups compute the upper half of each tile of 16 rows alone: the lower half stays zero."""
    c = np.zeros((40, 136), np.float32)
    kernel(a, b, c, 40, 136, 24, grid=(2 * 128, 3), group=(128, 1))
    return c


product(SWEP, "gemm/m4/best.metal", "gemm_m4", of_best, fault="wrong")


def of_rows(kernel, a, b):
    sizes, out = np.array([40, 136, 24], np.uint32), unset((40, 136), "float32")
    return kernel(a, np.ascontiguousarray(b.T), out, sizes, grid=(144, 48), group=(16, 16))


product("omar16100/surge", "src/kernels.metal", "k_matmul_f32", of_rows)


@case("An-GG/how2metal", "compute.metal", "add_arrays")
def _(library, r):
    a, b = r.standard_normal(70, np.float32), r.standard_normal(70, np.float32)
    return [(library.add_arrays(a, b, unset(70, "float32"), grid=70), a + b, 0)]


@case("dmitriwamback/metal-gpu-tasks", "compute.metal", "add")
def _(library, r):
    a, b = r.standard_normal(70, np.float32), r.standard_normal(70, np.float32)
    vectors, size = r.standard_normal((70, 4), np.float32), np.array([70], np.int32)
    got = library.add(a, b, vectors, size, unset((70, 4), "float32"), grid=70)
    return [(got, vectors * (b + np.sin(a.astype(np.float64)))[:, None], 2.0**-20)]
