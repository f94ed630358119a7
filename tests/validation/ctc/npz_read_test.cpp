// User batches: what NumPy wrote is read, in each of its layouts.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/validation/npz_files.h"

namespace assay::validation {
namespace {

std::string from_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  std::uint32_t pending = 0;
  int pending_bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    pending = pending << 6 | static_cast<std::uint32_t>(digits.find(c));
    pending_bits += 6;
    if (pending_bits < 8) continue;
    pending_bits -= 8;
    out.push_back(static_cast<char>(pending >> pending_bits & 0xFF));
  }
  return out;
}

// NumPy 1.24: np.savez_compressed(file,
//   log_probs=np.asfortranarray(np.log(np.array([[[.5, .25, .25], [.125, .375, .5]],
//                                                [[.25, .5, .25], [.75, .125, .125]]]))),
//   targets=np.array([[1], [2]], dtype=np.uint8), input_lengths=np.array([2, 1], dtype='>i4'),
//   target_lengths=np.array([1, 1]), reduction='mean', words=np.array(['a', 'b'], dtype=object), zero_infinity=True)
constexpr std::string_view from_numpy =
    "UEsDBBQAAAAIAAAAIQAFXbePdgAAAOAAAAANABQAbG9nX3Byb2JzLm5weQEAEADgAAAAAAAAAHYAAAAAAAAAm+wX6hsQychQxlCtnpJanFykbqWg"
    "bpNmoa6joJ6WX1RSlJgXn1+UkgoSDykqTQUKF2ckFqQCuRpGOgpAZKypo1CrQCbgem/565+T3rP9EPrb/uLV1vabFjEcmHTbRDAp8xJcHKZux/Ip"
    "7F+S3sPVocoj1MHkAVBLAwQUAAAACAAAACEAeHegZUgAAACCAAAACwAUAHRhcmdldHMubnB5AQAQAIIAAAAAAAAASAAAAAAAAACb7BfqGxDJyFDG"
    "UK2eklqcXKRupaBeU2qorqOgnpZfVFKUmBefX5SSChJ3S8wpTgWKF2ckFqQC+RpGOgqGmjoKtQpkAy5GJgBQSwMEFAAAAAgAAAAhAGqO4cBLAAAA"
    "iAAAABEAFABpbnB1dF9sZW5ndGhzLm5weQEAEACIAAAAAAAAAEsAAAAAAAAAm+wX6hsQychQxlCtnpJanFykbqWgbpdpoq6joJ6WX1RSlJgXn1+U"
    "kgoSd0vMKU4FihdnJBakAvkaRjqaOgq1ChQALgYGBiYgZgQAUEsDBBQAAAAIAAAAIQDv+5NnSQAAAJAAAAASABQAdGFyZ2V0X2xlbmd0aHMubnB5"
    "AQAQAJAAAAAAAAAASQAAAAAAAACb7BfqGxDJyFDGUK2eklqcXKRupaBuk2mhrqOgnpZfVFKUmBefX5SSChJ3S8wpTgWKF2ckFqQC+RpGOpo6CrUK"
    "FAAuRgYIgNEAUEsDBBQAAAAIAAAAIQA2+l9KTgAAAJAAAAANABQAcmVkdWN0aW9uLm5weQEAEACQAAAAAAAAAE4AAAAAAAAAm+wX6hsQychQxlCt"
    "npJanFykbqWgbhNqoq6joJ6WX1RSlJgXn1+UkgoSd0vMKU4FihdnJBakAvkamjoKtQoUAa5cBgaGVCBOBOI8IAYAUEsDBBQAAAAIAAAAIQDO+QTs"
    "1AAAACoBAAAJABQAd29yZHMubnB5AQAQACoBAAAAAAAA1AAAAAAAAACb7BfqGxDJyFDGUK2eklqcXKRupaBe46+uo6Cell9UUpSYF59flJIKEnZL"
    "zClOBYoXZyQWpAL5GkY6mjoKtQqUAK4G5uS80tyCSr3k/KJUvdzSnJLMxKKixEqu+KLU5Py84pKi0uQSrkIGiCquvBSIbCGjN0NrIZMzY1Ihc3sh"
    "S1Ahq4Y3ozdTayEbVGFKSWVBKlchewQTAwODv0UhR2dHeyFnUCGXhjdzBCNQrKaQ28/Pz+s/EIAJb/uSQp6kzthCXg2wfGIhH5hOKuRPLSkUSNID"
    "AFBLAwQUAAAACAAAACEAgi3400MAAACBAAAAEQAUAHplcm9faW5maW5pdHkubnB5AQAQAIEAAAAAAAAAQwAAAAAAAACb7BfqGxDJyFDGUK2eklqc"
    "XKRupaBek2SorqOgnpZfVFKUmBefX5SSChJ3S8wpTgWKF2ckFqQC+RqaOgq1ChQBLkYAUEsBAhQDFAAAAAgAAAAhAAVdt492AAAA4AAAAA0AAAAA"
    "AAAAAAAAAIABAAAAAGxvZ19wcm9icy5ucHlQSwECFAMUAAAACAAAACEAeHegZUgAAACCAAAACwAAAAAAAAAAAAAAgAG1AAAAdGFyZ2V0cy5ucHlQ"
    "SwECFAMUAAAACAAAACEAao7hwEsAAACIAAAAEQAAAAAAAAAAAAAAgAE6AQAAaW5wdXRfbGVuZ3Rocy5ucHlQSwECFAMUAAAACAAAACEA7/uTZ0kA"
    "AACQAAAAEgAAAAAAAAAAAAAAgAHIAQAAdGFyZ2V0X2xlbmd0aHMubnB5UEsBAhQDFAAAAAgAAAAhADb6X0pOAAAAkAAAAA0AAAAAAAAAAAAAAIAB"
    "VQIAAHJlZHVjdGlvbi5ucHlQSwECFAMUAAAACAAAACEAzvkE7NQAAAAqAQAACQAAAAAAAAAAAAAAgAHiAgAAd29yZHMubnB5UEsBAhQDFAAAAAgA"
    "AAAhAIIt+NNDAAAAgQAAABEAAAAAAAAAAAAAAIAB8QMAAHplcm9faW5maW5pdHkubnB5UEsFBgAAAAAHAAcApAEAAHcEAAAAAA==";

