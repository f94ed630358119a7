#include "validation/gradcheck/pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "validation/gradcheck/sizes.h"

namespace assay::validation {

std::size_t GradientArray::stride(std::size_t axis) const {
  std::size_t stride = 1;
  for (std::size_t a = axis + 1; a < extents.size(); ++a) stride *= static_cast<std::size_t>(extents[a]);
  return stride;
}

std::int64_t GradientArray::index(std::size_t i, std::size_t axis) const {
  return static_cast<std::int64_t>(i / stride(axis)) % extents[axis];
}

std::string GradientArray::place(std::size_t i) const {
  if (axes.size() == 1) return fmt::format("{}[{}]", name, i);
  std::vector<std::string> indices;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    indices.push_back(fmt::format("{}={}", axes[axis], index(i, axis)));
  return fmt::format("{}[{}]", name, fmt::join(indices, ", "));
}

GradientArray gradient_array(const std::vector<std::int64_t>& shape, std::size_t n) {
  GradientArray gradient;
  gradient.name = "gradient";
  gradient.extents = shape.empty() ? std::vector{static_cast<std::int64_t>(n)} : shape;
  for (std::size_t axis = 0; axis < gradient.extents.size(); ++axis) {
    gradient.axes.push_back(axis < 4 ? std::string(1, "ijkl"[axis]) : fmt::format("i{}", axis));
    gradient.nouns.push_back(gradient.extents.size() == 1 ? "element" : fmt::format("index {}", gradient.axes[axis]));
    gradient.sizes.push_back(std::to_string(gradient.extents[axis]));
  }
  return gradient;
}

namespace {

/// Runs all tests for patterns on one wrong gradient and collects the findings.
class PatternSearch {
 public:
  PatternSearch(const GradientArray& gradient, const PatternHints& hints) : g_(gradient), hints_(hints) {
    for (std::size_t i = 0; i < g_.size(); ++i)
      if (g_.wrong[i]) wrong_.push_back(i);
  }

  std::vector<Pattern> run() {
    if (wrong_.empty()) return {};
    not_finite();
    const bool is_zero = zero();
    if (!is_zero && !sign()) factor();
    layout();
    for (std::size_t axis = 0; axis < g_.axes.size(); ++axis) {
      shift(axis, 1);
      shift(axis, -1);
    }
    fixed_axes();
    add(wrong_tails(g_));
    regions();
    if (!is_zero) add(small_errors(g_));
    return std::move(found_);
  }

 private:
  void add(const std::string& key, const std::string& sentence) { found_.push_back({g_.name + ": " + key, sentence}); }

  void add(const std::vector<Pattern>& patterns) { found_.insert(found_.end(), patterns.begin(), patterns.end()); }

  bool near(double got, double expected, double bound) const {
    if (!std::isfinite(expected)) return std::isnan(expected) ? std::isnan(got) : got == expected;
    return std::abs(got - expected) <= bound + 0x1p-50 * std::abs(expected);
  }

  /// Whether the true value is large enough, compared to its bound, to be told from 0 and from other values.
  bool tells(std::size_t i) const {
    return std::abs(g_.expected[i]) > 4 * g_.bound[i] && std::isfinite(g_.expected[i]);
  }

  void not_finite() {
    std::size_t nans = 0, infinities = 0;
    for (const std::size_t i : wrong_) {
      if (!std::isfinite(g_.expected[i])) continue;
      nans += std::isnan(g_.got[i]) ? 1U : 0U;
      infinities += std::isinf(g_.got[i]) ? 1U : 0U;
    }
    if (nans == g_.size()) return add("NaN everywhere", fmt::format("{} is NaN everywhere", g_.name));
    if (nans > 0)
      add("NaN",
          fmt::format("{} is NaN in {} of {} wrong elements, where a number is due", g_.name, nans, wrong_.size()));
    if (infinities > 0)
      add("infinite", fmt::format("{} is infinite in {} of {} wrong elements, where a number is due", g_.name,
                                  infinities, wrong_.size()));
  }

