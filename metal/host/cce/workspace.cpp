#include "metal/host/cce/workspace.h"

#include <algorithm>
#include <limits>

#include "metal/host/buffers.h"
#include "metal/host/failure.h"

namespace assay::metal::host {

namespace {

/// Positions in a grid have 32 bits, and a row has four threads.
constexpr std::uint64_t max_rows = std::uint64_t{1} << 29;

/// The bytes of each buffer. The extents must have passed check_cce_extents.
struct Lengths {
  std::uint64_t hidden, weight, bias, states, logits, sums;

  explicit Lengths(const CceStatement& s)
      : hidden(s.N * s.H * s.element_size),
        weight(s.V * s.H * s.element_size),
        bias(s.V * s.element_size),
        states(s.path == CcePath::plain ? 0 : s.parts() * s.M * sizeof(cce::State)),
        logits(s.path == CcePath::plain ? std::min(s.chunk, s.M) * s.chunk * sizeof(float) : 0),
        sums(sum_rows(s) * sum_width(s) * sizeof(float)) {}

 private:
  static std::uint64_t rounded_up(std::uint64_t count, std::uint64_t multiple) {
    return (count + multiple - 1) / multiple * multiple;
  }
  /// The rows in the largest dispatch of a backward kernel.
  static std::uint64_t sum_rows(const CceStatement& s) {
    const std::uint64_t tokens = s.work.dhidden ? s.M : 0, entries = s.work.dweight ? s.V : 0;
    const std::uint64_t rows = std::min(s.chunk, std::max(tokens, entries));
    return s.path == CcePath::plain ? rows : rounded_up(rows, cce::tile_rows);
  }
  static std::uint64_t sum_width(const CceStatement& s) {
    return s.path == CcePath::plain ? s.H : rounded_up(s.H, cce::slab);
  }
};

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
  return lengths.hidden * (work.dhidden ? 2 : 1) + lengths.weight * (work.dweight ? 2 : 1) +
         lengths.bias * (work.dbias ? 2 : 1) + lengths.states + statement.M * per_token;
}

Result<CceWorkspace> cce_workspace(Device& device, const CceStatement& statement, const CceInputs& inputs) {
  const Lengths lengths(statement);
  const CceWork& work = statement.work;
  Allocation<CceWorkspace> allocation(device, "cce");
  allocation.copy(cce::tokens_index, "tokens", std::as_bytes(inputs.tokens));
  allocation.copy(cce::hidden_index, "hidden", inputs.hidden);
  allocation.copy(cce::weight_index, "weight", inputs.weight);
  if (statement.has_bias) allocation.copy(cce::bias_index, "bias", inputs.bias);
  if (work.forward)
    allocation.reserve(cce::lse_index, "lse", statement.M * sizeof(cce::LogSum));
  else
    allocation.copy(cce::lse_index, "lse", std::as_bytes(inputs.lse));
  if (work.forward) allocation.reserve(cce::losses_index, "losses", statement.M * sizeof(float));
  if (work.forward && lengths.states > 0) allocation.reserve(cce::states_index, "states", lengths.states);
  if (lengths.logits > 0 && (work.forward || work.dhidden))
    allocation.reserve(cce::logits_index, "logits", lengths.logits);
  if (work.dhidden || work.dweight || work.dbias) allocation.reserve(cce::sums_index, "sums", lengths.sums);
  if (work.dhidden) allocation.reserve(cce::dhidden_index, "dhidden", lengths.hidden);
  if (work.dweight) allocation.reserve(cce::dweight_index, "dweight", lengths.weight);
  if (work.dbias) allocation.reserve(cce::dbias_index, "dbias", lengths.bias);
  return allocation.take();
}

}  // namespace assay::metal::host
