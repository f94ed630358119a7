#include "validation/formula/patterns.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "validation/core/shuffle.h"

namespace assay::validation::formula {
namespace {

void each(const Rows& rows, const auto& element) {
  for (std::size_t i = 0; i < rows.all.size(); ++i) rows.all[i] = element(i / rows.length, i % rows.length);
}

void each_row(const Rows& rows, const auto& change) {
  for (std::size_t first = 0; first < rows.all.size(); first += rows.length)
    change(rows.all.subspan(first, rows.length));
}

void normal(Random& random, const Rows& rows) {
  for (double& x : rows.all) x = random.gaussian();
}

/// Steps of 1/16 and 2/16 around 0: few enough for eight bits, so that no two elements of a row are rounded to one number.
void ascending(Random& random, const Rows& rows) {
  each_row(rows, [&](std::span<double> row) {
    double x = -0.09 * static_cast<double>(row.size()) / 2;
    x = std::floor(16 * x) / 16;
    for (double& one : row) x = one = x + static_cast<double>(random.integer(1, 2)) / 16;
  });
}

void descending(Random& random, const Rows& rows) {
  ascending(random, rows);
  each_row(rows, [](std::span<double> row) { std::ranges::reverse(row); });
}

/// Away from both ends, which rounding would else reach.
void between(Random& random, const Rows& rows, double low, double high) {
  const double margin = (high - low) / 128;
  for (double& x : rows.all) x = random.real(low + margin, high - margin);
}

void one_binade(Random& random, const Rows& rows) {
  between(random, rows, 1, 2);
}

/// As far as products of three stay within float16.
void another_binade(Random& random, const Rows& rows) {
  const double low = std::ldexp(random.pick({1.0, -1.0}), static_cast<int>(random.integer(-4, 4)));
  between(random, rows, low, 2 * low);
}

void unit_interval(Random& random, const Rows& rows) {
  between(random, rows, 0, 1);
}

/// Threes and pairs of multiples of 1/64 whose sum is 0, in any order of adding: eight bits hold each.
void sums_of_zero(Random& random, const Rows& rows) {
  each_row(rows, [&](std::span<double> row) {
    const auto drawn = [&] { return static_cast<double>(random.integer(1, 60) * random.pick({1, -1})) / 64; };
    std::size_t i = 0;
    for (; i + 4 < row.size() || i + 3 == row.size(); i += 3) {
      row[i] = drawn();
      row[i + 1] = drawn();
      row[i + 2] = -row[i] - row[i + 1];
    }
    for (; i + 1 < row.size(); i += 2) row[i + 1] = -(row[i] = drawn());
    if (i < row.size()) row[i] = 0;
    shuffle(row, random);
  });
}

void constant_rows(Random& random, const Rows& rows) {
  each_row(rows, [&](std::span<double> row) { std::ranges::fill(row, random.gaussian()); });
}

void one_value(Random& random, const Rows& rows) {
  std::ranges::fill(rows.all, random.gaussian());
}

void few_values(Random& random, const Rows& rows) {
  const std::array some = {random.gaussian(), random.gaussian(), random.gaussian()};
  for (double& x : rows.all) x = some[static_cast<std::size_t>(random.integer(0, 2))];
}

/// What a ReLU leaves, at a threshold that sets three of four elements to 0.
void rectified(Random& random, const Rows& rows) {
  for (double& x : rows.all) x = std::max(random.gaussian() - 0.67, 0.0);
}

/// Eight bits hold them.
void of_bfloat16(Random& random, const Rows& rows) {
  for (double& x : rows.all) x = rounded_to<double>(Dtype::bfloat16, random.gaussian());
}

/// exp overflows at one element of each row; without the row's maximum, that is.
void past_exp(Random& random, const Rows& rows) {
  normal(random, rows);
  each_row(rows, [&](std::span<double> row) {
    row[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(row.size()) - 1))] +=
        1.1 * std::log(rows.format.largest);
  });
}

void far_from_zero(Random& random, const Rows& rows) {
  for (double& x : rows.all) x = 1000 + random.gaussian();
}