  bool zero() {
    if (!std::all_of(wrong_.begin(), wrong_.end(), [&](std::size_t i) { return g_.got[i] == 0; })) return false;
    if (std::all_of(g_.got.begin(), g_.got.end(), [](double got) { return got == 0; })) {
      add("zero everywhere", fmt::format("{} is 0 everywhere: not computed, or multiplied by 0", g_.name));
    } else {
      add("zero", fmt::format("{} is 0 where it is wrong: terms are left out there", g_.name));
    }
    return true;
  }

  /// NaN and infinity in the place of a number have a pattern of their own, and hide no other.
  bool is_lost(std::size_t i) const { return std::isfinite(g_.expected[i]) && !std::isfinite(g_.got[i]); }

  bool sign() {
    bool is_any = false;
    for (const std::size_t i : wrong_) {
      if (is_lost(i)) continue;
      if (!near(g_.got[i], -g_.expected[i], g_.bound[i])) return false;
      is_any = true;
    }
    if (!is_any) return false;
    add("sign", fmt::format("{} has the opposite sign where it is wrong: got = -expected", g_.name));
    return true;
  }

  struct Factor {
    double value = 1;
    double tolerance = 0;  ///< infinite if no element determines the factor
    bool wrong = false;
  };

  /// The element of a slice that determines its factor best, a wrong one if there is any; size() if no element does.
  std::size_t most_informative(const std::vector<std::size_t>& slice) const {
    std::size_t best = g_.size();
    std::pair<bool, double> best_rank;
    for (const std::size_t i : slice) {
      if (!tells(i) || is_lost(i)) continue;
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
      if (!g_.wrong[i]) continue;
      if (is_lost(i)) continue;
      const double slack = g_.bound[i] * (1 + std::abs(factor.value)) + factor.tolerance * std::abs(g_.expected[i]);
      if (!near(g_.got[i], factor.value * g_.expected[i], slack)) return false;
      evidence += i != best && tells(i) ? 1U : 0U;
    }
    return true;
  }

  bool is(const Factor& factor, double value) const {
    return std::abs(factor.value - value) <= factor.tolerance + 0x1p-50 * std::abs(value);
  }

  void factor() {
    std::vector<Factor> factors(static_cast<std::size_t>(g_.extents[hints_.factor_axis]));
    std::vector<std::vector<std::size_t>> slices(factors.size());
    for (std::size_t i = 0; i < g_.size(); ++i)
      slices[static_cast<std::size_t>(g_.index(i, hints_.factor_axis))].push_back(i);
    std::size_t evidence = 0;
    for (std::size_t s = 0; s < factors.size(); ++s)
      if (!factor_of(slices[s], factors[s], evidence)) return;
    if (evidence < 2) return;
    const auto one = std::find_if(factors.begin(), factors.end(), [](const Factor& f) { return f.wrong; });
    if (one == factors.end()) return;
    const bool same =
        std::all_of(factors.begin(), factors.end(), [&](const Factor& f) { return !f.wrong || is(f, one->value); });
    const std::string shown = fmt::format("{:.6g}", one->value);
    if (same) {
      add("factor " + fmt::format("{:.3g}", one->value),
          fmt::format("{} is off by a factor where it is wrong: got = {} x expected", g_.name, shown));
    } else {
      add("factors", fmt::format("{} has a factor of its own in each {}: got = {} x expected", g_.name,
                                 g_.nouns[hints_.factor_axis], factor_list(factors)));
    }
    reasons(factors);
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

  /// The offset of element i in the order of `axes`, the last axis fastest.
  std::size_t offset_in(std::size_t i, const std::vector<std::size_t>& axes) const {
    std::size_t offset = 0;
    for (const std::size_t axis : axes)
      offset = offset * static_cast<std::size_t>(g_.extents[axis]) + static_cast<std::size_t>(g_.index(i, axis));
    return offset;
  }

  void layout() {
    std::vector<std::size_t> axes(g_.axes.size());
    std::iota(axes.begin(), axes.end(), 0U);
    while (std::next_permutation(axes.begin(), axes.end())) {
      bool fits = true;
      for (std::size_t i = 0; fits && i < g_.size(); ++i)
        fits = near(g_.got[offset_in(i, axes)], g_.expected[i], g_.bound[i]);
      if (!fits) continue;
      std::vector<std::string> order;
      for (const std::size_t axis : axes) order.push_back(g_.sizes[axis]);
      return add(fmt::format("layout {}", fmt::join(order, "")),
                 fmt::format("{} is transposed: laid out as [{}] where [{}] is due", g_.name, fmt::join(order, ", "),
                             fmt::join(g_.sizes, ", ")));
    }
  }

  /// Whether got at each index is the value expected at index - by.
  void shift(std::size_t axis, std::int64_t by) {
    const auto step = static_cast<std::ptrdiff_t>(g_.stride(axis)) * by;
    std::size_t evidence = 0;
    for (std::size_t i = 0; i < g_.size(); ++i) {
      const std::int64_t from = g_.index(i, axis) - by;
      if (from < 0 || from >= g_.extents[axis] || (g_.got[i] == 0 && g_.expected[i] == 0)) continue;
      const auto source = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) - step);
      if (!near(g_.got[i], g_.expected[source], g_.bound[source])) return;
      evidence += tells(source) && g_.wrong[i] ? 1U : 0U;
    }
    if (evidence < 2) return;
    add(fmt::format("shift {} {}", g_.axes[axis], by),
        fmt::format("{} is shifted by one {}: got at {} is what is due at {} {} 1", g_.name, g_.nouns[axis],
                    g_.axes[axis], g_.axes[axis], by > 0 ? '-' : '+'));
  }

