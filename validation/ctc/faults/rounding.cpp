// A fault that hides in the worst case of log space in float32 over thousands of frames, and not in a random walk.
#include <bit>
#include <cmath>
#include <cstdint>

#include "validation/ctc/faults/faults.h"
#include "validation/ctc/faults/plain_kernel.h"

namespace assay::validation {
namespace {

/// ln alpha and ln beta stored as float32.
class FloatLogSpace : public PlainCtcKernel {
 public:
  FloatLogSpace() { info_.unit_roundoff = 0x1p-24; }

 protected:
  virtual float narrow(double x) const { return static_cast<float>(x); }

  double log_add(double a, double b) const override { return double{narrow(PlainCtcKernel::log_add(a, b))}; }
  double alpha_step(const Row& row, std::int64_t t, std::int64_t s) const override {
    return double{narrow(PlainCtcKernel::alpha_step(row, t, s))};
  }
  double beta_step(const Row& row, std::int64_t t, std::int64_t s) const override {
    return double{narrow(PlainCtcKernel::beta_step(row, t, s))};
  }
};

struct SumsTruncated final : FloatLogSpace {
  static constexpr FaultNote note{
      "sums-truncated", "sums keep 23 bits, the rest is cut off: the errors of thousands of frames point one way",
      "random-rounding"};
  float narrow(double x) const override {
    const float cut = std::bit_cast<float>(std::bit_cast<std::uint32_t>(FloatLogSpace::narrow(x)) & ~std::uint32_t{1});
    return std::isfinite(cut) ? cut : FloatLogSpace::narrow(x);
  }
};

}  // namespace

std::vector<CtcFault> rounding_faults() {
  auto faults = plant_all<CtcOperation, SumsTruncated>(plain_ctc_kernel());
  for (CtcFault& fault : faults) fault.needs_sizes = true;
  return faults;
}

}  // namespace assay::validation
