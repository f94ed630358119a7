// Whether activations are acceptable: none is NaN or +inf, and each frame of logits has a finite one. The test compares
// their bits as whole numbers, the same way for 16 and 32 bits (IEEE 754-2019, section 3.4):
//
//   +inf and NaN with a plus are those from the bits of +inf on, as signed numbers
//   NaN with a minus are those above the bits of -inf, as unsigned numbers; -inf is allowed
#pragma once

#include "metal/cpu/ctc/kernels.h"
#include "metal/cpu/simd/lanes.h"

namespace assay::metal::cpu::ASSAY_SIMD {

/// The integer type with the bits of a Real, and a register of such integers.
template <class Real>
struct WholeNumbers {
  using Number = std::uint16_t;
  using Signed = std::int16_t __attribute__((vector_size(ASSAY_SIMD_BYTES)));
  using Unsigned = std::uint16_t __attribute__((vector_size(ASSAY_SIMD_BYTES)));
  using InMemory __attribute__((vector_size(ASSAY_SIMD_BYTES), aligned(2), may_alias)) = std::int16_t;
  static constexpr Number infinity = Real::infinity_bits, minus_infinity = infinity | 0x8000U;
};

template <>
struct WholeNumbers<float> {
  using Number = std::uint32_t;
  using Signed = std::int32_t __attribute__((vector_size(ASSAY_SIMD_BYTES)));
  using Unsigned = std::uint32_t __attribute__((vector_size(ASSAY_SIMD_BYTES)));
  using InMemory __attribute__((vector_size(ASSAY_SIMD_BYTES), aligned(4), may_alias)) = std::int32_t;
  static constexpr Number infinity = 0x7f800000U, minus_infinity = infinity | 0x80000000U;
};

/// The largest bits so far in each lane: compared as signed and as unsigned integers.
template <class Real>
class LargestBits {
  using Whole = WholeNumbers<Real>;
  static constexpr std::size_t places = ASSAY_SIMD_BYTES / sizeof(Real);

 public:
  ASSAY_INLINE void look(const Real* x, std::size_t count) {
    if (count < places) {
      Real repeated[places];
      for (std::size_t j = 0; j < places; ++j) repeated[j] = x[j < count ? j : 0];
      return look(repeated);
    }
    constexpr std::size_t ahead = 1024 / sizeof(Real);  // hardware prefetch stops at the end of a page
    for (std::size_t i = 0; i + places <= count; i += places) {
      __builtin_prefetch(x + i + ahead, 0, 3);
      look(x + i);
    }
    look(x + count - places);
  }

  bool are_acceptable() const {
    constexpr int infinity = Whole::infinity;
    bool all = true;
    for (std::size_t j = 0; j < places; ++j) all &= signed_[j] < infinity && unsigned_[j] <= Whole::minus_infinity;
    return all;
  }

 private:
  ASSAY_INLINE void look(const Real* x) {
    const typename Whole::Signed bits = *reinterpret_cast<const typename Whole::InMemory*>(x);
    const auto unsigned_bits = reinterpret_cast<typename Whole::Unsigned>(bits);
    signed_ = bits > signed_ ? bits : signed_;
    unsigned_ = unsigned_bits > unsigned_ ? unsigned_bits : unsigned_;
  }

  typename Whole::Signed signed_{};
  typename Whole::Unsigned unsigned_{};
};

/// Whether some x is finite. No x may be NaN or +inf.
template <class Real>
ASSAY_INLINE bool one_is_finite(const Real* x, std::size_t count) {
  using Whole = WholeNumbers<Real>;
  for (std::size_t i = 0; i < count; ++i)
    if (std::bit_cast<typename Whole::Number>(x[i]) != Whole::minus_infinity) return true;
  return false;
}

/// Checks the frames of all rows in the order of memory. Neighbouring rows that have frame t are looked at in one
/// piece.
template <class Real>
bool acceptable(const reference::CtcProblem<Real>& problem, Frames frames) {
  const auto B = static_cast<std::size_t>(problem.B), C = static_cast<std::size_t>(problem.C);
  const bool logits = problem.input == reference::CtcInput::logits;
  LargestBits<Real> largest;
  bool finite = true;
  for (std::size_t t = frames.first; t < frames.last; ++t) {
    const Real* begin = problem.activations.data() + t * B * C;
    const Real* frame = begin;
    const auto look = [&] {
      if (frame > begin) largest.look(begin, static_cast<std::size_t>(frame - begin));
    };
    for (std::size_t b = 0; b < B; ++b, frame += C) {
      if (t < static_cast<std::size_t>(problem.input_lengths.data()[b])) {
        if (logits) finite &= one_is_finite(frame, C);
      } else {
        look();
        begin = frame + C;
      }
    }
    look();
  }
  return finite && largest.are_acceptable();
}

}  // namespace assay::metal::cpu::ASSAY_SIMD
