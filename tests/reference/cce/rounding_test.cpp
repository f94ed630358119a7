// float and double against BigFloat, within bounds that follow from those of the headers: the logits' (logits.h), the
// cap's (softcap.h) and the softmax's (row.h), then term by term through loss.h and gradient.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "reference/cce/outcome.h"
#include "reference/number/big_float.h"
#include "tests/reference/cce/tokens.h"

namespace assay::reference {
namespace {

using tests::Tokens;

/// What rounding may do to one token of weight 1: errors of its loss and of each dL/dz_v, and |dL/dz_v| itself.
struct TokenBound {
  double loss = 0;
  std::vector<double> dz, magnitude;
};

/// sum_h |hidden_h weight_vh| + |bias_v| of token n.
double magnitude_of_logit(const Tokens& tokens, std::size_t n, std::size_t v) {
  const auto H = static_cast<std::size_t>(tokens.shape.H);
  double sum = tokens.bias.empty() ? 0 : std::abs(tokens.bias[v]);
  for (std::size_t h = 0; h < H; ++h) sum += std::abs(tokens.hidden[n * H + h] * tokens.weight[v * H + h]);
  return sum;
}

/// Errors of z [V] of token n, gamma(H + 1) times the magnitudes.
std::vector<double> logit_errors(const Tokens& tokens, std::size_t n, double u) {
  const double count = static_cast<double>(tokens.shape.H) + 1, gamma = count * u / (1 - count * u);
  std::vector<double> errors;
  for (std::size_t v = 0; v < static_cast<std::size_t>(tokens.shape.V); ++v)
    errors.push_back(gamma * magnitude_of_logit(tokens, n, v));
  return errors;
}

TokenBound bound_of(const Tokens& tokens, std::size_t n, const CceRow<BigFloat>& row, double u) {
  const CceProblem<double>& s = tokens.shape;
  const double V = static_cast<double>(s.V), lse = static_cast<double>(row.lse), slope = 2 * s.z_loss;
  const bool capped = s.logit_softcap > 0 && std::isfinite(s.logit_softcap);
  const std::vector<double> dz = logit_errors(tokens, n, u);
  double E = 0;
  for (std::size_t v = 0; v < dz.size(); ++v)
    E = std::max(E, dz[v] + (capped ? 9 * u * std::abs(static_cast<double>(row.x[v])) : 0));
  const double max = static_cast<double>(row.sum.max), lse_error = E + u * (V + 4 * std::log(V) + 6 + std::abs(lse));
  TokenBound bound;
  double gaps = 0;
  std::vector<double> p_error;
  for (std::size_t v = 0; v < dz.size(); ++v) {
    const double gap = max - static_cast<double>(row.x[v]);
    const double hard = v == static_cast<std::size_t>(tokens.targets[n]) ? 1 - s.label_smoothing : 0;
    gaps += (hard + s.label_smoothing / V) * (2 * E + u * ((V + 8) * gap + V + (V + 12) * std::log(V) + 8));
    p_error.push_back(static_cast<double>(row.p[v]) * std::expm1(2 * E + u * (gap + std::log(V) + V + 6)));
  }
  bound.loss = gaps + slope * std::abs(lse) * lse_error + 4 * u * static_cast<double>(row.loss);
  double others = 0;
  for (std::size_t v = 0; v < dz.size(); ++v)
    if (v != static_cast<std::size_t>(tokens.targets[n])) others += p_error[v];
  const double rest = static_cast<double>(row.rest);
  for (std::size_t v = 0; v < dz.size(); ++v) {
    const double p = static_cast<double>(row.p[v]), derivative = static_cast<double>(row.derivative[v]);
    const bool target = v == static_cast<std::size_t>(tokens.targets[n]);
    const double size = (target ? rest + s.label_smoothing : p + s.label_smoothing / V) + slope * std::abs(lse) * p;
    double error = (target ? others + V * u * rest : p_error[v]) + 8 * u * size;
    error += slope * (std::abs(lse) * p_error[v] + lse_error * p);
    double relative = 2 * u;
    if (capped) {
      const double ratio = std::atanh(std::min(1 - 1e-16, std::abs(static_cast<double>(row.x[v])) / s.logit_softcap));
      relative += std::expm1(2 * dz[v] / s.logit_softcap + (8 + 2 * ratio) * u);
    }
    bound.dz.push_back(derivative * (error + relative * size));
    bound.magnitude.push_back(derivative * size);
  }
  return bound;
}

/// Fails unless |got - want| <= bound.
template <class Number>
void expect_within(const Number& got, const BigFloat& want, double bound, const char* what) {
  const double error = std::abs(static_cast<double>(BigFloat(BigFloat(got) - want)));
  const double allowed = 1.001 * bound + 1e-36;  // second order; what underflows in float
  if (!(error <= allowed)) ADD_FAILURE() << what << " = " << got << ", off by " << error << " > " << allowed;
}

template <class Number>
void expect_within_bounds(const Tokens& tokens) {
  const double u = std::numeric_limits<Number>::epsilon() / 2;
  const auto N = static_cast<std::size_t>(tokens.shape.N), H = static_cast<std::size_t>(tokens.shape.H),
             V = static_cast<std::size_t>(tokens.shape.V);
  std::vector<TokenBound> bounds(N);
  const CceOutcome<BigFloat> exact =
      cce_outcome<BigFloat>(tokens.problem(), [&](std::int64_t n, const CceRow<BigFloat>& row) {
        bounds[static_cast<std::size_t>(n)] = bound_of(tokens, static_cast<std::size_t>(n), row, u);
      });
  const CceOutcome<Number> got = cce_outcome<Number>(tokens.problem());
  std::vector<double> dweight(V * H), dbias(V);
  for (std::size_t n = 0; n < N; ++n) {
    expect_within(got.loss[n], exact.loss[n], bounds[n].loss, "loss");
    std::vector<double> dhidden(H);
    for (std::size_t v = 0; v < V; ++v) {
      const double error = bounds[n].dz[v] + static_cast<double>(V + N + 2) * u * bounds[n].magnitude[v];
      dbias[v] += error;
      for (std::size_t h = 0; h < H; ++h) {
        dhidden[h] += error * std::abs(tokens.weight[v * H + h]);
        dweight[v * H + h] += error * std::abs(tokens.hidden[n * H + h]);
      }
    }
    for (std::size_t h = 0; h < H; ++h)
      expect_within(got.dhidden[n * H + h], exact.dhidden[n * H + h], dhidden[h], "dhidden");
  }
  for (std::size_t i = 0; i < V * H; ++i) expect_within(got.dweight[i], exact.dweight[i], dweight[i], "dweight");
  for (std::size_t v = 0; v < got.dbias.size(); ++v) expect_within(got.dbias[v], exact.dbias[v], dbias[v], "dbias");
}

TEST(CceRounding, OfFloatAndDoubleIsWithinTheBoundUnderEveryOption) {
  for (const double scale : {0.1, 1.0, 10.0, 300.0})
    for (const double cap : {0.0, 5.0, 30.0})
      for (const double eps : {0.0, 0.1})
        for (const double zeta : {0.0, 1e-2}) {
          Tokens tokens = tests::random_biased_tokens(4, 8, 40, scale);
          tokens.shape.logit_softcap = cap, tokens.shape.label_smoothing = eps, tokens.shape.z_loss = zeta;
          SCOPED_TRACE(testing::Message()
                       << "scale " << scale << ", cap " << cap << ", eps " << eps << ", zeta " << zeta);
          expect_within_bounds<double>(tokens);
          expect_within_bounds<float>(tokens);
        }
}

TEST(CceRounding, OfLogitsBeyondTheRangeOfExpIsNoOverflow) {
  Tokens tokens = tests::random_tokens(2, 3, 10, 1e4);
  expect_within_bounds<double>(tokens);
  expect_within_bounds<float>(tokens);
}

}  // namespace
}  // namespace assay::reference
