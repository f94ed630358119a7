// LinearCrossEntropy with its kernels on the emulator, and the error of its results.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "metal/device/or_throw.h"
#include "metal/host/cce/cce.h"
#include "reference/cce/outcome.h"
#include "tests/kernels/cce/case.h"
#include "tests/kernels/emulated.h"

namespace assay::metal::test {

class CceBench {
 public:
  explicit CceBench(const CceOptions& options = {}, const emulator::EmulatorOptions& emulator = {})
      : device_(std::make_shared<emulator::EmulatorDevice>(emulator)),
        loss_(or_throw(LinearCrossEntropy::create(device_, options))) {}
  /// Kernels of this text instead of cce.metal.
  CceBench(const CceOptions& options, const emulator::EmulatorOptions& emulator, const std::string& source)
      : device_(std::make_shared<emulator::EmulatorDevice>(emulator)),
        loss_(or_throw(LinearCrossEntropy::create(device_, or_throw(device_->new_library(source)), options))) {}

  template <class Real = float>
  CceResults<Real> run(const CceCase& c) const {
    const Typed<Real> typed(c);
    CceResults<Real> results(typed.problem());
    or_throw(loss_(typed.problem(), results.spans()));
    return results;
  }

  const LinearCrossEntropy& loss() const { return loss_; }
  emulator::EmulatorDevice& device() const { return *device_; }

  /// The findings of the checks so far, as text; empty if there are none.
  std::string reports() const { return text_of_reports(*device_); }

 private:
  std::shared_ptr<emulator::EmulatorDevice> device_;
  LinearCrossEntropy loss_;
};

/// The largest error of an array, in units of the largest of its exact values (at least 1e-30). NaN stays.
template <class Real>
double relative_error(const std::vector<Real>& results, const std::vector<double>& exact) {
  double worst = 0, size = 1e-30;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double result = double{float{results[i]}};
    const double error = result == exact[i] ? 0 : std::abs(result - exact[i]);
    worst = error <= worst ? worst : error;
    if (std::isnan(error)) return error;
    size = std::max(size, std::abs(exact[i]));
  }
  return worst / size;
}

/// The relative error of each loss, or the absolute one below `min_size`; that of gradients is relative_error().
struct Tolerance {
  double loss = 1e-6, gradient = 2e-6;
  double min_size = 0;
};

/// The plain path adds one term after the other, and subtracts such sums.
inline Tolerance tolerance_of(CcePath path) {
  return path == CcePath::plain ? Tolerance{1e-6, 1e-5, 1} : Tolerance{};
}

/// For matrices of bfloat: the loss has exact products, summed in float; gradients have 8 bits, as dL/dz before them.
constexpr Tolerance bfloat_tolerance{2e-6, 0x1p-7, 0x1p-10};

template <class Real>
void expect_exact(const CceResults<Real>& results, const CceCase& c, const Tolerance& tolerance,
                  const std::string& what = "") {
  const Typed<Real> typed(c);
  const auto exact = reference::cce_outcome<double>(typed.problem());
  for (std::size_t n = 0; n < exact.loss.size(); ++n) {
    const double error = std::abs(double{results.loss[n]} - exact.loss[n]);
    if (!(double{results.loss[n]} == exact.loss[n] ||
          error <= tolerance.loss * std::max(std::abs(exact.loss[n]), tolerance.min_size)))
      ADD_FAILURE() << what << ": loss[" << n << "] = " << results.loss[n] << ", expected " << exact.loss[n];
  }
  const double of_hidden = relative_error(results.dhidden, exact.dhidden);
  const double of_weight = relative_error(results.dweight, exact.dweight);
  const double of_bias = relative_error(results.dbias, exact.dbias);
  EXPECT_LE(of_hidden, tolerance.gradient) << what;
  EXPECT_LE(of_weight, tolerance.gradient) << what;
  EXPECT_LE(of_bias, tolerance.gradient) << what;
}

}  // namespace assay::metal::test
