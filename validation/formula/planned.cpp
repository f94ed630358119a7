#include "validation/formula/planned.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "validation/core/sizes.h"
#include "validation/formula/joint_sizes.h"
#include "validation/formula/patterns.h"
#include "validation/formula/sizes.h"
#include "validation/formula/work.h"

namespace assay::validation::formula {
namespace {

/// How much work a run may plan, in elements of graphs (work.h).
struct Allowance {
  double each_size, sizes, each_pair, pairs, tails;
};

Allowance allowance_of(Reach reach) {
  if (reach == Reach::quick) return {300e3, 2e6, 400e3, 800e3, 0};
  return reach == Reach::full ? Allowance{3e6, 24e6, 16e6, 32e6, 16e6} : Allowance{12e6, 200e6, 60e6, 400e6, 200e6};
}

bool takes_minus_infinity(const Specification& specification) {
  return std::ranges::any_of(specification.inputs, [](const Input& input) { return input.minus_infinity; });
}

class Plan {
 public:
  Plan(const Specification& specification, const Trace& trace, Reach reach, Dtype dtype, std::uint64_t seed)
      : specification_(specification),
        work_(specification, trace),
        reach_(reach),
        dtype_(dtype),
        random_(seed),
        allowed_(allowance_of(reach)),
        seed_(seed) {}

  std::vector<Planned> made() {
    const bool has_few = !specification_.only.empty();
    for (const Extents& extents : has_few ? specification_.only : specification_.layouts)
      planned_.push_back({extents, {}});
    if (!has_few) {
      for (const auto& extent : specification_.extents) add_sizes(extent);
      add_pairs();
      add_all_at_once();
    }
    add_magnitudes();
    add_patterns();
    add_small_magnitudes();
    return std::move(planned_);
  }

 private:
  void add_sizes(const std::string& extent) {
    constexpr ValueClass late{ValueClass::Kind::late};
    const bool has_late = takes_minus_infinity(specification_);
    double left = allowed_.sizes / static_cast<double>(specification_.extents.size());
    std::set<std::int64_t> seen;
    const auto listed = listed_sizes(specification_, extent);
    for (const std::int64_t drawn : listed.empty() ? sizes_between(random_, limit_of(specification_, extent), reach_)
                                                   : std::vector(listed.begin(), listed.end())) {
      const std::int64_t size = taken_size(specification_, extent, drawn);
      if (!seen.insert(size).second) continue;
      const double work = work_.with_nodes(extent, size);
      if (work > std::min(left, allowed_.each_size)) continue;
      left -= work;
      planned_.push_back({{{extent, size}}, has_late && random_.chance(0.3) ? late : ValueClass{}});
    }
  }

  void add_pairs() {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& a : specification_.extents)
      for (const auto& b : specification_.extents)
        if (a != b && may_be_large(a) && may_be_large(b)) pairs.emplace_back(a, b);
    double left = allowed_.pairs;
    const auto add = [&](const std::string& a, std::int64_t drawn_a, const std::string& b, std::int64_t drawn_b,
                         const ValueClass& values) {
      const auto size_a = taken_size(specification_, a, drawn_a), size_b = taken_size(specification_, b, drawn_b);
      const double work = work_.with_nodes(a, size_a, b, size_b);
      if (work > std::min(left, allowed_.each_pair)) return;
      left -= work;
      planned_.push_back(
          {{{a, size_a}, {b, size_b}}, values, -1, work + work_of_moving(specification_, {{a, size_a}, {b, size_b}})});
    };
    if (reach_ != Reach::quick)
      for (const auto& [a, b] : pairs)  // keys and the width of a head, a batch and the width of a model
        if (limit_of(specification_, a) >= 512) add(a, 512, b, 64, {});
    for (const auto& [a, b] : pairs) {  // both orders are there
      const auto [size_a, size_b] = drawn_pair(a, b);
      add(a, size_a, b, size_b, class_of_pair());
    }
    if (reach_ == Reach::quick) return;
    for (const auto& [a, b] : pairs) {
      const auto [size_a, size_b] = drawn_pair(a, b);
      add(a, size_a, b, size_b, class_of_pair());
    }
    left = allowed_.tails;
    Random random(seed_ + 1);
    for (const auto& [a, b] : pairs)
      for (const std::int64_t size :
           tiled_sizes(random, reach_, pair_min, std::min(pair_max, limit_of(specification_, a))))
        add(a, size, b, pair_min, class_of_pair());
  }

