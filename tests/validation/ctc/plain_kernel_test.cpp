// The plain CTC kernel is held to the definition of CTC:
//
//   p(l | x) = sum over all paths pi in classes^T with B(pi) = l of product over t of y_t(pi_t)     Graves et al. eq. 3
//
// B drops repeats, then blanks.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/validation/ctc/fault_cases.h"
#include "validation/ctc/faults/faults.h"

namespace assay::validation {
namespace {

std::vector<std::int64_t> collapse(const std::vector<std::int64_t>& path, std::int64_t blank) {
  std::vector<std::int64_t> labels;
  for (std::size_t t = 0; t < path.size(); ++t)
    if (path[t] != blank && (t == 0 || path[t] != path[t - 1])) labels.push_back(path[t]);
  return labels;
}

struct Enumerated {
  double p = 0;
  std::vector<double> y;        ///< [T_b, C]
  std::vector<double> through;  ///< [T_b, C]: the probability of the paths that read k at t
};

Enumerated enumerate_paths(const CtcCase& c, std::int64_t b) {
  const auto T_b = static_cast<std::size_t>(c.input_lengths[static_cast<std::size_t>(b)]);
  const auto C = static_cast<std::size_t>(c.C);
  Enumerated row{.p = 0, .y = std::vector<double>(T_b * C), .through = std::vector<double>(T_b * C)};
  for (std::size_t t = 0; t < T_b; ++t) {
    double sum = 0;
    for (std::size_t k = 0; k < C; ++k)
      sum += row.y[t * C + k] = std::exp(double{c.activation(std::int64_t(t), b, std::int64_t(k))});
    for (std::size_t k = 0; k < C && c.input == CtcInput::logits; ++k) row.y[t * C + k] /= sum;
  }
  std::vector<std::int64_t> path(T_b, 0);
  for (bool more = true; more;) {
    if (collapse(path, c.blank) == c.labels(b)) {
      double p = 1;
      for (std::size_t t = 0; t < T_b; ++t) p *= row.y[t * C + static_cast<std::size_t>(path[t])];
      for (std::size_t t = 0; t < T_b; ++t) row.through[t * C + static_cast<std::size_t>(path[t])] += p;
      row.p += p;
    }
    more = std::any_of(path.begin(), path.end(), [&](std::int64_t& k) { return k = (k + 1) % c.C; });
  }
  return row;
}

struct Results {
  std::vector<float> loss, gradient;
};

Results by_definition(const CtcCase& c) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Results expected{{}, std::vector<float>(c.activations.size(), 0)};
  double total = 0;
  for (std::int64_t b = 0; b < c.B; ++b) {
    const Enumerated row = enumerate_paths(c, b);
    const double loss = row.p > 0 ? -std::log(row.p) : c.zero_infinity ? 0 : double{infinity};
    expected.loss.push_back(static_cast<float>(loss));
    const double mean = static_cast<double>(c.B * std::max<std::int64_t>(c.target_lengths[std::size_t(b)], 1));
    total += c.reduction == Reduction::mean ? loss / mean : loss;
    for (std::size_t i = 0; i < row.y.size(); ++i) {
      const double y = c.variable == CtcVariable::logits ? row.y[i] : 0;
      const double gradient = row.p > 0 ? c.row_weight(b) * (y - row.through[i] / row.p) : c.zero_infinity ? 0 : nan;
      const auto C = static_cast<std::size_t>(c.C);
      expected.gradient[(i / C * std::size_t(c.B) + std::size_t(b)) * C + i % C] = static_cast<float>(gradient);
    }
  }
  if (c.reduction != Reduction::none) expected.loss = {static_cast<float>(total)};
  return expected;
}

void expect_close(const std::vector<float>& got, const std::vector<float>& expected, const std::string& what) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool same_special = std::isnan(expected[i]) ? std::isnan(got[i]) : got[i] == expected[i];
    const float error = std::abs(got[i] - expected[i]);
    EXPECT_TRUE(same_special || error <= 4e-7F * (1 + std::abs(expected[i])))
        << what << "[" << i << "] = " << got[i] << ": expected " << expected[i];
  }
}

TEST(PlainCtcKernel, IsTheDefinitionInEveryOption) {
  const auto plain = plain_ctc_kernel();
  for (const CtcCase& c : in_every_option(all_kinds())) {
    const Results expected = by_definition(c);
    Outputs out(c);
    plain->run(c.view(), out.view(), 2);
    expect_close({out.loss.begin() + guard_width, out.loss.end() - guard_width}, expected.loss, "loss");
    expect_close({out.gradient.begin() + guard_width, out.gradient.end() - guard_width}, expected.gradient, "gradient");
  }
}

std::vector<std::uint32_t> bits_on(int threads, const CtcCase& c) {
  Outputs out(c);
  plain_ctc_kernel()->run(c.view(), out.view(), threads);
  std::vector<std::uint32_t> bits;
  for (const auto* buffer : {&out.loss, &out.gradient})
    for (const float value : *buffer) bits.push_back(std::bit_cast<std::uint32_t>(value));
  return bits;
}

TEST(PlainCtcKernel, GivesTheSameBitsOnRepeatAndOnAnyNumberOfThreads) {
  for (const CtcCase& c : telling_cases())
    for (const int threads : {0, 1, 2, 3, 16}) EXPECT_TRUE(bits_on(threads, c) == bits_on(1, c)) << threads;
}

TEST(PlainCtcKernel, GivesTheSameLossWithoutGradient) {
  for (const CtcCase& c : telling_cases()) {
    Outputs both(c), loss_only(c, false);
    plain_ctc_kernel()->run(c.view(), both.view(), 1);
    plain_ctc_kernel()->run(c.view(), loss_only.view(), 1);
    EXPECT_TRUE(both.loss == loss_only.loss);
  }
}

TEST(PlainCtcKernel, WritesAllOfItsOutputsAndNothingElse) {
  const auto plain = plain_ctc_kernel();
  for (const CtcCase& c : telling_cases()) {
    Outputs out(c);
    plain->run(c.view(), out.view(), 1);
    for (const auto* buffer : {&out.loss, &out.gradient}) {
      EXPECT_EQ(std::count(buffer->begin(), buffer->begin() + guard_width, poison), guard_width);
      EXPECT_EQ(std::count(buffer->end() - guard_width, buffer->end(), poison), guard_width);
      EXPECT_EQ(std::count(buffer->begin(), buffer->end(), poison), 2 * guard_width);
    }
  }
}

TEST(PlainCtcKernel, IsNeverBelowZeroFromLogits) {
  const auto plain = plain_ctc_kernel();
  for (const CtcCase& c : telling_cases()) {
    Outputs out(c);
    plain->run(c.view(), out.view(), 1);
    for (const float loss : Outputs::inner(out.loss))
      EXPECT_TRUE(c.input == CtcInput::log_probs || !std::signbit(loss)) << loss;
  }
}

TEST(PlainCtcKernel, RefusesWhatIsIllPosed) {
  const auto plain = plain_ctc_kernel();
  for (const auto& [what, c] : refused_cases()) EXPECT_TRUE(refuses(*plain, c, 2)) << what;
  const CtcCase sound = make_case({4, 4}, {{2, 3}, {3}}, 5, 1, 1);
  EXPECT_FALSE(refuses(*plain, sound, 2));
  EXPECT_TRUE(refuses(*plain, sound, 1));
  EXPECT_TRUE(refuses(*plain, sound, 3));
}

}  // namespace
}  // namespace assay::validation
