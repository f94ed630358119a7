// Faults that hide in the worst case of log space in float32 over thousands of frames, and not in a random walk.
#include <cmath>

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

struct RoundsTowardZero final : FloatLogSpace {
  static constexpr FaultNote note{
      "rounds-toward-zero",
      "sums are truncated, as in some matrix units: all errors of thousands of frames point one way",
      "random-rounding"};
  float narrow(double x) const override {
    const float nearest = FloatLogSpace::narrow(x);
    return std::abs(double{nearest}) > std::abs(x) ? std::nextafter(nearest, 0.0F) : nearest;
  }
};

struct FrameWithoutProbability final : FloatLogSpace {
  static constexpr FaultNote note{"frame-without-probability",
                                  "the step into a new chunk, of 4096 frames, leaves out the probability of its label",
                                  "random-rounding"};
  double alpha_step(const Row& row, std::int64_t t, std::int64_t s) const override {
    const double step = FloatLogSpace::alpha_step(row, t, s);
    return t > 0 && t % 4096 == 0 ? step - row.log_y_of(t, s) : step;
  }
};

}  // namespace

std::vector<CtcFault> rounding_faults() {
  auto faults = plant_all<CtcOperation, RoundsTowardZero, FrameWithoutProbability>(plain_ctc_kernel());
  for (CtcFault& fault : faults) fault.needs_reach = true;
  return faults;
}

}  // namespace assay::validation
