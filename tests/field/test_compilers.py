#!/usr/bin/env python3
"""The comparison of compilers.py sees one wrong element, a NaN, an infinity and the sign of a zero, and names what it does
not compare; each family's pattern finds a kernel and makes a call."""

import unittest

import numpy as np

import compilers
import mlx_families
from mlx_roads import Outcome, as_bits, data, specials


def outcome(*numbers: float, dtype: str = "float32", findings: tuple = ()) -> Outcome:
    wide = np.array(numbers, "float32" if dtype == "bfloat16" else dtype)
    return Outcome({"y_0": as_bits(wide, dtype)}, set(findings))


def kind(source: Outcome, compiled: Outcome, dtype: str = "float32") -> str:
    return compilers.difference(source, compiled, {"y_0": dtype})[0]


class Comparison(unittest.TestCase):
    def test_sees_one_element(self) -> None:
        for dtype in ("float32", "float16", "bfloat16"):
            right = outcome(1, 2, 3, dtype=dtype)
            self.assertEqual(kind(right, outcome(1, 2, 3, dtype=dtype), dtype), "equal")
            for wrong in (3.5, np.nan, np.inf, -3):
                self.assertEqual(kind(right, outcome(1, 2, wrong, dtype=dtype), dtype), "differs", (dtype, wrong))
        self.assertEqual(kind(outcome(0.0, 1), outcome(-0.0, 1)), "differs")
        self.assertEqual(kind(outcome(np.inf, 1), outcome(-np.inf, 1)), "differs")
        self.assertEqual(kind(outcome(1, 2, dtype="int64"), outcome(1, 3, dtype="int64"), "int64"), "differs")

    def test_tells_the_bits_of_a_nan_from_a_nan(self) -> None:
        nan, other = outcome(np.nan, 1), outcome(np.nan, 1)
        other.arrays["y_0"].view(np.uint32)[0] |= 1 << 31
        self.assertEqual(kind(nan, nan), "equal")
        self.assertEqual(kind(nan, other), "bits of a NaN")
        other.arrays["y_0"][1] = 2
        self.assertEqual(kind(nan, other), "differs")

    def test_says_what_is_not_compared(self) -> None:
        self.assertEqual(kind(Outcome(error="no kernel"), outcome(1)), "not run")
        self.assertEqual(kind(outcome(1, findings=("racecheck",)), outcome(1)), "other findings")
        unwritten = Outcome({"y_0": np.full(3, 0xFFFFFFFF, np.uint32).view(np.float32)})
        self.assertEqual(kind(unwritten, unwritten), "nothing written")

    def test_special_numbers_are_among_the_data(self) -> None:
        random = np.random.default_rng(0)
        for dtype in ("float32", "float16", "bfloat16", "int8", "uint64", "bool"):
            drawn = data(dtype, 10000, "many specials", random, 0)
            bits = f"u{drawn.dtype.itemsize}"
            self.assertTrue(np.isin(specials(dtype).view(bits), drawn.view(bits)).all(), dtype)
        self.assertFalse(np.isnan(data("float32", 10000, "random", random, 0)).any())


class Families(unittest.TestCase):
    def test_find_their_kernels(self) -> None:
        names = {
            "v_Expfloat32float32", "vv_Addint8", "g2_Addfloat32", "gn4large_copyint8int8", "row_reduce_small_2_reduce_sumint8",
            "gemv_t_float32_bm1_bn2_sm8_sn4_tm4_tn1_nc0_axpby0", "affine_qmv_float_gs_64_b_4_batch_1",
            "steel_attention_float16_bq32_bk16_bd192_bv192_wm4_wn1_maskbool_",
        }  # fmt: skip
        self.assertEqual({match.string for _, match in mlx_families.chosen(names, 1, lambda *_: True)}, names)
        for family, match in mlx_families.chosen(names, 1, lambda *_: True):
            call = family.call(match, dict.fromkeys(("in", "out", "a", "dst", "d"), 4))
            self.assertTrue(call.grid or call.groups)
        self.assertEqual(list(mlx_families.chosen(["nothing"], 1, lambda *_: True)), [])


if __name__ == "__main__":
    unittest.main()
