// The sizes of the outputs of a singular value decomposition, and errors of the CPU kernel as values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "metal/cpu/svd/svd.h"
#include "metal/device/result.h"
#include "reference/svd/validate.h"

namespace assay::metal::host {

/// The elements of matrices first .. first + count - 1 in `whole`, which has those of B matrices.
template <class T>
std::span<T> part_of(std::span<T> whole, std::uint64_t B, std::uint64_t first, std::uint64_t count = 1) {
  const std::size_t matrix = whole.size() / B;
  return whole.subspan(first * matrix, count * matrix);
}

/// Throws std::invalid_argument for outputs whose sizes are not what SvdOutput states, with `values` in place of K.
/// Expects a valid problem.
template <class Real>
void validate_output(const reference::SvdProblem<Real>& problem, std::int64_t values, const SvdOutput<Real>& output) {
  using reference::detail::expect_size;
  expect_size("S", output.S.size(), "B * K", problem.B * values);
  if (output.U.empty() && output.Vh.empty()) return;
  expect_size("U", output.U.size(), "B * M * K, or Vh empty too", problem.B * problem.M * values);
  expect_size("Vh", output.Vh.size(), "B * K * N, or U empty too", problem.B * values * problem.N);
}

/// Runs `call`, and returns as an Error that the CPU kernel did not converge.
template <class Call>
Result<void> on_cpu(const Call& call) {
  try {
    call();
  } catch (const SvdNotConverged& failure) {
    return error(Error::Kind::execution, failure.what());
  }
  return {};
}

}  // namespace assay::metal::host
