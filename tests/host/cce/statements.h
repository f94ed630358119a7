// Statements of problems without arrays: what dispatches and buffers are made from.
#pragma once

#include "metal/host/cce/statement.h"
#include "tests/kernels/cce/case.h"

namespace assay::metal::test {

using host::CcePath;

/// In float, none ignored, in chunks of the usual size.
inline host::CceStatement statement_of(std::uint64_t N, std::uint64_t H, std::uint64_t V, CcePath path,
                                       const host::CceWork& work = {true, true, true, true}) {
  CceProblem<float> problem;
  problem.N = static_cast<std::int64_t>(N);
  problem.H = static_cast<std::int64_t>(H);
  problem.V = static_cast<std::int64_t>(V);
  host::CceStatement statement = host::cce_statement(problem, N, work, path);
  statement.has_bias = work.dbias;
  statement.chunk = 16384;
  return statement;
}

}  // namespace assay::metal::test
