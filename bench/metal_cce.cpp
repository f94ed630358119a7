// Linear cross-entropy, loss and all gradients in float32, by metal/kernels/cce/cce.metal: the plain path beside the
// production path, on the emulator, unchecked, one OS thread, in one run and in turns, as a table.
//
//   ms             medians of processor time of LinearCrossEntropy's call from spans to spans, the second of two calls
//                  in a row. Emulator times: they compare what the two paths cost on a CPU, where an 8 x 8 product is
//                  two barriers of 32 fibers, and say nothing of a GPU
//   loss           the largest relative error of a token's loss against the definition in double
//   dhidden        the largest error of an element, in units of the largest element; dweight likewise
//
//   ./assay bench metal_cce [--benchmark_filter=REGEX]
//
// bench/README.md shows what it printed.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "bench/program.h"
#include "bench/timing.h"
#include "metal/device/or_throw.h"
#include "metal/host/cce/cce.h"
#include "reference/cce/outcome.h"
#include "tests/kernels/cce/case.h"

namespace assay::bench {
namespace {

using metal::test::CceCase;

struct CceSize {
  std::int64_t N, H, V;
  double scale;         ///< of logits
  float offset = 0.0F;  ///< common to all of them
};

using Paths = PathsOf<metal::LinearCrossEntropy>;

CceCase case_of(const CceSize& size) {
  CceCase c = metal::test::some_cce(size.N, size.H, size.V, false, size.scale, 7);
  if (size.offset == 0) return c;
  for (float& x : c.hidden) x = std::isnan(x) ? x : std::fmin(std::fmax(std::rint(2 * x), -2.0F), 2.0F);
  for (float& w : c.weight) w = std::fmin(std::fmax(std::rint(4 * w) / 8, -1.0F), 1.0F);
  c.bias.assign(static_cast<std::size_t>(size.V), size.offset);
  return c;
}

double loss_error(const std::vector<float>& losses, const std::vector<double>& exact) {
  double worst = 0;
  for (std::size_t n = 0; n < exact.size(); ++n)
    if (exact[n] != 0) worst = std::fmax(worst, std::fabs(double{losses[n]} / exact[n] - 1));
  return worst;
}

double gradient_error(const std::vector<float>& gradient, const std::vector<double>& exact) {
  double worst = 0, size = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    worst = std::fmax(worst, std::fabs(double{gradient[i]} - exact[i]));
    size = std::fmax(size, std::fabs(exact[i]));
  }
  return worst / size;
}

void run_row(benchmark::State& state, const CceSize& size, const Paths& paths) {
  const CceCase c = case_of(size);
  const metal::test::Typed<float> typed(c);
  const auto problem = typed.problem();
  metal::test::CceResults<float> plain(problem), production(problem);
  std::vector<double> plain_times, times;
  for (auto _ : state) {
    plain_times.push_back(time_second_call(1, [&] { metal::or_throw(paths.plain(problem, plain.spans())); }));
    times.push_back(time_second_call(1, [&] { metal::or_throw(paths.production(problem, production.spans())); }));
    state.SetIterationTime(1e-3 * times.back());
  }
  const auto exact = reference::cce_outcome<double>(problem);
  state.counters["plain, emulated ms"] = median(plain_times);
  state.counters["production, emulated ms"] = median(times);
  state.counters["plain loss"] = loss_error(plain.loss, exact.loss);
  state.counters["loss"] = loss_error(production.loss, exact.loss);
  state.counters["plain dhidden"] = gradient_error(plain.dhidden, exact.dhidden);
  state.counters["dhidden"] = gradient_error(production.dhidden, exact.dhidden);
  state.counters["plain dweight"] = gradient_error(plain.dweight, exact.dweight);
  state.counters["dweight"] = gradient_error(production.dweight, exact.dweight);
}

void add_rows(const Paths& paths) {
  const CceSize sizes[] = {{32, 64, 1000, 1}, {32, 64, 1000, 10}, {8, 64, 20000, 1},
                           {8, 768, 2000, 1}, {256, 32, 500, 1},  {32, 8, 1000, 2, 1e6F}};
  for (const CceSize& size : sizes) {
    std::string name = fmt::format("N={} H={} V={} x{}", size.N, size.H, size.V, size.scale);
    if (size.offset != 0) name += fmt::format(" + {:g}", size.offset);
    benchmark::RegisterBenchmark(name.c_str(), [size, &paths](benchmark::State& state) { run_row(state, size, paths); })
        ->Iterations(5)
        ->UseManualTime();
  }
}

void run() {
  const Paths paths = emulated_paths<metal::LinearCrossEntropy, metal::CcePath>("cce/cce.metal");
  add_rows(paths);
  print_emulated({{"plain, emulated ms", "%.3g"},
                  {"production, emulated ms", "%.3g"},
                  {"plain loss", "%.1e"},
                  {"loss", "%.1e"},
                  {"plain dhidden", "%.1e"},
                  {"dhidden", "%.1e"},
                  {"plain dweight", "%.1e"},
                  {"dweight", "%.1e"}});
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  return assay::bench::run_program("metal_cce", argc, argv, assay::bench::run);
}
