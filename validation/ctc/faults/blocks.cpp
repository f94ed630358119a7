// Faults of kernels that take the states of a row in blocks, one state a thread: wrong from as many states on as a
// block has threads. They declare float32, as kernels do by default.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "validation/ctc/faults/faults.h"
#include "validation/ctc/faults/plain_kernel.h"

namespace assay::validation {
namespace {

class InBlocks : public PlainCtcKernel {
 public:
  explicit InBlocks(std::int64_t block) : block_(block) {
    info_.unit_roundoff = 0x1p-24;
    info_.random_rounding = false;
  }

 protected:
  std::int64_t block_;
};

/// PyTorch 2.15's kernel for Apple GPUs: one sweep for alpha and beta walks the blocks upwards, all frames of a block
/// before the next. States of the next block, which beta needs, are not there yet.
class BetaUpwards final : public InBlocks {
 public:
  using InBlocks::InBlocks;

 private:
  void backward(Row& row) const override {
    const std::int64_t last = row.frames - 1;
    row.beta = LogMatrix(row.frames, row.L(), log_zero);
    for (std::int64_t first = 0; first < row.L(); first += block_)
      for (std::int64_t t = last; t >= 0; --t)
        for (std::int64_t s = first; s < std::min(first + block_, row.L()); ++s)
          row.beta(t, s) = t == last ? beta_last(row, t, s) : beta_step(row, t, s);
  }
};

/// A posterior near 1 is taken for 0 where the states are more than a block's.
class CertaintyLost final : public InBlocks {
 public:
  using InBlocks::InBlocks;

 private:
  double posterior(const Row& row, std::int64_t t, std::int64_t k, double gathered) const override {
    const double found = PlainCtcKernel::posterior(row, t, k, gathered);
    return row.L() > block_ && found > 0.999 ? 0 : found;
  }
};

template <class Faulty>
CtcFault of_block(const std::string& name, const std::string& description, const std::string& caught_by,
                  std::int64_t block) {
  const auto fresh = [=]() -> std::shared_ptr<const CtcKernel> {
    auto kernel = std::make_shared<Faulty>(block);
    kernel->rename("fault:" + name);
    return kernel;
  };
  CtcFault fault{name, description, caught_by, fresh(), plain_ctc_kernel()};
  fault.fresh = fresh;
  fault.needs_sizes = true;
  return fault;
}

}  // namespace

std::vector<CtcFault> block_faults() {
  std::vector<CtcFault> faults;
  for (const std::int64_t block : {64, 128, 256, 512, 1024}) {
    const std::string size = std::to_string(block);
    faults.push_back(of_block<BetaUpwards>("beta-upwards-" + size,
                                           "beta by blocks of " + size +
                                               " states upwards reads the next block too "
                                               "early: PyTorch 2.15 on Apple GPUs",
                                           "gradient", block));
    faults.push_back(of_block<CertaintyLost>("certainty-lost-" + size,
                                             "with more than " + size +
                                                 " states a posterior of 1 is lost: the "
                                                 "gradient is 1 at the label of a certain frame",
                                             "gradient", block));
  }
  return faults;
}

}  // namespace assay::validation