void diagonal(Random& random, const Rows& rows) {
  each(rows, [&](std::size_t row, std::size_t i) { return row % rows.length == i ? 1 + random.real() : 0.0; });
}

void triangular(Random& random, const Rows& rows) {
  each(rows, [&](std::size_t row, std::size_t i) { return row % rows.length <= i ? random.gaussian() : 0.0; });
}

/// Element (i, j) depends on i + j alone, so that square ones are symmetric.
void symmetric(Random& random, const Rows& rows) {
  std::vector<double> diagonals(2 * rows.length);
  for (double& x : diagonals) x = random.gaussian();
  each(rows, [&](std::size_t row, std::size_t i) { return diagonals[row % rows.length + i]; });
}

bool allows(Kind kind, double x) {
  if (kind == Kind::unit || kind == Kind::decay) return x >= 0 && x <= 1;
  return kind != Kind::positive || x > 0;
}

/// Moves numbers that the kind does not allow into (0, 1], in their order.
void move_into(Kind kind, std::span<double> all) {
  if (std::ranges::all_of(all, [kind](double x) { return allows(kind, x); })) return;
  const auto [low, high] = std::ranges::minmax(all);
  const double step = (high - low) / 256;
  for (double& x : all) x = high > low ? (x - low + step) / (high - low + step) : 0.5;
}

void put_codes(const Input& input, std::span<double> all) {
  for (double& x : all) {
    const double scaled = (input.format->is_signed ? x : std::abs(x)) * (input.format->is_whole() ? 16 : 1);
    x = reference::rounded_to(reference::Cast{input.format}, scaled);
    if (input.kind == Kind::positive_code) x = std::max(std::abs(x), input.format->at(1));
  }
}

void put_indices(Random& random, const Pattern& pattern, std::int64_t extent, std::span<double> all) {
  const std::int64_t count = std::max<std::int64_t>(extent, 1);
  std::int64_t i = 0;
  for (double& x : all)
    x = static_cast<double>(pattern.index == nullptr ? random.integer(0, count - 1) : pattern.index(i++, count));
}

}  // namespace

const Pattern contiguous_normal{"normal, contiguous", normal};

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all = {
      {"ascending rows", ascending},
      {"descending rows", descending},
      {"numbers from 1 to 2", one_binade},
      {"numbers of one binade", another_binade},
      {"numbers in (0, 1)", unit_interval},
      {"rows that sum to 0", sums_of_zero},
      {"constant rows", constant_rows},
      {"one value", one_value},
      {"three values", few_values},
      {"what a ReLU leaves", rectified},
      {"numbers of bfloat16", of_bfloat16},
      {"logits past the overflow of exp", past_exp},
      {"numbers around 1000", far_from_zero},
      {"diagonal matrices", diagonal},
      {"triangular matrices", triangular},
      {"symmetric matrices", symmetric},
      {.name = "equal inputs", .fill = normal, .has_equal_inputs = true},
      {"indices in order, flags set", normal, [](std::int64_t i, std::int64_t count) { return i % count; }},
      {"indices in reverse, flags set", normal,
       [](std::int64_t i, std::int64_t count) { return count - 1 - i % count; }},
      {"one index, flags set", normal, [](std::int64_t, std::int64_t count) { return count / 2; }}};
  return all;
}

void fill_by_pattern(Random& random, const Pattern& pattern, const Input& input, const Extents& extents,
                     const Rows& rows) {
  if (input.kind == Kind::index) return put_indices(random, pattern, size_of(input.extent, extents), rows.all);
  const bool is_whole = pattern.index != nullptr && (input.kind == Kind::flag || input.kind == Kind::decay);
  if (is_whole) {
    std::ranges::fill(rows.all, 1);
  } else if (input.kind == Kind::flag) {
    for (double& x : rows.all) x = random.chance(0.7) ? 1 : 0;
  } else {
    pattern.fill(random, rows);
    is_code(input.kind) ? put_codes(input, rows.all) : move_into(input.kind, rows.all);
  }
}

}  // namespace assay::validation::formula
