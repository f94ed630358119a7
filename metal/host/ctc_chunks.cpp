#include "metal/host/ctc_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "metal/host/ctc_rows.h"

namespace assay::metal::host {

namespace {

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

/// Positions in a grid have 32 bits, and a row may have a group of 1024 threads.
constexpr std::uint32_t most_rows = std::numeric_limits<std::uint32_t>::max() / 1024;

/// What is too much for 64 bits is too much for any device, and stays so.
constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > most / b ? most : a * b;
}
constexpr std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > most - b ? most : a + b;
}

CtcSpace operator+(const CtcSpace& a, const CtcSpace& b) {
  return {sum(a.emissions, b.emissions), sum(a.alpha, b.alpha), sum(a.beta, b.beta)};
}

CtcSpace larger(const CtcSpace& a, const CtcSpace& b) {
  return {std::max(a.emissions, b.emissions), std::max(a.alpha, b.alpha), std::max(a.beta, b.beta)};
}

CtcSpace space_of(const ctc::Row& row, const CtcStatement& statement, bool has_beta) {
  const std::uint64_t L = states_of(row), table = product(row.frames, L);
  if (statement.path == CtcPath::plain) return {0, table, statement.with_gradient ? table : 0};
  return {product(row.frames, row.classes), statement.with_gradient ? table : 2 * L,
          has_beta ? product(ctc::backward_column_count, L) : 0};
}

bool fits(const CtcSpace& space, std::uint64_t element, const CtcRoom& room) {
  const std::uint64_t longest = std::max({space.emissions, space.alpha, space.beta});
  return product(space.count(), element) <= room.workspace_bytes && product(longest, element) <= room.buffer_bytes &&
         space.count() != most;
}

Result<void> check_row(std::size_t b, const ctc::Row& row, const CtcSpace& space, std::uint64_t element,
                       const CtcRoom& room) {
  if (fits(space, element, room)) return {};
  return error(Error::Kind::limit,
               fmt::format("row b={} of {} frames, {} states and {} classes takes {} bytes of workspace ({} alpha): "
                           "expected at most {}, and {} in a buffer",
                           b, row.frames, states_of(row), row.classes, product(space.count(), element),
                           product(space.alpha, element), room.workspace_bytes, room.buffer_bytes));
}

}  // namespace

std::uint64_t CtcSpace::count() const {
  return sum(sum(emissions, alpha), beta);
}

CtcRoom CtcRoom::of(const Limits& limits, std::uint64_t budget) {
  const auto bound = [](std::uint64_t told) { return told == 0 ? most : told; };
  const std::uint64_t quarter = bound(limits.recommended_max_working_set_size / 4);
  return {budget == 0 ? quarter : budget, bound(limits.max_buffer_length)};
}

std::uint64_t ctc_space_element(CtcPath path) {
  return path == CtcPath::plain ? sizeof(float) : sizeof(ctc::Scaled);
}

Result<CtcChunks> ctc_chunks(std::span<ctc::Row> rows, const CtcStatement& statement, bool has_beta,
                             const CtcRoom& room) {
  const std::uint64_t element = ctc_space_element(statement.path);
  CtcChunks result;
  CtcSpace used;
  for (std::size_t b = 0; b < rows.size(); ++b) {
    const CtcSpace own = space_of(rows[b], statement, has_beta);
    if (const Result<void> fit = check_row(b, rows[b], own, element, room); !fit) return tl::unexpected(fit.error());
    const bool begins = b == 0 || result.chunks.back().row_count == most_rows || !fits(used + own, element, room);
    if (begins) result.chunks.push_back({static_cast<std::uint32_t>(b), 0, 1});
    if (begins) used = {};
    rows[b].emissions_begin = used.emissions;
    rows[b].alpha_begin = used.alpha;
    rows[b].beta_begin = used.beta;
    used = used + own;
    result.space = larger(result.space, used);
    ++result.chunks.back().row_count;
    result.chunks.back().longest = std::max(result.chunks.back().longest, states_of(rows[b]));
  }
  return result;
}

}  // namespace assay::metal::host
