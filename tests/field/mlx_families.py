"""The families of MLX's kernels: which names they have, which published source instantiates them, and how they are called."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable, Iterable, Iterator, List, Tuple

from mlx_calls import (
    Bytes, Call, accumulated, attention, attention_of_one, block_sort, flat, gemm, gemv, merge_sort, odd_ends, quantized,
    reduced, rope, rows, scanned, strided, to_groups,
)  # fmt: skip


@dataclass
class Family:
    name: str
    pattern: str
    source: str
    call: Callable[["re.Match[str]", Bytes], Call]
    most: int = 12  # kernels that are compared, spread over those that match
    instances: str = ""  # what instantiates a kernel that no published source does


GEMM = r"(?P<a>[nt])(?P<b>[nt])_\w+_bm(?P<bm>\d+)_bn(?P<bn>\d+)_bk(?P<bk>\d+)_wm(?P<wm>\d+)_wn(?P<wn>\d+)"
TILES = "_".join(rf"{name}(?P<{name}>\d+)" for name in ("bm", "bn", "sm", "sn", "tm", "tn"))
ATTENTION = ("_".join(rf"{name}(?P<{name}>\d+)" for name in ("bq", "bk", "bd", "bv", "wm", "wn"))) + r"_mask(?P<mask>\w+)"
TYPE_NAMES = r"(?:bool_|u?int(?:8|16|32|64)|b?float(?:16|32)|complex64)"
BINARY = r"(?P<op>[A-Z]\w*?)(?P<type>" + TYPE_NAMES + ")$"

FAMILIES: List[Family] = [
    Family("unary", r"(?P<kind>v|vn|v2)_(?P<op>[A-Z]\w*)$", "unary", lambda m, size: flat(m, size["out"]), 90),
    Family("unary", r"(?P<kind>gn1|gn4)(?:large)?_(?P<op>[A-Z]\w*)$", "unary", strided, 20),
    Family("binary", r"(?P<kind>ss|sv|vs|vv|svn|vsn|vvn|sv2|vs2|vv2)_(?!DivMod|Select)" + BINARY, "binary",
           lambda m, size: flat(m, size["a"]), 110),
    Family("binary", r"(?P<kind>g1|g2|g3|gn2|gn4)(?:large)?_(?!DivMod|Select)" + BINARY, "binary", strided, 40),
    Family("binary of two outputs", r"(?P<kind>ss|sv|vs|vv|svn|vsn|vvn|sv2|vs2|vv2)_(?P<op>DivMod)", "binary_two",
           lambda m, size: flat(m, size["a"])),
    Family("binary of two outputs", r"(?P<kind>g1|g2|g3|gn2|gn4)(?:large)?_(?P<op>DivMod)", "binary_two", strided, 6),
    Family("select", r"(?P<kind>v|vn|v2|vs|sv|vsn|svn)_(?P<op>Select)", "ternary", lambda m, size: flat(m, size["d"])),
    Family("select", r"(?P<kind>g1|g2|g3|gn2|gn4)(?:large)?_(?P<op>Select)", "ternary", strided),
    Family("copy", r"(?P<kind>s|v|s2|v2|sn|vn)_(?P<op>copy)", "copy", lambda m, size: flat(m, size["dst"]), 90),
    Family("copy", r"(?P<kind>g1|g2|g3|gn2|gn4|gg1|gg2|gg3|ggn2|ggn4)(?:large)?_(?:dynamic_)?(?P<op>copy)", "copy", strided, 50),
    Family("arange", r"(?P<kind>arange)", "arange", odd_ends),
    Family("random", r"(?P<kind>rbitsc?)$", "random", odd_ends),
    Family("reduce", r"(?P<kind>init_reduce|all_reduce)_", "reduce", odd_ends, 30),
    Family("reduce", r"(?P<kind>row_reduce_\w+?)(?:_large)?(?:_(?P<axes>\d)_reduce)?_(?:and|or|sum|prod|min|max)", "reduce",
           reduced, 50),
    Family("reduce", r"(?P<kind>col_reduce_(?:small|longcolumn|looped|2pass))(?:_large)?_(?P<axes>\d)_", "reduce", reduced, 50),
    Family("softmax", r"(?P<kind>block|looped)_softmax", "softmax", lambda m, _: rows(250, 4, m["kind"] == "looped")),
    Family("logsumexp", r"(?P<kind>block|looped)_logsumexp", "logsumexp", lambda m, _: rows(250, 4, m["kind"] == "looped")),
    Family("layer norm", r"(?:vjp_)?layer_norm_?(?P<looped>looped)?", "layer_norm",
           lambda m, _: rows(300, 8, m["looped"] is not None)),
    Family("rms norm", r"(?:vjp_)?rms_?(?P<looped>looped)?", "rms_norm", lambda m, _: rows(250, 4, m["looped"] is not None)),
    Family("rope", r"(?P<kind>rope(?:_single)?(?:_freqs)?(?:_large)?)_", "rope", rope, 18),
    Family("scan", r"(?P<kind>contig|strided)_scan", "scan", scanned, 50),
    Family("sort", r"n?c(?:arg)?_block_sort_\w+_bn(?P<bn>\d+)_tn(?P<tn>\d+)", "sort", block_sort, 36),
    Family("sort", r"sort_mbsort_\w+_bn(?P<bn>\d+)_tn(?P<tn>\d+)", "sort", merge_sort, 6),
    Family("arg_reduce", r"(?P<kind>arg)(?:min|max)_", "arg_reduce", odd_ends, 16),
    Family("searchsorted", r"(?P<kind>searchsorted)_", "searchsorted", odd_ends),
    Family("dot", r"(?P<kind>dot_product)_", "dot", odd_ends),
    Family("quantized", r"affine_(?P<kind>qmv_fast|qmv_quad|qmv_wide|qmv|qvm|qmm_t|qmm_n|qmm_t_splitk)_\w+?_gs_(?P<gs>\d+)_"
           r"b_(?P<b>\d+)", "quantized", quantized, 60),
    Family("quantized", r"affine_(?P<kind>(?:de)?quantize)_\w+?_gs_(?P<gs>\d+)_b_(?P<b>\d+)", "quantized", to_groups, 16),
    Family("fp4, fp8", r"(?:mx|nv)fp[48]_(?P<kind>qmv_fast|qmv_quad|qmv_wide|qmv|qvm|qmm_t|qmm_n|qmm_t_splitk)_\w+?_"
           r"gs_(?P<gs>\d+)_b_(?P<b>\d+)", "fp_quantized", quantized, 24),
    Family("fp4, fp8", r"(?:mx|nv)fp[48]_(?P<kind>(?:quantize_|de)?quantize|dequantize)_\w+?_gs_(?P<gs>\d+)_b_(?P<b>\d+)",
           "fp_quantized", to_groups, 12),
    Family("gemv", r"gemv_(?P<t>t_)?(?!gather|outmask|wide|t_)\w+_" + TILES + "_nc", "gemv", gemv, 40),
    Family("gemm", r"(?P<kind>steel_gemm_fused)_" + GEMM, "steel/gemm/kernels/steel_gemm_fused", gemm, 16),
    Family("gemm", r"(?P<kind>steel_gemm_splitk)_" + GEMM, "steel/gemm/kernels/steel_gemm_splitk", gemm, 16),
    Family("gemm", r"(?P<kind>steel_gemm_splitk_accum)_", "steel/gemm/kernels/steel_gemm_splitk", accumulated, 8),
    Family("attention", r"steel_attention_(?P<type>\w+?)_" + ATTENTION, "", attention, 16,
           '#include "mlx/backend/metal/kernels/utils.h"\n'
           '#include "mlx/backend/metal/kernels/steel/attn/kernels/steel_attention.h"\n'
           'instantiate_kernel("{name}", attention, {type}, {bq}, {bk}, {bd}, {bv}, {wm}, {wn}, {mask}, float)\n'),
    Family("attention", r"sdpa_vector_(?P<pass>2pass_[12]_)?(?P<type>\w+?)_(?P<d>\d+)(?:_(?P<v>\d+))?(?:_tk(?P<tk>\d+))?$",
           "scaled_dot_product_attention", attention_of_one, 24),
    Family("cross entropy", r"(?P<kind>cross_entropy(?:_vjp)?)_(?P<type>\w+)$", "", lambda m, _: rows(250, 4), 6,
           "#include <metal_common>\n#include <metal_simdgroup>\nusing namespace metal;\n"
           '#include "mlx/backend/metal/kernels/defines.h"\n#include "mlx/backend/metal/kernels/utils.h"\n'
           '#include "mlx/backend/metal/kernels/cross_entropy.h"\ninstantiate_kernel("{name}", {kind}, {type})\n'),
]  # fmt: skip

WORDS = {"float16": "half", "float32": "float", "bfloat16": "bfloat16_t", "bool_": "bool"}


def instances(family: Family, match: "re.Match[str]") -> str:
    """The text that instantiates a kernel."""
    words = {key: WORDS.get(value, value) for key, value in match.groupdict().items() if value is not None}
    return family.instances.format(name=match.string, **words)


def chosen(
    names: Iterable[str], share: float, is_published: Callable[[Family, str], bool]
) -> Iterator[Tuple[Family, "re.Match[str]"]]:
    """Kernels of each family, spread evenly over those that match; `share` of as many as there are by default."""
    every = list(names)
    for family in FAMILIES:
        matches = [found for name in every if (found := re.match(family.pattern, name)) and is_published(family, name)]
        count = min(max(int(family.most * share), 1), len(matches))
        for n in range(count):
            yield family, matches[n * len(matches) // count]
