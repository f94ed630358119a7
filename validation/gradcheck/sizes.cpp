#include "validation/gradcheck/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace assay::validation {
namespace {

/// The sizes of the errors, if all are at most 1/128 of the largest element.
struct Sizes {
  double largest = 0, error = 0;
};

std::optional<Sizes> sizes_of(const GradientArray& g) {
  Sizes sizes;
  for (std::size_t i = 0; i < g.size(); ++i) {
    if (std::isfinite(g.expected[i])) sizes.largest = std::max(sizes.largest, std::abs(g.expected[i]));
    if (g.wrong[i]) sizes.error = std::max(sizes.error, std::abs(g.got[i] - g.expected[i]));
    if (g.wrong[i] && !std::isfinite(g.got[i] - g.expected[i])) return std::nullopt;
  }
  if (!(sizes.error <= sizes.largest / 128)) return std::nullopt;
  return sizes;
}

/// How many bits the number needs.
int bits_of(double x) {
  int exponent = 0, bits = 53;
  auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), bits));
  for (; mantissa != 0 && mantissa % 2 == 0; mantissa /= 2) --bits;
  return mantissa == 0 ? 0 : bits;
}

/// Whether the wrong elements are numbers of a 16-bit type, or of TF32, next to the true ones.
bool is_narrow(const GradientArray& g) {
  int bits = 0;
  for (std::size_t i = 0; i < g.size(); ++i)
    if (g.wrong[i]) bits = std::max(bits, bits_of(g.got[i]));
  if (bits > 11) return false;
  const double roundoff = std::ldexp(1.0, 1 - std::max(bits, 8));
  for (std::size_t i = 0; i < g.size(); ++i)
    if (g.wrong[i] && std::abs(g.got[i] - g.expected[i]) > roundoff * std::abs(g.expected[i])) return false;
  return true;
}

/// Counts of signs. A line are the elements that differ in one index only.
struct Signs {
  double count = 0, squares = 0;  ///< of elements; sum over lines of (positive - negative)^2
  double lines = 0, balance = 0;  ///< of lines; lines of positive balance minus those of negative

  /// As of coins that are tossed for each element.
  bool look_random() const { return count >= 16 && squares <= 4 * count; }
  /// As of coins, one for each line, of which nearly all fall alike (four standard deviations).
  bool are_alike() const { return lines >= 17 && std::abs(balance) > 4 * std::sqrt(lines); }
};

/// The signs of `value` at the wrong elements, along the lines of an axis.
template <class Value>
Signs signs_of(const GradientArray& g, std::size_t axis, const Value& value) {
  const std::size_t stride = g.stride(axis), width = stride * static_cast<std::size_t>(g.extents[axis]);
  std::vector<double> balance(g.size() / static_cast<std::size_t>(g.extents[axis])), count(balance.size());
  for (std::size_t i = 0; i < g.size(); ++i) {
    const std::size_t line = i / width * stride + i % stride;
    if (!g.wrong[i] || value(i) == 0) continue;
    balance[line] += value(i) > 0 ? 1 : -1;
    count[line] += 1;
  }
  Signs signs;
  for (std::size_t line = 0; line < balance.size(); ++line) {
    signs.count += count[line];
    signs.squares += balance[line] * balance[line];
    signs.lines += count[line] > 0 ? 1 : 0;
    signs.balance += balance[line] > 0 ? 1 : balance[line] < 0 ? -1 : 0;
  }
  return signs;
}

/// Whether the signs of errors look random along every axis, and whether they are alike.
struct SignPattern {
  bool random = true, alike = false;
};

SignPattern pattern_of_signs(const GradientArray& g) {
  const auto error = [&](std::size_t i) { return g.got[i] - g.expected[i]; };
  SignPattern pattern;
  for (std::size_t axis = 0; axis < g.axes.size(); ++axis)
    for (const Signs& signs :
         {signs_of(g, axis, error), signs_of(g, axis, [&](std::size_t i) { return error(i) * g.expected[i]; })}) {
      pattern.random = pattern.random && signs.look_random();
      pattern.alike = pattern.alike || (axis + 1 == g.axes.size() && signs.are_alike());
    }
  return pattern;
}

}  // namespace

std::vector<Pattern> small_errors(const GradientArray& g) {
  const auto sizes = sizes_of(g);
  if (!sizes || sizes->error == 0) return {};
  const double share = sizes->error / sizes->largest;
  if (share < 0x1p-70)
    return {{g.name + ": underflow", fmt::format("{} is wrong by less than {:.1e} of its largest element: small terms "
                                                 "underflow, or are left out",
                                                 g.name, 2 * share)}};
  const auto [random, alike] = pattern_of_signs(g);
  const std::string start = fmt::format("{} is wrong by at most {:.1e} of its largest element: ", g.name, share);
  const std::string digits = fmt::format("digits are lost, as in an arithmetic of {:.0f} bits", -std::log2(share));
  if (is_narrow(g) || random) return {{g.name + ": precision", start + digits + "; the formula is about right"}};
  if (alike)
    return {{g.name + ": small term", start +
                                          "its errors are alike in sign, as rounding errors are not: the formula is "
                                          "wrong, or terms are missing"}};
  return {{g.name + ": small", start + digits + ", or a small term is missing"}};
}

std::vector<Pattern> wrong_tails(const GradientArray& g) {
  std::vector<Pattern> found;
  for (std::size_t axis = 0; axis < g.axes.size(); ++axis) {
    std::vector<bool> is_wrong(static_cast<std::size_t>(g.extents[axis]));
    for (std::size_t i = 0; i < g.size(); ++i)
      if (g.wrong[i]) is_wrong[static_cast<std::size_t>(g.index(i, axis))] = true;
    const auto first = std::find(is_wrong.begin(), is_wrong.end(), true);
    if (first == is_wrong.begin() || is_wrong.end() - first < 2 ||
        std::find(first, is_wrong.end(), false) != is_wrong.end())
      continue;
    found.push_back({fmt::format("{}: from some {} on", g.name, g.axes[axis]),
                     fmt::format("{} is wrong from {} = {} to the end, {} = {}, and right before", g.name, g.axes[axis],
                                 first - is_wrong.begin(), g.sizes[axis], g.extents[axis])});
  }
  return found;
}

}  // namespace assay::validation
