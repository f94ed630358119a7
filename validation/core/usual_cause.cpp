#include "validation/core/usual_cause.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::validation {
namespace {

constexpr std::string_view another_text =
    "paths are counted that spell another text: is the skip forbidden between equal labels?";
constexpr std::string_view underflown_output =
    "0 / 0, or -inf - (-inf), where an output has underflowed: leave out states with alpha = 0";
constexpr std::string_view exponentials_first = "exponentials are taken before the largest logit is subtracted";
constexpr std::string_view null_column = "a column of U is A v / s although s is 0: complete such columns";

bool no_exception(const Clue& s) {
  return s.kind != Clue::Kind::exception;
}
bool is_wrong_result(const Clue& s) {
  return no_exception(s) && s.kind != Clue::Kind::death;
}
bool other_bits(const Clue& s) {
  return s.kind == Clue::Kind::other_bits;
}
bool is_number(const Clue& s) {
  return s.kind == Clue::Kind::number;
}
bool got_nan(const Clue& s) {
  return is_number(s) && std::isnan(s.got);
}
bool got_infinity(const Clue& s) {
  return is_number(s) && std::isfinite(s.expected) && s.got > 0 && std::isinf(s.got);
}
bool got_minus_infinity(const Clue& s) {
  return is_number(s) && s.got < 0 && std::isinf(s.got);
}
bool got_no_finite(const Clue& s) {
  return is_number(s) && std::isfinite(s.expected) && !std::isfinite(s.got);
}
bool expected_nan(const Clue& s) {
  return is_number(s) && std::isnan(s.expected);
}
bool expected_infinity(const Clue& s) {
  return is_number(s) && std::isinf(s.expected);
}
bool got_no_length(const Clue& s) {
  return is_number(s) && s.expected == 1 && s.got == 0;
}

// The first entry that matches counts, so an entry with a test stands before the one without.
constexpr auto catalogue = std::to_array<UsualCause>({
    {"outside", "", no_exception,
     "an index is not held against the row's own length, or threads past the end of an array write"},
    {"inside", "", no_exception, "a loop ends too early, or the grid has too few threads for this size"},
    {"repeat", "", other_bits,
     "threads race, a stride is ignored, or atomics add in another order, which same_bits declares"},
    {"threads", "", other_bits, "the order of a sum depends on the number of threads"},
    {"two-shapes", "", other_bits, "a buffer still holds what a larger problem left in it"},
    {"history", "", other_bits, "a cache is keyed by too little, or a workspace is not cleared"},
    {"strides", "", nullptr, "an array's address is used as if its elements were contiguous: copy the array first"},
    {"refusals", "", no_exception, "the argument is used before it is checked, or the message does not name it"},
    {"padding", "ctc", nullptr,
     "frames past input_length, or labels past target_length, are read: often by the softmax"},
    {"impossible", "ctc", expected_nan, "a row without an alignment keeps y, since the posterior of nothing is 0"},
    {"impossible", "ctc", nullptr, another_text},
    {"empty", "ctc", nullptr,
     "with no labels there is one state, and the sum of the last two states counts a state too many"},
    {"empty", "cce", nullptr, "a mean over no tokens divides by 0"},
    {"nonnegative", "", got_minus_infinity, "the logarithm of a sum of nothing: where does the running maximum begin?"},
    {"nonnegative", "", nullptr, "two rounded numbers are subtracted where the loss is nearly 0"},
    {"zero-past-length", "ctc", nullptr,
     "the softmax is written to all frames of the batch, not only to those of the row"},
    {"row-independence", "ctc", nullptr, "an offset or a length of one row is used for another"},
    {"batch", "", other_bits, "the order of a sum depends on the size of the batch, as where a BLAS chooses by size"},
    {"batch-singles", "", nullptr, "an offset or a length of one member of the batch is used for another"},
    {"reductions", "ctc", nullptr, "mean divides by max(S, 1) of each row and by B, in the loss and in the gradient"},
    {"reductions", "cce", nullptr, "mean divides by the number of tokens that are not ignored"},
    {"linearity", "", nullptr, "the upstream gradient is ignored, or one element of it is used for all"},
    {"frame-sums", "ctc", got_nan, underflown_output},
    {"frame-sums", "ctc", nullptr,
     "the posterior is overwritten where it should be added to: the blank is in every other state"},
    {"shift", "", got_no_finite, exponentials_first},
    {"permutation", "ctc", nullptr, "class 0 is taken for the blank"},
    {"loss", "ctc", expected_infinity, another_text},
    {"loss", "ctc", got_infinity, "alpha underflows to 0: scale each frame, or keep logarithms"},
    {"loss", "ctc", got_nan, "-inf + inf: the logarithm of a sum of nothing"},
    {"gradient", "ctc", got_nan, underflown_output},
    {"gradient", "ctc", nullptr,
     "if the loss is right: a block of states reads states of beta that a later block computes"},
    {"ignored", "cce", nullptr, "the row of an ignored token is multiplied by 0, and 0 times NaN is NaN: leave it out"},
    {"orthonormal-u", "svd", got_no_length, null_column},
    {"orthonormal-u", "svd", got_nan, null_column},
    {"scaling", "svd", nullptr, "an absolute threshold, or a square that under- or overflows"},
    {"specials", "svd", nullptr, "a NaN passes the test for convergence: look at the input first"},
});

}  // namespace

std::span<const UsualCause> usual_causes() {
  return catalogue;
}

std::string_view usual_cause(std::string_view property, std::string_view operation, const Clue& clue) {
  const auto* const found = std::ranges::find_if(catalogue, [&](const UsualCause& entry) {
    return entry.property == property && (entry.operation.empty() || entry.operation == operation) &&
           (entry.test == nullptr ? is_wrong_result(clue) : entry.test(clue));
  });
  return found == catalogue.end() ? std::string_view() : found->cause;
}

}  // namespace assay::validation
