// The properties that need no mathematics, once for all operations: a kernel writes exactly its outputs and refuses bad
// arguments; neither repetition, threads, an earlier problem nor the choice of wanted results changes a result.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <span>
#include <string>
#include <vector>

#include "validation/core/property.h"
#include "validation/core/random.h"
#include "validation/core/refusal.h"
#include "validation/core/run.h"

namespace assay::validation {

/// Compares runs of one problem: every bit must be the same.
template <class O>
class SameBits {
 public:
  SameBits(const typename O::Case& c, const typename O::Info& info) : case_(c) { expect_same_bits(info.support); }

  void add(const typename O::Run& got, const typename O::Run& expected, const std::string& what) {
    finding_.take(same_bits(case_, expected, got, what));
  }
  const Finding& finding() const { return finding_; }

 private:
  const typename O::Case& case_;
  Finding finding_ = Finding::pass();
};

/// The comparison of runs of one problem that may compute in different orders.
template <class O>
auto agreement(const typename O::Case& c, const typename O::Info& info) {
  if constexpr (requires { typename O::Agreement; }) {
    return typename O::Agreement(c, info);
  } else {
    return SameBits<O>(c, info);
  }
}

/// Requests for fewer results: the results that are always wanted alone, then with each group of the others.
template <class O>
std::vector<typename O::RunOptions> smaller_requests() {
  std::vector<std::string> groups;
  for_each_row(O::results(), [&](const auto& row) {
    if (row.wanted_with != nullptr && (groups.empty() || groups.back() != row.wanted_with))
      groups.emplace_back(row.wanted_with);
  });
  const auto only = [](const std::string& group) {
    typename O::RunOptions options;
    for_each_row(O::results(), [&](const auto& row) {
      if (row.wanted_with != nullptr && group != row.wanted_with) options.without.insert(row.name);
    });
    return options;
  };
  std::vector<typename O::RunOptions> all = {only("")};
  if (groups.size() > 1)
    for (const std::string& group : groups) all.push_back(only(group));
  return all;
}

template <class O>
Property<O> outside() {
  return {"outside", "writes nothing but its outputs", {}, [](const Context<O>& context, const typename O::Case& c) {
            for (const auto& options : {typename O::RunOptions(), smaller_requests<O>().front()}) {
              const auto run = run_valid(context.kernel, c, options);
              if (!run.out_of_bounds_writes.empty())
                return Finding::fail(fmt::format("  {}", fmt::join(run.out_of_bounds_writes, "\n  ")));
            }
            return Finding::pass();
          }};
}

template <class O>
Property<O> inside() {
  return {
      "inside", "writes every element of its outputs", {}, [](const Context<O>& context, const typename O::Case& c) {
        for (const auto& options : {typename O::RunOptions(), smaller_requests<O>().front()}) {
          const auto run = run_valid(context.kernel, c, options);
          if (!run.unwritten.empty())
            return Finding::fail(fmt::format("  {}, {} elements in all", run.unwritten.front(), run.unwritten.size()));
        }
        return Finding::pass();
      }};
}

template <class O>
Property<O> repeat() {
  return {"repeat",
          "the same problem twice gives the same bits",
          {},
          [](const Context<O>& context, const typename O::Case& c) {
            expect_same_bits(context.kernel.info().support);
            const auto first = run_valid(context.kernel, c);
            return same_bits(c, first, run_valid(context.kernel, c),
                             "a second run of the same problem gives other bits");
          }};
}

/// A seed that the extents of the case determine.
template <HasFields Case>
std::uint64_t seed_of_extents(const Case& c) {
  std::uint64_t mixed = 0;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>) mixed = Random(mixed + static_cast<std::uint64_t>(c.*row.in_case)).bits();
  });
  return mixed;
}

/// 2, 3, 7, 8 and two more numbers of threads up to 64, which the extents of the case determine.
template <HasFields Case>
std::set<int> thread_counts(const Case& c) {
  Random random(seed_of_extents(c));
  std::set<int> counts = {2, 3, 7, 8};
  while (counts.size() < 6) counts.insert(static_cast<int>(random.integer(2, 64)));
  return counts;
}

