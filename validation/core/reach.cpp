#include "validation/core/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <utility>

namespace assay::validation {

std::string_view name_of(Reach reach) {
  constexpr std::string_view names[] = {"none", "quick", "full", "thorough"};
  return names[static_cast<std::size_t>(reach)];
}

std::vector<std::int64_t> needle_sizes(const NeedleExtent& extent, Reach reach, bool against_reference) {
  std::vector<std::int64_t> sizes;
  const auto add = [&](std::int64_t limit, std::initializer_list<std::int64_t> some) {
    for (const std::int64_t size : some)
      if (size <= limit) sizes.push_back(size);
  };
  if (reach == Reach::none) return sizes;
  add(extent.max, {9, 1019});
  if (reach != Reach::quick) add(extent.max, {33, 65, 257, 4097, 16'385, 65'537});
  if (reach == Reach::thorough || (reach == Reach::full && against_reference)) {
    const std::int64_t dense = reach == Reach::thorough ? extent.max : extent.dense_max;
    for (std::int64_t power = 8; power <= dense; power *= 2) add(extent.max, {power - 1, power, power + 1});
    add(dense, {1013, 1018, 1019, 10'006, 10'007, 10'009, 100'002, 100'003, 100'005});
  }
  if (reach != Reach::quick || against_reference || extent.dense_max < extent.max) sizes.push_back(extent.max + 1);
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

void CallTimes::add(std::int64_t size, double seconds) {
  const auto now = static_cast<double>(size);
  is_repeated_ = now == size_;
  if (is_repeated_) {
    seconds_ = std::min(seconds_, seconds);
  } else {
    earlier_size_ = std::exchange(size_, now);
    earlier_seconds_ = std::exchange(seconds_, seconds);
  }
  if (earlier_seconds_ > 0 && seconds_ > 0)
    power_ = std::clamp(std::log(seconds_ / earlier_seconds_) / std::log(size_ / earlier_size_), 0.0, most_power_);
}

double CallTimes::at(std::int64_t larger) const {
  return size_ > 0 ? seconds_ * std::pow(static_cast<double>(larger) / size_, power_) : 0;
}

std::int64_t CallTimes::next(std::int64_t size, double longest) const {
  if (at(size) <= longest) return size;
  const auto between = static_cast<std::int64_t>(8 * size_);
  if (between < size && at(between) <= longest) return between;
  return is_repeated_ ? 0 : static_cast<std::int64_t>(size_);
}

double slowest_call(Reach reach, bool against_reference) {
  if (reach == Reach::thorough) return std::numeric_limits<double>::infinity();
  return against_reference && reach == Reach::full ? 5 : 1;
}

void Reached::merge(const Reached& other) {
  if (other.size > size) noticed = terms = 0;
  if (other.size >= size) {
    noticed = std::max(noticed, other.noticed);
    terms = std::max(terms, other.terms);
  }
  size = std::max(size, other.size);
  due = std::max(due, other.due);
}

std::vector<std::int64_t> some_indices(std::int64_t size, std::int64_t count) {
  std::vector<std::int64_t> indices;
  const std::int64_t taken = std::min(size, count);
  for (std::int64_t i = 0; i < taken; ++i)
    indices.push_back(taken == size ? i : i * (size - 1) / std::max<std::int64_t>(taken - 1, 1));
  return indices;
}

}  // namespace assay::validation
