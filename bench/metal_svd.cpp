// The singular value decomposition in float32 by metal/kernels/svd/svd.metal: the plain path beside the production
// path, on the emulator, unchecked, one OS thread, in one run and in turns, as a table.
//
//   ms             medians of processor time of Svd's call from spans to spans. Emulator times: they compare what the
//                  two paths cost on a CPU, where a shuffle is a switch of fibers,
//                  and say nothing of a GPU
//   residual       |A - U diag(S) Vh| / |A| in the Frobenius norm, as a share of 4 sqrt(n) 2^-24
//   orthogonality  the largest element of U^T U - I and Vh Vh^T - I, likewise
//   values         the largest error of a singular value relative to itself, in units of 2^-24; of graded matrices
//
//   ./assay bench metal_svd [--benchmark_filter=REGEX]
//
// bench/README.md shows what it printed.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "bench/program.h"
#include "bench/timing.h"
#include "metal/device/or_throw.h"
#include "metal/host/svd/svd.h"
#include "tests/kernels/svd/case.h"
#include "tests/kernels/svd/exact.h"

namespace assay::bench {
namespace {

using metal::test::SvdCase;
using metal::test::SvdResults;

using Paths = PathsOf<metal::Svd>;

/// One path's results and times.
struct Measured {
  explicit Measured(const reference::SvdProblem<float>& problem) : results(problem) {}

  void run(const metal::Svd& svd, const reference::SvdProblem<float>& problem) {
    const double start = now_ms(1);
    metal::or_throw(svd(problem, results.spans()));
    times.push_back(now_ms(1) - start);
  }

  void report(benchmark::State& state, const std::string& prefix, const SvdCase& c, bool is_graded) const {
    const metal::test::Factors<float> factors(c, results, 0);
    const long double bound = metal::test::float_bound(c);
    state.counters[prefix + "residual"] = static_cast<double>(factors.residual() / bound);
    state.counters[prefix + "orthogonality"] = static_cast<double>(factors.orthogonality() / bound);
    if (is_graded) state.counters[prefix + "values"] = static_cast<double>(metal::test::relative_error(results, c));
  }

  SvdResults<float> results;
  std::vector<double> times;
};

/// The plain path takes a minute for 256 columns.
void run_row(benchmark::State& state, const SvdCase& c, bool is_graded, const Paths& paths) {
  const metal::test::TypedSvd<float> typed(c);
  Measured plain(typed.problem()), production(typed.problem());
  const bool with_plain = c.K() <= 128;
  for (auto _ : state) {
    if (with_plain) plain.run(paths.plain, typed.problem());
    production.run(paths.production, typed.problem());
    state.SetIterationTime(1e-3 * production.times.back());
  }
  if (with_plain) state.counters["plain, emulated ms"] = median(plain.times);
  if (with_plain) plain.report(state, "plain ", c, is_graded);
  state.counters["production, emulated ms"] = median(production.times);
  production.report(state, "", c, is_graded);
}

void add_row(const std::string& name, SvdCase c, bool is_graded, int iterations, const Paths& paths) {
  benchmark::RegisterBenchmark(name.c_str(), [c = std::move(c), is_graded,
                                              &paths](benchmark::State& state) { run_row(state, c, is_graded, paths); })
      ->Iterations(iterations)
      ->UseManualTime();
}

void add_rows(const Paths& paths) {
  for (const std::int64_t n : {8, 64, 128, 256})
    add_row(fmt::format("Gaussian {} x {}", n, n), metal::test::some_svd(n, n), false, n > 64 ? 1 : 3, paths);
  add_row("Gaussian 272 x 272", metal::test::some_svd(272, 272), false, 1, paths);
  add_row("Gaussian 500 x 20", metal::test::some_svd(500, 20), false, 3, paths);
  for (const double least : {1e-12, 1e-24})
    add_row(fmt::format("graded 64 x 64 to {:g}", least), metal::test::graded_svd(64, 64, least), true, 3, paths);
  add_row("rank 3 of 64 x 64", metal::test::low_rank_svd(64, 64, 3), false, 3, paths);
}

void run() {
  const Paths paths = emulated_paths<metal::Svd, metal::SvdPath>("svd/svd.metal");
  add_rows(paths);
  print_emulated({{"plain, emulated ms", "%.3g"},
                  {"production, emulated ms", "%.3g"},
                  {"plain residual", "%.2f"},
                  {"residual", "%.2f"},
                  {"plain orthogonality", "%.2f"},
                  {"orthogonality", "%.2f"},
                  {"plain values", "%.1f"},
                  {"values", "%.1f"}});
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  return assay::bench::run_program("metal_svd", argc, argv, assay::bench::run);
}
