// The dispatches that decompose some matrices, in order. Each may read what those before it wrote.
//
//   load, a round of each sweep, one or more times finish
//
// A round is one dispatch of svd_sweeps, which may take several sweeps; or the steps of a round robin, then svd_settle.
#pragma once

#include <cstddef>
#include <cstdint>

#include "metal/host/svd/kernels.h"
#include "metal/host/svd/statement.h"

namespace assay::metal::host {

using SvdDispatch = Dispatch<svd::Shape>;

class SvdDispatches {
 public:
  explicit SvdDispatches(const SvdStatement& statement);

  std::size_t count() const { return 1 + rounds_ * round_ + finishes_; }
  /// The dispatches of a round, and the number of rounds until the limit of sweeps.
  std::size_t round() const { return round_; }
  std::size_t rounds() const { return rounds_; }
  /// The last dispatches, which finish.
  std::size_t finishes() const { return finishes_; }

  /// Dispatch n of the decomposition of `matrices` matrices.
  SvdDispatch at(std::size_t n, const SvdStatement& statement, const SvdKernels& kernels, std::uint64_t matrices) const;

 private:
  SvdDispatch rotate(std::size_t n, const SvdStatement& statement, const SvdKernels& kernels,
                     std::uint64_t matrices) const;
  SvdDispatch finish(std::size_t n, const SvdStatement& statement, const SvdKernels& kernels,
                     std::uint64_t matrices) const;

  std::size_t round_, rounds_, finishes_;
};

}  // namespace assay::metal::host
