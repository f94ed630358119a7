// Each barrier of the kernels is needed: whatever is taken from one, some dispatch is reported.
#include "tests/kernels/cce/bench.h"

namespace assay::metal::test {
namespace {

using emulator::Report;

void sweep(const CceOptions& options, const CceCase& c, std::size_t min_reported) {
  const bool is_plain = options.path == CcePath::plain;
  std::vector<std::pair<std::string, std::string>> kernels;
  for (const char* const name : {"forward", "dhidden", "dweight"}) {
    const std::string kernel = std::string(is_plain ? "plain_" : "") + name;
    kernels.emplace_back("cce_" + kernel + "_float", kernel + "<float>");
  }
  const auto source = some_kernels("cce", {is_plain ? "plain_kernels" : "backward"}, kernels);
  expect_each_barrier_needed(source, min_reported, [&](const std::string& text) -> Result<std::vector<Report>> {
    const CceBench bench(options, {}, text);
    bench.run(c);
    return bench.device().reports();
  });
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
