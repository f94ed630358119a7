// Arrays of results: the value that they hold before a call, and comparison by bits.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

namespace assay::metal {

/// A value that no result has.
inline constexpr float poison = 12345.0F;

template <class Real>
std::vector<Real> poisoned(std::size_t size) {
  return std::vector<Real>(size, static_cast<Real>(poison));
}

template <class Real>
bool same_bits(const std::vector<Real>& a, const std::vector<Real>& b) {
  return std::ranges::equal(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

template <class Real>
bool are_all(float value, const std::vector<Real>& elements) {
  return std::ranges::all_of(elements, [value](Real x) { return x == static_cast<Real>(value); });
}

}  // namespace assay::metal
