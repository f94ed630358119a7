#include "validation/formula/joint_sizes.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "validation/core/infinity.h"
#include "validation/core/sizes.h"
#include "validation/formula/sample.h"
#include "validation/formula/work.h"

namespace assay::validation::formula {
namespace {

/// What a graph takes.
struct Taken {
  double held = 0;     ///< elements of nodes, with the work of tracing them
  double work = 0;     ///< also the terms of products of matrices
  double element = 0;  ///< of one element of a result
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
      for (std::size_t b = a + 1; b < large.size(); ++b) add({large[a], large[b]}, 1030);
    if (large.size() > 2) add(large, 520);
    std::ranges::stable_sort(planned_, {}, &JointSizes::work);
    return with_steps();
  }

 private:
  void add(const std::vector<std::string>& large, std::int64_t least) {
    constexpr double most_held = 40e6;
    Extents drawn;
    for (const auto& extent : large)
      drawn[extent] = std::min(random_.integer(least, least + least / 16), limit_of(specification_, extent));
    for (double share = 1; share > 0.05; share *= 0.8) {  // listed sizes may not become smaller
      const Extents sizes = taken_sizes(drawn, share);
      if (std::ranges::any_of(sizes, [](const auto& one) { return one.second < pair_min; })) return;
      const Taken taken = foretold(sizes);
      if (taken.held <= std::min(left_, most_held) && taken.element <= most_sampled) {
        left_ -= taken.held;
        planned_.push_back({sizes, taken.work + work_of_moving(specification_, sizes)});
        return;
      }
    }
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

  Extents taken_sizes(const Extents& drawn, double share) const {
    Extents sizes;
    for (const auto& [extent, size] : drawn)
      sizes[extent] = taken_size(specification_, extent, std::llround(share * static_cast<double>(size)));
    return sizes;
  }

  Taken at(const Extents& sizes) const {
    const auto traced = trace_(extents_at(specification_, sizes));
    Taken taken;
    const double work_of_node = std::max(specification_.work_of_node, 200.0);  // they take memory, too
    for (const Node& node : traced->graph.nodes) taken.held += static_cast<double>(node.size) + work_of_node;
    taken.work = static_cast<double>(traced->graph.elements());
    taken.element = work_of_an_element(*traced, of_gradients_, infinity);
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
      for (double Taken::* count : {&Taken::held, &Taken::work, &Taken::element})
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
};

}  // namespace

std::vector<JointSizes> joint_sizes(const Specification& specification, const Trace& trace, bool of_gradients,
                                    Reach reach, Random random) {
  if (reach == Reach::none || !specification.only.empty()) return {};
  return JointPlan(specification, trace, of_gradients, reach, random).made();
}

}  // namespace assay::validation::formula
