#include "metal/host/cce/workspace.h"

#include <algorithm>
#include <limits>
#include <span>

#include "metal/host/buffers.h"
#include "metal/host/cce/blocks.h"
#include "metal/host/failure.h"

namespace assay::metal::host {

namespace {

/// Positions in a grid have 32 bits, and a row has four threads.
constexpr std::uint64_t max_rows = std::uint64_t{1} << 29;

/// The bytes of each buffer whose length does not depend on the chunk. The extents must have passed check_cce_extents.
struct Lengths {
  std::uint64_t hidden, weight, bias;

  explicit Lengths(const CceStatement& s)
      : hidden(s.N * s.H * s.element_size), weight(s.V * s.H * s.element_size), bias(s.V * s.element_size) {}
};

/// In the largest dispatch.
std::uint64_t scores_bytes(const CceStatement& s) {
  std::uint64_t most =
      s.path == CcePath::plain && (s.work.forward || s.work.dhidden) ? std::min(s.chunk, s.M) * s.chunk : 0;
  if (s.path == CcePath::production && s.M != 0)
    for (const CceBlock& block : cce_blocks(s)) most = std::max(most, block.scores());
  return most * sizeof(float);
}
std::uint64_t sums_bytes(const CceStatement& s) {
  if (s.path == CcePath::production) return 0;
  const std::uint64_t tokens = s.work.dhidden ? s.M : 0, entries = s.work.dweight || s.work.dbias ? s.V : 0;
  return std::min(s.chunk, std::max(tokens, entries)) * s.H * sizeof(float);
}

}  // namespace

Result<void> check_cce_extents(std::uint64_t N, std::uint64_t H, std::uint64_t V) {
  constexpr std::uint64_t max_elements = std::numeric_limits<std::uint64_t>::max() / 64;
  if (Result<void> fits = check_extent("N", N, max_rows); !fits) return fits;
  if (Result<void> fits = check_extent("V", V, max_rows); !fits) return fits;
  return check_extent("H", H, max_elements / std::max(N, V));
}

std::uint64_t cce_fixed_bytes(const CceStatement& statement) {
  const Lengths lengths(statement);
  const CceWork& work = statement.work;
  const std::uint64_t per_token = sizeof(cce::Token) + sizeof(cce::LogSum) + sizeof(float);
  const std::uint64_t of_rows = work.forward ? statement.N * sizeof(float) : 0;
  const std::uint64_t of_ignored = (statement.N - statement.M) * sizeof(std::uint32_t);
  return lengths.hidden * (work.dhidden ? 2 : 1) + lengths.weight * (work.dweight ? 2 : 1) +
         lengths.bias * (work.dbias ? 2 : 1) + statement.M * per_token + of_rows + of_ignored;
}

Result<CceWorkspace> cce_workspace(Device& device, const CceStatement& statement, const CceTables& tables) {
  Allocation<CceWorkspace> allocation(device, "cce");
  allocation.copy(cce::tokens_index, "tokens", std::as_bytes(std::span(tables.tokens)));
  if (!tables.ignored.empty()) allocation.copy(cce::ignored_index, "ignored", std::as_bytes(std::span(tables.ignored)));
  if (statement.work.forward) allocation.reserve(cce::losses_index, "losses", statement.M * sizeof(float));
  if (const std::uint64_t bytes = scores_bytes(statement)) allocation.reserve(cce::scores_index, "scores", bytes);
  if (const std::uint64_t bytes = sums_bytes(statement)) allocation.reserve(cce::sums_index, "sums", bytes);
  return allocation.take();
}

}  // namespace assay::metal::host
