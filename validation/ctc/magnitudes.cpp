#include "validation/ctc/magnitudes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "reference/ctc/labels.h"

#include "validation/core/sums.h"

namespace assay::validation {
namespace {

constexpr double log_zero = -std::numeric_limits<double>::infinity();

/// The values of the states from `first` on, and log_zero elsewhere.
struct Band {
  std::int64_t first = 0;
  std::vector<double> values;

  double at(std::int64_t s) const {
    const std::int64_t i = s - first;
    return i < 0 || i >= std::ssize(values) ? log_zero : values[static_cast<std::size_t>(i)];
  }
};

/// A band for each frame: of the states that can be reached and left in time.
using Table = std::vector<Band>;

double log_add(double a, double b) {
  const double larger = std::max(a, b);
  if (larger == log_zero) return log_zero;
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

double log_sum_of_exponentials(const CtcCase& c, std::int64_t t, std::int64_t b) {
  double largest = log_zero, sum = 0;
  for (std::int64_t k = 0; k < c.C; ++k) largest = std::max(largest, double{c.activation(t, b, k)});
  if (largest == log_zero) return log_zero;
  for (std::int64_t k = 0; k < c.C; ++k) sum += std::exp(double{c.activation(t, b, k)} - largest);
  return largest + std::log(sum);
}

/// ln y_t(l'_s) [T_b, L].
Table log_emissions(const CtcCase& c, std::int64_t b, reference::Expanded states) {
  Table table;
  const std::int64_t T = c.input_lengths[static_cast<std::size_t>(b)];
  for (std::int64_t t = 0; t < T; ++t) {
    const double normaliser = c.input == CtcInput::logits ? log_sum_of_exponentials(c, t, b) : 0.0;
    const auto [first, end] = reference::live_states(t, T, std::ssize(states));
    Band frame{first, {}};
    for (std::int64_t s = first; s < end; ++s)
      frame.values.push_back(c.activation(t, b, states[static_cast<std::size_t>(s)]) - normaliser);
    table.push_back(std::move(frame));
  }
  return table;
}

/// ln alpha over `emissions`; with states and frames reversed it is ln beta (both include the frame's emission).
Table recursion(const Table& emissions, reference::Expanded states) {
  Table alpha;
  for (const Band& emission : emissions) {
    Band row{emission.first, {}};
    for (std::int64_t s = emission.first; s < emission.first + std::ssize(emission.values); ++s) {
      double sum = s < 2 ? 0.0 : log_zero;
      if (!alpha.empty()) {
        sum = log_add(alpha.back().at(s), alpha.back().at(s - 1));
        if (reference::may_skip_to(states, s)) sum = log_add(sum, alpha.back().at(s - 2));
      }
      row.values.push_back(sum + emission.at(s));
    }
    alpha.push_back(std::move(row));
  }
  return alpha;
}

Table reversed(Table table, std::int64_t states) {
  std::reverse(table.begin(), table.end());
  for (Band& row : table) {
    std::reverse(row.values.begin(), row.values.end());
    row.first = states - row.first - std::ssize(row.values);
  }
  return table;
}

/// ln p: the sum over alignments that end in the last label or in the blank after that label.
double total(const Table& alpha, std::int64_t states) {
  if (alpha.empty()) return states == 1 ? 0.0 : log_zero;
  return log_add(alpha.back().at(states - 1), alpha.back().at(states - 2));
}

}  // namespace

LogMagnitudes log_magnitudes(const CtcCase& c, std::int64_t b) {
  const std::vector<std::int64_t> states = reference::expand(c.labels(b), c.blank);
  const std::vector<std::int64_t> from_the_end(states.rbegin(), states.rend());
  const std::int64_t L = std::ssize(states);
  const Table emissions = log_emissions(c, b, states);
  const Table alpha = recursion(emissions, states);
  const Table beta = reversed(recursion(reversed(emissions, L), from_the_end), L);
  LogMagnitudes found;
  found.loss = -total(alpha, L);
  for (std::size_t t = 0; t < emissions.size(); ++t) {
    double largest_emission = 0;
    double largest_alpha = 0;
    double largest_beta = 0;
    for (std::int64_t s = alpha[t].first; s < alpha[t].first + std::ssize(alpha[t].values); ++s) {
      if (alpha[t].at(s) == log_zero || beta[t].at(s) == log_zero) continue;
      largest_emission = std::max(largest_emission, std::abs(emissions[t].at(s)));
      largest_alpha = std::max(largest_alpha, std::abs(alpha[t].at(s)));
      largest_beta = std::max(largest_beta, std::abs(beta[t].at(s)));
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