TEST(CtcNpz, ReadsWhatNumPyWrote) {
  const ScratchFile file(from_base64(from_numpy));
  std::vector<std::string> notes;
  const CtcCase got = CtcOperation::read(file.path(), notes);
  EXPECT_EQ(notes, (std::vector<std::string>{"log_probs: 12 of 12 values of float64 were rounded to float32",
                                             "array 'words' was left aside"}));
  CtcCase expected;
  expected.T = 2;
  expected.B = 2;
  expected.C = 3;
  for (const double y : {.5, .25, .25, .125, .375, .5, .25, .5, .25, .75, .125, .125})
    expected.activations.push_back(static_cast<float>(std::log(y)));
  set_targets(expected, {{1}, {2}});
  expected.input_lengths = {2, 1};
  expected.input = CtcInput::log_probs;
  expected.reduction = Reduction::mean;
  expected.zero_infinity = true;
  EXPECT_EQ(got, expected);
}

TEST(CtcNpz, ReadsOneRowWithoutABatchAxis) {
  const CtcCase c = read_as<CtcOperation>({{"log_probs", floats({5, 4})},
                                           {"targets", integers({1, 2, 3})},
                                           {"input_lengths", scalar(5)},
                                           {"target_lengths", scalar(2)}});
  EXPECT_EQ((std::array{c.T, c.B, c.C, c.S}), (std::array<std::int64_t, 4>{5, 1, 4, 3}));
  EXPECT_EQ(c.layout, CtcTargets::padded);
  EXPECT_EQ(c.labels(0), (std::vector<std::int64_t>{1, 2}));
}

TEST(CtcNpz, ReadsConcatenatedTargets) {
  NpyArrays batch = arrays();
  batch["targets"] = integers({1, 3, 2});
  const CtcCase c = read_as<CtcOperation>(batch);
  EXPECT_EQ(c.layout, CtcTargets::concatenated);
  EXPECT_EQ(c.S, 2);
  EXPECT_EQ(c.labels(1), std::vector<std::int64_t>{2});
}

TEST(CtcNpz, ReadsTheBitsOfBfloat16WhereTheFileSaysSo) {
  for (const char kind : {'u', 'V'}) {
    NpyArrays batch = arrays();
    batch["dtype"] = npy_text_array("bfloat16");
    NpyArray bits{{kind, 2, false, false, {3, 2, 4}}, {}};
    for (int i = 0; i < 24; ++i) bits.bytes += i == 1 ? "\x20\xc0" : "\x40\x3f";
    batch["logits"] = bits;
    const CtcCase c = read_as<CtcOperation>(batch);
    EXPECT_EQ(c.dtype, Dtype::bfloat16);
    EXPECT_EQ(c.activations[0], 0.75F);
    EXPECT_EQ(c.activations[1], -2.5F);
  }
}

}  // namespace
}  // namespace assay::validation
