// Token batches as .npz files: what was written reads back bit for bit, what NumPy has is taken, and arrays that make
// no problem are refused in words.
#include "validation/core/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "tests/limits.h"
#include "tests/validation/cce/kernels.h"
#include "tests/validation/npz_files.h"

namespace assay::validation {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using tests::infinity;

CceCase read_tokens(const NpyArrays& arrays, std::vector<std::string>& notes) {
  const ScratchFile file;
  write_npz_archive(file.path(), arrays);
  return CceOperation::read(file.path(), notes);
}

CceCase read_tokens(const NpyArrays& arrays) {
  std::vector<std::string> notes;
  CceCase c = read_tokens(arrays, notes);
  EXPECT_THAT(notes, IsEmpty());
  return c;
}

void expect_round_trip(const CceCase& c) {
  const ScratchFile file;
  write_npz(file.path(), c);
  std::vector<std::string> notes;
  EXPECT_TRUE(CceOperation::read(file.path(), notes) == c);
  EXPECT_THAT(notes, IsEmpty());
}

TEST(CceNpz, RoundTripKeepsWhatIsWrongWithABatch) {
  CceCase c = three_tokens();
  c.targets = {-5, 99, std::numeric_limits<std::int64_t>::max()};
  c.logit_softcap = -3;
  c.label_smoothing = std::numeric_limits<double>::quiet_NaN();
  c.weight[0] = infinity;
  expect_round_trip(c);
  expect_round_trip(select_tokens(three_tokens(), {}));
}

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
  const CceCase c = read_tokens(token_arrays());
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
  const CceCase c = read_tokens(arrays);
  EXPECT_EQ(c.logit_softcap, 30);
  EXPECT_EQ(c.z_loss, 0.25);
  EXPECT_EQ(c.label_smoothing, 0.1) << "a double, not the float next to it";
  EXPECT_EQ(c.ignore_index, 1);
}

TEST(CceNpz, TakesHalfPrecisionForWhatItIs) {
  NpyArrays arrays = token_arrays();
  arrays["hidden"] = NpyArray{{'f', 2, false, false, {2, 2}}, std::string("\x00\x3c\x00\xc0\xff\x7b\x01\x00", 8)};
  const CceCase c = read_tokens(arrays);
  EXPECT_EQ(c.dtype, Dtype::float16);
  EXPECT_THAT(c.hidden, ElementsAre(1, -2, 65504, 0x1p-24F));
  arrays["dtype"] = npy_text_array("float32");
  EXPECT_EQ(read_tokens(arrays).dtype, Dtype::float32);
}

TEST(CceNpz, NotesWhatItRoundsAndWhatItLeavesAside) {
  NpyArrays arrays = token_arrays();
  arrays["hidden"] = doubles({0.1, 0.5, 1.0 / 3, 2}, {2, 2});
  arrays["upstream"] = doubles({0.1, 1}, {2});
  arrays["labels"] = integers({1});
  std::vector<std::string> notes;
  const CceCase c = read_tokens(arrays, notes);
  EXPECT_THAT(c.hidden, ElementsAre(0.1F, 0.5F, 1.0F / 3, 2));
  EXPECT_THAT(notes, ElementsAre("hidden: 2 of 4 values of float64 were rounded to float32",
                                 "upstream: 1 of 2 values of float64 were rounded to float32",
                                 "array 'labels' was left aside"));
}

struct BadTokens {
  std::string name;
  NpyArrays changes;  ///< arrays of `token_arrays()` replaced or added
  std::string removed;
  std::string expected;  ///< the end of the complaint
};

void PrintTo(const BadTokens& bad, std::ostream* out) {
  *out << bad.name;
}

class CceNpzBad : public testing::TestWithParam<BadTokens> {};

TEST_P(CceNpzBad, IsRefusedInWords) {
  NpyArrays batch = token_arrays();
  batch.erase(GetParam().removed);
  for (const auto& [name, array] : GetParam().changes) batch[name] = array;
  const std::string got = complaint([&] { read_tokens(batch); });
  EXPECT_TRUE(got.ends_with(".npz: " + GetParam().expected)) << got;
}

