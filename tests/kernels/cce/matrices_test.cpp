// Products of 16-bit factors by matrices of simdgroups: right at the edges of tiles and slabs, with planted faults that
// are noticed, and no barrier too many.
#include <fmt/format.h>

#include "tests/kernels/cce/bench.h"
#include "tests/replaced.h"

namespace assay::metal::test {
namespace {

/// As bfloat_tolerance; gradients are stored with 11 bits.
constexpr Tolerance half_tolerance{2e-6, 0x1p-10, 0x1p-10};

Result<std::string> bfloat_kernels() {
  return some_kernels("cce", {"loss", "matrix_products", "rows"},
                      {{"cce_logits_bfloat", "matrix_logits<bfloat>"},
                       {"cce_loss_bfloat", "loss<bfloat>"},
                       {"cce_differentiate_bfloat", "differentiate<bfloat>"},
                       {"cce_dhidden_bfloat", "matrix_dhidden<bfloat>"},
                       {"cce_dweight_bfloat", "matrix_dweight<bfloat>"},
                       {"cce_dbias_bfloat", "dbias<bfloat>"},
                       {"cce_clear_dhidden_bfloat", "clear_dhidden<bfloat>"}});
}

TEST(CceMatrices, AreRightAtTheEdgesOfTilesAndSlabs) {
  const CceBench bench;
  for (const auto& [N, H, V] : {std::tuple{1, 1, 1},
                                {3, 5, 127},
                                {3, 32, 128},
                                {63, 33, 129},
                                {65, 4, 31},
                                {64, 128, 33},
                                {5, 132, 40},
                                {129, 8, 8},
                                {0, 3, 5}}) {
    const CceCase c = some_cce(N, H, V, true);
    const std::string what = fmt::format("N={} H={} V={}", N, H, V);
    expect_exact(bench.run<BFloat16>(c), c, bfloat_tolerance, what + " bfloat");
    expect_exact(bench.run<Half>(c), c, half_tolerance, what + " half");
  }
  EXPECT_EQ(bench.reports(), "");
}

/// Blocks of some tokens and of some entries.
TEST(CceMatrices, GiveTheSameBitsInAnyChunk) {
  const CceCase c = some_cce(90, 9, 140, true);
  const CceBench whole, chunked({.chunk = 32});
  EXPECT_EQ(chunked.run<BFloat16>(c), whole.run<BFloat16>(c));
  EXPECT_EQ(chunked.run<Half>(c), whole.run<Half>(c));
}

/// Three slabs of H, two tiles of entries. The headers' other barriers are those of barriers_test.cpp.
TEST(CceMatrices, NeedEachBarrier) {
  const std::string source = or_throw(bfloat_kernels());
  auto mutants = emulator::barrier_mutants(source);
  std::erase_if(mutants, [](const emulator::BarrierMutant& mutant) {
    return to_string(mutant.barrier).find("matrix_product.h") == std::string::npos;
  });
  EXPECT_GE(mutants.size(), 8U);
  const CceCase c = some_cce(66, 70, 130);
  const emulator::BarrierSweep sweep = or_throw(emulator::sweep_barriers(
      mutants, [&](const emulator::BarrierChange& change) -> Result<std::vector<emulator::Report>> {
        emulator::EmulatorOptions changed;
        changed.barrier_change = change;
        const CceBench bench({}, changed, source);
        bench.run<BFloat16>(c);
        return bench.device().reports();
      }));
  for (const emulator::BarrierMutant& survivor : sweep.survivors)
    ADD_FAILURE() << to_string(survivor.barrier) << " " << survivor.change;
}

TEST(CceMatrices, OfFaultyKernelsAreNoticed) {
  const std::string source = or_throw(bfloat_kernels());
  const CceCase c = some_cce(66, 40, 130, true);
  const CceResults<BFloat16> expected = CceBench({}, {}, source).run<BFloat16>(c);
  expect_exact(expected, c, bfloat_tolerance);
  for (const auto& [text, instead] : {
           std::pair<std::string, std::string>{"ulong2(0, 0), true);", "ulong2(0, 0), false);"},
           {"k < slab; k += factor_block", "k + 8 < slab; k += factor_block"},
           {"float2(even[i], odd[i])", "float2(odd[i], even[i])"},
           {"if (at < end)", "if (at + 1 < end)"},
           {"lines.line(min(first + row(n), count - 1), shape)", "lines.line(min(first, count - 1), shape)"},
           {"place.row + i * 8 + n / 8,", "place.row + i * 8 + n / 16,"},
       }) {
    const CceResults<BFloat16> faulty = CceBench({}, {}, replaced(source, text, instead)).run<BFloat16>(c);
    EXPECT_FALSE(faulty == expected) << instead;
  }
}

}  // namespace
}  // namespace assay::metal::test
