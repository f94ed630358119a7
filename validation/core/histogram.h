// The distribution of margins: a count for each power of two of the share of the bound.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace assay::validation {

/// Bin 0 holds shares of at most 2^-20 (0 among them: exact), bin i those in (2^(i-21), 2^(i-20)], bin 21 those
/// above 1.
struct MarginHistogram {
  static constexpr int smallest_exponent = -20;

  std::array<std::int64_t, 22> bins{};
  std::int64_t nan = 0;

  void count(double share) {
    if (std::isnan(share)) {
      ++nan;
    } else {
      ++bins[bin_of(share)];
    }
  }

  void merge(const MarginHistogram& other) {
    for (std::size_t i = 0; i < bins.size(); ++i) bins[i] += other.bins[i];
    nan += other.nan;
  }

  bool operator==(const MarginHistogram&) const = default;

 private:
  static std::size_t bin_of(double share) {
    if (!(share > std::ldexp(1.0, smallest_exponent))) return 0;
    if (share > 1) return 21;
    int exponent = 0;
    const bool is_power = std::frexp(share, &exponent) == 0.5;
    return static_cast<std::size_t>((is_power ? exponent - 1 : exponent) - smallest_exponent);
  }
};

}  // namespace assay::validation
