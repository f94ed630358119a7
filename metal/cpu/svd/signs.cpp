#include "metal/cpu/svd/signs.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace assay::metal::cpu {

namespace {

/// The columns of U lie side by side.
template <class T>
std::vector<T> signs_of(const SvdView<T>& U) {
  const auto K = static_cast<std::size_t>(U.columns);
  std::vector<T> largest(K);  // with its sign
  for (std::int64_t i = 0; i < U.rows; ++i) {
    const T* const row = &U(i, 0);
    for (std::size_t r = 0; r < K; ++r) largest[r] = std::abs(row[r]) > std::abs(largest[r]) ? row[r] : largest[r];
  }
  for (T& x : largest) x = x < T(0) ? T(-1) : T(1);
  return largest;
}

template <class T>
void copy(const SvdView<T>& from, const std::vector<T>& signs, const SvdView<T>& to) {
  if (from.column_step == 1 && to.column_step == 1) {
    for (std::int64_t i = 0; i < from.rows; ++i)
      for (std::size_t r = 0; r < signs.size(); ++r) (&to(i, 0))[r] = (&from(i, 0))[r] * signs[r] + T(0);
    return;
  }
  constexpr std::int64_t some = svd_lanes<T>;  // columns at a time, so that whole cache lines are written
  for (std::int64_t first = 0; first < from.columns; first += some)
    for (std::int64_t i = 0; i < from.rows; ++i)
      for (std::int64_t r = first; r < from.columns && r < first + some; ++r)
        to(i, r) = from(i, r) * signs[static_cast<std::size_t>(r)] + T(0);
}

}  // namespace

template <class T>
void write_canonical(const SvdView<T>& U, const SvdView<T>& V, const SvdView<T>& to_U, const SvdView<T>& to_V) {
  const std::vector<T> signs = signs_of(U);
  copy(U, signs, to_U);
  copy(V, signs, to_V);
}

template void write_canonical(const SvdView<float>&, const SvdView<float>&, const SvdView<float>&,
                              const SvdView<float>&);
template void write_canonical(const SvdView<double>&, const SvdView<double>&, const SvdView<double>&,
                              const SvdView<double>&);

}  // namespace assay::metal::cpu
