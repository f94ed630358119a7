#include "metal/emulator/dispatch/interleaver.h"

#include <algorithm>
#include <utility>

#include "metal/emulator/check/symbolizer.h"

namespace assay::metal::emulator {

namespace {

/// SplitMix64's mixing function (Steele, Lea and Flood, OOPSLA 2014) of a seed and a number.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t x = (seed + 1) * 0x9E3779B97F4A7C15 + number * 0xD1B54A32D192ED03;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}

}  // namespace

Interleaver::Interleaver(std::shared_ptr<Arena> arena, ReportLog& log, GroupOptions options, Schedule schedule)
    : arena_(std::move(arena)), log_(log), options_(options), schedule_(std::move(schedule)) {}

std::optional<Error> Interleaver::run(Launch& launch) {
  launch_ = &launch;
  next_.reset();
  const ChosenGroups chosen(launch.info.grid.groups().count(), launch.only_groups);
  const std::uint64_t wanted = max_threads / std::max<std::uint64_t>(1, launch.info.grid.group().count());
  const std::uint64_t most = std::clamp(wanted, min_groups, max_groups);
  std::optional<Error> error;
  for (std::uint64_t begun = 0; begun < chosen.count() || !in_flight_.empty();) {
    if (begun < chosen.count() && in_flight_.size() < most) {
      admit(launch, chosen[begun++]);
      continue;
    }
    GroupRunner& runner = next_runner();
    const auto thread = next_ ? std::optional(next_->thread) : std::nullopt;
    const GroupRunner::Progress progress = runner.go_on(thread);
    if (progress == GroupRunner::Progress::paused) continue;
    next_.reset();
    if (!error) error = runner.error();
    *launch.static_length = std::max(launch.static_length->load(), runner.static_length());
    const auto ended = std::ranges::find(in_flight_, &runner, [](const auto& one) { return one.get(); });
    idle_.push_back(std::move(*ended));
    in_flight_.erase(ended);
    if (progress == GroupRunner::Progress::ended) continue;
    in_flight_.clear();
    idle_.clear();
    break;
  }
  return error;
}

void Interleaver::admit(const Launch& launch, std::uint64_t group) {
  if (idle_.empty()) idle_.push_back(std::make_unique<GroupRunner>(arena_, log_, options_));
  in_flight_.push_back(std::move(idle_.back()));
  idle_.pop_back();
  in_flight_.back()->begin_dispatch(launch, this);
  in_flight_.back()->begin(group);
}

GroupRunner& Interleaver::next_runner() {
  for (const auto& runner : in_flight_)
    if (next_ && runner->group() == next_->group) return *runner;
  return *in_flight_.front();
}

void Interleaver::before_atomic(GroupRunner& runner, std::uint64_t bytes, abi::Access kind, const void* pc) {
  runner.note_yielded();
  const std::uint64_t choice = record_.choices++;
  const ThreadNumber current{runner.group(), runner.scheduler().current()};
  const ThreadNumber next = choose(choice, runner, current);
  if (std::ranges::find(schedule_.watched, choice) != schedule_.watched.end())
    watch(choice, runner, current, next, in_words(kind, bytes), pc);
  if (next == current) return;
  next_ = next;
  runner.scheduler().pause();
}

void Interleaver::watch(std::uint64_t choice, const GroupRunner& runner, ThreadNumber current, ThreadNumber next,
                        std::string action, const void* pc) {
  const DispatchInfo& dispatch = launch_->info;
  const CodePlace place = place_in(dispatch, pc);
  record_.watched.push_back({choice, current, next, dispatch.kernel,
                             Event{std::move(action), dispatch.grid.place_of(runner.group(), current.thread),
                                   position_of(place.object, place.offset)}});
}

ThreadNumber Interleaver::choose(std::uint64_t choice, const GroupRunner& runner, ThreadNumber current) {
  in_a_row_ = current == last_ ? in_a_row_ + 1 : 0;
  last_ = current;
  for (const Schedule::Switch& change : schedule_.switches)
    if (change.choice == choice) return can_run(change.to) ? change.to : current;
  if (choice < schedule_.random_choices) return choose_at_random(choice, runner, current);
  if (in_a_row_ < patience) return current;
  in_a_row_ = 0;
  return another(current);
}

/// How often it switches depends on the seed: some faults need long runs of one thread, some need short ones.
ThreadNumber Interleaver::choose_at_random(std::uint64_t choice, const GroupRunner& runner,
                                           ThreadNumber current) const {
  const std::uint64_t bits = random_bits(schedule_.seed, choice);
  const std::uint64_t rarity = std::uint64_t{2} << random_bits(schedule_.seed, Schedule::all) % 4;
  if (bits % rarity != 0) return current;
  const GroupRunner& chosen = *in_flight_[(bits >> 8) % in_flight_.size()];
  const std::size_t count = chosen.scheduler().ready_count();
  const std::size_t index = (bits >> 24) % (count + (&chosen == &runner ? 1 : 0));
  return index == count ? current : ThreadNumber{chosen.group(), chosen.scheduler().ready(index)};
}

/// The next thread that can run, by group and number, so that every thread has its turn.
ThreadNumber Interleaver::another(ThreadNumber current) const {
  std::optional<ThreadNumber> next, first;
  for (const auto& runner : in_flight_)
    for (std::size_t n = 0; n < runner->scheduler().ready_count(); ++n) {
      const ThreadNumber ready{runner->group(), runner->scheduler().ready(n)};
      if (!first || ready < *first) first = ready;
      if (current < ready && (!next || ready < *next)) next = ready;
    }
  return next ? *next : first.value_or(current);
}

bool Interleaver::can_run(ThreadNumber thread) const {
  return std::ranges::any_of(in_flight_, [&](const auto& runner) {
    return runner->group() == thread.group && runner->scheduler().is_ready(thread.thread);
  });
}

}  // namespace assay::metal::emulator
