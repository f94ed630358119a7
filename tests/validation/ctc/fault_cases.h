// Small CTC cases that the plain kernel and the planted faults are run on, and what they are run with.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "validation/ctc/case.h"
#include "validation/ctc/kernel.h"

namespace assay::validation {

using Rows = std::vector<std::vector<std::int64_t>>;

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float poison = -12345.75F;
inline constexpr std::size_t guard_width = 4;

/// Logits in [-scale, scale); frames past the length and padded targets hold what must not be read.
inline CtcCase make_case(std::vector<std::int64_t> input_lengths, const Rows& targets, std::int64_t C,
                         std::int64_t blank, float scale, std::int64_t padding = -1) {
  CtcCase c;
  c.B = static_cast<std::int64_t>(input_lengths.size());
  c.T = *std::max_element(input_lengths.begin(), input_lengths.end());
  c.C = C;
  c.blank = blank;
  c.input_lengths = std::move(input_lengths);
  set_targets(c, targets, padding);
  std::mt19937 random(7);
  for (std::int64_t i = 0; i < c.T * c.B * C; ++i)
    c.activations.push_back(std::ldexp(static_cast<float>(random() >> 8), -24) * 2 * scale - scale);
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t t = c.input_lengths[static_cast<std::size_t>(b)]; t < c.T; ++t)
      for (std::int64_t k = 0; k < C; ++k) c.activation(t, b, k) = 2000;
  return c;
}

/// Every kind of row that T <= 5 and C = 4 have room for: repeats, a just feasible row, an empty target, no frames with
/// and without labels, infeasible for its repeats, infeasible for its length.
inline CtcCase all_kinds() {
  return make_case({5, 4, 2, 3, 0, 0, 3, 1}, {{0, 0, 3}, {3}, {3, 0}, {}, {}, {0}, {0, 3, 3}, {0, 1}}, 4, 2, 3, 1);
}

inline CtcCase with_layout(CtcCase c, CtcTargets layout) {
  Rows rows;
  for (std::int64_t b = 0; b < c.B; ++b) rows.push_back(c.labels(b));
  c.layout = layout;
  set_targets(c, rows, 1);
  return c;
}

/// Activations replaced by their log-softmax, rounded to float32. Frames past the length keep what they hold.
inline CtcCase as_log_probs(CtcCase c) {
  c.input = CtcInput::log_probs;
  for (std::int64_t b = 0; b < c.B; ++b)
    for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t) {
      double sum = 0;
      for (std::int64_t k = 0; k < c.C; ++k) sum += std::exp(double{c.activation(t, b, k)});
      for (std::int64_t k = 0; k < c.C; ++k)
        c.activation(t, b, k) = static_cast<float>(double{c.activation(t, b, k)} - std::log(sum));
    }
  return c;
}

/// `c` in each combination of input, variable, layout, reduction, zero_infinity, with upstream and without.
inline std::vector<CtcCase> in_every_option(const CtcCase& c) {
  std::vector<CtcCase> all;
  for (const CtcCase& input : {c, as_log_probs(c)})
    for (const auto layout : {CtcTargets::padded, CtcTargets::concatenated})
      for (const auto variable : {CtcVariable::logits, CtcVariable::log_probs})
        for (const auto reduction : {Reduction::none, Reduction::sum, Reduction::mean})
          for (const bool zero_infinity : {false, true})
            for (const bool weighted : {false, true}) {
              CtcCase& made = all.emplace_back(with_layout(input, layout));
              made.variable = variable;
              made.reduction = reduction;
              made.zero_infinity = zero_infinity;
              for (std::int64_t b = 0; weighted && b < (reduction == Reduction::none ? c.B : 1); ++b)
                made.upstream.push_back(2.5F - static_cast<float>(b));
            }
  return all;
}