  /// Three extents and more, as in each product of matrices: all smaller where the work would be too much.
  void add_all_at_once() {
    if (specification_.extents.size() < 3) return;
    constexpr std::array<std::int64_t, 2> leasts = {20, 37};
    const std::int64_t most = reach_ == Reach::quick ? 66 : 258;
    Random random(seed_ + 2);
    for (const std::int64_t least : leasts) {
      Extents drawn;
      for (const auto& extent : specification_.extents)
        drawn[extent] = std::min(log_uniform(random, least, most), limit_of(specification_, extent));
      for (double share = 1; share > 0.02; share *= 0.8)
        if (const Extents sizes = taken_sizes(drawn, share);
            work_.with_nodes(sizes) <= allowed_.each_pair / leasts.size()) {
          planned_.push_back({sizes, {}});
          break;
        }
    }
  }

  Extents taken_sizes(const Extents& drawn, double share) const {
    Extents sizes;
    for (const auto& [extent, size] : drawn)
      sizes[extent] = taken_size(specification_, extent,
                                 std::max<std::int64_t>(1, std::llround(share * static_cast<double>(size))));
    return sizes;
  }

  /// Every second pair has another class than normal numbers, in turn.
  ValueClass class_of_pair() {
    using Kind = ValueClass::Kind;
    constexpr std::array classes = {Kind::wide,    Kind::offset,     Kind::scaled,
                                    Kind::one_hot, Kind::far_offset, Kind::ties};
    const std::size_t number = pairs_++;
    return number % 2 == 0 ? ValueClass{} : ValueClass{classes[(seed_ + number / 2) % classes.size()]};
  }

  bool may_be_large(const std::string& extent) {
    return limit_of(specification_, extent) >= pair_min && work_.elements(extent, 32) <= allowed_.each_pair;
  }

  /// Both log-uniform in 65..1030; the larger gives way where the work would be too much.
  std::pair<std::int64_t, std::int64_t> drawn_pair(const std::string& a, const std::string& b) {
    const auto size = [&](const std::string& extent) {
      return log_uniform(random_, pair_min, std::min(pair_max, limit_of(specification_, extent)));
    };
    std::int64_t size_a = size(a), size_b = size(b);
    while (work_.with_nodes(a, size_a, b, size_b) > allowed_.each_pair) {
      std::int64_t& larger = size_a > size_b ? size_a : size_b;
      if (larger == pair_min) break;
      larger = std::max(pair_min, larger * 4 / 5);
    }
    return {size_a, size_b};
  }

  /// Gives an input one exponent in each of `parts` equal parts of [low, high].
  void add_exponents(std::int64_t input, ValueClass values, double low, double high, int parts) {
    for (int i = 0; i < parts; ++i) {
      values.exponent = static_cast<int>(std::floor(low + (high - low) * (i + random_.real()) / parts));
      planned_.push_back({{}, values, input});
    }
  }

  void add_magnitudes() {
    const int parts = reach_ == Reach::quick ? 12 : 36;
    for (std::int64_t i = 0; i < std::ssize(specification_.inputs); ++i) {
      const Input& input = specification_.inputs[static_cast<std::size_t>(i)];
      const bool has_signs = input.kind == Kind::real || input.kind == Kind::nonzero;
      if (!has_signs && input.kind != Kind::positive) continue;
      const NumberFormat format = format_of(input.dtype.value_or(dtype_));
      const double last = std::ilogb(format.largest), far = std::min(last - 3, 105.0);
      add_exponents(i, {ValueClass::Kind::scaled}, std::ilogb(format.smallest), last, parts);
      if (!has_signs) continue;
      for (const bool is_negative : {false, true})
        add_exponents(i, {.kind = ValueClass::Kind::far_offset, .is_negative = is_negative}, 3, far, 2 * parts / 3);
      // Products of two stay within the range and the digits: scores are far below 0 for all keys at once.
      add_exponents(i, {ValueClass::Kind::opposed}, 3, std::min(last - 1, -std::log2(format.roundoff)) / 2 - 1, parts);
    }
  }

