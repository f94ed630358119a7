// Equality of cases in every bit: a NaN equals itself, and 0 differs from -0. Hashes that go with it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "validation/core/fields.h"

namespace assay::validation {

template <class Value>
bool same_bits(const std::vector<Value>& a, const std::vector<Value>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Value)) == 0);
}

/// The hash of the elements, combined with that of what comes before.
template <class Value>
std::size_t hash_of_bits(std::size_t before, const std::vector<Value>& values) {
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value));
  return 31 * before + std::hash<std::string_view>{}(bytes);
}

/// The hash of the arrays of a case.
template <HasFields Case>
std::size_t hash_of_arrays(const Case& c) {
  std::size_t hash = 0;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row>) hash = hash_of_bits(hash, c.*row.in_case);
  });
  return hash;
}

/// Whether every field of the table is the same in both cases.
template <HasFields Case>
bool same_fields(const Case& a, const Case& b) {
  bool same = true;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsArray<Row>) {
      same = same && same_bits(a.*row.in_case, b.*row.in_case);
    } else if constexpr (IsScalar<Row> || IsDtype<Row>) {
      using Bytes = std::array<std::byte, sizeof(a.*row.in_case)>;
      same = same && std::bit_cast<Bytes>(a.*row.in_case) == std::bit_cast<Bytes>(b.*row.in_case);
    }
  });
  return same;
}

}  // namespace assay::validation
