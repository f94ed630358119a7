// LinearCrossEntropy's calls of a device, each of which may fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metal/host/cce/cce.h"
#include "tests/host/device_calls.h"
#include "tests/kernels/cce/case.h"

namespace assay::metal::test {
namespace {

constexpr std::uint64_t N = 4, H = 3, V = 7;

/// Four tokens, of which one is ignored, with a bias.
HostRun small_run() {
  struct Arrays {
    Typed<float> typed{some_cce(N, H, V, true)};
    CceResults<float> results{typed.problem()};
  };
  auto arrays = std::make_shared<Arrays>();
  const auto run = [arrays](HostStream& stream) -> Result<void> {
    const Result<LinearCrossEntropy> loss = LinearCrossEntropy::create(stream.device, {.kernels = "absent.metal"});
    if (!loss) return tl::unexpected(loss.error());
    return (*loss)(arrays->typed.problem(), arrays->results.spans());
  };
  const auto are_untouched = [arrays] {
    const CceResults<float>& results = arrays->results;
    return std::ranges::all_of(
        std::initializer_list<const std::vector<float>*>{&results.loss, &results.dhidden, &results.dweight,
                                                         &results.dbias},
        [](const auto* values) { return std::ranges::all_of(*values, [](float x) { return x == 12345.0F; }); });
  };
  return {run, are_untouched};
}

TEST(CceFailures, AreToldAndLeaveNothingBehind) {
  expect_each_failure_is_told(small_run);
}

TEST(CceCalls, AreInOrder) {
  expect_calls_in_order(small_run, 1);
}

TEST(CceCalls, AreOnBuffersAsLongAsTheirShapesNeed) {
  constexpr std::uint64_t M = 3;  // the tokens that are not ignored
  expect_buffers(small_run, {{"cce tokens", M * sizeof(cce::Token)},
                             {"cce hidden", N * H * 4},
                             {"cce weight", V * H * 4},
                             {"cce bias", V * 4},
                             {"cce lse", M * sizeof(cce::LogSum)},
                             {"cce losses", M * 4},
                             {"cce states", M * sizeof(cce::State)},
                             {"cce sums", std::uint64_t{cce::tile_rows} * cce::slab * 4},
                             {"cce dhidden", N * H * 4},
                             {"cce dweight", V * H * 4},
                             {"cce dbias", V * 4}});
}

TEST(CceFailures, OfTheCommandsAreTold) {
  expect_failed_commands_are_told(small_run);
}

TEST(CceFailures, EndTheEncoder) {
  expect_encoder_is_ended(small_run);
}

}  // namespace
}  // namespace assay::metal::test
