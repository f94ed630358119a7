// Linear cross-entropy by the reference, in double; beside each result the sum of the magnitudes of what it is a sum
// of.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/cce/outcome.h"
#include "tests/metal/cce/case.h"

namespace assay::metal {

struct Sized {
  double value = 0.0;
  double size = 0.0;
};

struct CceTruth {
  std::vector<Sized> loss, dhidden, dweight, dbias;
};

/// The sum of the magnitudes of the terms of a logit of token n, the largest over the entries.
template <class Real>
double size_of_logits(const CceProblem<Real>& p, std::int64_t n) {
  double largest = 0.0;
  for (std::int64_t v = 0; v < p.V; ++v) {
    double size = 0.0;
    for (std::int64_t h = 0; h < p.H; ++h)
      size += std::abs(static_cast<double>(p.hidden[static_cast<std::size_t>(n * p.H + h)]) *
                       static_cast<double>(p.weight[static_cast<std::size_t>(v * p.H + h)]));
    largest = std::max(largest, size);
  }
  return largest;
}

/// What an error of a logit, of the order of 1e-7 of its size, makes of the gradients: in proportion to the
/// probability.
template <class Real>
void add_sizes_of_gradients(const CceProblem<Real>& p, std::int64_t n, const reference::CceRow<double>& row,
                            double logits, double w, CceTruth& truth) {
  const auto target = static_cast<std::size_t>(p.targets[static_cast<std::size_t>(n)]);
  const double growth = 1 + 2 * p.z_loss * row.lse;
  for (std::size_t v = 0; v < row.p.size(); ++v) {
    const double at_target = v == target ? 1 - p.label_smoothing : 0.0;
    const double size =
        std::abs(w) * ((row.p[v] * std::abs(growth)) * (1 + logits + std::abs(row.lse) * (p.z_loss > 0)) +
                       (v == target ? 1 - row.p[v] : 0.0) + p.label_smoothing / static_cast<double>(p.V) +
                       at_target * p.label_smoothing);
    if (!truth.dbias.empty()) truth.dbias[v].size += size;
    for (std::size_t h = 0; h < static_cast<std::size_t>(p.H); ++h) {
      const std::size_t i = static_cast<std::size_t>(n * p.H) + h, j = v * static_cast<std::size_t>(p.H) + h;
      truth.dhidden[i].size += std::abs(size * static_cast<double>(p.weight[j]));
      truth.dweight[j].size += std::abs(size * static_cast<double>(p.hidden[i]));
    }
  }
}

template <class Real>
CceTruth truth_of(const CceProblem<Real>& p) {
  CceTruth truth;
  truth.loss.resize(static_cast<std::size_t>(p.reduction == Reduction::none ? p.N : 1));
  truth.dhidden.resize(p.hidden.size());
  truth.dweight.resize(p.weight.size());
  truth.dbias.resize(p.bias.size());
  const std::int64_t valid = reference::valid_tokens(p);
  const auto add_sizes = [&](std::int64_t n, const reference::CceRow<double>& row) {
    const double logits = size_of_logits(p, n);
    const double share = p.reduction == Reduction::mean ? 1.0 / static_cast<double>(valid) : 1.0;
    const double options = (p.label_smoothing + 2 * p.z_loss * std::abs(row.lse)) * (1 + logits);
    truth.loss[p.reduction == Reduction::none ? static_cast<std::size_t>(n) : 0].size +=
        share * (row.loss + row.rest * (1 + logits) + options);
    add_sizes_of_gradients(p, n, row, logits, reference::token_weight<double>(p, n, valid), truth);
  };
  const auto outcome = reference::cce_outcome<double>(p, add_sizes);
  const auto set_values = [](std::vector<Sized>& results, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) results[i].value = values[i];
  };
  set_values(truth.loss, outcome.loss);
  set_values(truth.dhidden, outcome.dhidden);
  set_values(truth.dweight, outcome.dweight);
  set_values(truth.dbias, outcome.dbias);
  return truth;
}

/// The element that is off by the largest multiple of `relative` * size + `rounding` * |value|; NaN is off without end.
struct Worst {
  double share = 0.0;
  std::size_t index = 0;
};

template <class Real>
Worst worst_of(const std::vector<Real>& got, const std::vector<Sized>& truth, double relative, double rounding,
               double tiny = 1e-37) {
  Worst worst;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double x = static_cast<double>(got[i]), expected = truth[i].value;
    const double bound = relative * truth[i].size + rounding * std::abs(expected) + tiny;
    const double share = x == expected ? 0.0 : std::abs(x - expected) / bound;
    if (!(share <= worst.share)) worst = {std::isnan(share) ? std::numeric_limits<double>::infinity() : share, i};
  }
  return worst;
}

template <class Real>
void expect_close(const char* what, const std::vector<Real>& got, const std::vector<Sized>& truth, double relative,
                  double rounding, double tiny = 1e-37) {
  ASSERT_EQ(got.size(), truth.size()) << what;
  const Worst worst = worst_of(got, truth, relative, rounding, tiny);
  if (!(worst.share <= 1.0))
    ADD_FAILURE() << what << "[" << worst.index << "] = " << static_cast<double>(got[worst.index]) << ", expected "
                  << truth[worst.index].value << ", off by " << worst.share << " bounds";
}

/// Half a unit in the last place of what is stored, and what terms are rounded to on the way.
template <class Real>
constexpr double rounding_of_stored = std::is_same_v<Real, float>  ? 0x1p-23
                                      : std::is_same_v<Real, Half> ? 0x1p-10
                                                                   : 0x1p-7;
template <class Real>
constexpr double rounding_of_terms = std::is_same_v<Real, BFloat16> ? 0x1p-8 : 0x1p-20;
template <class Real>
constexpr double smallest = std::is_same_v<Real, Half> ? 0x1p-24 : 1e-37;

template <class Real>
void expect_loss(const CceResult<Real>& result, const CceTruth& truth) {
  expect_close("loss", result.loss, truth.loss, 0x1p-20, 0x1p-22);
}

template <class Real>
void expect_gradient(const char* what, const std::vector<Real>& got, const std::vector<Sized>& truth) {
  expect_close(what, got, truth, rounding_of_terms<Real>, rounding_of_stored<Real>, smallest<Real>);
}

template <class Real>
void expect_truth(const CceResult<Real>& result, const CceTruth& truth) {
  expect_loss(result, truth);
  expect_gradient("dhidden", result.dhidden, truth.dhidden);
  expect_gradient("dweight", result.dweight, truth.dweight);
  expect_gradient("dbias", result.dbias, truth.dbias);
}

}  // namespace assay::metal
