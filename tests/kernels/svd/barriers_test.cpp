// Each barrier of the kernels is needed: whatever is taken from one, some dispatch is reported.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "metal/device/shader_source.h"
#include "metal/emulator/barrier_sweep.h"
#include "metal/host/svd/multiply.h"
#include "tests/kernels/svd/bench.h"

namespace assay::metal::test {
namespace {

using emulator::Report;

/// Some of the headers, and of their templates these in float or in one width: there is less to compile, fifty times.
Result<std::string> kernels_of(const std::string& name, const std::vector<const char*>& headers,
                               const std::vector<std::pair<const char*, const char*>>& templates) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / (name + ".metal");
  std::ofstream text(file);
  for (const char* const header : headers) text << fmt::format("#include \"{}/svd_{}.h\"\n", ASSAY_KERNELS, header);
  text << "namespace assay {\nnamespace svd {\n";
  for (const auto& [host_name, kernel] : templates)
    text << fmt::format("template [[host_name(\"svd_{0}\")]] [[kernel]] decltype({1}) {1};\n", host_name, kernel);
  text << "}\n}\n";
  text.close();
  return text_with_includes(file);
}

/// `run` dispatches the kernels of a text on the bench.
void sweep(const Result<std::string>& source, std::size_t least,
           const std::function<void(SvdBench&, const std::string&)>& run) {
  ASSERT_TRUE(source) << source.error().text;
  SvdBench bench;
  const auto reports_of = [&](const std::string& text) -> Result<std::vector<Report>> {
    bench.device().clear_reports();
    run(bench, text);
    return bench.device().reports();
  };
  const Result<emulator::BarrierSweep> sweep = emulator::sweep_barriers(*source, reports_of);
  ASSERT_TRUE(sweep) << sweep.error().text;
  EXPECT_GE(sweep->reported.size(), least);
  for (const emulator::BarrierMutant& survivor : sweep->survivors)
    ADD_FAILURE() << to_string(survivor.barrier) << " " << survivor.change;
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
  const auto source = kernels_of("svd_sweeps", {"finish", "load", "sweeps"},
                                 {{"load_float", "load<float>"},
                                  {"finish_float", "finish<float>"},
                                  {"sweeps_32_threadgroup", "sweeps_threadgroup<32>"}});
  sweep(source, 30, [](SvdBench& bench, const std::string& text) {
    bench.use(text);
    for (const SvdCase& c : {some_svd(4, 4), deficient_case()}) try_some(bench, "sweeps_32_threadgroup", c, 20);
  });
}

TEST(SvdBarriers, OfStepsAndProductsAreEachNeeded) {
  const auto source = kernels_of("svd_steps", {"block", "multiply", "plain"}, {});
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
