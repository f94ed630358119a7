// Each barrier of the kernels is needed: whatever is taken from one, some dispatch is reported.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "metal/device/shader_source.h"
#include "metal/emulator/barrier_sweep.h"
#include "tests/kernels/cce/bench.h"

namespace assay::metal::test {
namespace {

using emulator::Report;

/// The kernels of one path in float alone: there is less to compile, twenty times and more.
Result<std::string> kernels_of(CcePath path) {
  const bool is_plain = path == CcePath::plain;
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / (is_plain ? "plain.metal" : "tiles.metal");
  std::ofstream text(file);
  text << fmt::format("#include \"{}/{}.h\"\nnamespace assay {{\nnamespace cce {{\n", ASSAY_KERNELS,
                      is_plain ? "cce_plain_kernels" : "cce_backward");
  for (const char* const kernel : {"forward", "dhidden", "dweight"}) {
    const std::string name = (is_plain ? "plain_" : "") + std::string(kernel);
    text << fmt::format("template [[host_name(\"cce_{0}_float\")]] [[kernel]] decltype({0}<float>) {0}<float>;\n",
                        name);
  }
  text << "}\n}\n";
  text.close();
  return text_with_includes(file);
}

void sweep(const CceOptions& options, const CceCase& c, std::size_t least) {
  const Result<std::string> source = kernels_of(options.path);
  ASSERT_TRUE(source) << source.error().text;
  const auto run = [&](const std::string& text) -> Result<std::vector<Report>> {
    const CceBench bench(options, {}, text);
    bench.run(c);
    return bench.device().reports();
  };
  const Result<emulator::BarrierSweep> sweep = emulator::sweep_barriers(*source, run);
  ASSERT_TRUE(sweep) << sweep.error().text;
  EXPECT_GE(sweep->reported.size(), least);
  for (const emulator::BarrierMutant& survivor : sweep->survivors)
    ADD_FAILURE() << to_string(survivor.barrier) << " " << survivor.change;
}

/// Two tiles of entries, two slabs of H.
TEST(CceBarriers, OfTheProductionPathAreEachNeeded) {
  sweep({.skips_tiles = true}, some_cce(3, 33, 65), 24);
}

/// Two chunks of entries, two of tokens.
TEST(CceBarriers, OfThePlainPathAreEachNeeded) {
  sweep({.path = CcePath::plain, .chunk = 32}, some_cce(82, 2, 33), 21);
}

}  // namespace
}  // namespace assay::metal::test
