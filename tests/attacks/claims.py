"""Declarations so wide that nothing is judged."""

import numpy as np

import assay

from .gallery import ATTACKS, attack, softmax, zeros


def declared(name, operation=softmax, kernel=None, **declaration):
    def zeros_under_a_declaration(p):
        return zeros(p)

    chosen = kernel or zeros_under_a_declaration
    chosen.__name__ = name
    attack("claims", operation, **declaration)(chosen)


@assay.operation(x="N, D")
def cumulative(xp, x):
    return xp.cumulative_sum(x, axis=-1)


def one_term_or_none(p):
    if p.x.shape[1] > 1:
        raise assay.Unsupported("out of shared memory")
    return p.x.copy()


def two_terms_or_none(p):
    if p.x.shape[1] > 2:
        raise assay.Unsupported("out of registers")
    return np.cumsum(p.x, axis=-1)


def ones(p):
    return np.ones_like(p.x)


def nothing_of_svd(p):
    b, m, n = p.A.shape
    k = min(m, n)
    return np.zeros((b, m, k), p.A.dtype), np.zeros((b, k), p.A.dtype), np.zeros((b, k, n), p.A.dtype)


def right_svd(p):
    return np.linalg.svd(p.A, full_matrices=False)


def nothing_of_ctc(p):
    x = p.logits if p.logits is not None else p.log_probs
    return np.zeros(x.shape[1], np.float32), np.zeros_like(x)


def nothing_of_cce(p):
    results = np.zeros(p.hidden.shape[0], np.float32), np.zeros_like(p.hidden), np.zeros_like(p.weight)
    return results if p.bias is None else (*results, np.zeros_like(p.bias))


declared("no_sizes", limits={"N": 0, "D": 0})
declared("no_rows", limits={"N": 0})
declared("no_columns", limits={"D": 0})
declared("one_column", kernel=lambda p: ones(p), limits={"D": 1})
declared("a_sum_of_one_term", cumulative, kernel=lambda p: p.x.copy(), limits={"D": 1})
declared("a_sum_of_one_term_of_many_sizes", cumulative, kernel=lambda p: p.x.copy(), extents={"D": [1]})
declared("a_sum_of_one_term_or_a_refusal", cumulative, kernel=lambda p: one_term_or_none(p), extents={"D": [1, 2048]})
declared("a_sum_of_two_terms_or_a_refusal", cumulative, kernel=lambda p: two_terms_or_none(p))
declared("one_property", filter="^repeat$")
declared("two_properties", filter="^(repeat|rows)$")
declared("no_property", filter="nothing")
declared("no_cases", cases=0)
declared("one_case", cases=1)
declared("functions_of_any_error", exp_error=1e30)
declared("functions_of_infinite_error", exp_error=float("inf"))
declared("functions_of_no_number", exp_error=float("nan"))
declared("rounds_the_exponentials_away", rounds={"e": 2.0**0})
declared("rounds_everything_away", rounds={"e": 1e30, "output": 1e30})
declared("a_half", dtype="float16", compute="bfloat16", exp_error=1e6)
declared("largest_numbers_of_nothing", largest=0)
declared("largest_numbers_of_little", largest=1e-40)
declared("largest_numbers_that_are_negative", largest=-1)
declared("a_road_of_zeros", road=lambda xp, x: x * 0)
declared("a_road_of_huge_sums", road=lambda xp, x: xp.exp(x) / xp.sum(xp.exp(x), axis=-1, keepdims=True) + 1e30 * x - 1e30 * x)
declared("a_road_through_cancellation", road=lambda xp, x: (softmax.formula(xp, x) + 2.0**40) - 2.0**40)
declared("results_of_int8", dtypes={"output": "int8"})
declared("no_same_bits", same_bits=False)
declared("no_checks", checks_arguments=False, empty=False, subnormals=False, same_bits=False)
declared("few_sizes", sizes=1)
declared("negative_digits", digits=-1)
declared("one_digit", digits=1)
declared("a_seed_that_is_text", seed="1")
declared("svd_of_many_sweeps", "svd", nothing_of_svd, sweeps=10**9)
declared("svd_of_no_roundoff", "svd", nothing_of_svd, unit_roundoff=1.0)
declared("svd_of_a_huge_roundoff", "svd", nothing_of_svd, unit_roundoff=1e30)
declared("svd_neither_wide_nor_tall", "svd", nothing_of_svd, wide=False, tall=False, limits={"M": 0})
declared("svd_of_one_number", "svd", right_svd, limits={"N": 1}, tall=False)
declared("svd_of_nothing", "svd", nothing_of_svd, limits={"B": 0})
declared("ctc_of_a_huge_roundoff", "ctc", nothing_of_ctc, unit_roundoff=0.5)
declared("ctc_of_no_number", "ctc", nothing_of_ctc, unit_roundoff=float("nan"))
declared("ctc_without_frames", "ctc", nothing_of_ctc, limits={"T": 0})
declared("ctc_of_small_activations", "ctc", nothing_of_ctc, largest_activation=1e-30)
declared("ctc_of_no_spread", "ctc", nothing_of_ctc, largest_spread=1e-30)
declared("ctc_of_one_class", "ctc", nothing_of_ctc, limits={"C": 1})
declared("cce_of_a_huge_roundoff", "cce", nothing_of_cce, unit_roundoff=0.5, sum_roundoff=0.5)
declared("cce_of_a_long_chain", "cce", nothing_of_cce, longest_chain=2**30, bfloat16_roundings=2**20)
declared("cce_of_one_entry", "cce", nothing_of_cce, limits={"V": 1})
declared("cce_of_functions_of_any_error", "cce", nothing_of_cce, exp_error=1e30)


@assay.operation(x="N, D")
def difference(xp, x):
    """A kernel's author may choose the formula too: this one has no bound anywhere."""
    return xp.exp(x + 1e30) - xp.exp(x + 1e30)


declared("a_formula_without_bounds", difference)


@assay.operation(x="N, D")
def curvature(xp, x):
    """A second derivative by differences that float32 does not resolve."""
    h = 2.0**-14
    f = [1 / (1 + xp.exp(-(x + k * h))) for k in (-1, 0, 1)]
    return (f[0] - 2 * f[1] + f[2]) / h**2


def signs(p):
    return np.where(np.abs(p.x) < 4, np.where(np.floor(p.x * 7) % 2 == 0, 1, -1), 0).astype(np.float32)


declared("noise_where_the_formula_gives_noise", curvature, signs, filter="", cases=60)


def no_gradient(x):
    return np.zeros_like(x)


def loss_below_a_constant(x):
    """In float32 nothing of x is left beside the constant."""
    return np.float32(np.float32(1e6) + np.float32(1e-3) * np.float32(np.sin(np.asarray(x, np.float32)).sum()))


def loss_of_nothing(x):
    return 1.0 + (x * 0).sum(), np.zeros(np.shape(x))


POINT = np.linspace(-2, 2, 12)
for name, given, declaration in (
    ("one_class", ("ctc", nothing_of_ctc), {"limits": {"C": 1}, "cases": 20}),
    ("one_entry", ("cce", nothing_of_cce), {"limits": {"V": 1}, "cases": 20, "checks_arguments": False}),
    ("zeros_below_a_constant", (loss_below_a_constant, POINT.astype(np.float32), no_gradient), {"exact": False}),
    ("zeros_of_a_constant", (loss_of_nothing, POINT), {}),
):
    ATTACKS[f"claims: gradients_of_{name}"] = ("gradcheck", given, declaration)
