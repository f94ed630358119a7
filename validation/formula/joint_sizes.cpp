#include "validation/formula/joint_sizes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "validation/core/sizes.h"
#include "validation/formula/sample.h"
#include "validation/formula/work.h"

namespace assay::validation::formula {
namespace {

/// What a graph takes.
struct Taken {
  double held = 0;     ///< elements of nodes, with the work of tracing them
  double work = 0;     ///< also the terms of products of matrices
  double element = 0;  ///< of one element of the result that takes the least
  double dearest = 0;  ///< of the result that takes the most
};

class JointPlan {
 public:
  JointPlan(const Specification& specification, const Trace& trace, bool of_gradients, Reach reach, Random random)
      : specification_(specification), trace_(trace), of_gradients_(of_gradients), random_(random) {
    left_ = reach == Reach::quick ? 100e6 : 1e9;
  }

  std::vector<JointSizes> made() {
    std::vector<std::string> large;
    for (const auto& extent : specification_.extents)
      if (limit_of(specification_, extent) >= pair_min) large.push_back(extent);
    for (std::size_t a = 0; a < large.size(); ++a)
      for (std::size_t b = a + 1; b < large.size(); ++b) add(from({large[a], large[b]}, 1030), 1);
    if (large.size() > 2) add(from(large, 520), 1);
    add_round(large);
    for (const auto& extent : large) add(one_of(extent), 1);
    std::ranges::stable_sort(planned_, {}, &JointSizes::work);
    return with_steps();
  }

 private:
  Extents from(const std::vector<std::string>& large, std::int64_t least) {
    Extents drawn;
    for (const auto& extent : large)
      drawn[extent] = std::min(random_.integer(least, least + least / 16), limit_of(specification_, extent));
    return drawn;
  }

  /// The sizes of real models: all extents equal, multiples of a tile; and multiples of 100.
  void add_round(const std::vector<std::string>& large) {
    if (large.size() < 2) return;
    Extents equal, hundreds;
    for (const auto& extent : large) {
      const std::int64_t limit = limit_of(specification_, extent);
      equal[extent] = std::min<std::int64_t>(large.size() == 2 ? 512 : 256, limit);
      hundreds[extent] = std::min(100 * random_.integer(2, large.size() == 2 ? 7 : 3), limit);
    }
    add(equal, width_of_tile);
    add(hundreds, 100);
  }

  /// One extent anywhere up to its limit, the others moderate.
  Extents one_of(const std::string& large) {
    Extents drawn;
    for (const auto& extent : specification_.extents) {
      const std::int64_t limit = limit_of(specification_, extent);
      drawn[extent] =
          extent == large ? log_uniform(random_, pair_min, limit) : std::min(log_uniform(random_, 3, 48), limit);
    }
    return drawn;
  }

  /// The sizes, or multiples of `step` below them, at which a result has a sample; and, where some have none there, those
  /// at which all have one. Sizes that are not large stay as they are.
  void add(const Extents& drawn, std::int64_t step) {
    if (!add_where(drawn, step, &Taken::element)) return;
    if (foretold(planned_.back().sizes).dearest > most_sampled) add_where(planned_.back().sizes, step, &Taken::dearest);
  }

  bool add_where(const Extents& drawn, std::int64_t step, double Taken::* of_result) {
    constexpr double most_held = 40e6;
    for (double share = 1; share > 0.05; share *= 0.8) {  // listed sizes may not become smaller
      const Extents sizes = taken_sizes(drawn, share, step);
      if (std::ranges::any_of(sizes,
                              [&](const auto& one) { return one.second < std::min(pair_min, drawn.at(one.first)); }))
        break;
      const Taken taken = foretold(sizes);
      if (taken.held <= std::min(left_, most_held) && taken.*of_result <= most_sampled) {
        left_ -= taken.held;
        planned_.push_back({sizes, taken.work + work_of_moving(specification_, sizes)});
        return true;
      }
    }
    return false;
  }

  /// Before a case of far more work than the one before comes one half as large: the time of a call is foretold well.
  std::vector<JointSizes> with_steps() {
    constexpr double far_more = 16;
    std::vector<JointSizes> all;
    for (const JointSizes& one : planned_) {
      if (!all.empty() && one.work > far_more * all.back().work) {
        const Extents half = taken_sizes(one.sizes, 0.5);
        all.push_back({half, foretold(half).work + work_of_moving(specification_, half)});
      }
      all.push_back(one);
    }
    return all;
  }

  Extents taken_sizes(const Extents& drawn, double share, std::int64_t step = 1) const {
    Extents sizes;
    for (const auto& [extent, size] : drawn) {
      const std::int64_t less = size < pair_min ? size : std::llround(share * static_cast<double>(size));
      sizes[extent] = taken_size(specification_, extent, less < step ? less : less - less % step);
    }
    return sizes;
  }

  const Taken& at(const Extents& sizes) {
    const auto [known, is_new] = known_.try_emplace(sizes);
    if (is_new) known->second = traced_at(sizes);
    return known->second;
  }

  Taken traced_at(const Extents& sizes) const {
    const auto traced = trace_(extents_at(specification_, sizes));
    Taken taken;
    const double work_of_node = std::max(specification_.work_of_node, 200.0);  // they take memory, too
    for (const Node& node : traced->graph.nodes) taken.held += static_cast<double>(node.size) + work_of_node;
    taken.work = static_cast<double>(traced->graph.elements());
    std::tie(taken.element, taken.dearest) = work_of_elements(*traced, of_gradients_);
    return taken;
  }

  /// As a product of powers of the sizes.
  Taken foretold(const Extents& sizes) {
    const std::int64_t most = sizes.size() == 2 ? 64 : sizes.size() == 3 ? 32 : sizes.size() == 4 ? 16 : 8;
    const auto size_of = [&](const std::string& extent, std::int64_t size) {
      return taken_size(specification_, extent, std::min(size, limit_of(specification_, extent)));
    };
    Extents base;
    for (const auto& [extent, large] : sizes) base[extent] = size_of(extent, most);
    const Taken whole = at(base);
    Taken taken = whole;
    for (const auto& [extent, large] : sizes) {
      Extents half = base;
      half[extent] = size_of(extent, most / 2);
      if (half == base) continue;
      const Taken less = at(half);
      const auto size = static_cast<double>(base[extent]);
      const double power =
          std::log(static_cast<double>(large) / size) / std::log(size / static_cast<double>(half[extent]));
      for (double Taken::* count : {&Taken::held, &Taken::work, &Taken::element, &Taken::dearest})
        taken.*count *= std::pow(whole.*count / std::max(less.*count, 1.0), power);
    }
    return taken;
  }

  const Specification& specification_;
  const Trace& trace_;
  bool of_gradients_;
  Random random_;
  double left_;  ///< of what graphs may hold together
  std::vector<JointSizes> planned_;
  std::map<Extents, Taken> known_;
};

}  // namespace

std::vector<JointSizes> joint_sizes(const Specification& specification, const Trace& trace, bool of_gradients,
                                    Reach reach, Random random) {
  if (reach == Reach::none || !specification.only.empty()) return {};
  return JointPlan(specification, trace, of_gradients, reach, random).made();
}

}  // namespace assay::validation::formula