  /// Indices that all wrong elements share.
  void fixed_axes() {
    std::vector<std::string> places, nouns, keys;
    std::size_t slice = g_.size();
    for (std::size_t axis = 0; axis < g_.axes.size(); ++axis) {
      const std::int64_t at = g_.index(wrong_[0], axis);
      const auto same = [&](std::size_t i) { return g_.index(i, axis) == at; };
      if (g_.extents[axis] == 1 || !std::all_of(wrong_.begin(), wrong_.end(), same)) continue;
      slice /= static_cast<std::size_t>(g_.extents[axis]);
      places.push_back(fmt::format("{}={}", g_.axes[axis], at));
      nouns.push_back(g_.nouns[axis]);
      keys.push_back(g_.axes[axis] + (at == 0 ? " first" : at == g_.extents[axis] - 1 ? " last" : places.back()));
    }
    if (places.empty()) return;
    const std::string extent = slice == 1 ? "one element"
                               : slice == wrong_.size()
                                   ? fmt::format("a whole {}, all {} elements", fmt::join(nouns, " of a "), slice)
                                   : fmt::format("{} of {} elements there", wrong_.size(), slice);
    add(fmt::format("only {}", fmt::join(keys, " ")),
        fmt::format("{} is wrong only at {}: {}", g_.name, fmt::join(places, ", "), extent));
  }

  /// The smallest regions that hold all wrong elements.
  void regions() {
    std::vector<std::pair<std::size_t, const NamedRegion*>> holding;
    for (const NamedRegion& region : hints_.regions) {
      const auto inside = [&](std::size_t i) { return bool{region.in[i]}; };
      const auto size = static_cast<std::size_t>(std::count(region.in.begin(), region.in.end(), true));
      if (size < g_.size() && std::all_of(wrong_.begin(), wrong_.end(), inside)) holding.emplace_back(size, &region);
    }
    std::stable_sort(holding.begin(), holding.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [size, region] : holding) {
      if (size > holding[0].first) break;
      add("only " + region->where,
          fmt::format("{} is wrong only {}: in {} of {} elements there", g_.name, region->where, wrong_.size(), size));
    }
  }

  const GradientArray& g_;
  const PatternHints& hints_;
  std::vector<std::size_t> wrong_;
  std::vector<Pattern> found_;
};

}  // namespace

std::vector<Pattern> patterns_of(const GradientArray& gradient, const PatternHints& hints) {
  return PatternSearch(gradient, hints).run();
}

}  // namespace assay::validation
