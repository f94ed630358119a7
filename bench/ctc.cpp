// CTC loss + gradient from logits on CPUs: the kernel of metal/cpu against the floor (ctc_floor.h), PyTorch where
// Python has it (ctc_torch.h) and warp-ctc where it has been built (ctc_warp.h), in one run, as a table. Labels are
// uniform in 1..T and feasible where S is not given.
//
//   ours, floor, warp   medians in ms, measured in turns, each turn the second of two calls in a row: of processor
//                       time on one thread, else of time on the clock
//   x floor             ours / floor. Goal at C=5000: at most 2; at C=28, B=64 on one thread: at most 3
//   loss                as ours, of calls for the loss alone. Goal: at most half of ours
//   torch               ms, the faster of PyTorch as it comes and with a malloc that keeps its memory
//   faster              the faster peer / ours. Goal from B=8 up: at least 20 at C=28, 4 at C=5000
//   error               the largest of dL/dlogits of row 0 against 30 digits; then the peers'. Goal: at most 1e-6
//   extended            rows of the batch that took extended range
//
//   [ASSAY_WARP_CTC=libwarpctc.so] ./assay bench ctc [--benchmark_filter=REGEX]
//
// bench/README.md shows what it printed.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "bench/ctc_batch.h"
#include "bench/ctc_floor.h"
#include "bench/ctc_torch.h"
#include "bench/ctc_truth.h"
#include "bench/ctc_warp.h"
#include "bench/table.h"
#include "bench/timing.h"
#include "metal/cpu/ctc/tuning.h"
#include "metal/cpu/parallel.h"

