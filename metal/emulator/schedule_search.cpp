#include "metal/emulator/schedule_search.h"

namespace assay::metal::emulator {

namespace {

class Search {
 public:
  Search(std::uint64_t seed, const RunScheduled& run) : seed_(seed), run_(run) {}

  Result<std::optional<DecidingAccesses>> find(std::uint64_t choices) {
    find_switch(choices);
    if (other_) move_switch_back();
    const bool is_found = other_ && return_soon();
    if (error_) return tl::unexpected(*error_);
    return is_found ? std::optional(found_) : std::nullopt;
  }

 private:
  /// A number n in (low, high] for which `schedule_of(n - 1)` and `schedule_of(n)` give different results, as those of
  /// `low` and `high` do.
  template <class ScheduleOf>
  std::uint64_t bisect(std::uint64_t low, std::uint64_t high, const ScheduleOf& schedule_of) {
    const bool at_high = is_different(schedule_of(high));
    while (high - low > 1 && !error_) {
      const std::uint64_t middle = low + (high - low) / 2;
      (is_different(schedule_of(middle)) == at_high ? high : low) = middle;
    }
    return high;
  }

  bool is_different(const Schedule& schedule) {
    auto outcome = run_(schedule);
    if (!outcome && !error_) error_ = outcome.error();
    if (!outcome) return false;
    record_ = std::move(outcome->record);
    return outcome->is_different;
  }

  Schedule random(std::uint64_t choices) const { return {seed_, choices}; }

  /// Behind `same_` random choices, a switch to `other_` makes the difference.
  void find_switch(std::uint64_t choices) {
    same_ = bisect(0, choices, [&](std::uint64_t count) { return random(count); }) - 1;
    Schedule with_switch = random(same_ + 1);
    with_switch.watched = {same_};
    if (is_different(with_switch) && !record_.watched.empty()) other_ = record_.watched[0].next;
  }

  Schedule switching_at(std::uint64_t choice) const { return {seed_, same_, {{choice, *other_}}, {choice}}; }

  /// The switch comes as late as it may.
  void move_switch_back() {
    (void)is_different(random(same_));
    choices_ = record_.choices;
    switch_ = bisect(same_, choices_, [&](std::uint64_t choice) { return switching_at(choice); }) - 1;
  }

  /// Back to the overtaken thread after `accesses` of others.
  Schedule returning_after(std::uint64_t accesses) const {
    Schedule schedule = switching_at(switch_);
    schedule.switches.push_back({switch_ + accesses + 1, found_.overtaken.thread});
    schedule.watched.push_back(switch_ + accesses);
    return schedule;
  }

  bool return_soon() {
    (void)is_different(switching_at(switch_));
    if (record_.watched.empty()) return false;
    found_.overtaken = record_.watched[0];
    const std::uint64_t accesses = bisect(0, choices_, [&](std::uint64_t count) { return returning_after(count); });
    found_.schedule = returning_after(accesses);
    const bool is_found = is_different(found_.schedule) && record_.watched.size() == 2;
    if (is_found) found_.overtaking = record_.watched[1];
    return is_found;
  }

  std::uint64_t seed_;
  const RunScheduled& run_;
  std::uint64_t same_ = 0, switch_ = 0, choices_ = 0;
  std::optional<ThreadNumber> other_;
  DecidingAccesses found_;
  ScheduleRecord record_;
  std::optional<Error> error_;
};

}  // namespace

Result<std::optional<DecidingAccesses>> find_deciding_accesses(std::uint64_t seed, std::uint64_t choices,
                                                               const RunScheduled& run) {
  return Search(seed, run).find(choices);
}

}  // namespace assay::metal::emulator
