// The order in which the threads of a group run between two barriers. A correct kernel's results do not depend on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <vector>

namespace assay::metal::emulator {

enum class ThreadOrder { forward, reverse, random };

class Order {
 public:
  explicit Order(ThreadOrder kind = ThreadOrder::forward, std::uint64_t seed = 1) : kind_(kind), bits_(seed) {}

  bool is_fixed() const { return kind_ != ThreadOrder::random; }

  /// The numbers below `count` in this order. A random order changes with each call.
  std::span<const std::uint32_t> of(std::uint32_t count) {
    if (numbers_.size() != count) {
      numbers_.resize(count);
      std::iota(numbers_.begin(), numbers_.end(), 0U);
      if (kind_ == ThreadOrder::reverse) std::ranges::reverse(numbers_);
    }
    if (kind_ == ThreadOrder::random) std::ranges::shuffle(numbers_, bits_);
    return numbers_;
  }

 private:
  ThreadOrder kind_;
  std::mt19937_64 bits_;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace assay::metal::emulator
