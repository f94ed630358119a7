// Batches of matrices as .npz files: what was written reads back bit for bit, what NumPy has is taken, and arrays that
// make no problem are refused in words.
#include "validation/core/npz.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/validation/npz_files.h"
#include "tests/validation/svd/kernels.h"

namespace assay::validation {
namespace {

/// What np.savez(path, A=...) writes.
TEST(SvdNpz, TakesTheTypeOfTheArrayForThatOfTheProblem) {
  const SvdCase single = read_as<SvdOperation>({{"A", npy_array(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3})}});
  EXPECT_EQ(single, (SvdCase{1, 2, 3, Dtype::float32, {1, 2, 3, 4, 5, 6}})) << "one matrix without a batch";
  const SvdCase wide = read_as<SvdOperation>({{"A", npy_array(std::vector<double>{0.1, 1e300}, {1, 1, 2})}});
  EXPECT_EQ(wide, (SvdCase{1, 1, 2, Dtype::float64, {0.1, 1e300}})) << "not rounded";
  const NpyArray halves{{'f', 2, false, false, {2, 1, 2}}, std::string("\x00\x3c\x00\xc0\xff\x7b\x01\x00", 8)};
  const SvdCase narrow = read_as<SvdOperation>({{"A", halves}});
  EXPECT_EQ(narrow, (SvdCase{2, 1, 2, Dtype::float16, {1, -2, 65504, 0x1p-24}}));
  EXPECT_EQ(read_as<SvdOperation>({{"A", halves}, {"dtype", npy_text_array("float64")}}).dtype, Dtype::float64);
}

TEST(SvdNpz, TakesEitherOrderOfBytesAndOfElements) {
  NpyArray swapped{{'f', 8, true, false, {1, 2}}, std::string("\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", 16)};
  EXPECT_THAT(read_as<SvdOperation>({{"A", swapped}}).A, ElementsAre(1, -2));
  NpyArray columns = npy_array(std::vector<double>{1, 4, 2, 5, 3, 6}, {2, 3});
  columns.header.fortran_order = true;
  EXPECT_THAT(read_as<SvdOperation>({{"A", columns}}).A, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(SvdNpz, NotesWhatItLeavesAside) {
  std::vector<std::string> notes;
  const SvdCase c =
      read_as<SvdOperation>({{"A", floats({2, 2})}, {"B", floats({1})}, {"\xC3\xA9\xE2\x80\xAE", floats({1})}}, notes);
  EXPECT_EQ(c.B, 1);
  EXPECT_THAT(notes, ElementsAre("array 'B' was left aside", "array '\xC3\xA9?' was left aside"));
}

NpyArrays with_dtype(const NpyArray& A, const std::string& dtype) {
  return {{"A", A}, {"dtype", npy_text_array(dtype)}};
}

const std::vector<BadArrays> bad_matrices = {
    {{{"a", floats({2, 2})}}, "no array 'A': found a; expected A"},
    {{{"A", floats({4})}}, "A: float32 [4]: expected [B, M, N] or [M, N]"},
    {{{"A", floats({1, 1, 2, 2})}}, "A: float32 [1, 1, 2, 2]: expected [B, M, N] or [M, N]"},
    {{{"A", npy_array(std::vector<std::int64_t>(4), {2, 2})}},
     "A: int64 [1, 2, 2]: expected float16, float32 or float64"},
    {with_dtype(floats({2, 2}), "fp8"), "dtype = 'fp8': expected one of float32, float16, bfloat16, float64"},
    {{{"A", floats({2, 2})}, {"dtype", scalar(16)}}, "dtype: int64 []: expected text (unicode)"},
    {with_dtype(npy_array(std::vector<float>{1, 0.1F}, {1, 2}), "bfloat16"),
     "A: 0.10000000149011612 is not a number of bfloat16: round the array first"},
    {with_dtype(npy_array(std::vector<double>{1, 0.1}, {1, 2}), "float32"),
     "A: 0.1 is not a number of float32: round the array first"},
    {with_dtype(npy_array(std::vector<float>{1, 1e5F}, {1, 2}), "float16"),
     "A: 100000 is not a number of float16: round the array first"},
};

TEST(SvdNpz, RefusesInWordsWhatIsNoBatch) {
  expect_refused<SvdOperation>({}, bad_matrices);
}

}  // namespace
}  // namespace assay::validation
