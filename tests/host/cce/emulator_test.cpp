// LinearCrossEntropy with its kernels on the emulator, by every way through the host; and the emulator, which checks
// each access, has nothing to report. How exact the kernels are is for tests/kernels.
#include <gmock/gmock.h>

#include "metal/device/or_throw.h"
#include "metal/host/cce/cce.h"
#include "tests/host/device_batch.h"
#include "tests/kernels/cce/case.h"

namespace assay::metal::test {
namespace {

class CceOnEmulator : public testing::Test {
 protected:
  LinearCrossEntropy loss(const CceOptions& options = {}) const {
    return LinearCrossEntropy::create(device_, options).value();
  }
  void TearDown() override { expect_no_reports(*device_); }

  std::shared_ptr<emulator::EmulatorDevice> device_ = emulated();
};

template <class Real>
CceResults<Real> results_of(const LinearCrossEntropy& loss, const CceCase& c) {
  const Typed<Real> typed(c);
  CceResults<Real> results(typed.problem());
  or_throw(loss(typed.problem(), results.spans()));
  return results;
}

/// `tolerance`: of wiring, not of accuracy.
template <class Real>
void expect_near_exact(const LinearCrossEntropy& loss, const CceCase& c, double tolerance, const std::string& what) {
  const CceResults<Real> results = results_of<Real>(loss, c);
  const CceExact exact = exact_cce(Typed<Real>(c).problem());
  const auto expect_near = [&](const auto& got, const std::vector<double>& expected) {
    ASSERT_EQ(got.size(), expected.size()) << what;
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_NEAR(float{got[i]}, expected[i], tolerance * (1 + std::abs(expected[i]))) << what << " " << i;
  };
  expect_near(results.loss, exact.loss);
  expect_near(results.dhidden, exact.dhidden);
  expect_near(results.dweight, exact.dweight);
  expect_near(results.dbias, exact.dbias);
}

TEST_F(CceOnEmulator, DoesEveryTypePathAndReduction) {
  for (const CcePath path : {CcePath::production, CcePath::plain}) {
    const LinearCrossEntropy host = loss({.path = path});
    for (const Reduction reduction : {Reduction::none, Reduction::sum, Reduction::mean}) {
      CceCase c = some_cce(9, 11, 40, true);
      c.reduction = reduction;
      c.upstream.assign(c.loss_size(), -1.5F);
      expect_near_exact<float>(host, c, 1e-5, "float");
      expect_near_exact<Half>(host, c, 2e-3, "half");
      expect_near_exact<BFloat16>(host, c, 2e-2, "bfloat");
    }
  }
}

TEST_F(CceOnEmulator, KeepsIgnoredTokensOut) {
  CceCase c = some_cce(9, 11, 40, true);
  const CceResults<float> results = results_of<float>(loss(), c);
  for (const std::size_t n : {3U, 8U}) {
    EXPECT_EQ(results.loss[n], 0.0F);
    for (std::size_t h = 0; h < 11; ++h) EXPECT_EQ(results.dhidden[n * 11 + h], 0.0F);
  }
}

TEST_F(CceOnEmulator, GivesEqualBitsOnRepeatAndInAnyChunk) {
  const CceCase c = some_cce(50, 11, 70, true);
  const LinearCrossEntropy host = loss();
  const CceResults<float> whole = results_of<float>(host, c);
  EXPECT_EQ(results_of<float>(host, c), whole);
  EXPECT_EQ(results_of<float>(loss({.chunk = 32}), c), whole);
  EXPECT_EQ(results_of<float>(loss({.workspace_bytes = 1}), c), whole);
}

}  // namespace
}  // namespace assay::metal::test
