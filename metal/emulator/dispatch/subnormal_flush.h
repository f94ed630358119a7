// Subnormal numbers as zero, which Metal permits: Metal Shading Language Specification, section 8.1.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace assay::metal::emulator {

/// While it lives, the OS thread that made it computes with zero in place of subnormal operands and results.
class SubnormalFlush {
 public:
  explicit SubnormalFlush(bool is_on) : before_(control()) {
    if (is_on) set_control(before_ | flush);
  }
  ~SubnormalFlush() { set_control(before_); }
  SubnormalFlush(const SubnormalFlush&) = delete;
  SubnormalFlush& operator=(const SubnormalFlush&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr std::uint64_t flush = 0x8040;  ///< MXCSR: FTZ and DAZ
  static std::uint64_t control() { return _mm_getcsr(); }
  static void set_control(std::uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }
#else
  static constexpr std::uint64_t flush = std::uint64_t{1} << 24;  ///< FPCR: FZ
  static std::uint64_t control() {
    std::uint64_t value = 0;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
  }
  static void set_control(std::uint64_t value) { asm volatile("msr fpcr, %0" : : "r"(value)); }
#endif

  std::uint64_t before_;
};

}  // namespace assay::metal::emulator
