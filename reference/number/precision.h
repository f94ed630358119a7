// The precision BigFloat and Ball compute with, in decimal digits, chosen at run time and kept per thread.
//
//   bits of a BigFloat = ceil(digits * log2(10)) + 1,   bits of a Ball = the same + guard_bits
//
// Boost's mpfr_float keeps its default precision in one variable of the whole process (Boost 1.74), so two threads at
// two precisions disturb each other; here every thread has a precision of its own.
#pragma once

#include <sstream>
#include <stdexcept>

#if defined(ASSAY_HAVE_MPFR)
#include <mpfr.h>
#endif

namespace assay::reference {

/// Fewer digits could not hold every double exactly (53 bits).
inline constexpr int min_digits = 17;

/// Without MPFR, BigFloat is a type of Boost whose precision is fixed when the program is compiled.
#if !defined(ASSAY_FALLBACK_DIGITS)
#define ASSAY_FALLBACK_DIGITS 120
#endif

#if defined(ASSAY_HAVE_MPFR)
inline constexpr int max_digits = 1'000'000;
#else
inline constexpr int max_digits = ASSAY_FALLBACK_DIGITS;
#endif

/// Bits of a Ball beyond the digits asked for. An enclosure of the CTC gradient at T=150 loses some 12 bits.
inline constexpr long guard_bits = 32;

namespace detail {

struct Precision {
  int digits;
  long bits;
};

/// The bits for `digits` decimal digits: ceil(digits * log2(10)) + 1.
constexpr Precision precision_of(int digits) {
  return {digits, digits * 33219281L / 10000000L + 2};
}

inline constinit thread_local Precision precision = precision_of(50);

/// MPFR keeps constants and scratch space per thread and does not free them when the thread ends.
struct ThreadCaches {
  ThreadCaches() = default;
  ThreadCaches(const ThreadCaches&) = delete;
  ThreadCaches& operator=(const ThreadCaches&) = delete;
#if defined(ASSAY_HAVE_MPFR)
  ~ThreadCaches() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
#else
  ~ThreadCaches() = default;
#endif
};

}  // namespace detail

/// Decimal digits of the precision in force on this thread; 50 outside of any PrecisionScope.
inline int precision_digits() {
  return detail::precision.digits;
}

/// Bits of the precision in force on this thread.
inline long precision_bits() {
  return detail::precision.bits;
}

/// Sets the precision of this thread while it lives, and restores the former one at its end.
/// Throws std::invalid_argument unless min_digits <= digits <= max_digits.
class PrecisionScope {
 public:
  explicit PrecisionScope(int digits) : former_(detail::precision) {
    if (digits < min_digits || digits > max_digits) {
      std::ostringstream message;
      message << "digits = " << digits << ": expected a number in [" << min_digits << ", " << max_digits << "]";
      throw std::invalid_argument(message.str());
    }
    [[maybe_unused]] static const thread_local detail::ThreadCaches freed_at_thread_end;
    detail::precision = detail::precision_of(digits);
  }
  ~PrecisionScope() { detail::precision = former_; }

  PrecisionScope(const PrecisionScope&) = delete;
  PrecisionScope& operator=(const PrecisionScope&) = delete;

 private:
  detail::Precision former_;
};

}  // namespace assay::reference
