// One run of a kernel on a case, with its outputs poisoned beforehand and guarded on both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/svd/problem.h"
#include "validation/core/guarded_output.h"
#include "validation/svd/case.h"
#include "validation/svd/kernel.h"

namespace assay::validation {

struct SvdRunOptions {
  SvdRequest request = {};
  bool vectors = true;
  std::optional<reference::RandomizedSvd> randomized = std::nullopt;  ///< the rSVD, in the place of the whole one
  // Elements of an output beyond, or below, those due.
  int extra_U = 0;
  int extra_S = 0;
  int extra_Vh = 0;
  bool U_alone = false;           ///< U is asked for, and Vh is not
  bool S_of_other_type = false;   ///< S is given in the other of float32 and float64
  bool Vh_of_other_type = false;  ///< Vh is given in another type than A
};

/// Results as float64, in which those of the other types are exact.
struct SvdRun : BasicRun {
  std::int64_t M = 0, N = 0;
  std::int64_t K = 0;      ///< triplets a matrix
  std::vector<double> U;   ///< [B, M, K]
  std::vector<double> S;   ///< [B, K]
  std::vector<double> Vh;  ///< [B, K, N]

  double u(std::int64_t b, std::int64_t i, std::int64_t k) const { return U[index((b * M + i) * K + k)]; }
  double s(std::int64_t b, std::int64_t k) const { return S[index(b * K + k)]; }
  double vh(std::int64_t b, std::int64_t k, std::int64_t j) const { return Vh[index((b * K + k) * N + j)]; }

 private:
  static std::size_t index(std::int64_t at) { return static_cast<std::size_t>(at); }
};

/// Runs the kernel whatever it does with bad arguments. Exceptions other than std::invalid_argument pass through.
SvdRun run_kernel(const SvdKernel& kernel, const SvdCase& c, const SvdRunOptions& options = {});

/// As run_kernel, for a problem that is valid: a refusal throws RefusedValidProblem, and one that the kernel does not
/// claim to do throws Unsupported.
SvdRun run_valid(const SvdKernel& kernel, const SvdCase& c, const SvdRunOptions& options = {});

}  // namespace assay::validation
