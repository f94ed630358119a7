// The order in which a gate run judges the units of its properties, and the tasks that processes may do.
//
// The units of a property are one task. Consecutive properties that compare with the reference need the same truths,
// which take long to compute: such a group is judged unit by unit, and one unit of all its properties is one task.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace assay::validation {

/// A unit of a property.
struct Step {
  std::size_t property = 0;
  std::int64_t unit = 0;
  std::int64_t number = 0;    ///< of the unit, over all properties in turn
  std::int64_t position = 0;  ///< in the order of the run
  std::int64_t task = 0;
};

/// Properties that are judged unit by unit: from `first` to before `end`.
struct PropertyGroup {
  std::size_t first = 0, end = 0;
  bool compares = false;        ///< with the reference
  std::int64_t first_task = 0;  ///< tasks are numbered over all groups
};

class GateSteps {
 public:
  /// `compare[i]` says whether property i compares with the reference; each property has `each` units.
  GateSteps(const std::vector<bool>& compare, std::int64_t each) : each_(each) {
    std::int64_t task = 0;
    for (std::size_t first = 0, end = 0; first < compare.size(); first = end) {
      for (end = first + 1; compare[first] && end < compare.size() && compare[end];) ++end;
      groups_.push_back({first, end, compare[first], task});
      task += tasks_of(groups_.back());
    }
  }

  const std::vector<PropertyGroup>& groups() const { return groups_; }
  std::int64_t each() const { return each_; }

  /// Calls use(step) for a unit of the group's properties in turn, until a call returns false. Returns the last result.
  template <class Use>
  bool of_unit(const PropertyGroup& group, std::int64_t unit, const Use& use) const {
    const auto first = static_cast<std::int64_t>(group.first), end = static_cast<std::int64_t>(group.end);
    const std::int64_t position = first * each_ + unit * (end - first);
    const std::int64_t task = group.first_task + (group.compares ? unit : 0);
    for (std::int64_t i = first; i < end; ++i)
      if (!use(Step{static_cast<std::size_t>(i), unit, i * each_ + unit, position + i - first, task})) return false;
    return true;
  }

  /// As of_unit, for the steps of a task.
  template <class Use>
  void of_task(std::int64_t task, const Use& use) const {
    const auto group = std::find_if(groups_.rbegin(), groups_.rend(),
                                    [&](const PropertyGroup& one) { return one.first_task <= task; });
    const std::int64_t first = group->compares ? task - group->first_task : 0;
    const std::int64_t end = group->compares ? first + 1 : each_;
    for (std::int64_t unit = first; unit < end && of_unit(*group, unit, use);) ++unit;
  }

  /// Tasks that compare with the reference, then the others: ranges from the first number to before the second.
  std::vector<std::pair<std::int64_t, std::int64_t>> long_tasks_first() const {
    std::vector<std::pair<std::int64_t, std::int64_t>> order;
    for (const bool compares : {true, false})
      for (const PropertyGroup& group : groups_)
        if (group.compares == compares) order.emplace_back(group.first_task, group.first_task + tasks_of(group));
    return order;
  }

 private:
  std::int64_t tasks_of(const PropertyGroup& group) const { return group.compares ? each_ : 1; }

  std::int64_t each_;  ///< units of a property
  std::vector<PropertyGroup> groups_;
};

}  // namespace assay::validation
