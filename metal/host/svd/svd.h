// The singular value decomposition on a device, by one-sided Jacobi rotations; on the CPU if there is no device.
//
//   A [B, M, N]  ->  U [B, M, K], S [B, K] float32, Vh [B, K, N],   A_b = U_b diag(S_b) Vh_b,   K = min(M, N)
//
//   const Result<Svd> svd = Svd::create(device);
//   const Result<void> done = (*svd)(problem, {U, S, Vh});     // synchronous: spans in, spans out; U, Vh may be empty
//   const Result<SvdPlan> plan = svd->prepare(problem, true);  // asynchronous: plan.h
//
// Results are as accurate as those of metal::svd (metal/cpu/svd/svd.h) if the singular values are within a factor of
// 2^88 of each other; metal/kernels/svd/interface.h states the range. Refusals are those of metal::svd: an invalid
// problem, an output of the wrong size or an element that is not finite throws std::invalid_argument with the same
// text, before anything is allocated or written. What a device cannot do is returned as an Error, and so is a matrix
// whose rotations do not converge.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "metal/cpu/svd/svd.h"
#include "metal/device/device.h"
#include "metal/host/operation.h"
#include "metal/host/svd/plan.h"
#include "metal/host/svd/statement.h"

namespace assay::metal {

using host::SvdPath;

struct SvdOptions {
  SvdPath path = SvdPath::production;
  /// It is an error if columns are not orthogonal after this many sweeps. At least 1. Gaussian matrices of 64 columns
  /// take 9, of 256 columns 13; the Hilbert matrix of 64 columns takes 17.
  std::uint32_t max_sweeps = 60;
  /// Bytes for inputs, outputs and intermediate results on the device. As many matrices are computed at a time as this
  /// allows, at least one. 0: a quarter of the working set that the device recommends. Results do not depend on it.
  std::uint64_t workspace_bytes = 0;
  /// Work of a command buffer: metal/host/work.h. Results do not depend on it.
  std::uint64_t max_work = host::default_max_work;
  std::filesystem::path kernels = {};  ///< svd.metal; empty: the installed file, else that of the source tree
};

class Svd : public host::Operation<Svd, SvdOptions> {
 public:
  static constexpr const char* kernel_file = "svd/svd.metal";
  /// Errors: argument, for max_sweeps = 0.
  static Result<void> check(const SvdOptions& options);
  std::string bfloat_kernel() const;

  /// Writes every element of the outputs; after an error their contents are undefined. Real: float, double, Half or
  /// BFloat16. Errors: limit, for extents of more than 2^31 by 2^20; execution, with the number of the matrix, if
  /// max_sweeps was reached; those of the device, preceded by the step that failed. Throws std::invalid_argument: see
  /// above.
  template <class Real>
  Result<void> operator()(const reference::SvdProblem<Real>& problem, const SvdOutput<Real>& output) const;

  /// Prepares buffers and pipelines for problems of this shape: plan.h. Ignores the elements; those that are encoded
  /// later must be finite. Real: float, Half or BFloat16. Errors and exceptions: as above; environment, if the device
  /// does not support the type.
  template <class Real>
  Result<SvdPlan> prepare(const reference::SvdProblem<Real>& problem, bool with_vectors) const;

  /// The rSVD: K is `randomized.rank`. Equal seeds give equal bits on devices of the same kind. Errors and exceptions:
  /// as above; std::invalid_argument also for what reference::validate refuses of `randomized`.
  template <class Real>
  Result<void> randomized(const reference::SvdProblem<Real>& problem, const reference::RandomizedSvd& randomized,
                          const SvdOutput<Real>& output) const;

  using Operation::Operation;

 private:
  /// Computes a valid problem on the device.
  template <class Real>
  Result<void> compute(const reference::SvdProblem<Real>& problem, const SvdOutput<Real>& output) const;
};

}  // namespace assay::metal
