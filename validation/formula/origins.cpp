#include "validation/formula/origins.h"

#include <cmath>
#include <set>
#include <utility>

#include "validation/core/number.h"
#include "validation/formula/expression.h"

namespace assay::validation::formula {
namespace {

using ElementPlace = std::pair<std::size_t, std::size_t>;  ///< node, element

class OriginFinder {
 public:
  explicit OriginFinder(const Computed& computed) : computed_(computed), values_(computed.values()) { number_all(); }

  Origins found() const {
    Origins all;
    std::map<std::size_t, Origin> shown;
    const auto& outputs = computed_.graph().outputs;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const auto n = static_cast<std::size_t>(outputs[k]);
      for (std::size_t i = 0; i < values_[n].size(); ++i) {
        if (!is_broken(n, i)) continue;
        ++all.broken;
        if (numbers_[n][i] != 0) shown.try_emplace(numbers_[n][i], Origin{{}, {}, {}, k, i, values_[n][i]});
      }
    }
    std::set<std::pair<std::int32_t, std::string>> told;
    for (auto& [number, origin] : shown) {
      const auto [n, i] = places_[number];
      origin.operation = computed_.operation(n, i);
      if (!told.emplace(origin.operation.line, origin.operation.expression).second) continue;
      origin.underflow = underflow_of(n, i);
      origin.nan = nan_of(number);
      all.origins.push_back(origin);
    }
    return all;
  }

 private:
  bool is_broken(std::size_t n, std::size_t i) const {
    return std::isnan(values_[n][i]) || (std::isinf(values_[n][i]) && is_finite(computed_.exact()[n][i]));
  }

  /// Gives each NaN and infinity the number of its origin. Those of the inputs, and what comes of them, have 0.
  void number_all() {
    for (std::size_t n = 0; n < values_.size(); ++n) {
      numbers_.emplace_back(values_[n].size(), 0);
      if (computed_.graph().nodes[n].arguments.empty()) continue;
      for (std::size_t i = 0; i < values_[n].size(); ++i)
        if (!std::isfinite(values_[n][i])) number(n, i);
    }
  }

  void number(std::size_t n, std::size_t i) {
    bool had_numbers = true, had_nan = false;
    for_each_operand(computed_.graph(), values_, n, i, [&](std::size_t m, std::size_t j) {
      if (std::isfinite(values_[m][j])) return;
      had_numbers = false;
      had_nan |= std::isnan(values_[m][j]);
      if (numbers_[n][i] == 0) numbers_[n][i] = numbers_[m][j];
    });
    const bool is_nan_of_given = numbers_[n][i] == 0 && std::isnan(values_[n][i]) && !had_nan;
    if (!had_numbers && !is_nan_of_given) return;
    numbers_[n][i] = places_.size();
    places_.emplace_back(n, i);
  }

  std::optional<ExplainedOperation> underflow_of(std::size_t n, std::size_t i) const {
    std::optional<ExplainedOperation> found;
    for_each_operand(computed_.graph(), values_, n, i, [&](std::size_t m, std::size_t j) {
      const bool is_underflow =
          std::abs(values_[m][j]) < computed_.format().smallest_normal && computed_.errors()[m][j] != 0;
      if (found || !is_underflow || computed_.graph().nodes[m].arguments.empty()) return;
      found = underflow_of(m, j);
      if (!found) found = computed_.operation(m, j);
    });
    return found;
  }

  /// The first NaN that was made of the infinity of an origin.
  std::optional<ExplainedOperation> nan_of(std::size_t origin) const {
    const auto [first, element] = places_[origin];
    if (std::isnan(values_[first][element])) return {};
    for (std::size_t n = first; n < values_.size(); ++n)
      for (std::size_t i = 0; i < values_[n].size(); ++i)
        if (numbers_[n][i] == origin && std::isnan(values_[n][i])) return computed_.operation(n, i);
    return {};
  }

  const Computed& computed_;
  const Doubles& values_;
  std::vector<std::vector<std::size_t>> numbers_;  ///< [node][element]
  std::vector<ElementPlace> places_ = {{}};        ///< of each origin; 0 stands for none
};

}  // namespace

Origins origins_of(const Computed& computed) {
  return OriginFinder(computed).found();
}

}  // namespace assay::validation::formula
