// Svd's calls of a device, each of which may fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metal/host/svd/svd.h"
#include "tests/host/device_calls.h"
#include "tests/kernels/svd/case.h"

namespace assay::metal::test {
namespace {

constexpr std::uint64_t M = 4, N = 3;

HostRun small_run(SvdPath path) {
  struct Arrays {
    TypedSvd<float> typed{some_svd(M, N)};
    SvdResults<float> results{typed.problem()};
  };
  auto arrays = std::make_shared<Arrays>();
  const auto run = [arrays, path](HostStream& stream) -> Result<void> {
    const Result<Svd> svd = Svd::create(stream.device, {.path = path, .kernels = "absent.metal"});
    if (!svd) return tl::unexpected(svd.error());
    return (*svd)(arrays->typed.problem(), arrays->results.spans());
  };
  const auto are_untouched = [arrays] {
    const SvdResults<float>& results = arrays->results;
    return std::ranges::all_of(
        std::initializer_list<const std::vector<float>*>{&results.U, &results.S, &results.Vh},
        [](const auto* values) { return std::ranges::all_of(*values, [](float x) { return x == 12345.0F; }); });
  };
  return {run, are_untouched};
}

class SvdCalls : public testing::TestWithParam<SvdPath> {
 protected:
  NewHostRun new_run_ = [] { return small_run(GetParam()); };
};

TEST_P(SvdCalls, AreToldWhereTheyFail) {
  expect_each_failure_is_told(new_run_);
}

/// The plain path waits for convergence before it finishes.
TEST_P(SvdCalls, AreInOrder) {
  expect_calls_in_order(new_run_, GetParam() == SvdPath::plain ? 2 : 1);
}

TEST_P(SvdCalls, AreOnBuffersAsLongAsTheirShapesNeed) {
  constexpr std::uint64_t K = 3, padded = 4;  // columns, and rounded up to pairs
  expect_buffers(new_run_, {{"svd matrices", M * N * 4},
                            {"svd work", padded * M * 4},
                            {"svd rotations", padded * K * 4},
                            {"svd exponents", 4},
                            {"svd norms", K * 4},
                            {"svd order", K * 4},
                            {"svd status", 4},
                            {"svd projections", K * 4},
                            {"svd left", M * K * 4},
                            {"svd values", K * 4},
                            {"svd right", K * N * 4}});
}

TEST_P(SvdCalls, TellWhatStoppedTheCommands) {
  expect_failed_commands_are_told(new_run_);
}

TEST_P(SvdCalls, EndTheEncoderOnAnError) {
  expect_encoder_is_ended(new_run_);
}

INSTANTIATE_TEST_SUITE_P(All, SvdCalls, testing::Values(SvdPath::production, SvdPath::plain),
                         [](const auto& path) { return path.param == SvdPath::plain ? "plain" : "production"; });

}  // namespace
}  // namespace assay::metal::test
