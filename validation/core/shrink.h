// Simpler cases to try once one has failed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "validation/core/any_case.h"
#include "validation/core/fields.h"

namespace assay::validation {

/// A way to make a case simpler; returns std::nullopt if it does not apply or would change nothing.
template <class Case>
using Shrink = std::function<std::optional<Case>()>;

/// The step that applies `change` to the case.
template <class Case, class Change>
Shrink<Case> shrink_step(const std::shared_ptr<const Case>& from, Change change) {
  return [from, change]() -> std::optional<Case> {
    Case c = *from;
    change(c);
    if (c == *from) return std::nullopt;
    return c;
  };
}

/// The step, without results that are not valid problems: those for which require_valid throws.
template <class Case>
Shrink<Case> valid_only(Shrink<Case> step) {
  return [step = std::move(step)]() -> std::optional<Case> {
    auto smaller = step();
    if (!smaller) return std::nullopt;
    try {
      require_valid(*smaller);
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
    return smaller;
  };
}

/// [0, count) without [first, last).
inline std::vector<std::int64_t> all_but(std::int64_t count, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < count; ++i)
    if (i < first || i >= last) kept.push_back(i);
  return kept;
}

/// Calls use(first, last) for halves, quarters and so on of [0, count) down to single ones, at most 64 of each width.
template <class Use>
void for_each_part(std::int64_t count, Use use) {
  for (std::int64_t width = (count + 1) / 2; width >= 1; width /= 2) {
    std::int64_t parts = 0;
    for (std::int64_t first = 0; first < count && parts < 64; first += width, ++parts)
      use(first, std::min(count, first + width));
  }
}

template <class Case>
using SharedCase = std::shared_ptr<const Case>;
template <class Case>
using Shrinks = std::vector<Shrink<Case>>;

template <class Case>
AnyShrinks any_shrinks(Shrinks<Case> shrinks) {
  AnyShrinks steps;
  for (auto& shrink : shrinks)
    steps.push_back([shrink = std::move(shrink)]() -> AnyCase {
      auto smaller = shrink();
      return smaller ? AnyCase(std::move(*smaller)) : AnyCase();
    });
  return steps;
}

template <class Case, class Change>
void add_shrink(Shrinks<Case>& steps, const SharedCase<Case>& c, Change change) {
  steps.push_back(shrink_step<Case>(c, change));
}

/// Adds steps that keep one of `count`, the first, the middle or the last, and then steps that drop a half, a quarter
/// and so on, down to one, so that at least `least` stay. select(c, which) gives the case of those in `which`.
template <class Case, class Select>
void add_part_shrinks(Shrinks<Case>& steps, const SharedCase<Case>& c, std::int64_t count, std::int64_t least,
                      Select select) {
  for (const std::int64_t one : {std::int64_t{0}, count / 2, count - 1})
    if (count > 1) steps.push_back([=]() -> std::optional<Case> { return select(*c, std::vector{one}); });
  for_each_part(count, [&](std::int64_t first, std::int64_t last) {
    if (count - (last - first) < least) return;
    steps.push_back([=]() -> std::optional<Case> { return select(*c, all_but(count, first, last)); });
  });
}

/// Adds steps that set one option to its default, or remove one optional array.
template <HasFields Case>
void add_option_shrinks(Shrinks<Case>& steps, const SharedCase<Case>& c) {
  const auto rows = [](const auto& use) { for_each_row(Case::Fields::problem(), use); };
  rows([&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && !is_of_dtype<Row>)
      if (row.optional) add_shrink(steps, c, [at = row.in_case](Case& d) { (d.*at).clear(); });
  });
  if constexpr (requires { c->upstream, c->reduction; })
    add_shrink(steps, c, [](Case& d) {
      d.reduction = Case().reduction;
      d.upstream.clear();
    });
  rows([&]<class Row>(const Row& row) {
    if constexpr (IsOption<Row>)
      if (row.resets) add_shrink(steps, c, [at = row.in_case](Case& d) { d.*at = Case().*at; });
  });
  rows([&]<class Row>(const Row& row) {
    if constexpr (IsChoice<Row>)
      if (row.resets) add_shrink(steps, c, [at = row.in_case](Case& d) { d.*at = Case().*at; });
  });
  rows([&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && is_of_dtype<Row>)
      if (row.optional) add_shrink(steps, c, [at = row.in_case](Case& d) { (d.*at).clear(); });
  });
}

/// Rounds all elements to the case's dtype.
template <HasFields Case>
void round_to_dtype(Case& c) {
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && is_of_dtype<Row>)
      for (auto& value : c.*row.in_case)
        value = rounded_to<std::remove_reference_t<decltype(value)>>(c.dtype, static_cast<double>(value));
  });
}

template <HasFields Case>
void add_dtype_shrink(Shrinks<Case>& steps, const SharedCase<Case>& c) {
  if (c->dtype == Dtype::float32) return;
  add_shrink(steps, c, [](Case& d) {
    d.dtype = Dtype::float32;
    round_to_dtype(d);
  });
}

/// Adds steps that bring values of one array towards zero and few bits.
template <class Case, class Row>
void add_value_shrinks(Shrinks<Case>& steps, const SharedCase<Case>& c, const Row& row) {
  const auto at = row.in_case;
  for (const auto change : row.shrinks.all)
    add_shrink(steps, c, [=](Case& d) {
      for (auto& value : d.*at) value = change(value);
      if constexpr (is_of_dtype<Row>)
        if (d.dtype != Dtype::float32) round_to_dtype(d);
    });
  for_each_part(std::ssize((*c).*at), [&](std::int64_t first, std::int64_t last) {
    for (const auto change : row.shrinks.each)
      add_shrink(steps, c, [=](Case& d) {
        std::transform((d.*at).begin() + first, (d.*at).begin() + last, (d.*at).begin() + first, change);
      });
  });
}

/// Adds such steps for all arrays, those of the dtype first.
template <HasFields Case>
void add_value_shrinks(Shrinks<Case>& steps, const SharedCase<Case>& c) {
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && is_of_dtype<Row>) add_value_shrinks(steps, c, row);
  });
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row> && !is_of_dtype<Row>) add_value_shrinks(steps, c, row);
  });
}

}  // namespace assay::validation
