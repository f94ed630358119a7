// The classes of cases of CTC.
#include "validation/ctc/operation.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "reference/ctc/repeats.h"
#include "validation/core/coverage.h"

namespace assay::validation {
namespace {

struct RowLengths {
  std::int64_t frames = 0;
  std::int64_t labels = 0;
  std::int64_t repeats = 0;
};

RowLengths lengths_of(const CtcCase& c, std::int64_t b) {
  const auto labels = c.labels(b);
  return {c.input_lengths[static_cast<std::size_t>(b)], std::ssize(labels), reference::repeats(labels)};
}

template <class Predicate>
bool some_row(const CtcCase& c, Predicate predicate) {
  for (std::int64_t b = 0; b < c.B; ++b) {
    if (predicate(lengths_of(c, b))) return true;
  }
  return false;
}

bool some_used_activation(const CtcCase& c, bool (*predicate)(float)) {
  for (std::int64_t b = 0; b < c.B; ++b) {
    for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t) {
      for (std::int64_t k = 0; k < c.C; ++k) {
        if (predicate(c.activation(t, b, k))) return true;
      }
    }
  }
  return false;
}

bool mixed_lengths(const CtcCase& c) {
  return std::any_of(c.input_lengths.begin(), c.input_lengths.end(), [&](auto n) { return n != c.input_lengths[0]; });
}

const CaseClass<CtcCase> all_classes[] = {
    {"no labels", [](const CtcCase& c) { return some_row(c, [](RowLengths r) { return r.labels == 0; }); }},
    {"no frames", [](const CtcCase& c) { return some_row(c, [](RowLengths r) { return r.frames == 0; }); }},
    {"one frame", [](const CtcCase& c) { return some_row(c, [](RowLengths r) { return r.frames == 1; }); }},
    {"too few frames",
     [](const CtcCase& c) { return some_row(c, [](RowLengths r) { return r.frames < r.labels + r.repeats; }); }},
    {"just enough frames",
     [](const CtcCase& c) {
       return some_row(c, [](RowLengths r) { return r.labels > 0 && r.frames == r.labels + r.repeats; });
     }},
    {"repeated labels", [](const CtcCase& c) { return some_row(c, [](RowLengths r) { return r.repeats > 0; }); }},
    {"31 labels or more", [](const CtcCase& c) { return some_row(c, [](RowLengths r) { return r.labels >= 31; }); }},
    {"64 frames or more", [](const CtcCase& c) { return some_row(c, [](RowLengths r) { return r.frames >= 64; }); }},
    {"lengths differ", mixed_lengths},
    {"blank is not 0", [](const CtcCase& c) { return c.blank != 0; }},
    {"blank alone (C = 1)", [](const CtcCase& c) { return c.C == 1; }},
    {"-inf activations",
     [](const CtcCase& c) { return some_used_activation(c, [](float a) { return std::isinf(a); }); }},
    {"|activation| >= 100",
     [](const CtcCase& c) {
       return some_used_activation(c, [](float a) { return std::isfinite(a) && std::abs(a) >= 100; });
     }},
    {"log_probs", [](const CtcCase& c) { return c.input == CtcInput::log_probs; }},
    {"concatenated", [](const CtcCase& c) { return c.layout == CtcTargets::concatenated; }},
    {"upstream given", [](const CtcCase& c) { return !c.upstream.empty(); }},
    {"reduced", [](const CtcCase& c) { return c.reduction != Reduction::none; }},
    {"zero_infinity", [](const CtcCase& c) { return c.zero_infinity; }},
    {"float16", [](const CtcCase& c) { return c.dtype == Dtype::float16; }},
    {"bfloat16", [](const CtcCase& c) { return c.dtype == Dtype::bfloat16; }},
};

}  // namespace

std::span<const CaseClass<CtcCase>> CtcOperation::case_classes() {
  return all_classes;
}

}  // namespace assay::validation