/// `profile` describes cases with enough work for several threads.
template <class O>
Property<O> threads(const char* claim, const typename O::Profile& profile) {
  return {"threads", claim, profile, [](const Context<O>& context, const typename O::Case& c) {
            const auto run_on = [&](int threads) {
              typename O::RunOptions options;
              options.request.threads = threads;
              return run_valid(context.kernel, c, options);
            };
            auto results = agreement<O>(c, context.kernel.info());
            const auto one = run_on(1);
            for (const int threads : thread_counts(c))
              results.add(run_on(threads), one, fmt::format("1 thread and {} threads give other bits", threads));
            return results.finding();
          }};
}

/// The kernel of a run has judged all cases before, of many shapes; the fresh one has a history of nothing. Tiny cases
/// are repeated, for a kernel that fails on one call in many.
template <class O>
Property<O> history() {
  return {"history",
          "calls before, of other shapes, change nothing",
          {},
          [](const Context<O>& context, const typename O::Case& c) {
            const auto fresh = context.fresh();
            if (!fresh) return Finding::skip("the kernel cannot be started afresh");
            constexpr std::size_t tiny = 32;
            const int calls = elements_of_dtype(c) <= tiny ? 32 : 1;
            const auto expected = run_valid(*fresh, c);
            auto results = agreement<O>(c, context.kernel.info());
            for (int call = 0; call < calls; ++call)
              results.add(run_valid(context.kernel, c), expected, "other bits than from a kernel that is called first");
            return results.finding();
          }};
}

/// `larger` makes a problem that is larger than the given one, with other values.
template <class O>
Property<O> two_shapes(typename O::Case (*larger)(const typename O::Case&)) {
  return {"two-shapes",
          "a larger problem in between changes no bit",
          {},
          [larger](const Context<O>& context, const typename O::Case& c) {
            expect_same_bits(context.kernel.info().support);
            const auto before = run_valid(context.kernel, c);
            run_valid(context.kernel, larger(c));
            return same_bits(c, before, run_valid(context.kernel, c), "other bits after a larger problem in between");
          }};
}

/// A result does not depend on which other results are asked for. `difference` is the message of a failure.
template <class O>
Property<O> outputs(const char* name, const char* claim, const char* difference) {
  return {name, claim, {}, [difference](const Context<O>& context, const typename O::Case& c) {
            const auto all = run_valid(context.kernel, c);
            auto results = agreement<O>(c, context.kernel.info());
            for (const auto& options : smaller_requests<O>())
              results.add(run_valid(context.kernel, c, options), all, difference);
            return results.finding();
          }};
}

/// One way to make a valid problem, or a run of the problem, invalid.
template <class O>
using BadArgumentOf = BadArgument<typename O::Case, typename O::RunOptions>;

/// The error contract: the kernel refuses each kind of bad argument with a message that names the argument, and writes
/// nothing outside its outputs. Results instead of a refusal are an error. `further` applies if has_further(info).
template <class O>
Property<O> refusals(typename O::Case (*healthy)(const typename O::Case&), std::span<const BadArgumentOf<O>> bad,
                     std::span<const BadArgumentOf<O>> further = {},
                     bool (*has_further)(const typename O::Info&) = nullptr) {
  return {"refusals",
          "each kind of bad argument is refused by name",
          {},
          [=](const Context<O>& context, const typename O::Case& c) {
            if (!context.kernel.info().support.does("checks_arguments"))
              return Finding::not_claimed("claim to check its arguments");
            const auto good = healthy(c);
            run_valid(context.kernel, good);
            Finding all = judge_refusals(context.kernel, good, bad);
            if (has_further != nullptr && has_further(context.kernel.info()))
              add_refusal(all, judge_refusals(context.kernel, good, further));
            return all;
          }};
}

}  // namespace assay::validation
