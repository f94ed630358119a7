// The shipped kernels in the algebraic twin: production and plain path compute the reference's formula, element by
// element, although the exponentials of one are polynomials and its numbers mantissas and exponents.
#include <gtest/gtest.h>

#include "metal/device/or_throw.h"
#include "metal/device/shader_source.h"
#include "metal/emulator/numerics/algebra.h"
#include "metal/host/kernel_file.h"
#include "reference/cce/outcome.h"
#include "reference/ctc/batch.h"
#include "reference/formula/followed.h"
#include "tests/host/operations.h"
#include "tests/replaced.h"

namespace assay::metal::test {
namespace {

using reference::Comparison;
using reference::Followed;

struct Counts {
  int equal = 0, different = 0, undecided = 0;
};

class AlgebraOfShippedKernels : public testing::Test {
 protected:
  static std::shared_ptr<emulator::EmulatorDevice> following() {
    emulator::EmulatorOptions options;
    options.with_algebra = true;
    return std::make_shared<emulator::EmulatorDevice>(options);
  }

  template <class Real>
  void compare_with(const std::vector<Followed>& truth, const std::vector<Real>& results) {
    ASSERT_EQ(truth.size(), results.size());
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const auto value = static_cast<double>(results[i]);
      if (!std::isfinite(value)) continue;
      if (!device_->algebra()->is_copied(&results[i])) {
        EXPECT_EQ(value, 0) << i;  // of rows that the host knows without the device
        continue;
      }
      const auto residue = device_->algebra()->residue_at(&results[i], value);
      const Comparison found = compare(truth[i], Followed(value, residue));
      counts_.equal += found == Comparison::equal ? 1 : 0;
      counts_.different += found == Comparison::different ? 1 : 0;
      counts_.undecided += found != Comparison::equal && found != Comparison::different ? 1 : 0;
    }
  }

  template <class Real>
  void run(const Batch& batch, const CtcLoss& loss) {
    device_->algebra()->clear();
    counts_ = {};
    const TypedCtc<Real> typed(batch);
    CtcResults<Real> results(typed.problem());
    or_throw(loss(typed.problem(), results.spans()));
    const auto truth = reference::ctc_outcome<Followed>(typed.problem());
    compare_with(truth.loss, results.loss);
    compare_with(truth.gradient, results.gradient);
  }

  template <class Real>
  void run(const CceCase& c, const LinearCrossEntropy& loss) {
    device_->algebra()->clear();
    counts_ = {};
    const Typed<Real> typed(c);
    CceResults<Real> results(typed.problem());
    or_throw(loss(typed.problem(), results.spans()));
    const auto truth = reference::cce_outcome<Followed>(typed.problem());
    compare_with(truth.loss, results.loss);
    compare_with(truth.dhidden, results.dhidden);
    compare_with(truth.dweight, results.dweight);
    compare_with(truth.dbias, results.dbias);
  }

  /// The production path packs numbers into integers and shuffles these: what becomes of them is not judged.
  void expect_equal(KernelPath path, int least_equal) const {
    EXPECT_EQ(counts_.different, 0);
    EXPECT_GE(counts_.equal, least_equal);
    if (path == KernelPath::plain) {
      EXPECT_EQ(counts_.undecided, 0);
    }
  }

  std::shared_ptr<emulator::EmulatorDevice> device_ = following();
  Counts counts_;
};

TEST_F(AlgebraOfShippedKernels, CtcIsItsReference) {
  for (const KernelPath path : {KernelPath::production, KernelPath::plain}) {
    const auto loss = CtcLoss::create(device_, {.path = path}).value();
    for (const CtcInput input : {CtcInput::logits, CtcInput::log_probs}) {
      Batch batch = ragged_batch();
      batch.options.input = input;
      fill(batch);
      run<float>(batch, loss);
      expect_equal(path, 100);
    }
  }
}

TEST_F(AlgebraOfShippedKernels, CrossEntropyIsItsReference) {
  for (const KernelPath path : {KernelPath::production, KernelPath::plain}) {
    const auto loss = LinearCrossEntropy::create(device_, {.path = path}).value();
    run<float>(some_cce(6, 5, 19, true), loss);
    expect_equal(path, 100);
    CceCase capped = some_cce(4, 3, 7);
    capped.logit_softcap = 4;
    run<float>(capped, loss);
    expect_equal(path, 1);
  }
}

}  // namespace
}  // namespace assay::metal::test
