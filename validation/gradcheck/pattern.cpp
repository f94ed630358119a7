#include "validation/gradcheck/pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "validation/gradcheck/factors.h"
#include "validation/gradcheck/sizes.h"

namespace assay::validation {

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
    if (!is_zero && !sign()) add(factor_patterns(g_, hints_));
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

  bool sign() {
    bool is_any = false;
    for (const std::size_t i : wrong_) {
      if (g_.is_lost(i)) continue;  // it has a pattern of its own, and hides no other
      if (!is_near(g_.got[i], -g_.expected[i], g_.bound[i])) return false;
      is_any = true;
    }
    if (!is_any) return false;
    add("sign", fmt::format("{} has the opposite sign where it is wrong: got = -expected", g_.name));
    return true;
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
        fits = is_near(g_.got[offset_in(i, axes)], g_.expected[i], g_.bound[i]);
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
      if (!is_near(g_.got[i], g_.expected[source], g_.bound[source])) return;
      evidence += g_.tells(source) && g_.wrong[i] ? 1U : 0U;
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
