#include "validation/formula/losses.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "validation/core/number.h"
#include "validation/formula/expression.h"
#include "validation/formula/slopes.h"

namespace assay::validation::formula {
namespace {

/// What is known of the operations of one expression.
struct GrownError {
  double share = 0, growth = 0, kept = -1;
  std::size_t node = 0, element = 0;  ///< of the largest growth; where nothing grows twofold, of the largest share

  void add(std::size_t n, std::size_t i, double kept_here, double grown) {
    share += kept_here;
    if (grown > std::max(growth, 2.0) || (growth <= 2 && kept_here > kept)) node = n, element = i, kept = kept_here;
    growth = std::max(growth, grown);
  }
};

class LossFinder {
 public:
  explicit LossFinder(const Computed& computed)
      : computed_(computed), values_(computed.values()), errors_(computed.errors()), weights_(values_) {
    for (auto& node : weights_) std::ranges::fill(node, 0.0);
  }

  FormulaLosses found() {
    weigh_outputs();
    divide();
    constexpr double min_share = 0.005, min_bits = 2;
    for (const auto& [expression, one] : grown_) {
      const double bits = std::log2(std::max(one.growth, 1.0));
      if (one.share < min_share && bits < min_bits) continue;
      losses_.losses.push_back({computed_.operation(one.node, one.element), one.share, bits});
    }
    std::ranges::stable_sort(losses_.losses, std::greater(),
                             [](const Loss& one) { return std::pair(one.share, one.lost_bits); });
    return std::move(losses_);
  }

 private:
  /// Elements that lost more than half of their digits share the weight 1, or all if there are none.
  void weigh_outputs() {
    std::vector<double*> large, all;
    for (std::size_t k = 0; k < computed_.graph().outputs.size(); ++k) measure(k, large, all);
    losses_.large = std::ssize(large);
    const auto& chosen = large.empty() ? all : large;
    for (double* const weight : chosen) *weight += 1 / static_cast<double>(chosen.size());
  }

  /// The root mean square of the exact values that are numbers.
  double scale_of(std::size_t n) const {
    double squares = 0, count = 0;
    for (const auto& x : computed_.exact()[n])
      if (const double size = to_double(x); std::isfinite(size)) squares += size * size, count += 1;
    return std::sqrt(squares / std::max(count, 1.0));
  }

  void measure(std::size_t k, std::vector<double*>& large, std::vector<double*>& all) {
    const auto n = static_cast<std::size_t>(computed_.graph().outputs[k]);
    const double scale = scale_of(n);
    std::optional<OutputLoss> worst;
    for (std::size_t i = 0; i < values_[n].size(); ++i) {
      if (!std::isfinite(values_[n][i])) continue;
      const auto& exact = computed_.exact()[n][i];
      const double size = std::max({std::abs(to_double(exact)), scale, computed_.format().smallest_normal});
      const double units = std::abs(errors_[n][i]) / (computed_.format().roundoff * size);
      const double lost = !std::isfinite(units) ? computed_.bits() : units > 1 ? std::log2(units) : 0;
      all.push_back(&weights_[n][i]);
      if (2 * lost > computed_.bits()) large.push_back(&weights_[n][i]);
      if (!worst || lost > worst->lost_bits) worst = OutputLoss{k, i, values_[n][i], to_decimal(exact, 9), lost};
    }
    if (worst) losses_.outputs.push_back(*worst);
  }

  /// From the last operation to the first.
  void divide() {
    Slopes slopes(computed_.graph(), values_, errors_);
    for (std::size_t n = values_.size(); n-- > 0;) {
      if (computed_.graph().nodes[n].op == Op::input) continue;
      GrownError here;
      for (std::size_t i = 0; i < values_[n].size(); ++i) {
        if (!std::isfinite(errors_[n][i]) || errors_[n][i] == 0) continue;
        const auto& slopes_here = slopes.of(n, i);
        here.add(n, i, weights_[n][i] == 0 ? 0 : kept_of(n, i, slopes_here), growth(n, i, slopes_here));
      }
      const bool is_copy = computed_.graph().nodes[n].op == Op::gather;
      if (is_copy || (here.share == 0 && here.growth <= 2)) continue;
      const auto number = static_cast<std::int32_t>(n);
      GrownError& all = grown_[{line_of(computed_.graph(), number), expression_of(computed_.graph(), number)}];
      const double share = all.share + here.share;
      if (all.kept < 0 || here.growth > all.growth) all = here;
      all.share = share;
    }
  }

  /// Passes the weight of an element on to its operands, and returns what the operation keeps of it.
  double kept_of(std::size_t n, std::size_t i, const std::vector<Slope>& slopes) {
    const auto part = [&](const Slope& to) {
      return std::abs(to.value * errors_[static_cast<std::size_t>(to.node)][to.element]);
    };
    double sum = std::abs(computed_.rounding(n, i)), kept = weights_[n][i];
    for (const Slope& to : slopes) sum += part(to);
    if (!(sum > 0) || !std::isfinite(sum)) return kept;
    for (const Slope& to : slopes) {
      const auto m = static_cast<std::size_t>(to.node);
      const double growth = std::abs(to.value * values_[m][to.element] / values_[n][i]);
      const double given = weights_[n][i] * part(to) / sum / std::max(1.0, growth);
      weights_[m][to.element] += given;
      kept -= given;
    }
    return kept;
  }

  /// By what the operation multiplied the largest relative error of its operands.
  double growth(std::size_t n, std::size_t i, const std::vector<Slope>& slopes) const {
    const double unit = computed_.format().roundoff;
    double before = 1;
    for (const Slope& to : slopes)
      before = std::max(before, computed_.relative_error(static_cast<std::size_t>(to.node), to.element) / unit);
    const double grown = computed_.relative_error(n, i) / unit / before;
    return std::isfinite(grown) ? grown : 1;
  }

  const Computed& computed_;
  const Doubles &values_, &errors_;
  Doubles weights_;  ///< what an element has of the error of the outputs
  std::map<std::pair<std::int32_t, std::string>, GrownError> grown_;  ///< by line and expression
  FormulaLosses losses_;
};

}  // namespace

FormulaLosses losses_of(const Computed& computed) {
  return LossFinder(computed).found();
}

}  // namespace assay::validation::formula