namespace assay::bench {
namespace {

using metal::BFloat16;
using metal::Half;

void run_floor(const CtcBatch<float>& batch, int threads, CtcResult<float>& result) {
  const auto rows = static_cast<std::size_t>(batch.size.T), each = batch.logits.size() / rows;
  const std::size_t workers = metal::cpu::worker_count(threads, rows);
  const auto set = metal::cpu::fastest_instruction_set();
  metal::cpu::for_each_piece(rows, workers, [&](std::size_t, std::size_t t) {
    ctc_floor(set, batch.logits.data() + t * each, each, result.gradient.data() + t * each);
  });
}

/// PyTorch's columns, where there is PyTorch and it takes the type.
template <class Real>
void add_torch(benchmark::State&, const CtcBatch<Real>&, int, const std::vector<double>&) {}

void add_torch(benchmark::State& state, const CtcBatch<float>& batch, int threads, const std::vector<double>& truth) {
  const int repetitions = batch.logits.size() < 4'000'000 ? 15 : 5;
  auto torch = run_torch(batch, threads, repetitions, false);
  if (!torch) return;
  if (auto tuned = run_torch(batch, threads, repetitions, true); tuned && tuned->ms < torch->ms) torch->ms = tuned->ms;
  state.counters["torch"] = torch->ms;
  state.counters["torch error"] = largest_error(batch, truth, torch->result.gradient);
}

/// warp-ctc, which takes float32 alone.
template <class Real>
std::optional<std::function<void()>> warp_of(const CtcBatch<Real>&, int, CtcResult<float>&) {
  return std::nullopt;
}

std::optional<std::function<void()>> warp_of(const CtcBatch<float>& batch, int threads, CtcResult<float>& result) {
  return warp_ctc(batch, threads, result);
}

/// The faster peer beside ours, where there is one.
void compare_with_peers(benchmark::UserCounters& counters) {
  double fastest = std::numeric_limits<double>::infinity();
  for (const char* peer : {"torch", "warp"})
    if (counters.contains(peer)) fastest = std::min(fastest, counters[peer].value);
  if (std::isfinite(fastest)) counters["faster"] = fastest / counters["ours"];
}

template <class Real>
void run_row(benchmark::State& state, CtcSize size, int threads) {
  const CtcBatch<Real> batch(size);
  const CtcBatch<float> as_float(size);
  CtcResult<Real> result(batch);
  CtcResult<float> copy(as_float), warp_result(as_float);
  const auto warp = warp_of(batch, threads, warp_result);
  std::atomic<std::size_t> extended_rows = 0;
  const std::size_t bytes = metal::ctc_loss_workspace_size(batch.problem(), true, threads);
  const std::unique_ptr<std::byte, void (*)(void*)> workspace(
      static_cast<std::byte*>(std::aligned_alloc(metal::ctc_loss_workspace_alignment, bytes)), std::free);
  const auto call = [&](const metal::CtcOutput<Real>& output) {
    extended_rows = 0;
    metal::cpu::ctc_loss<Real>(batch.problem(), output,
                               {.threads = threads, .workspace = std::span(workspace.get(), bytes)},
                               {.extended_rows = &extended_rows});
  };
  const auto ours = [&] { call(result.output()); };
  const auto loss = [&] { call({result.loss, {}}); };
  const auto floor = [&] { run_floor(as_float, threads, copy); };
  std::vector<double> our_times, loss_times, floor_times, warp_times;
  for (auto _ : state) {
    our_times.push_back(time_second_call(threads, ours));
    loss_times.push_back(time_second_call(threads, loss));
    floor_times.push_back(time_second_call(threads, floor));
    if (warp) warp_times.push_back(time_second_call(threads, *warp));
    state.SetIterationTime(1e-3 * our_times.back());
  }
  ours();  // for how many rows take extended range
  const std::vector<double> exact = truth(batch).gradient;
  state.counters["ours"] = median(our_times);
  state.counters["loss"] = median(loss_times);
  state.counters["floor"] = median(floor_times);
  state.counters["x floor"] = median(our_times) / median(floor_times);
  state.counters["error"] = largest_error(batch, exact, result.gradient);
  state.counters["extended"] = static_cast<double>(extended_rows);
  if (warp) {
    state.counters["warp"] = median(warp_times);
    state.counters["warp error"] = largest_error(as_float, exact, warp_result.gradient);
  }
  add_torch(state, batch, threads, exact);
  compare_with_peers(state.counters);
}

template <class Real>
void add_row(const char* type, CtcSize size, int threads) {
  const std::string name = name_of(size) + " " + type + " threads=" + std::to_string(threads);
  const std::int64_t work = size.T * size.B * size.C;
  benchmark::RegisterBenchmark(name.c_str(),
                               [size, threads](benchmark::State& state) { run_row<Real>(state, size, threads); })
      ->Iterations(work < 4'000'000 ? 51 : 11)
      ->UseManualTime();
}

void add_rows() {
  std::vector<int> threads = {1};
  if (std::thread::hardware_concurrency() > 1) threads.push_back(static_cast<int>(std::thread::hardware_concurrency()));
  for (const int count : threads) {
    for (const std::int64_t B : {1, 8, 32, 64, 128, 256}) add_row<float>("float32", {.T = 150, .B = B, .C = 28}, count);
    for (const std::int64_t B : {1, 8, 32, 64}) add_row<float>("float32", {.T = 150, .B = B, .C = 5000}, count);
    add_row<Half>("float16", {.T = 150, .B = 64, .C = 28}, count);
    add_row<BFloat16>("bfloat16", {.T = 150, .B = 64, .C = 28}, count);
    add_row<Half>("float16", {.T = 150, .B = 8, .C = 5000}, count);
    add_row<BFloat16>("bfloat16", {.T = 150, .B = 8, .C = 5000}, count);
  }
  // The rows of metal/cpu/ctc/README.md on number formats: accuracy beside time.
  add_row<float>("float32", {.T = 150, .B = 1, .C = 28, .S = 75}, 1);
  add_row<float>("float32", {.T = 150, .B = 1, .C = 5000, .S = 75}, 1);
  add_row<float>("float32", {.T = 150, .B = 1, .C = 28, .S = 75, .scale = 50.0F}, 1);
  for (const std::int64_t S : {200, 400})
    for (const float scale : {1.0F, 10.0F, 50.0F})
      add_row<float>("float32", {.T = 2000, .B = 1, .C = 64, .S = S, .scale = scale}, 1);
}

}  // namespace

}  // namespace assay::bench

int main(int argc, char** argv) {
  assay::bench::add_rows();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  assay::bench::Table table("", {{"ours", "%.3g"},
                                 {"loss", "%.3g"},
                                 {"floor", "%.3g"},
                                 {"x floor", "%.2f"},
                                 {"torch", "%.3g"},
                                 {"warp", "%.3g"},
                                 {"faster", "%.1f"},
                                 {"error", "%.1e"},
                                 {"torch error", "%.1e"},
                                 {"warp error", "%.1e"},
                                 {"extended", "%.0f"}});
  benchmark::RunSpecifiedBenchmarks(&table);
}
