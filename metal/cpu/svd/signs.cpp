#include "metal/cpu/svd/signs.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "metal/cpu/svd/transpose.h"

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
  const auto change = [&](T x, std::int64_t r) { return x * signs[static_cast<std::size_t>(r)] + T(0); };
  if (from.column_step == 1 && to.row_step == 1)
    return transpose([&](std::int64_t i) { return &from(i, 0); },
                     DenseMatrix<T>{to.data, to.columns, to.rows, to.column_step}, change);
  for (std::int64_t i = 0; i < from.rows; ++i)
    for (std::int64_t r = 0; r < from.columns; ++r) to(i, r) = change(from(i, r), r);
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