/// Cases that tell kernels apart: every option, more labels and states than a block of threads holds, probabilities
/// below the smallest double, certainty, and one row a thousand times louder than its neighbour.
inline std::vector<CtcCase> telling_cases() {
  std::vector<CtcCase> cases = in_every_option(all_kinds());
  std::vector<std::int64_t> forty;
  for (std::int64_t s = 0; s < 40; ++s) forty.push_back(1 + s % 3);
  for (const float scale : {2.0F, 60.0F}) cases.push_back(make_case({90, 60}, {forty, {1, 1, 2}}, 5, 0, scale));

  CtcCase& certain = cases.emplace_back(make_case({4, 4, 4}, {{1}, {}, {1, 2}}, 3, 0, 0));
  const Rows spoken = {{1, 1, 0, 0}, {0, 0, 0, 0}, {1, 1, 2, 2}};
  for (std::int64_t b = 0; b < 3; ++b)
    for (std::int64_t t = 0; t < 4; ++t) certain.activation(t, b, spoken[std::size_t(b)][std::size_t(t)]) = 40;

  CtcCase& loud = cases.emplace_back(make_case({3, 3}, {{1}, {2}}, 3, 0, 2));
  for (std::int64_t k = 0; k < 3; ++k) loud.activation(1, 1, k) += 1500;
  loud.activation(0, 0, 2) = -infinity;
  return cases;
}

/// Outputs with `guard_width` sentinels on both sides, poisoned before the run.
struct Outputs {
  std::vector<float> loss, gradient;
  explicit Outputs(const CtcCase& c, bool with_gradient = true)
      : loss((c.reduction == Reduction::none ? std::size_t(c.B) : 1) + 2 * guard_width, poison),
        gradient((with_gradient ? c.activations.size() : 0) + 2 * guard_width, poison) {}
  static std::span<float> inner(std::vector<float>& v) {
    return std::span(v).subspan(guard_width, v.size() - 2 * guard_width);
  }
  metal::CtcOutput<float> view() { return {inner(loss), inner(gradient)}; }
};

/// Problems that a kernel has to refuse, by what is wrong with them.
inline std::map<std::string, CtcCase> refused_cases() {
  std::map<std::string, CtcCase> bad;
  const auto spoil = [&](const std::string& what, const std::function<void(CtcCase&)>& change) {
    CtcCase& c = bad.emplace(what, make_case({4, 4}, {{2, 3}, {3}}, 5, 1, 1)).first->second;
    change(c);
  };
  spoil("label past C", [](CtcCase& c) { c.targets[0] = 7; });
  spoil("label negative", [](CtcCase& c) { c.targets[1] = -1; });
  spoil("label is blank", [](CtcCase& c) { c.targets[0] = 1; });
  spoil("input length past T", [](CtcCase& c) { c.input_lengths[1] = 5; });
  spoil("input length negative", [](CtcCase& c) { c.input_lengths[0] = -1; });
  spoil("target length past S", [](CtcCase& c) { c.target_lengths[0] = 3; });
  spoil("target length negative", [](CtcCase& c) { c.target_lengths[1] = -1; });
  spoil("blank past C", [](CtcCase& c) { c.blank = 5; });
  spoil("blank negative", [](CtcCase& c) { c.blank = -1; });
  spoil("activations too few", [](CtcCase& c) { c.activations.pop_back(); });
  spoil("targets too few", [](CtcCase& c) { c.targets.pop_back(); });
  spoil("upstream of another size", [](CtcCase& c) { c.upstream = {1}; });
  spoil("upstream NaN", [](CtcCase& c) { c.upstream = {1, std::nanf("")}; });
  spoil("activation NaN", [](CtcCase& c) { c.activations[3] = std::nanf(""); });
  spoil("activation +inf", [](CtcCase& c) { c.activations[3] = infinity; });
  spoil("frame of -inf", [](CtcCase& c) { std::fill_n(c.activations.begin(), c.C, -infinity); });
  return bad;
}

inline bool refuses(const CtcFloatKernel& kernel, const CtcCase& c, std::size_t loss_size) {
  std::vector<float> loss(loss_size);
  std::vector<float> gradient(static_cast<std::size_t>(c.T * c.B * c.C) + 2 * guard_width);
  try {
    kernel.run(c.view(), {loss, Outputs::inner(gradient)}, 1);
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

}  // namespace assay::validation
