// A small random number generator whose sequences are the same on every platform and standard library.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace assay::validation {

/// SplitMix64 (Steele, Lea, Flood 2014, fig. 17).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    skip(1);
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  /// As `count` calls of bits(), of which integer() and real() make one each and gaussian() two.
  void skip(std::uint64_t count) { state_ += count * 0x9E3779B97F4A7C15U; }

  /// Uniform in [low, high], both included.
  std::int64_t integer(std::int64_t low, std::int64_t high);

  /// Uniform in [0, 1).
  double real();

  /// Uniform in [low, high).
  double real(double low, double high) { return low + (high - low) * real(); }

  double gaussian();

  bool chance(double probability) { return real() < probability; }

  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[integer(0, static_cast<std::int64_t>(choices.size()) - 1)];
  }

 private:
  std::uint64_t state_;
};

}  // namespace assay::validation
