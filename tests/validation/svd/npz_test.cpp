// Batches of matrices as .npz files: what was written reads back bit for bit, what NumPy has is taken, and arrays that
// make no problem are refused in words.
#include "validation/core/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "tests/validation/npz_files.h"
#include "tests/validation/svd/kernels.h"

namespace assay::validation {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SvdCase read_matrices(const NpyArrays& arrays, std::vector<std::string>& notes) {
  const ScratchFile file;
  write_npz_archive(file.path(), arrays);
  return SvdOperation::read(file.path(), notes);
}

SvdCase read_matrices(const NpyArrays& arrays) {
  std::vector<std::string> notes;
  SvdCase c = read_matrices(arrays, notes);
  EXPECT_THAT(notes, IsEmpty());
  return c;
}

TEST(SvdNpz, KeepsABatchOfNothing) {
  for (const SvdCase& c : {SvdCase{}, {0, 3, 2, Dtype::float64, {}}, {2, 3, 0, Dtype::bfloat16, {}}}) {
    const ScratchFile file;
    write_npz(file.path(), c);
    EXPECT_EQ(SvdOperation::read(file.path()), c);
  }
}

/// What np.savez(path, A=...) writes.
TEST(SvdNpz, TakesTheTypeOfTheArrayForThatOfTheProblem) {
  const SvdCase single = read_matrices({{"A", npy_array(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3})}});
  EXPECT_EQ(single, (SvdCase{1, 2, 3, Dtype::float32, {1, 2, 3, 4, 5, 6}})) << "one matrix without a batch";
  const SvdCase wide = read_matrices({{"A", npy_array(std::vector<double>{0.1, 1e300}, {1, 1, 2})}});
  EXPECT_EQ(wide, (SvdCase{1, 1, 2, Dtype::float64, {0.1, 1e300}})) << "not rounded";
  const NpyArray halves{{'f', 2, false, false, {2, 1, 2}}, std::string("\x00\x3c\x00\xc0\xff\x7b\x01\x00", 8)};
  const SvdCase narrow = read_matrices({{"A", halves}});
  EXPECT_EQ(narrow, (SvdCase{2, 1, 2, Dtype::float16, {1, -2, 65504, 0x1p-24}}));
  EXPECT_EQ(read_matrices({{"A", halves}, {"dtype", npy_text_array("float64")}}).dtype, Dtype::float64);
}

TEST(SvdNpz, TakesEitherOrderOfBytesAndOfElements) {
  NpyArray swapped{{'f', 8, true, false, {1, 2}}, std::string("\x3f\xf0\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", 16)};
  EXPECT_THAT(read_matrices({{"A", swapped}}).A, ElementsAre(1, -2));
  NpyArray columns = npy_array(std::vector<double>{1, 4, 2, 5, 3, 6}, {2, 3});
  columns.header.fortran_order = true;
  EXPECT_THAT(read_matrices({{"A", columns}}).A, ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(SvdNpz, NotesWhatItLeavesAside) {
  std::vector<std::string> notes;
  const SvdCase c = read_matrices({{"A", floats({2, 2})}, {"B", floats({1})}}, notes);
  EXPECT_EQ(c.B, 1);
  EXPECT_THAT(notes, ElementsAre("array 'B' was left aside"));
}

struct BadMatrices {
  std::string name;
  NpyArrays arrays;
  std::string expected;  ///< the end of the complaint
};

void PrintTo(const BadMatrices& bad, std::ostream* out) {
  *out << bad.name;
}

class SvdNpzBad : public testing::TestWithParam<BadMatrices> {};

TEST_P(SvdNpzBad, IsRefusedInWords) {
  const std::string got = complaint([&] { read_matrices(GetParam().arrays); });
  EXPECT_TRUE(got.ends_with(".npz: " + GetParam().expected)) << got;
}

NpyArrays with_dtype(const NpyArray& A, const std::string& dtype) {
  return {{"A", A}, {"dtype", npy_text_array(dtype)}};
}

const std::vector<BadMatrices> bad_matrices = {
    {"AnotherName", {{"a", floats({2, 2})}}, "no array 'A': found a; expected A"},
    {"AVector", {{"A", floats({4})}}, "A: float32 [4]: expected [B, M, N] or [M, N]"},
    {"FourAxes", {{"A", floats({1, 1, 2, 2})}}, "A: float32 [1, 1, 2, 2]: expected [B, M, N] or [M, N]"},
    {"Integers",
     {{"A", npy_array(std::vector<std::int64_t>(4), {2, 2})}},
     "A: int64 [1, 2, 2]: expected float16, float32 or float64"},
    {"Type", with_dtype(floats({2, 2}), "fp8"), "dtype = 'fp8': expected one of float32, float16, bfloat16, float64"},
    {"TypeNumber", {{"A", floats({2, 2})}, {"dtype", scalar(16)}}, "dtype: int64 []: expected text (unicode)"},
    {"FinerThanItsType", with_dtype(npy_array(std::vector<float>{1, 0.1F}, {1, 2}), "bfloat16"),
     "A: 0.10000000149011612 is not a number of bfloat16: round the array first"},
    {"DoublesAsFloats", with_dtype(npy_array(std::vector<double>{1, 0.1}, {1, 2}), "float32"),
     "A: 0.1 is not a number of float32: round the array first"},
    {"BeyondItsType", with_dtype(npy_array(std::vector<float>{1, 1e5F}, {1, 2}), "float16"),
     "A: 100000 is not a number of float16: round the array first"},
};

INSTANTIATE_TEST_SUITE_P(Batches, SvdNpzBad, testing::ValuesIn(bad_matrices),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace assay::validation
