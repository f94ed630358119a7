// Faults of the rSVD.
#include <cmath>

#include "validation/svd/faults/faults.h"
#include "validation/svd/faults/plain_kernel.h"

namespace assay::validation::svd {
namespace {

struct OversamplingIgnored final : PlainSvdKernel {
  static constexpr FaultNote note{"oversampling-ignored",
                                  "the subspace has as many dimensions as triplets are asked for", "randomized"};
  std::int64_t samples(const Work&, const reference::RandomizedSvd& randomized) const override {
    return randomized.rank;
  }
};

struct SketchNotOrthonormal final : PlainSvdKernel {
  static constexpr FaultNote note{"basis-not-orthonormal", "the columns of the sketch are normalised and no more",
                                  "randomized"};
  void orthonormalise(Columns& columns) const override {
    for (Column& column : columns) {
      const double squares = dot(column, column);
      for (double& element : column) element /= squares > 0 ? std::sqrt(squares) : 1;
    }
  }
};

struct OneTooFew final : PlainSvdKernel {
  static constexpr FaultNote note{"last-triplet-missing", "the basis has rank - 1 vectors, and one of zeros",
                                  "randomized"};
  void orthonormalise(Columns& columns) const override {
    PlainSvdKernel::orthonormalise(columns);
    if (columns.size() > 1) columns.back().assign(columns.back().size(), 0.0);
  }
};

}  // namespace

std::vector<SvdFault> randomized_faults() {
  return plant_all<SvdOperation, OversamplingIgnored, SketchNotOrthonormal, OneTooFew>(plain_svd_kernel());
}

}  // namespace assay::validation::svd
