// Token batches as .npz files: what was written reads back bit for bit, what NumPy has is taken, and arrays that make
// no problem are refused in words.
#include "validation/core/npz.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "tests/limits.h"
#include "tests/matchers.h"
#include "tests/validation/cce/kernels.h"
#include "tests/validation/npz_files.h"

namespace assay::validation {
namespace {

using tests::infinity;

/// hidden [2, 2], weight [3, 2], two targets: the least that a file must have.
NpyArrays token_arrays() {
  return {{"hidden", npy_array(std::vector<float>{1, 2, 3, 4}, {2, 2})},
          {"weight", npy_array(std::vector<float>(6, 0.5F), {3, 2})},
          {"targets", integers({2, -100})}};
}

NpyArray doubles(const std::vector<double>& elements, std::vector<std::int64_t> shape) {
  NpyArray array{{'f', 8, false, false, std::move(shape)}, {}};
  for (const double element : elements) array.bytes += npy_number_array(element).bytes;
  return array;
}

TEST(CceNpz, TakesDefaultsForWhatIsNotThere) {
  const CceCase c = read_as<CceOperation>(token_arrays());
  EXPECT_EQ(c.N, 2);
  EXPECT_EQ(c.H, 2);
  EXPECT_EQ(c.V, 3);
  EXPECT_EQ(c.dtype, Dtype::float32);
  EXPECT_THAT(c.hidden, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(c.targets, ElementsAre(2, -100));
  EXPECT_THAT(c.bias, IsEmpty());
  EXPECT_THAT(c.upstream, IsEmpty());
  EXPECT_EQ(c.ignore_index, -100);
  EXPECT_EQ(c.logit_softcap, 0);
  EXPECT_EQ(c.label_smoothing, 0);
  EXPECT_EQ(c.z_loss, 0);
  EXPECT_EQ(c.reduction, Reduction::none);
  EXPECT_NO_THROW(require_valid(c));
}

TEST(CceNpz, ReadsNumbersOfAnyType) {
  NpyArrays arrays = token_arrays();
  arrays["logit_softcap"] = scalar(30);
  arrays["z_loss"] = npy_array(std::vector<float>{0.25F}, {});
  arrays["label_smoothing"] = npy_number_array(0.1);
  arrays["ignore_index"] = scalar(1);
  const CceCase c = read_as<CceOperation>(arrays);
  EXPECT_EQ(c.logit_softcap, 30);
  EXPECT_EQ(c.z_loss, 0.25);
  EXPECT_EQ(c.label_smoothing, 0.1) << "a double, not the float next to it";
  EXPECT_EQ(c.ignore_index, 1);
}

TEST(CceNpz, TakesHalfPrecisionForWhatItIs) {
  NpyArrays arrays = token_arrays();
  arrays["hidden"] = NpyArray{{'f', 2, false, false, {2, 2}}, std::string("\x00\x3c\x00\xc0\xff\x7b\x01\x00", 8)};
  const CceCase c = read_as<CceOperation>(arrays);
  EXPECT_EQ(c.dtype, Dtype::float16);
  EXPECT_THAT(c.hidden, ElementsAre(1, -2, 65504, 0x1p-24F));
  arrays["dtype"] = npy_text_array("float32");
  EXPECT_EQ(read_as<CceOperation>(arrays).dtype, Dtype::float32);
}

TEST(CceNpz, NotesWhatItRoundsAndWhatItLeavesAside) {
  NpyArrays arrays = token_arrays();
  arrays["hidden"] = doubles({0.1, 0.5, 1.0 / 3, 2}, {2, 2});
  arrays["upstream"] = doubles({0.1, 1}, {2});
  arrays["labels"] = integers({1});
  std::vector<std::string> notes;
  const CceCase c = read_as<CceOperation>(arrays, notes);
  EXPECT_THAT(c.hidden, ElementsAre(0.1F, 0.5F, 1.0F / 3, 2));
  EXPECT_THAT(notes, ElementsAre("hidden: 2 of 4 values of float64 were rounded to float32",
                                 "upstream: 1 of 2 values of float64 were rounded to float32",
                                 "array 'labels' was left aside"));
}

const std::string wanted = "; expected hidden, weight and targets";
const std::string tokens = "; hidden is [N=2, H=2]", extents = tokens + "; weight is [V=3, H=2]";

const std::vector<BadArrays> bad_tokens = {
    {{}, "no array 'hidden': found targets, weight" + wanted, "hidden"},
    {{}, "no array 'weight': found hidden, targets" + wanted, "weight"},
    {{{"marks", integers({1})}}, "no array 'targets': found marks, hidden, weight" + wanted, "targets"},
    {{{"hidden", floats({2, 1, 2})}}, "hidden: float32 [2, 1, 2]: expected [N, H]"},
    {{{"weight", floats({6})}}, "weight: float32 [6]: expected [V, H=2]" + tokens},
    {{{"weight", floats({2, 3})}}, "weight: float32 [2, 3]: expected [V, H=2]" + tokens},
    {{{"hidden", npy_array(std::vector<std::int64_t>(4), {2, 2})}},
     "hidden: int64 [2, 2]: expected float16, float32 or float64"},
    {{{"bias", floats({2})}}, "bias: float32 [2]: expected [V=3]" + extents},
    {{{"targets", integers({0, 1, 2})}}, "targets: int64 [3]: expected [N=2]" + extents},
    {{{"targets", npy_array(std::vector<std::int64_t>{0, 1}, {1, 2})}},
     "targets: int64 [1, 2]: expected [N=2]" + extents},
    {{{"targets", floats({2})}}, "targets: float32 [2]: expected an integer type"},
    {{{"dtype", npy_text_array("fp8")}}, "dtype = 'fp8': expected one of float32, float16, bfloat16"},
    {{{"dtype", scalar(16)}}, "dtype: int64 []: expected text (unicode)"},
    {{{"dtype", npy_text_array("bfloat16")}, {"weight", npy_array(std::vector<float>(6, 0.1F), {3, 2})}},
     "weight: 0.1 is not a number of bfloat16: round the array first"},
    {{{"dtype", npy_text_array("float16")}, {"bias", npy_array(std::vector<float>{1e5F, 0, 0}, {3})}},
     "bias: 100000 is not a number of float16: round the array first"},
    {{{"hidden", doubles({0, 1e300, 0, 0}, {2, 2})}},
     "hidden: element 1 in row-major order = 1e+300: expected a value within float32's range"},
    {{{"reduction", npy_text_array("avg")}}, "reduction = 'avg': expected one of none, sum, mean"},
    {{{"logit_softcap", npy_text_array("30")}}, "logit_softcap: <U2 []: expected a number"},
    {{{"label_smoothing", floats({1})}}, "label_smoothing: float32 [1]: expected a scalar, of shape []"},
    {{{"z_loss", npy_flag_array(true)}}, "z_loss: bool []: expected a number"},
    {{{"ignore_index", integers({0, 0})}}, "ignore_index: int64 [2]: expected a scalar"},
    {{{"ignore_index", npy_number_array(0)}}, "ignore_index: float64 []: expected an integer type"},
    {{{"upstream", floats({3})}}, "upstream: float32 [3]: expected [N=2] for reduction none" + extents},
    {{{"upstream", floats({2})}, {"reduction", npy_text_array("mean")}},
     "upstream: float32 [2]: expected a scalar for reduction mean" + extents},
};

TEST(CceNpz, RefusesInWordsWhatIsNoBatch) {
  expect_refused<CceOperation>(token_arrays(), bad_tokens);
}

}  // namespace
}  // namespace assay::validation
