#include "validation/ctc/diagnosis/dead_end.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace assay::validation {
namespace {

/// The states of one row and the steps between them.
class States {
 public:
  States(std::vector<std::int64_t> labels, std::int64_t blank) : labels_(std::move(labels)), blank_(blank) {}

  std::size_t size() const { return 2 * labels_.size() + 1; }
  std::int64_t class_of(std::size_t s) const { return s % 2 == 0 ? blank_ : labels_[s / 2]; }
  bool may_skip_to(std::size_t s) const { return s % 2 == 1 && s >= 3 && labels_[s / 2] != labels_[s / 2 - 1]; }

  /// The smallest number of steps from each state to an end state.
  std::vector<std::int64_t> steps_to_end() const {
    std::vector<std::int64_t> steps(size(), 0);
    for (std::size_t s = size() - 1; s-- > 0;) {
      if (s + 2 == size()) continue;
      steps[s] = 1 + steps[s + 1];
      if (may_skip_to(s + 2)) steps[s] = std::min(steps[s], 1 + steps[s + 2]);
    }
    return steps;
  }

  /// The states that one frame reaches from `alive`.
  std::vector<bool> step(const std::vector<bool>& alive) const {
    std::vector<bool> next = alive;
    for (std::size_t s = 1; s < size(); ++s) next[s] = alive[s] || alive[s - 1] || (may_skip_to(s) && alive[s - 2]);
    return next;
  }

 private:
  std::vector<std::int64_t> labels_;
  std::int64_t blank_;
};

bool is_zero(const CtcCase& row, std::int64_t t, std::int64_t k) {
  return std::isinf(row.activation(t, 0, k));
}

/// The simplest reason: a label that is at -inf in every frame.
std::optional<std::string> find_missing_label(const CtcCase& row) {
  for (std::size_t s = 0; s < row.targets.size(); ++s) {
    const std::int64_t k = row.targets[s];
    std::int64_t t = 0;
    while (t < row.T && is_zero(row, t, k)) ++t;
    if (t == row.T) return fmt::format("class {} is -inf in every frame, and label {} is that class", k, s);
  }
  return std::nullopt;
}

std::string describe(const std::set<std::int64_t>& cut, std::int64_t t) {
  return fmt::format("{} {} {} -inf at frame {}, where every alignment that is still possible needs {}",
                     cut.size() == 1 ? "class" : "classes", fmt::join(cut, ", "), cut.size() == 1 ? "is" : "are", t,
                     cut.size() == 1 ? "it" : "one of them");
}

}  // namespace

std::optional<std::string> find_dead_end(const CtcCase& row) {
  if (row.T == 0) return std::nullopt;
  if (auto missing = find_missing_label(row)) return missing;
  const States states(row.targets, row.blank);
  const std::vector<std::int64_t> steps_to_end = states.steps_to_end();
  std::vector<bool> alive(states.size(), false);
  alive[0] = true;  // a step from state 0 leads to states 0 and 1, where alignments begin
  for (std::int64_t t = 0; t < row.T; ++t) {
    alive = states.step(alive);
    std::set<std::int64_t> cut;
    bool any = false;
    for (std::size_t s = 0; s < states.size(); ++s) {
      const bool candidate = alive[s] && steps_to_end[s] <= row.T - 1 - t;
      alive[s] = candidate && !is_zero(row, t, states.class_of(s));
      any |= alive[s];
      if (candidate && !alive[s]) cut.insert(states.class_of(s));
    }
    if (!any) return describe(cut, t);
  }
  return std::nullopt;
}

}  // namespace assay::validation
