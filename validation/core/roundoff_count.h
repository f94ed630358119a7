// A row of the table of declarations (core/fields.h) whose number is one of roundoffs, and so widens a bound.
#pragma once

#include <algorithm>

#include "validation/core/fields.h"

namespace assay::validation {

template <class T, class Value, class PluginValue>
struct RoundoffCount : Declaration<T, Value, PluginValue> {};

template <class Row>
inline constexpr bool counts_roundoffs = false;
template <class T, class Value, class PluginValue>
inline constexpr bool counts_roundoffs<RoundoffCount<T, Value, PluginValue>> = true;

/// The largest number that a kernel may declare: 2^-8 together, as much as rounding to bfloat16 loses, or as few as by
/// default. A kernel that loses more does not round.
template <class Row, class Info>
double most_roundoffs(const Row& row, const Info& info) {
  return std::max(static_cast<double>(Info().*row.in_info), 0x1p-8 / info.unit_roundoff);
}

}  // namespace assay::validation
