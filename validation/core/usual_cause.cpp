#include "validation/core/usual_cause.h"

#include <algorithm>
#include <array>
#include <string>

namespace assay::validation {
namespace {

constexpr std::string_view another_text =
    "paths are counted that spell another text: is the skip forbidden between equal labels?";
constexpr std::string_view underflown_output =
    "0 / 0, or -inf - (-inf), where an output has underflowed: leave out states with alpha = 0";
constexpr std::string_view exponentials_first = "exponentials are taken before the largest logit is subtracted";
constexpr std::string_view null_column = "a column of U is A v / s although s is 0: complete such columns";

// The first entry that matches counts, so an entry with a pattern stands before the one without.
constexpr auto catalogue = std::to_array<UsualCause>({
    {"outside", "", "", "an index is not held against the row's own length, or threads past the end of an array write"},
    {"inside", "", "", "a loop ends too early, or the grid has too few threads for this size"},
    {"repeat", "", "other bits",
     "threads race, an atomic sum adds in another order, or a stride is ignored and leads elsewhere"},
    {"threads", "", "other bits", "the order of a sum depends on the number of threads"},
    {"two-shapes", "", "other bits", "a buffer still holds what a larger problem left in it"},
    {"history", "", "other bits", "a cache is keyed by too little, or a workspace is not cleared"},
    {"strides", "", "", "an array's address is used as if its elements were contiguous: copy the array first"},
    {"refusals", "", "", "the argument is used before it is checked, or the message does not name it"},
    {"padding", "ctc", "", "frames past input_length, or labels past target_length, are read: often by the softmax"},
    {"impossible", "ctc", "expected nan", "a row without an alignment keeps y, since the posterior of nothing is 0"},
    {"impossible", "ctc", "", another_text},
    {"empty", "ctc", "",
     "with no labels there is one state, and the sum of the last two states counts a state too many"},
    {"empty", "cce", "", "a mean over no tokens divides by 0"},
    {"nonnegative", "", "got      -inf", "the logarithm of a sum of nothing: where does the running maximum begin?"},
    {"nonnegative", "", "", "two rounded numbers are subtracted where the loss is nearly 0"},
    {"zero-past-length", "ctc", "", "the softmax is written to all frames of the batch, not only to those of the row"},
    {"row-independence", "ctc", "", "an offset or a length of one row is used for another"},
    {"batch", "", "other bits", "the order of a sum depends on the size of the batch, as where a BLAS chooses by size"},
    {"batch-singles", "", "", "an offset or a length of one member of the batch is used for another"},
    {"reductions", "ctc", "", "mean divides by max(S, 1) of each row and by B, in the loss and in the gradient"},
    {"reductions", "cce", "", "mean divides by the number of tokens that are not ignored"},
    {"linearity", "", "", "the upstream gradient is ignored, or one element of it is used for all"},
    {"frame-sums", "ctc", "nan", underflown_output},
    {"frame-sums", "ctc", "",
     "the posterior is overwritten where it should be added to: the blank is in every other state"},
    {"shift", "", "nan", exponentials_first},
    {"shift", "", "inf", exponentials_first},
    {"permutation", "ctc", "", "class 0 is taken for the blank"},
    {"loss", "ctc", "expected inf", another_text},
    {"loss", "ctc", "got      inf", "alpha underflows to 0: scale each frame, or keep logarithms"},
    {"loss", "ctc", "got      nan", "-inf + inf: the logarithm of a sum of nothing"},
    {"gradient", "ctc", "got      nan", underflown_output},
    {"ignored", "cce", "", "the row of an ignored token is multiplied by 0, and 0 times NaN is NaN: leave it out"},
    {"orthonormal-u", "svd", "between 1 - 1 and", null_column},
    {"orthonormal-u", "svd", "nan", null_column},
    {"scaling", "svd", "", "an absolute threshold, or a square that under- or overflows"},
    {"specials", "svd", "", "a NaN passes the test for convergence: look at the input first"},
});

/// `reproducer` is a line of replay, or that of the whole run where only earlier calls lead to the failure.
bool is_of(std::string_view operation, std::string_view reproducer) {
  const auto has = [&](const char* before) {
    return reproducer.find(before + std::string(operation) + " ") != std::string_view::npos;
  };
  return operation.empty() || has("operation=") || has("./assay gate ");
}

bool matches(const UsualCause& entry, std::string_view property, std::string_view explanation,
             std::string_view reproducer) {
  return entry.property == property && is_of(entry.operation, reproducer) &&
         explanation.find(entry.pattern) != std::string_view::npos;
}

}  // namespace

std::span<const UsualCause> usual_causes() {
  return catalogue;
}

std::string_view usual_cause(std::string_view property, Verdict verdict, std::string_view explanation,
                             std::string_view reproducer) {
  const bool looks_for_errors = property == "refusals" || property == "inside" || property == "outside";
  if (verdict == Verdict::error && !looks_for_errors) return {};
  const auto* const found = std::find_if(catalogue.begin(), catalogue.end(), [&](const UsualCause& entry) {
    return matches(entry, property, explanation, reproducer);
  });
  return found == catalogue.end() ? std::string_view() : found->cause;
}

}  // namespace assay::validation
