#include "metal/cpu/svd/signs.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace assay::metal::cpu {

namespace {

template <class T>
std::vector<T> signs_of(const SvdView<T>& U) {
  const auto K = static_cast<std::size_t>(U.columns);
  std::vector<T> largest(K), signs(K, T(1));
  for (std::int64_t i = 0; i < U.rows; ++i)
    for (std::size_t r = 0; r < K; ++r) {
      const T x = U(i, static_cast<std::int64_t>(r)), size = std::abs(x);
      signs[r] = size > largest[r] ? std::copysign(T(1), x) : signs[r];
      largest[r] = size > largest[r] ? size : largest[r];
    }
  return signs;
}

template <class T>
void copy(const SvdView<T>& from, const std::vector<T>& signs, const SvdView<T>& to) {
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
