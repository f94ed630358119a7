// The numbers that a kernel returned: where all are one, a kernel that computes nothing would pass too.
#pragma once

#include <cmath>
#include <cstdint>

namespace assay::validation {

struct Returned {
  std::int64_t numbers = 0;  ///< counted until two of them differ
  bool differ = false;
  double first = 0;

  /// All NaN are one number, as are 0 and -0.
  void add(double value) {
    if (numbers++ == 0) first = value;
    const bool is_first = value == first || (std::isnan(value) && std::isnan(first));
    differ = differ || !is_first;
  }

  template <class Numbers>
  void add_all(const Numbers& values) {
    for (auto at = values.begin(); at != values.end() && !differ; ++at) add(static_cast<double>(*at));
  }

  void merge(const Returned& other) {
    if (other.numbers == 0) return;
    if (numbers == 0) first = other.first;
    Returned theirs;
    theirs.add(first);
    theirs.add(other.first);
    numbers += other.numbers;
    differ = differ || other.differ || theirs.differ;
  }

  /// The few numbers of a small given case may be equal.
  bool are_one() const { return numbers >= 16 && !differ; }

  bool operator==(const Returned&) const = default;
};

}  // namespace assay::validation
