// The singular value decomposition on a device, by one-sided Jacobi rotations; on the CPU where there is no device.
//
//   A [B, M, N]  ->  U [B, M, K], S [B, K] float32, Vh [B, K, N],   A_b = U_b diag(S_b) Vh_b,   K = min(M, N)
//
//   const Result<Svd> svd = Svd::create(device);
//   const Result<void> done = (*svd)(problem, {U, S, Vh});     // spans in, spans out; U and Vh may be empty
//
// Results are what metal::svd promises (metal/cpu/svd/svd.h) of matrices whose singular values lie within 2^88 of each
// other: metal/kernels/svd/interface.h has the range. Refusals are those of metal::svd: a problem that is none, an
// output of another size, or an element that is not finite throws std::invalid_argument with the same text, before
// anything is allocated or written. What a device cannot do comes back as an Error, and so do matrices whose rotations
// do not converge.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>

#include "metal/cpu/svd/svd.h"
#include "metal/device/device.h"
#include "metal/host/pipelines.h"
#include "metal/host/svd/statement.h"

namespace assay::metal {

using host::SvdPath;

struct SvdOptions {
  SvdPath path = SvdPath::production;
  /// After so many sweeps that all rotated something, an error: at least 1. Gaussian matrices of 64 columns take 9, of
  /// 256 columns 13; Hilbert's of 64 columns 17.
  std::uint32_t max_sweeps = 60;
  /// What matrices may take on the device, inputs, outputs and what lies in between: there are as many of them at a
  /// time as that allows, at least one. 0: a quarter of what the device recommends. Results do not depend on it.
  std::uint64_t workspace_bytes = 0;
  std::filesystem::path kernels = {};  ///< svd.metal; empty: as installed, else of the source tree
};

/// May be called from several threads at once: calls allocate and encode one after the other, for an allocation makes
/// stale every encoder of the device. Whoever else allocates on the device, at the same time, does that to this one
/// too.
class Svd {
 public:
  /// `device`: may be null, and the CPU then does everything. Errors: argument, for max_sweeps = 0; those of
  /// Device::new_library_from_file.
  static Result<Svd> create(std::shared_ptr<Device> device, const SvdOptions& options = {});

  /// Of a library of the device's, in the place of options.kernels. Errors: argument, for one without the other too.
  static Result<Svd> create(std::shared_ptr<Device> device, std::shared_ptr<Library> library,
                            const SvdOptions& options = {});

  /// Whether the device does matrices of this type, or the CPU: always of double, where there is no device, and of
  /// bfloat where the library has none, as before Metal 3.1.
  template <class Real>
  bool is_on_device() const;

  /// Writes every element of the outputs; on an error they may hold anything. Real: float, double, Half or BFloat16.
  /// Errors: limit, for extents of more than 2^31 by 2^20; execution, naming the matrix, where max_sweeps was reached;
  /// those of the device, after what was being done. Throws std::invalid_argument: see above.
  template <class Real>
  Result<void> operator()(const reference::SvdProblem<Real>& problem, const SvdOutput<Real>& output) const;

  /// The rSVD: `randomized.rank` singular triplets stand in the place of K. Equal seeds give equal bits, on one kind of
  /// device. Errors and exceptions: as above; std::invalid_argument for whatever reference::validate refuses of
  /// `randomized`.
  template <class Real>
  Result<void> randomized(const reference::SvdProblem<Real>& problem, const reference::RandomizedSvd& randomized,
                          const SvdOutput<Real>& output) const;

  /// Compiles the kernels again where their file has changed, and says whether it had. Without a device: false.
  /// Errors: compile, environment; the kernels then stay as they were.
  Result<bool> reload_if_changed() const;

 private:
  Svd(std::shared_ptr<Device> device, std::shared_ptr<CommandQueue> queue, std::shared_ptr<host::Pipelines> pipelines,
      SvdOptions options)
      : device_(std::move(device)),
        queue_(std::move(queue)),
        pipelines_(std::move(pipelines)),
        options_(std::move(options)) {}

  /// What the device makes of a valid problem.
  template <class Real>
  Result<void> compute(const reference::SvdProblem<Real>& problem, const SvdOutput<Real>& output) const;

  std::shared_ptr<Device> device_;  ///< may be null, as queue and pipelines then are
  std::shared_ptr<CommandQueue> queue_;
  std::shared_ptr<host::Pipelines> pipelines_;
  std::shared_ptr<std::mutex> mutex_ = std::make_shared<std::mutex>();
  SvdOptions options_;
};

}  // namespace assay::metal
