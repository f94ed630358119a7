// User batches: arrays that make no batch are refused in words.
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "tests/validation/npz_files.h"

namespace assay::validation {
namespace {

struct Bad {
  std::string name;
  NpyArrays changes;  ///< arrays of `arrays()` replaced or added
  std::string removed;
  std::string expected;  ///< the end of the complaint
};

void PrintTo(const Bad& bad, std::ostream* out) {
  *out << bad.name;
}

class CtcNpzBad : public testing::TestWithParam<Bad> {};

TEST_P(CtcNpzBad, IsRefusedInWords) {
  NpyArrays batch = arrays();
  batch.erase(GetParam().removed);
  for (const auto& [name, array] : GetParam().changes) batch[name] = array;
  const std::string got = complaint([&] { read(batch); });
  EXPECT_TRUE(got.ends_with(".npz: " + GetParam().expected)) << got;
}

const std::string wanted = "; expected logits or log_probs, input_lengths, target_lengths and targets";

const std::string activations = "; logits is [T=3, B=2, C=4]";
const std::string batch_first = "; are the activations batch first? transpose them";

const std::vector<Bad> bad_batches = {
    {"NoActivations", {}, "logits", "no array 'logits': found input_lengths, target_lengths, targets" + wanted},
    {"OtherNames",
     {{"labels", integers({1})}},
     "targets",
     "no array 'targets': found labels, input_lengths, logits, target_lengths" + wanted},
    {"NoInputLengths", {}, "input_lengths", "no array 'input_lengths': found logits, target_lengths, targets" + wanted},
    {"NoTargetLengths",
     {},
     "target_lengths",
     "no array 'target_lengths': found input_lengths, logits, targets" + wanted},
    {"TwoActivations", {{"log_probs", floats({3, 2, 4})}}, "", "both logits and log_probs: expected one of them"},
    {"ActivationsOfRank1", {{"logits", floats({12})}}, "", "logits: float32 [12]: expected [T, B, C] or [T, C]"},
    {"ActivationsOfRank4",
     {{"logits", floats({1, 3, 2, 4})}},
     "",
     "logits: float32 [1, 3, 2, 4]: expected [T, B, C] or [T, C]"},
    {"ActivationsScalar", {{"logits", floats({})}}, "", "logits: float32 []: expected [T, B, C] or [T, C]"},
    {"NoClasses", {{"logits", floats({3, 2, 0})}}, "", "logits: float32 [3, 2, 0]: C = 0: expected at least 1"},
    {"IntegerActivations",
     {{"logits", npy_array(std::vector<std::int64_t>(24), {3, 2, 4})}},
     "",
     "logits: int64 [3, 2, 4]: expected float16, float32 or float64"},
    {"TargetsOfAnotherBatch",
     {{"targets", npy_array(std::vector<std::int64_t>(6), {3, 2})}},
     "",
     "targets: int64 [3, 2]: expected [B=2, S] or [sum of target_lengths]" + activations + batch_first},
    {"TargetsScalar",
     {{"targets", scalar(1)}},
     "",
     "targets: int64 []: expected [B=2, S] or [sum of target_lengths]" + activations},
    {"FloatTargets", {{"targets", floats({2, 2})}}, "", "targets: float32 [2, 2]: expected an integer type"},
    {"ThreeLengths",
     {{"target_lengths", integers({1, 1, 1, 1})}},
     "",
     "target_lengths: int64 [4]: expected [B=2]" + activations},
    {"BatchFirst",
     {{"input_lengths", integers({2, 2, 2})}},
     "",
     "input_lengths: int64 [3]: expected [B=2]" + activations + batch_first},
    {"OneLengthForTwoRows",
     {{"input_lengths", scalar(3)}},
     "",
     "input_lengths: int64 []: expected [B=2]" + activations},
    {"FloatLengths", {{"input_lengths", floats({2})}}, "", "input_lengths: float32 [2]: expected an integer type"},
    {"BlankOfTwo", {{"blank", integers({0, 0})}}, "", "blank: int64 [2]: expected a scalar"},
    {"BlankText", {{"blank", npy_text_array("0")}}, "", "blank: <U1 []: expected an integer type"},
    {"Reduction", {{"reduction", npy_text_array("avg")}}, "", "reduction = 'avg': expected one of none, sum, mean"},
    {"ReductionNumber", {{"reduction", scalar(1)}}, "", "reduction: int64 []: expected text (unicode)"},
    {"Variable", {{"variable", npy_text_array("probs")}}, "", "variable = 'probs': expected one of logits, log_probs"},
    {"ZeroInfinity", {{"zero_infinity", scalar(1)}}, "", "zero_infinity: int64 []: expected bool"},
    {"UpstreamOfNone",
     {{"upstream", floats({3})}},
     "",
     "upstream: float32 [3]: expected [B=2] for reduction none" + activations + batch_first},
    {"UpstreamOfSum",
     {{"upstream", floats({2})}, {"reduction", npy_text_array("sum")}},
     "",
     "upstream: float32 [2]: expected a scalar for reduction sum" + activations},
};

INSTANTIATE_TEST_SUITE_P(Batches, CtcNpzBad, testing::ValuesIn(bad_batches),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace assay::validation
