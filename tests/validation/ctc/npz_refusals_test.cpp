// User batches: arrays that make no batch are refused in words.
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "tests/validation/npz_files.h"

namespace assay::validation {
namespace {

const std::string wanted = "; expected logits or log_probs, input_lengths, target_lengths and targets";

const std::string activations = "; logits is [T=3, B=2, C=4]";
const std::string batch_first = "; are the activations batch first? transpose them";

const std::vector<BadArrays> bad_batches = {
    {{}, "no array 'logits': found input_lengths, target_lengths, targets" + wanted, "logits"},
    {{{"labels", integers({1})}},
     "array labels is the name in TensorFlow, Optax and Hugging Face: expected targets; padding such as -100 lies "
     "beyond target_lengths in CTC, and is ignore_index in cross-entropy",
     "targets"},
    {{{"marks", integers({1})}},
     "no array 'targets': found marks, input_lengths, logits, target_lengths" + wanted,
     "targets"},
    {{}, "no array 'input_lengths': found logits, target_lengths, targets" + wanted, "input_lengths"},
    {{}, "no array 'target_lengths': found input_lengths, logits, targets" + wanted, "target_lengths"},
    {{{"log_probs", floats({3, 2, 4})}}, "both logits and log_probs: expected one of them"},
    {{{"logits", floats({12})}}, "logits: float32 [12]: expected [T, B, C] or [T, C]"},
    {{{"logits", floats({1, 3, 2, 4})}}, "logits: float32 [1, 3, 2, 4]: expected [T, B, C] or [T, C]"},
    {{{"logits", floats({})}}, "logits: float32 []: expected [T, B, C] or [T, C]"},
    {{{"logits", floats({3, 2, 0})}}, "logits: float32 [3, 2, 0]: C = 0: expected at least 1"},
    {{{"logits", npy_array(std::vector<std::int64_t>(24), {3, 2, 4})}},
     "logits: int64 [3, 2, 4]: expected float16, float32 or float64"},
    {{{"logits", {{'u', 2, false, false, {3, 2, 4}}, std::string(48, '\0')}}},
     "logits: uint16 [3, 2, 4]: expected float16, float32 or float64; are these bfloat16? store dtype='bfloat16' "
     "beside "
     "them: numpy.savez(path, ..., dtype='bfloat16')"},
    {{{"targets", npy_array(std::vector<std::int64_t>(6), {3, 2})}},
     "targets: int64 [3, 2]: expected [B=2, S] or [sum of target_lengths]" + activations + batch_first},
    {{{"targets", scalar(1)}}, "targets: int64 []: expected [B=2, S] or [sum of target_lengths]" + activations},
    {{{"targets", floats({2, 2})}}, "targets: float32 [2, 2]: expected an integer type"},
    {{{"target_lengths", integers({1, 1, 1, 1})}}, "target_lengths: int64 [4]: expected [B=2]" + activations},
    {{{"input_lengths", integers({2, 2, 2})}}, "input_lengths: int64 [3]: expected [B=2]" + activations + batch_first},
    {{{"input_lengths", scalar(3)}}, "input_lengths: int64 []: expected [B=2]" + activations},
    {{{"input_lengths", floats({2})}}, "input_lengths: float32 [2]: expected an integer type"},
    {{{"blank", integers({0, 0})}}, "blank: int64 [2]: expected a scalar"},
    {{{"blank", npy_text_array("0")}}, "blank: <U1 []: expected an integer type"},
    {{{"reduction", npy_text_array("avg")}}, "reduction = 'avg': expected one of none, sum, mean"},
    {{{"reduction", scalar(1)}}, "reduction: int64 []: expected text (unicode)"},
    {{{"variable", npy_text_array("probs")}}, "variable = 'probs': expected one of logits, log_probs"},
    {{{"zero_infinity", scalar(1)}}, "zero_infinity: int64 []: expected bool"},
    {{{"upstream", floats({3})}},
     "upstream: float32 [3]: expected [B=2] for reduction none" + activations + batch_first},
    {{{"upstream", floats({2})}, {"reduction", npy_text_array("sum")}},
     "upstream: float32 [2]: expected a scalar for reduction sum" + activations},
};

TEST(CtcNpz, RefusesInWordsWhatIsNoBatch) {
  expect_refused<CtcOperation>(arrays(), bad_batches);
}

}  // namespace
}  // namespace assay::validation
