// Planted faults of history: kernels that are right when called first, and wrong after calls of other shapes or on one
// call in many.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "validation/core/reach_faults.h"

namespace assay::validation {

using Extents = std::vector<std::int64_t>;

/// What a faulty kernel keeps from call to call.
struct CallHistory {
  std::int64_t calls = 0;
  Extents first, last, largest;

  void add(const Extents& now) {
    if (calls++ == 0) first = largest = now;
    for (std::size_t i = 0; i < now.size(); ++i) largest[i] = std::max(largest[i], now[i]);
    last = now;
  }
};

/// The extents of a problem, in the order of the table.
template <class O>
Extents extents_of(const typename O::Problem& problem) {
  Extents all;
  for_each_row(O::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>) all.push_back(problem.options.*row.in_statement);
  });
  return all;
}

/// `result` is 0 where is_wrong(calls before this one, extents of this one).
template <class O>
Fault<O> history_fault(const char* result, const std::string& name, const std::string& description,
                       const std::function<bool(const CallHistory&, const Extents&)>& is_wrong) {
  const auto make = [=] {
    const auto history = std::make_shared<CallHistory>();
    const auto mutex = std::make_shared<std::mutex>();
    Fault<O> fault =
        reach_fault<O>(name, description, "history",
                       [=](const auto& healthy, const auto& problem, const auto& out, const auto& request) {
                         healthy.run(problem, out, request);
                         const std::scoped_lock lock(*mutex);
                         const Extents now = extents_of<O>(problem);
                         const bool wrong = history->calls > 0 && is_wrong(*history, now);
                         history->add(now);
                         if (wrong) zero_from<O>(result, 0, 0, problem, out, request);
                       });
    fault.needs_reach = false;
    return fault;
  };
  Fault<O> fault = make();
  fault.fresh = [make] { return make().kernel; };
  return fault;
}

/// The faults of one extent, which is number `at` of the table.
template <class O>
void add_history_of_extent(std::vector<Fault<O>>& faults, const char* result, const std::string& extent,
                           std::size_t at) {
  const std::string name = lower_case(extent);
  faults.push_back(
      history_fault<O>(result, fmt::format("wrong-after-larger-{}", name),
                       fmt::format("a workspace keeps what a call of a larger {} left", extent),
                       [at](const CallHistory& before, const Extents& now) { return before.last[at] > now[at]; }));
  faults.push_back(
      history_fault<O>(result, fmt::format("made-for-first-{}", name),
                       fmt::format("a pipeline is specialised to the {} of the first call", extent),
                       [at](const CallHistory& before, const Extents& now) { return before.first[at] < now[at]; }));
  faults.push_back(history_fault<O>(result, fmt::format("cache-keyed-by-{}", name),
                                    fmt::format("a cache takes problems of the same {} for the same shape", extent),
                                    [at](const CallHistory& before, const Extents& now) {
                                      return before.last[at] == now[at] && before.last != now;
                                    }));
}

template <class O>
std::vector<Fault<O>> history_faults_of(const char* result) {
  std::vector<Fault<O>> faults;
  std::size_t at = 0;
  for_each_row(O::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>) add_history_of_extent<O>(faults, result, row.name, at++);
  });
  faults.push_back(history_fault<O>(result, "buffers-only-grow", "strides are those of the largest problem so far",
                                    [](const CallHistory& before, const Extents& now) {
                                      return !std::ranges::equal(before.largest, now, std::less_equal<>());
                                    }));
  for (const int calls : {97, 211})
    faults.push_back(history_fault<O>(
        result, fmt::format("wrong-on-call-{}", calls), fmt::format("{} is 0 on every call number {}", result, calls),
        [calls](const CallHistory& before, const Extents&) { return (before.calls + 1) % calls == 0; }));
  faults.push_back(history_fault<O>(result, "wrong-after-150-calls",
                                    "handles leak, and those after the first 150 are null",
                                    [](const CallHistory& before, const Extents&) { return before.calls >= 150; }));
  return faults;
}

}  // namespace assay::validation