const std::string wanted = "; expected hidden, weight and targets";
const std::string tokens = "; hidden is [N=2, H=2]", extents = tokens + "; weight is [V=3, H=2]";

const std::vector<BadTokens> bad_tokens = {
    {"NoHidden", {}, "hidden", "no array 'hidden': found targets, weight" + wanted},
    {"NoWeight", {}, "weight", "no array 'weight': found hidden, targets" + wanted},
    {"NoTargets", {{"labels", integers({1})}}, "targets", "no array 'targets': found labels, hidden, weight" + wanted},
    {"HiddenOfRank3", {{"hidden", floats({2, 1, 2})}}, "", "hidden: float32 [2, 1, 2]: expected [N, H]"},
    {"WeightOfRank1", {{"weight", floats({6})}}, "", "weight: float32 [6]: expected [V, H=2]" + tokens},
    {"WeightTransposed", {{"weight", floats({2, 3})}}, "", "weight: float32 [2, 3]: expected [V, H=2]" + tokens},
    {"HiddenOfIntegers",
     {{"hidden", npy_array(std::vector<std::int64_t>(4), {2, 2})}},
     "",
     "hidden: int64 [2, 2]: expected float16, float32 or float64"},
    {"BiasOfTokens", {{"bias", floats({2})}}, "", "bias: float32 [2]: expected [V=3]" + extents},
    {"ThreeTargets", {{"targets", integers({0, 1, 2})}}, "", "targets: int64 [3]: expected [N=2]" + extents},
    {"TargetsOfRank2",
     {{"targets", npy_array(std::vector<std::int64_t>{0, 1}, {1, 2})}},
     "",
     "targets: int64 [1, 2]: expected [N=2]" + extents},
    {"FloatTargets", {{"targets", floats({2})}}, "", "targets: float32 [2]: expected an integer type"},
    {"Type", {{"dtype", npy_text_array("fp8")}}, "", "dtype = 'fp8': expected one of float32, float16, bfloat16"},
    {"TypeNumber", {{"dtype", scalar(16)}}, "", "dtype: int64 []: expected text (unicode)"},
    {"FinerThanItsType",
     {{"dtype", npy_text_array("bfloat16")}, {"weight", npy_array(std::vector<float>(6, 0.1F), {3, 2})}},
     "",
     "weight: 0.1 is not a number of bfloat16: round the array first"},
    {"BeyondItsType",
     {{"dtype", npy_text_array("float16")}, {"bias", npy_array(std::vector<float>{1e5F, 0, 0}, {3})}},
     "",
     "bias: 100000 is not a number of float16: round the array first"},
    {"HiddenBeyondFloat32",
     {{"hidden", doubles({0, 1e300, 0, 0}, {2, 2})}},
     "",
     "hidden: element 1 in row-major order = 1e+300: expected a value within float32's range"},
    {"Reduction", {{"reduction", npy_text_array("avg")}}, "", "reduction = 'avg': expected one of none, sum, mean"},
    {"SoftcapText", {{"logit_softcap", npy_text_array("30")}}, "", "logit_softcap: <U2 []: expected a number"},
    {"SmoothingOfOne",
     {{"label_smoothing", floats({1})}},
     "",
     "label_smoothing: float32 [1]: expected a scalar, of shape []"},
    {"ZLossFlag", {{"z_loss", npy_flag_array(true)}}, "", "z_loss: bool []: expected a number"},
    {"IgnoreIndexOfTwo", {{"ignore_index", integers({0, 0})}}, "", "ignore_index: int64 [2]: expected a scalar"},
    {"IgnoreIndexFloat",
     {{"ignore_index", npy_number_array(0)}},
     "",
     "ignore_index: float64 []: expected an integer type"},
    {"UpstreamOfNone",
     {{"upstream", floats({3})}},
     "",
     "upstream: float32 [3]: expected [N=2] for reduction none" + extents},
    {"UpstreamOfMean",
     {{"upstream", floats({2})}, {"reduction", npy_text_array("mean")}},
     "",
     "upstream: float32 [2]: expected a scalar for reduction mean" + extents},
};

INSTANTIATE_TEST_SUITE_P(Batches, CceNpzBad, testing::ValuesIn(bad_tokens),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace assay::validation
