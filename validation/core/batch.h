// Batch invariance: a member of a batch, such as a row or a token, has the same bits however many members there are.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "validation/core/properties.h"
#include "validation/core/random.h"
#include "validation/core/run.h"

namespace assay::validation {

/// Compares the results of the members of `other`, which are those of `whole` in turn, with their results in `whole`.
/// `extent` is the name of the number of members. Results without that extent are sums over the members.
template <HasFields Case>
Finding same_members(std::string_view extent, const Case& whole, const typename Case::Fields::Run& of_whole,
                     const Case& other, const typename Case::Fields::Run& of_other) {
  using Fields = typename Case::Fields;
  const auto statement = statement_of(whole);
  const std::int64_t members = extent_of<Fields>(extent, statement),
                     others = extent_of<Fields>(extent, statement_of(other));
  const auto what = fmt::format("other bits where {0} = {1} and where {0} = {2}", extent, members, others);
  Comparison comparison;
  for_each_row(Fields::results(), [&](const auto& row) {
    const auto names = names_in(row.shape.of(statement));
    const auto axis = std::ranges::find(names, extent) - names.begin();
    if (axis == std::ssize(names)) return;
    const auto shape = result_dimensions<Fields>(row, statement, {});
    const std::int64_t inner = elements_of({shape.begin() + axis + 1, shape.end()});
    const auto &all = of_whole.*row.in_run, &part = of_other.*row.in_run;
    for (std::int64_t i = 0; i < std::ssize(part); ++i) {
      const std::int64_t outer = i / (inner * others), member = i / inner % others % members;
      const auto in_whole = static_cast<std::size_t>((outer * members + member) * inner + i % inner);
      comparison.same_bits(place_of<Fields>(row, shape, in_whole), all[in_whole], part[static_cast<std::size_t>(i)],
                           what);
    }
  });
  return comparison.finding();
}

/// Numbers of members to compare a batch of `size` with, which has that many elements: fewer, and more.
inline std::set<std::int64_t> other_sizes(std::int64_t size, std::int64_t elements, Random& random) {
  constexpr std::int64_t few_elements = 1 << 13, most = 130;
  const std::int64_t more = std::max(size, std::min(most, few_elements / std::max<std::int64_t>(elements / size, 1)));
  std::set<std::int64_t> sizes = {1, size / 2, size - 1, size + random.integer(1, more)};
  sizes.erase(0);
  sizes.erase(size);
  return sizes;
}

/// Makes a case of members of another one: of those with the given numbers, in that order.
template <class O>
using MembersOf = typename O::Case (*)(const typename O::Case&, const std::vector<std::int64_t>&);

/// The case with `count` members: those of `c` in turn.
template <class O>
typename O::Case with_members(MembersOf<O> members, const typename O::Case& c, std::int64_t size, std::int64_t count) {
  std::vector<std::int64_t> which;
  for (std::int64_t i = 0; i < count; ++i) which.push_back(i % size);
  return members(c, which);
}

/// `extent` is the name of the number of members.
template <class O>
Property<O> batch(const char* claim, const typename O::Profile& profile, const char* extent, MembersOf<O> members) {
  return {
      "batch", claim, profile, [=](const Context<O>& context, const typename O::Case& c) {
        expect_same_bits(context.kernel.info().support);
        if (!context.kernel.info().batch_invariant) return Finding::not_claimed("declare batch_invariant");
        const std::int64_t size = extent_of<typename O::Case::Fields>(extent, statement_of(c));
        if (size == 0) return Finding::skip("the batch is empty");
        typename O::RunOptions options;
        options.request.aligned = true;  // a kernel may sum in another order where arrays begin elsewhere
        const auto whole = with_members<O>(members, c, size, size);
        const auto expected = run_valid(context.kernel, whole, options);
        Finding finding = Finding::pass();
        Random random(seed_of_extents(c));
        for (const std::int64_t count : other_sizes(size, static_cast<std::int64_t>(elements_of_dtype(c)), random)) {
          const auto other = with_members<O>(members, c, size, count);
          if (!why_not(context.kernel.info(), other).empty()) continue;
          finding.take(same_members(extent, whole, expected, other, run_valid(context.kernel, other, options)));
          if (is_failure(finding.verdict)) break;
        }
        return finding;
      }};
}

}  // namespace assay::validation
