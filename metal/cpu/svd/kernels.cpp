#include "metal/cpu/svd/kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include "metal/cpu/parallel.h"

namespace assay::metal::cpu {

namespace {

int bits_of(std::int64_t x) {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x)));
}

/// 2^exponent, a normal number.
template <class T>
T power_of_two(int exponent) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<T>(static_cast<std::uint32_t>(127 + exponent) << 23U);
  if constexpr (sizeof(T) == 8) return std::bit_cast<T>(static_cast<std::uint64_t>(1023 + exponent) << 52U);
}

}  // namespace

template <class T>
const SvdKernels<T>& svd_kernels(InstructionSet set) {
#if defined(__x86_64__)
  if (set == InstructionSet::avx2 && !__builtin_cpu_supports("fma")) set = InstructionSet::baseline;
#endif
  return table_for<SvdKernels<T>>(set);
}

void run_svd_pieces(std::size_t threads, std::int64_t count, void (*piece)(const void* context, std::int64_t i),
                    const void* context) {
  for_each_piece(static_cast<std::size_t>(count),
                 worker_count(static_cast<int>(threads), static_cast<std::size_t>(count)),
                 [&](std::size_t, std::size_t i) { piece(context, static_cast<std::int64_t>(i)); });
}

std::int64_t svd_in_turns(std::int64_t rows) {
  return std::clamp<std::int64_t>((24 << 10) / (rows * 2 * 64), 1, svd_max_in_turns);
}

template <class T>
std::int64_t svd_block_stride(std::int64_t rows) {
  return (rows + 3) * svd_lanes<T>;
}

template <class T>
SvdScale<T> svd_scale(T largest, std::int64_t m, std::int64_t n) {
  if (largest == T(0)) return {{1, 1}, {1, 1}};
  // Leaves room for the sum of m n squares, and for columns whose scale is 2^-15.5 after 31 rotations by 45 degrees.
  const int room = bits_of(m) + bits_of(n) + 32;
  const int exponent = std::max((std::numeric_limits<T>::max_exponent - 2 - room) / 2, 0) - std::ilogb(largest);
  const int half = exponent / 2, other = exponent - half;
  return {{power_of_two<T>(half), power_of_two<T>(other)}, {power_of_two<T>(-half), power_of_two<T>(-other)}};
}

template <class T>
bool find_svd_scale(const T* A, std::int64_t m, std::int64_t n, SvdScale<T>& scale) {
  constexpr std::int64_t lanes = svd_lanes<T>;
  std::array<T, static_cast<std::size_t>(lanes)> largest{},
      nothing{};  // side by side, so that no element waits for the one before it
  const auto see = [&](T x, std::int64_t i) {
    const auto lane = static_cast<std::size_t>(i);
    largest[lane] = std::abs(x) > largest[lane] ? std::abs(x) : largest[lane];
    nothing[lane] += x * T(0);  // becomes NaN if x is not finite
  };
  const std::int64_t elements = m * n, whole = elements / lanes * lanes;
  for (std::int64_t i = 0; i < whole; i += lanes)
    for (std::int64_t lane = 0; lane < lanes; ++lane) see(A[i + lane], lane);
  for (std::int64_t i = whole; i < elements; ++i) see(A[i], i - whole);
  scale = svd_scale(*std::ranges::max_element(largest), m, n);
  return std::ranges::all_of(nothing, [](T x) { return x == T(0); });
}

template <class T>
T svd_tolerance(std::int64_t columns) {
  return std::sqrt(static_cast<T>(std::max<std::int64_t>(columns, 8))) * std::numeric_limits<T>::epsilon() / 2;
}

template <class T>
SvdBatch<T>::SvdBatch(std::int64_t the_M, std::int64_t the_N, bool with_vectors, int the_sweep_limit)
    : M(the_M),
      N(the_N),
      m(std::max(M, N)),
      n(std::min(M, N)),
      rows((m + 3) / 4 * 4),
      more_rows(with_vectors ? n : 0),
      stride(svd_block_stride<T>(rows + more_rows)),
      levels(bits_of((n + 1) / 2 - 1)),
      sweep_limit(the_sweep_limit) {}

template <class T>
std::int64_t SvdBatch<T>::panels_in_turns() const {
  return svd_in_turns(rows + more_rows);
}

#define ASSAY_INSTANTIATE_SVD(T)                                                    \
  template const SvdKernels<T>& svd_kernels(InstructionSet);                        \
  template std::int64_t svd_block_stride<T>(std::int64_t);                          \
  template SvdScale<T> svd_scale(T, std::int64_t, std::int64_t);                    \
  template bool find_svd_scale(const T*, std::int64_t, std::int64_t, SvdScale<T>&); \
  template T svd_tolerance(std::int64_t);                                           \
  template struct SvdBatch<T>;
ASSAY_INSTANTIATE_SVD(float)
ASSAY_INSTANTIATE_SVD(double)
#undef ASSAY_INSTANTIATE_SVD

}  // namespace assay::metal::cpu
