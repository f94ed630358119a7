// CTC loss + gradient from logits by metal/kernels/ctc/ctc.metal: the plain path beside the production path, on the
// emulator, unchecked, one OS thread, in one run and in turns, as a table. Labels are uniform in 1..T and feasible
// where S is not given.
//
//   ms             medians of processor time of CtcLoss's call from spans to spans, the second of two calls in a row.
//                  Emulator times: they compare what the two paths cost on a CPU, where a shuffle is a switch of
//                  fibers, and say nothing of a GPU
//   ratio          plain / production
//   loss alone     ms, without the gradient
//   error          the largest of dL/dlogits of row 0 against 30 digits
//   loss error     relative, of row 0's
//
//   ./assay bench metal_ctc [--benchmark_filter=REGEX]
//
// bench/README.md shows what it printed.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "bench/ctc_batch.h"
#include "bench/ctc_truth.h"
#include "bench/program.h"
#include "bench/timing.h"
#include "metal/device/or_throw.h"
#include "metal/host/ctc/ctc.h"

namespace assay::bench {
namespace {

using Paths = PathsOf<metal::CtcLoss>;

/// One path's results and times.
struct Measured {
  explicit Measured(const CtcBatch<float>& batch) : result(batch) {}

  void run(const metal::CtcLoss& loss, const CtcBatch<float>& batch) {
    loss_times.push_back(time(loss, batch, {result.loss, {}}));
    times.push_back(time(loss, batch, result.output()));
  }

  static double time(const metal::CtcLoss& loss, const CtcBatch<float>& batch, const metal::CtcOutput<float>& output) {
    return time_second_call(1, [&] { metal::or_throw(loss(batch.problem(), output)); });
  }

  CtcResult<float> result;
  std::vector<double> times, loss_times;
};

void run_row(benchmark::State& state, const CtcSize& size, const Paths& paths) {
  const CtcBatch<float> batch(size);
  Measured plain(batch), production(batch);
  for (auto _ : state) {
    plain.run(paths.plain, batch);
    production.run(paths.production, batch);
    state.SetIterationTime(1e-3 * production.times.back());
  }
  const CtcTruth exact = truth(batch);
  const auto loss_error = [&](const Measured& path) { return std::fabs(path.result.loss[0] / exact.loss - 1.0); };
  state.counters["plain, emulated ms"] = median(plain.times);
  state.counters["production, emulated ms"] = median(production.times);
  state.counters["ratio"] = median(plain.times) / median(production.times);
  state.counters["plain, loss alone"] = median(plain.loss_times);
  state.counters["production, loss alone"] = median(production.loss_times);
  state.counters["plain error"] = largest_error(batch, exact.gradient, plain.result.gradient);
  state.counters["error"] = largest_error(batch, exact.gradient, production.result.gradient);
  state.counters["plain loss error"] = loss_error(plain);
  state.counters["loss error"] = loss_error(production);
}

void add_rows(const Paths& paths) {
  const CtcSize sizes[] = {{.T = 150, .B = 1, .C = 28, .S = 75},
                           {.T = 150, .B = 1, .C = 5000, .S = 75},
                           {.T = 150, .B = 1, .C = 28, .S = 75, .scale = 50.0F},
                           {.T = 2000, .B = 1, .C = 64, .S = 200, .scale = 50.0F},
                           {.T = 2000, .B = 1, .C = 64, .S = 400},
                           {.T = 2000, .B = 1, .C = 64, .S = 400, .scale = 50.0F},
                           {.T = 150, .B = 8, .C = 28}};
  for (const CtcSize& size : sizes)
    benchmark::RegisterBenchmark(name_of(size).c_str(),
                                 [size, &paths](benchmark::State& state) { run_row(state, size, paths); })
        ->Iterations(size.T < 1000 ? 15 : 5)
        ->UseManualTime();
}

void run() {
  const Paths paths = emulated_paths<metal::CtcLoss, metal::CtcPath>("ctc/ctc.metal");
  add_rows(paths);
  print_emulated({{"plain, emulated ms", "%.3g"},
                  {"production, emulated ms", "%.3g"},
                  {"ratio", "%.2f"},
                  {"plain, loss alone", "%.3g"},
                  {"production, loss alone", "%.3g"},
                  {"plain error", "%.1e"},
                  {"error", "%.1e"},
                  {"plain loss error", "%.1e"},
                  {"loss error", "%.1e"}});
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  return assay::bench::run_program("metal_ctc", argc, argv, assay::bench::run);
}
