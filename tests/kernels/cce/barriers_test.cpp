// Each barrier of the kernels is needed: whatever is taken from one, some dispatch is reported.
#include "tests/kernels/cce/bench.h"

namespace assay::metal::test {
namespace {

using emulator::Report;

void sweep(const CceOptions& options, const CceCase& c, std::size_t min_reported) {
  const bool is_plain = options.path == CcePath::plain;
  std::vector<std::pair<std::string, std::string>> kernels;
  using Names = std::vector<std::string>;
  for (const std::string& name :
       is_plain ? Names{"plain_forward", "plain_dhidden", "plain_dweight", "clear_dhidden"}
                : Names{"logits", "loss", "differentiate", "dhidden", "dweight", "dbias", "clear_dhidden"})
    kernels.emplace_back("cce_" + name + "_float", name + "<float>");
  using Headers = std::vector<std::string>;
  const auto source =
      some_kernels("cce", is_plain ? Headers{"plain_kernels", "rows"} : Headers{"products", "loss", "rows"}, kernels);
  expect_each_barrier_needed(source, min_reported,
                             [&](const emulator::BarrierChange& change) -> Result<std::vector<Report>> {
                               emulator::EmulatorOptions changed;
                               changed.barrier_change = change;
                               const CceBench bench(options, changed, *source);
                               bench.run(c);
                               return bench.device().reports();
                             });
}

/// Two tiles of entries, three slabs of H, two simdgroups for a loss.
TEST(CceBarriers, OfTheProductionPathAreEachNeeded) {
  sweep({}, some_cce(3, 33, 600), 9);
}

/// Two chunks of entries, two of tokens.
TEST(CceBarriers, OfThePlainPathAreEachNeeded) {
  sweep({.path = CcePath::plain, .chunk = 32}, some_cce(82, 2, 33), 21);
}

}  // namespace
}  // namespace assay::metal::test
