// Each barrier of the kernels is needed: whatever is taken from one, some dispatch is reported.
#include <functional>

#include "metal/host/svd/multiply.h"
#include "tests/kernels/svd/bench.h"

namespace assay::metal::test {
namespace {

using emulator::Report;

/// `run` dispatches the kernels of the source on the bench.
void sweep(const Result<std::string>& source, std::size_t min_reported,
           const std::function<void(SvdBench&, const std::string&)>& run) {
  expect_each_barrier_needed(source, min_reported,
                             [&](const emulator::BarrierChange& change) -> Result<std::vector<Report>> {
                               emulator::EmulatorOptions options;
                               options.barrier_change = change;
                               SvdBench bench(options);
                               run(bench, *source);
                               return bench.device().reports();
                             });
}

/// A mutant need not converge.
void try_some(SvdBench& bench, const char* way, const SvdCase& c, std::uint32_t max_sweeps) {
  bench.max_sweeps = max_sweeps;
  const TypedSvd<float> typed(c);
  SvdResults<float> results(typed.problem());
  (void)bench.try_run(svd_way(way), typed.problem(), results);
}

/// Two columns to rotate, and two to complete.
SvdCase deficient_case() {
  SvdCase c = some_svd(5, 4);
  for (std::size_t i = 0; i < c.A.size(); i += 4) c.A[i] = c.A[i + 2] = 0;
  return c;
}

TEST(SvdBarriers, OfSweepsAreEachNeeded) {
  const auto source = some_kernels("svd", {"finish", "load", "sweeps"},
                                   {{"svd_load_float", "load<float>"},
                                    {"svd_finish_float", "finish<float>"},
                                    {"svd_sweeps_8_threadgroup", "sweeps_threadgroup<8>"}});
  sweep(source, 30, [](SvdBench& bench, const std::string& text) {
    bench.use(text);
    try_some(bench, "sweeps_8_shared", some_svd(12, 12), 20);
    for (const SvdCase& c : {some_svd(12, 12), deficient_case()}) try_some(bench, "sweeps_8_threadgroup", c, 20);
  });
}

TEST(SvdBarriers, OfStepsAndProductsAreEachNeeded) {
  const auto source = some_kernels("svd", {"block", "multiply", "plain"}, {});
  const std::vector<float> elements(17 * 33, 1.0F);
  sweep(source, 15, [&](SvdBench& bench, const std::string& text) {
    bench.rotate_by(text);
    try_some(bench, "pairs", some_svd(33, 3), 1);
    try_some(bench, "blocks", some_svd(4, 4), 1);
    or_throw(host::svd_multiply(bench.engine(), bench.rotating(), {elements, 17, 33}, {elements, 33, 17}));
  });
}

}  // namespace
}  // namespace assay::metal::test