  /// Numbers so small that their reciprocals overflow.
  void add_small_magnitudes() {
    for (std::int64_t i = 0; i < std::ssize(specification_.inputs); ++i) {
      const Input& input = specification_.inputs[static_cast<std::size_t>(i)];
      if (input.kind != Kind::real && input.kind != Kind::nonzero && input.kind != Kind::positive) continue;
      const double first = std::ilogb(format_of(input.dtype.value_or(dtype_)).smallest_normal);
      add_exponents(i, {ValueClass::Kind::scaled}, first - 4, first, 1);
    }
  }

  /// Each pattern where all extents are moderate: every second one has one size, the others the other. In a quick run each
  /// pattern has one of these two, by the seed.
  void add_patterns() {
    const bool has_indices = std::ranges::any_of(specification_.inputs, [](const Input& input) {
      return input.kind == Kind::index || input.kind == Kind::flag || input.kind == Kind::decay;
    });
    std::vector<Extents> all = {{}};
    if (specification_.only.empty()) all = {moderate_sizes(5, 24), moderate_sizes(70, 40)};
    std::size_t number = seed_;
    for (const Pattern& pattern : patterns()) {
      if (pattern.index != nullptr && !has_indices) continue;
      const ValueClass values{.kind = ValueClass::Kind::pattern, .pattern = &pattern};
      if (reach_ == Reach::quick) {
        planned_.push_back({all[number++ % all.size()], values});
        continue;
      }
      for (const Extents& sizes : all) planned_.push_back({sizes, values});
    }
  }

  /// In turn the one and the other, less where the work would be too much.
  Extents moderate_sizes(std::int64_t one, std::int64_t other) {
    const double most_work = allowed_.sizes / 100, most_elements = allowed_.sizes / 250;
    const auto is_too_much = [&](const Extents& sizes) {
      return work_.with_nodes(sizes) > most_work || work_.elements(sizes) > most_elements;
    };
    Extents drawn;
    for (const auto& extent : specification_.extents)
      drawn[extent] = std::min(drawn.size() % 2 == 0 ? one : other, limit_of(specification_, extent));
    double share = 1;
    while (share > 0.1 && is_too_much(taken_sizes(drawn, share))) share *= 0.8;
    return taken_sizes(drawn, share);
  }

  const Specification& specification_;
  Work work_;
  Reach reach_;
  Dtype dtype_;
  Random random_;
  Allowance allowed_;
  std::uint64_t seed_;
  std::size_t pairs_ = 0;  ///< planned so far
  std::vector<Planned> planned_;
};

}  // namespace

std::vector<Planned> planned_of(const Specification& specification, const Trace& trace, bool of_gradients, Reach reach,
                                Dtype dtype, std::uint64_t seed) {
  if (reach == Reach::none) return {};
  std::vector<Planned> all = Plan(specification, trace, reach, dtype, seed).made();
  for (auto& [sizes, work] : joint_sizes(specification, trace, of_gradients, reach, Random(seed + 3)))
    all.push_back({std::move(sizes), {}, -1, work, true});
  return all;
}

Case drawn(const Planned& planned, const Specification& specification, const Trace& trace, Dtype dtype,
           Random& random) {
  // Sums of few terms: with more, the largest scores of inputs of opposite signs are uncertain by more than they are apart.
  const int size = planned.values.kind == ValueClass::Kind::opposed ? 20 : 40;
  if (planned.sizes.empty()) return draw(random, size, specification, trace, dtype, planned.values, planned.one);
  Case c = filled(random, extents_at(specification, planned.sizes), specification, trace, dtype, planned.values);
  c.is_sampled = planned.is_sampled;
  return c;
}

}  // namespace assay::validation::formula
