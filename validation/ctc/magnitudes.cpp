#include "validation/ctc/magnitudes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "validation/core/sums.h"

namespace assay::validation {
namespace {

constexpr double log_zero = -std::numeric_limits<double>::infinity();
using Table = std::vector<std::vector<double>>;

double log_add(double a, double b) {
  const double larger = std::max(a, b);
  if (larger == log_zero) return log_zero;
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

std::vector<std::int64_t> expand(const CtcCase& c, std::int64_t b) {
  std::vector<std::int64_t> states = {c.blank};
  for (const auto label : c.labels(b)) {
    states.push_back(label);
    states.push_back(c.blank);
  }
  return states;
}

/// ln y_t(l'_s) [T_b, L].
Table log_emissions(const CtcCase& c, std::int64_t b, const std::vector<std::int64_t>& states) {
  Table table;
  for (std::int64_t t = 0; t < c.input_lengths[static_cast<std::size_t>(b)]; ++t) {
    double normaliser = c.input == CtcInput::logits ? log_zero : 0.0;
    for (std::int64_t k = 0; k < c.C && c.input == CtcInput::logits; ++k) {
      normaliser = log_add(normaliser, c.activation(t, b, k));
    }
    std::vector<double> frame;
    for (const auto label : states) frame.push_back(c.activation(t, b, label) - normaliser);
    table.push_back(frame);
  }
  return table;
}

/// ln alpha over `emissions`; with states and frames reversed it is ln beta (both include the frame's emission).
Table recursion(const Table& emissions, const std::vector<std::int64_t>& states) {
  Table alpha;
  for (std::size_t t = 0; t < emissions.size(); ++t) {
    std::vector<double> row(states.size(), log_zero);
    for (std::size_t s = 0; s < states.size(); ++s) {
      double sum = t == 0 ? (s < 2 ? 0.0 : log_zero) : alpha[t - 1][s];
      if (t > 0 && s > 0) sum = log_add(sum, alpha[t - 1][s - 1]);
      if (t > 0 && s > 1 && s % 2 == 1 && states[s] != states[s - 2]) sum = log_add(sum, alpha[t - 1][s - 2]);
      row[s] = sum + emissions[t][s];
    }
    alpha.push_back(row);
  }
  return alpha;
}

Table reversed(Table table) {
  std::reverse(table.begin(), table.end());
  for (auto& row : table) std::reverse(row.begin(), row.end());
  return table;
}

/// ln p: the sum over alignments that end in the last label or in the blank after that label.
double total(const Table& alpha, std::size_t states) {
  if (alpha.empty()) return states == 1 ? 0.0 : log_zero;
  const auto& last = alpha.back();
  return states == 1 ? last[0] : log_add(last[states - 1], last[states - 2]);
}

}  // namespace

LogMagnitudes log_magnitudes(const CtcCase& c, std::int64_t b) {
  const auto states = expand(c, b);
  const Table emissions = log_emissions(c, b, states);
  const Table alpha = recursion(emissions, states);
  const Table beta = reversed(recursion(reversed(emissions), {states.rbegin(), states.rend()}));
  LogMagnitudes found;
  found.loss = -total(alpha, states.size());
  for (std::size_t t = 0; t < emissions.size(); ++t) {
    double largest_emission = 0;
    double largest_alpha = 0;
    double largest_beta = 0;
    for (std::size_t s = 0; s < states.size(); ++s) {
      if (alpha[t][s] == log_zero || beta[t][s] == log_zero) continue;
      largest_emission = std::max(largest_emission, std::abs(emissions[t][s]));
      largest_alpha = std::max(largest_alpha, std::abs(alpha[t][s]));
      largest_beta = std::max(largest_beta, std::abs(beta[t][s]));
    }
    found.emission.push_back(largest_emission);
    found.alpha.push_back(largest_alpha);
    found.beta.push_back(largest_beta);
  }
  return found;
}

SoftmaxSum softmax_sum(const CtcCase& c, std::int64_t t, std::int64_t b, double unit_roundoff) {
  double largest = log_zero;
  double smallest = -log_zero;
  for (std::int64_t k = 0; k < c.C; ++k) largest = std::max(largest, double{c.activation(t, b, k)});
  Grid grid;
  std::vector<Exponential> terms;
  std::vector<double> sizes;
  double sum = 0;
  for (std::int64_t k = 0; k < c.C; ++k) {
    const double a = double{c.activation(t, b, k)};
    if (a == log_zero) continue;
    grid.add(a);
    smallest = std::min(smallest, a);
    sizes.push_back(std::exp(a - largest));
    sum += sizes.back();
    terms.push_back({a, sizes.back()});
  }
  SoftmaxSum found{.logarithm = std::log(sum)};
  for (Exponential& term : terms) {
    term.share /= sum;
    found.distance += term.share * (largest - term.argument);
  }
  found.terms = effective_terms(sizes, sum, unit_roundoff);
  found.rescaling = rescaling_error(terms, {.cost = 5, .unit_roundoff = unit_roundoff});
  found.exact = grid.is_exact(largest - smallest, unit_roundoff);
  return found;
}

}  // namespace assay::validation
