// Planted faults of reach: kernels that are right up to an index, for most sizes, up to a number of threads or on most
// calls.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "validation/core/fault.h"
#include "validation/core/run.h"
#include "validation/core/sizes.h"

namespace assay::validation {

/// The smallest index at which faults of one kind begin.
inline constexpr std::initializer_list<std::int64_t> thresholds_to_2_17 = {8,    64,     512,    1024,
                                                                           4096, 16'384, 65'536, 131'072};
inline constexpr std::initializer_list<std::int64_t> thresholds_to_2_12 = {8, 32, 64, 256, 512, 1024, 2048, 4096};

/// A healthy kernel whose arguments and results a fault changes.
template <class O>
class ReachFault : public O::Kernel {
 public:
  using Problem = typename O::Problem;
  using Output = typename O::Output;
  using Request = typename O::Request;
  using Call = std::function<void(const typename O::Kernel&, const Problem&, const Output&, const Request&)>;

  /// Most faults copy an array, and must not be given one past 2^32 elements: `takes_views` is false.
  ReachFault(std::shared_ptr<const typename O::Kernel> healthy, const std::string& name, bool takes_views, Call call)
      : healthy_(std::move(healthy)), info_(healthy_->info()), call_(std::move(call)) {
    info_.name = "fault:" + name;
    info_.support.takes_views = takes_views;
    info_.support.can_be_forked = false;  // it may keep a state from call to call
    if constexpr (requires { info_.has_randomized, info_.has_gradient; })
      info_.has_randomized = info_.has_gradient = false;  // the SVD's other functions, which this kernel lacks
  }

  const typename O::Info& info() const override { return info_; }
  void run(const Problem& problem, const Output& out, const Request& request) const override {
    call_(*healthy_, problem, out, request);
  }

 private:
  std::shared_ptr<const typename O::Kernel> healthy_;
  typename O::Info info_;
  Call call_;
};

/// Calls use(elements, shape) for a result.
template <class O, class Use>
void with_result(const char* result, const typename O::Problem& problem, const typename O::Output& out,
                 const typename O::Request& request, const Use& use) {
  for_each_row(O::results(), [&](const auto& row) {
    if (std::string_view(row.name) != result) return;
    const auto shape = result_dimensions<O>(row, problem.options, request);
    auto view = out.*row.in_output;
    if constexpr (is_variant<decltype(view)>) {
      std::visit([&](auto elements) { use(elements, shape); }, view);
    } else {
      use(view, shape);
    }
  });
}

/// Sets the elements of a result whose index on `axis` is at least `first` to 0.
template <class O>
void zero_from(const char* result, std::size_t axis, std::int64_t first, const typename O::Problem& problem,
               const typename O::Output& out, const typename O::Request& request) {
  with_result<O>(result, problem, out, request, [&](auto elements, const std::vector<std::int64_t>& shape) {
    if (elements.empty() || axis >= shape.size()) return;
    std::int64_t stride = 1;
    for (std::size_t later = axis + 1; later < shape.size(); ++later) stride *= shape[later];
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (static_cast<std::int64_t>(i) / stride % shape[axis] >= first) elements[i] = {};
  });
}

/// The text with small letters.
inline std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

template <class O>
Fault<O> reach_fault(const std::string& name, const std::string& description, const char* caught_by,
                     typename ReachFault<O>::Call call, bool takes_views = false) {
  const auto healthy = O::shipped_kernel("cpu");
  const auto kernel = std::make_shared<ReachFault<O>>(healthy, name, takes_views, std::move(call));
  return {name, description, caught_by, kernel, healthy, true, {}};
}

/// A fault that shows in arrays past 2^32 elements, which it must not copy.
template <class O>
Fault<O> far_fault(const std::string& name, const std::string& description, const char* caught_by,
                   typename ReachFault<O>::Call call) {
  return reach_fault<O>(name, description, caught_by, std::move(call), true);
}

/// A result that is 0 past 2^32 elements, where no offset of 32 bits leads.
template <class O>
Fault<O> zero_past_32_bits(const char* result, const char* caught_by) {
  return far_fault<O>(fmt::format("{}-zero-past-32-bits", lower_case(result)),
                      fmt::format("no element of {} past 2^32 is written", result), caught_by,
                      [=](const auto& healthy, const auto& problem, const auto& out, const auto& request) {
                        healthy.run(problem, out, request);
                        with_result<O>(result, problem, out, request, [](auto elements, const auto&) {
                          for (std::size_t i = std::size_t{1} << 32; i < elements.size(); ++i) elements[i] = {};
                        });
                      });
}

/// Part of a result that is 0 from an index on.
struct ZeroResult {
  const char* result;
  std::size_t axis;
  char letter;  ///< of the axis
  const char* caught_by;
  std::initializer_list<std::int64_t> thresholds;
};

template <class O>
void add_zero_results(std::vector<Fault<O>>& faults, std::initializer_list<ZeroResult> all) {
  for (const auto& [result, axis, letter, caught_by, thresholds] : all)
    for (const std::int64_t first : thresholds)
      faults.push_back(
          reach_fault<O>(fmt::format("{}-zero-from-{}-{}", lower_case(result), letter, first),
                         fmt::format("{} is 0 where {} >= {}", result, letter, first), caught_by,
                         [=](const auto& healthy, const auto& problem, const auto& out, const auto& request) {
                           healthy.run(problem, out, request);
                           zero_from<O>(result, axis, first, problem, out, request);
                         }));
}

/// An input that is ignored from an index on: call(healthy, first, problem, out, request).
template <class O>
struct IgnoredInput {
  const char* extent;
  const char* caught_by;
  std::initializer_list<std::int64_t> thresholds;
  void (*call)(std::int64_t first, const typename O::Kernel& healthy, const typename O::Problem& problem,
               const typename O::Output& out, const typename O::Request& request);
};

template <class O>
void add_ignored_inputs(std::vector<Fault<O>>& faults, std::initializer_list<IgnoredInput<O>> all) {
  for (const auto& [extent, caught_by, thresholds, call] : all)
    for (const std::int64_t first : thresholds)
      faults.push_back(
          reach_fault<O>(fmt::format("{}-ignored-from-{}", lower_case(extent), first),
                         fmt::format("input past the first {} of {} is left out", first, extent), caught_by,
                         [first, call](const auto& healthy, const auto& problem, const auto& out, const auto& request) {
                           call(first, healthy, problem, out, request);
                         }));
}

/// What a kernel leaves out from an index of an extent on: call(healthy, first, problem, out, request).
template <class O>
struct Cut {
  const char* extent;
  const char* caught_by;
  std::function<void(std::int64_t first, const typename O::Kernel& healthy, const typename O::Problem& problem,
                     const typename O::Output& out, const typename O::Request& request)>
      call;
};

/// A cut of a result.
template <class O>
Cut<O> cut_result(const char* extent, const char* caught_by, const char* result, std::size_t axis) {
  return {extent, caught_by,
          [=](std::int64_t first, const auto& healthy, const auto& problem, const auto& out, const auto& request) {
            healthy.run(problem, out, request);
            zero_from<O>(result, axis, first, problem, out, request);
          }};
}

/// The last `count(size, statement)` indices of the cut's extent are left out.
template <class O, class Count>
Fault<O> cut_fault(const std::string& name, const std::string& description, const Cut<O>& cut, const Count& count) {
  return reach_fault<O>(name, description, cut.caught_by,
                        [=](const auto& healthy, const auto& problem, const auto& out, const auto& request) {
                          const std::int64_t size = extent_of<O>(cut.extent, problem.options);
                          const std::int64_t lost = count(size, problem.options);
                          if (lost == 0) return healthy.run(problem, out, request);
                          cut.call(size - lost, healthy, problem, out, request);
                        });
}

/// For sizes from 300 to 700 the last index is left out, and the last 1 to 3 where they are the rest of whole tiles.
template <class O>
void add_lost_sizes(std::vector<Fault<O>>& faults, const std::vector<Cut<O>>& cuts) {
  for (const Cut<O>& cut : cuts) {
    const std::string extent = lower_case(cut.extent);
    faults.push_back(cut_fault<O>(extent + "-of-300-to-700",
                                  fmt::format("the last of {} of 300 to 700 is left out", cut.extent), cut,
                                  [](std::int64_t size, const auto&) { return size >= 300 && size <= 700 ? 1 : 0; }));
    for (const std::int64_t tile : {24, 96, 100, 192})
      faults.push_back(cut_fault<O>(
          fmt::format("{}-rest-of-{}", extent, tile),
          fmt::format("a rest of 1 to 3 of {} after tiles of {} is left out", cut.extent, tile), cut,
          [=](std::int64_t size, const auto&) { return size > tile && size % tile <= 3 ? size % tile : 0; }));
  }
}

/// The last index is left out where another extent is large as well.
template <class O>
void add_lost_pairs(std::vector<Fault<O>>& faults, const std::vector<std::pair<Cut<O>, const char*>>& pairs) {
  for (const auto& [cut, other] : pairs)
    faults.push_back(cut_fault<O>(fmt::format("{}-beside-{}", lower_case(cut.extent), lower_case(other)),
                                  fmt::format("the last of {} is left out where {} and {} are {} or more", cut.extent,
                                              cut.extent, other, pair_min),
                                  cut, [extent = other](std::int64_t size, const auto& statement) {
                                    return size >= pair_min && extent_of<O>(extent, statement) >= pair_min ? 1 : 0;
                                  }));
}

/// A rest of 1 to 3 after tiles of 80 and 112 is left out where another extent is large enough for a kernel's tiles.
template <class O>
void add_lost_rests(std::vector<Fault<O>>& faults, const std::vector<std::pair<Cut<O>, const char*>>& pairs) {
  constexpr std::int64_t beside = 17;
  for (const auto& [cut, other] : pairs)
    for (const std::int64_t tile : {80, 112})
      faults.push_back(
          cut_fault<O>(fmt::format("{}-rest-of-{}-beside-{}", lower_case(cut.extent), tile, lower_case(other)),
                       fmt::format("a rest of 1 to 3 of {} after tiles of {} is left out where {} is {} or more",
                                   cut.extent, tile, other, beside),
                       cut, [tile, extent = other](std::int64_t size, const auto& statement) {
                         const bool is_tiled = size > tile && extent_of<O>(extent, statement) >= beside;
                         return is_tiled && size % tile <= 3 ? size % tile : 0;
                       }));
}

/// `result` is 0 on every call whose number is a multiple of `calls`.
template <class O>
Fault<O> zero_on_call(const char* result, int calls) {
  const auto count = std::make_shared<std::atomic<int>>(0);
  Fault<O> fault = reach_fault<O>(fmt::format("zero-on-call-{}", calls),
                                  fmt::format("{} is 0 on every call number {}", result, calls), "repeat",
                                  [=](const auto& healthy, const auto& problem, const auto& out, const auto& request) {
                                    healthy.run(problem, out, request);
                                    if (++*count % calls == 0) zero_from<O>(result, 0, 0, problem, out, request);
                                  });
  fault.needs_reach = false;
  return fault;
}

/// `result` is 0 for one number of threads, and on one call in k.
template <class O>
void add_rare_calls(std::vector<Fault<O>>& faults, const char* result) {
  for (const int threads : {4, 8, 16, 24, 32, 48, 64}) {
    faults.push_back(reach_fault<O>(
        fmt::format("zero-with-{}-threads", threads), fmt::format("{} is 0 with {} threads", result, threads),
        "threads", [=](const auto& healthy, const auto& problem, const auto& out, const auto& request) {
          healthy.run(problem, out, request);
          if (request.threads == threads) zero_from<O>(result, 0, 0, problem, out, request);
        }));
    faults.back().needs_reach = false;
  }
  for (const int calls : {2, 3, 5, 7, 16, 31, 64}) {
    const auto make = [=] { return zero_on_call<O>(result, calls); };
    faults.push_back(make());
    faults.back().fresh = [=] { return make().kernel; };
  }
}

}  // namespace assay::validation
