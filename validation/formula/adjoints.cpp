#include "validation/formula/adjoints.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace assay::validation::formula {
namespace {

// Slopes that are followed for all results of one case: half a second. Bounds beyond stay running ones.
constexpr std::int64_t most_work = 60'000'000;

// Operations in a row from which a formula is a recurrence. In shorter ones running bounds do not grow, and what
// cancels on the formula's road need not cancel on another: e / sum(e), and a maximum that is subtracted.
constexpr std::int64_t long_chain = 64;

bool is_recurrence(const Graph& graph) {
  std::vector<std::int64_t> depth;
  for (const Node& node : graph.nodes) {
    std::int64_t before = 0;
    for (const auto argument : node.arguments) before = std::max(before, depth[static_cast<std::size_t>(argument)]);
    depth.push_back(before + 1);
  }
  return !depth.empty() && std::ranges::max(depth) > long_chain;
}

}  // namespace

Adjoints::Adjoints(const Graph& graph, const Doubles& values, const Doubles& errors, const Arithmetic& arithmetic)
    : graph_(graph),
      values_(values),
      is_used_(is_recurrence(graph)),
      wide_(std::sqrt(format_of(arithmetic.compute).roundoff) / 4),
      near_roads_(arithmetic.near_roads),
      slopes_(graph, values, errors),
      passes_(graph.nodes.size()),
      reached_(graph.nodes.size()) {}

bool Adjoints::is_wide(std::size_t n, std::size_t i, double error) const {
  return std::isfinite(error) && error > wide_ * std::abs(values_[n][i]);
}

std::vector<double> Adjoints::sharpened(std::vector<double> running, bool is_result) {
  if (!is_used_) return running;
  const std::size_t n = running_.size(), size = running.size();
  running_.push_back(running);
  rests_.emplace_back(size, std::numeric_limits<double>::quiet_NaN());
  adjoints_.emplace_back(size);
  passes_[n].assign(size, 0);
  std::vector<std::size_t> due;
  for (std::size_t i = 0; i < size; ++i)
    if (running[i] > 0 && std::isfinite(running[i]) && (is_result || is_wide(n, i, running[i]))) due.push_back(i);
  // The widest first: where its bound does not become smaller, those of the others would not either.
  std::ranges::stable_sort(due, std::greater(), [&](std::size_t i) { return running[i] / std::abs(values_[n][i]); });
  for (const std::size_t i : due) {
    const double smaller = near_roads_ * bound(n, i, running[i] / near_roads_);
    if (smaller < running[i]) {
      running[i] = smaller;
    } else if (i == due.front()) {
      break;
    }
  }
  return running;
}

void Adjoints::visit(const Slope& to, Adjoint adjoint) {
  const auto n = static_cast<std::size_t>(to.node);
  if (passes_[n][to.element] != pass_) {
    passes_[n][to.element] = pass_;
    adjoints_[n][to.element] = {};
    reached_[n].push_back(to.element);
  }
  adjoints_[n][to.element].signed_sum += to.value * adjoint.signed_sum;
  adjoints_[n][to.element].aside += std::abs(to.value) * adjoint.aside;
}

/// sum_k |dy / dx_k| |r_k| for y = element `i` of node `n`; infinity once it is `enough`, or too much work.
double Adjoints::bound(std::size_t n, std::size_t i, double enough) {
  ++pass_;
  double total = 0;
  visit({static_cast<std::int32_t>(n), i, 1}, {1, 0});
  for (std::size_t m = n + 1; m-- > 0;) {
    work_ += 1;
    const Node& node = graph_.nodes[m];
    const bool is_shared = std::ranges::any_of(
        node.arguments, [&](auto argument) { return graph_.nodes[static_cast<std::size_t>(argument)].is_share; });
    for (const std::size_t k : reached_[m]) {
      Adjoint adjoint = adjoints_[m][k];
      if (adjoint.size() == 0 || !(total < enough) || work_ > most_work) continue;
      double& rest = rests_[m][k];
      if (std::isnan(rest)) rest = slopes_.rest(m, k, running_[m][k]);
      total += adjoint.size() * rest;
      if (is_shared) adjoint = {0, adjoint.size()};
      const auto& slopes = slopes_.of(m, k);
      work_ += std::ssize(slopes) + 1;
      for (const Slope& slope : slopes) visit(slope, adjoint);
    }
    reached_[m].clear();
  }
  return total < enough && work_ <= most_work ? total : std::numeric_limits<double>::infinity();
}

}  // namespace assay::validation::formula
