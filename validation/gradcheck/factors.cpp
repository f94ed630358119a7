#include "validation/gradcheck/factors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace assay::validation {
namespace {

struct Factor {
  double value = 1;
  double tolerance = 0;  ///< infinite if no element determines the factor
  bool wrong = false;
};

class FactorSearch {
 public:
  FactorSearch(const GradientArray& gradient, const PatternHints& hints) : g_(gradient), hints_(hints) {}

  std::vector<Pattern> run() {
    std::vector<Factor> factors(static_cast<std::size_t>(g_.extents[hints_.factor_axis]));
    if (!fit(factors)) return {};
    const auto one = std::ranges::find_if(factors, [](const Factor& f) { return f.wrong; });
    if (one == factors.end()) return {};
    const bool same = std::ranges::all_of(factors, [&](const Factor& f) { return !f.wrong || is(f, one->value); });
    if (same) {
      add("factor " + fmt::format("{:.3g}", one->value),
          fmt::format("{} is off by a factor where it is wrong: got = {:.6g} x expected", g_.name, one->value));
    } else {
      add("factors", fmt::format("{} has a factor of its own in each {}: got = {} x expected", g_.name,
                                 g_.nouns[hints_.factor_axis], factor_list(factors)));
    }
    reasons(factors);
    return std::move(found_);
  }

 private:
  void add(const std::string& key, const std::string& sentence) { found_.push_back({g_.name + ": " + key, sentence}); }

  /// The factors of all slices, if they fit and two further elements support them.
  bool fit(std::vector<Factor>& factors) const {
    std::vector<std::vector<std::size_t>> slices(factors.size());
    for (std::size_t i = 0; i < g_.size(); ++i)
      slices[static_cast<std::size_t>(g_.index(i, hints_.factor_axis))].push_back(i);
    std::size_t evidence = 0;
    for (std::size_t s = 0; s < factors.size(); ++s)
      if (!factor_of(slices[s], factors[s], evidence)) return false;
    return evidence >= 2;
  }

  /// The element of a slice that determines its factor best, a wrong one if there is any; size() if no element does.
  std::size_t most_informative(const std::vector<std::size_t>& slice) const {
    std::size_t best = g_.size();
    std::pair<bool, double> best_rank;
    for (const std::size_t i : slice) {
      if (!g_.tells(i) || g_.is_lost(i)) continue;
      const std::pair rank(bool{g_.wrong[i]}, g_.bound[i] > 0 ? std::abs(g_.expected[i]) / g_.bound[i] : HUGE_VAL);
      if (best < g_.size() && rank <= best_rank) continue;
      best = i;
      best_rank = rank;
    }
    return best;
  }

  /// The factor of one slice along the axis of factors, if one fits; `evidence` counts the elements beyond the first.
  bool factor_of(const std::vector<std::size_t>& slice, Factor& factor, std::size_t& evidence) const {
    const std::size_t best = most_informative(slice);
    factor.tolerance = HUGE_VAL;
    if (best < g_.size()) {
      factor.wrong = g_.wrong[best];
      factor.value = g_.got[best] / g_.expected[best];
      factor.tolerance = g_.bound[best] * (1 + std::abs(factor.value)) / std::abs(g_.expected[best]);
    }
    for (const std::size_t i : slice) {
      if (!g_.wrong[i] || g_.is_lost(i)) continue;
      const double slack = g_.bound[i] * (1 + std::abs(factor.value)) + factor.tolerance * std::abs(g_.expected[i]);
      if (!is_near(g_.got[i], factor.value * g_.expected[i], slack)) return false;
      evidence += i != best && g_.tells(i) ? 1U : 0U;
    }
    return true;
  }

  bool is(const Factor& factor, double value) const {
    return std::abs(factor.value - value) <= factor.tolerance + 0x1p-50 * std::abs(value);
  }

  static std::string factor_list(const std::vector<Factor>& factors) {
    std::vector<std::string> values;
    for (const Factor& f : factors) values.push_back(std::isfinite(f.tolerance) ? fmt::format("{:.4g}", f.value) : "?");
    if (values.size() > 6) {
      values.resize(6);
      values.emplace_back("...");
    }
    return fmt::format("{}", fmt::join(values, ", "));
  }

  /// Adds the factors that fit, first those that the hints name, then extents. An extent is left to a hint that fits.
  void reasons(const std::vector<Factor>& factors) {
    const std::size_t before = found_.size();
    for (const NamedFactor& named : hints_.factors) reason(factors, named.reason, named.factor);
    for (std::size_t axis = 0; axis < g_.axes.size() && found_.size() == before; ++axis) {
      const std::string& size = g_.sizes[axis];
      const auto extent = static_cast<double>(g_.extents[axis]);
      reason(factors, fmt::format("1 / {0}: divided by {0}", size), std::vector(factors.size(), 1 / extent));
      reason(factors, fmt::format("{0}: multiplied by {0}", size), std::vector(factors.size(), extent));
    }
  }

  void reason(const std::vector<Factor>& factors, const std::string& name, const std::vector<double>& values) {
    for (std::size_t s = 0; s < factors.size(); ++s)
      if (!is(factors[s], values[s])) return;
    add("factor: " + name, fmt::format("that factor is {}{}", name, extents_in(name)));
  }

  /// " (B = 4)" for a text with the word B; empty if the text names no extent.
  std::string extents_in(const std::string& text) const {
    std::vector<std::string> extents;
    for (std::size_t axis = 0; axis < g_.axes.size(); ++axis) {
      const std::string word = " " + g_.sizes[axis] + " ";
      std::string words = " " + text + " ";
      std::replace_if(words.begin(), words.end(), [](char c) { return c == ':' || c == '(' || c == ')'; }, ' ');
      if (words.find(word) != std::string::npos && g_.sizes[axis] != std::to_string(g_.extents[axis]))
        extents.push_back(fmt::format("{} = {}", g_.sizes[axis], g_.extents[axis]));
    }
    return extents.empty() ? "" : fmt::format(" ({})", fmt::join(extents, ", "));
  }

  const GradientArray& g_;
  const PatternHints& hints_;
  std::vector<Pattern> found_;
};

}  // namespace

std::vector<Pattern> factor_patterns(const GradientArray& gradient, const PatternHints& hints) {
  return FactorSearch(gradient, hints).run();
}

}  // namespace assay::validation
