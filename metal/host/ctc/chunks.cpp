#include "metal/host/ctc/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "metal/host/ctc/rows.h"

namespace assay::metal::host {

namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// Positions in a grid have 32 bits, and a row may have a group of 1024 threads.
constexpr std::uint32_t max_rows = std::numeric_limits<std::uint32_t>::max() / 1024;

/// a * b and a + b, saturated at 2^64 - 1, which exceeds the memory of any device.
constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return saturated_product(a, b);
}
constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > unlimited - b ? unlimited : a + b;
}

CtcSpace operator+(const CtcSpace& a, const CtcSpace& b) {
  return {sum(a.emissions, b.emissions), sum(a.alpha, b.alpha), sum(a.beta, b.beta)};
}

CtcSpace max_of_each(const CtcSpace& a, const CtcSpace& b) {
  return {std::max(a.emissions, b.emissions), std::max(a.alpha, b.alpha), std::max(a.beta, b.beta)};
}

CtcSpace space_of(const ctc::Row& row, const CtcStatement& statement) {
  const bool is_plain = statement.path == CtcPath::plain;
  const std::uint64_t cells = is_plain ? states_of(row) : states_of(row) + 1, table = product(row.frames, cells);
  return {is_plain ? 0 : product(row.frames, row.classes), is_plain || statement.with_gradient ? table : 2 * cells,
          statement.with_gradient ? table : 0};
}

bool fits(const CtcSpace& space, std::uint64_t element, const CtcRoom& room) {
  const std::uint64_t longest = std::max({space.emissions, space.alpha, space.beta});
  return space.count() <= std::min(room.workspace_bytes, unlimited - 1) / element &&
         longest <= room.buffer_bytes / element;
}

/// The largest of each kind of space over the rows; `row` has the largest alpha.
struct Largest {
  CtcSpace space;
  std::size_t row = 0;
};

Largest largest_of(std::span<const ctc::Row> rows, const CtcStatement& statement) {
  Largest largest;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const CtcSpace own = space_of(rows[b], statement);
    if (own.alpha > largest.space.alpha) largest.row = b;
    largest.space = max_of_each(largest.space, own);
  }
  return largest;
}

Error too_large(const Largest& largest, const ctc::Row& row, std::uint64_t element, const CtcRoom& room) {
  const CtcSpace& space = largest.space;
  return {Error::Kind::limit,
          fmt::format("a row alone takes {} bytes of emissions, {} of alpha and {} of beta (b={}: {} frames, {} "
                      "states): expected at most workspace_bytes = {}, and {} in a buffer",
                      product(space.emissions, element), product(space.alpha, element), product(space.beta, element),
                      largest.row, row.frames, states_of(row), room.workspace_bytes, room.buffer_bytes)};
}

}  // namespace

std::uint64_t CtcSpace::count() const {
  return sum(sum(emissions, alpha), beta);
}

CtcRoom CtcRoom::of(const Limits& limits, std::uint64_t budget) {
  const auto bound = [](std::uint64_t told) { return told == 0 ? unlimited : told; };
  const std::uint64_t quarter = bound(limits.recommended_max_working_set_size / 4);
  return {budget == 0 ? quarter : budget, bound(limits.max_buffer_length)};
}

/// An element that is read and written takes as long as 32 multiply-adds, and a cell of alpha and beta as 16.
std::uint64_t ctc_frames_work(const ctc::Row& row, const CtcStatement& statement) {
  const auto frames = static_cast<std::uint64_t>(statement.T), C = static_cast<std::uint64_t>(statement.C);
  const std::uint64_t cells = statement.with_gradient ? 2 * states_of(row) + row.classes : 0;
  return std::max(saturated_product(frames, saturated_product(C, 32)),
                  saturated_product(row.frames, saturated_product(cells, 16)));
}

std::uint64_t ctc_space_element(CtcPath path) {
  return path == CtcPath::plain ? sizeof(float) : sizeof(ctc::Scaled);
}

Result<CtcChunks> ctc_chunks(std::span<ctc::Row> rows, const CtcStatement& statement, const CtcRoom& room) {
  if (rows.empty()) return CtcChunks{};
  const std::uint64_t element = ctc_space_element(statement.path);
  const Largest largest = largest_of(rows, statement);
  if (!fits(largest.space, element, room)) return tl::unexpected(too_large(largest, rows[largest.row], element, room));
  CtcChunks result{{}, largest.space};
  CtcSpace used;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const CtcSpace own = space_of(rows[b], statement);
    const std::uint64_t work = ctc_frames_work(rows[b], statement);
    const bool begins = b == 0 || result.chunks.back().row_count == max_rows ||
                        sum(result.chunks.back().work, work) > statement.max_work ||
                        !fits(max_of_each(result.space, used + own), element, room);
    if (begins) result.chunks.push_back({static_cast<std::uint32_t>(b), 0, 1, 0});
    if (begins) used = {};
    rows[b].emissions_begin = used.emissions;
    rows[b].alpha_begin = used.alpha;
    rows[b].beta_begin = used.beta;
    used = used + own;
    result.space = max_of_each(result.space, used);
    ++result.chunks.back().row_count;
    result.chunks.back().work = sum(result.chunks.back().work, work);
    result.chunks.back().longest = std::max(result.chunks.back().longest, states_of(rows[b]));
  }
  return result;
}

}  // namespace assay::metal::host
