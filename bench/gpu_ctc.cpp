// CTC on a GPU: gpu.cpp.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "bench/ctc_batch.h"
#include "bench/ctc_truth.h"
#include "bench/exchange.h"
#include "bench/gpu.h"
#include "bench/python.h"
#include "bench/timing.h"
#include "metal/device/or_throw.h"
#include "metal/host/ctc/ctc.h"

namespace assay::bench {
namespace {

using metal::or_throw;

/// A plan of a batch and its buffers on a device.
class Run {
 public:
  Run(const std::shared_ptr<TimedDevice>& device, const CtcBatch<float>& batch)
      : queue_(device->new_command_queue()),
        loss_(or_throw(metal::CtcLoss::create(device))),
        plan_(or_throw(loss_.prepare(batch.problem(), true))),
        result(batch) {
    buffers_.activations.buffer = or_throw(device->new_buffer(std::as_bytes(std::span(batch.logits)), "logits"));
    buffers_.gradient.buffer = or_throw(device->new_buffer(plan_.gradient_bytes(), "gradient"));
    buffers_.loss.buffer = or_throw(device->new_buffer(plan_.loss_bytes(), "loss"));
  }

  /// Microseconds of device time of the dispatches first .. first + count - 1.
  double microseconds(std::size_t first, std::size_t count) const {
    const auto commands = queue_->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder());
    or_throw(plan_.encode(*encoder, buffers_, first, count));
    or_throw(encoder->end_encoding());
    or_throw(commands->commit());
    or_throw(commands->wait_until_completed());
    return 1e6 * or_throw(commands->gpu_seconds());
  }

  std::size_t dispatch_count() const { return plan_.dispatches().size(); }

  const CtcResult<float>& read_result() {
    std::memcpy(result.gradient.data(), buffers_.gradient.buffer->contents(), plan_.gradient_bytes());
    std::memcpy(result.loss.data(), buffers_.loss.buffer->contents(), plan_.loss_bytes());
    return result;
  }

 private:
  std::shared_ptr<metal::CommandQueue> queue_;
  metal::CtcLoss loss_;
  metal::CtcPlan plan_;
  metal::CtcBuffers buffers_;
  CtcResult<float> result;
};

/// The measurement of one of PyTorch's implementations, by bench/gpu_ctc_torch.py. NaN: it refuses the batch.
struct Peer {
  double us = NAN;
  std::vector<float> gradient;
};

std::array<Peer, 2> peers(const CtcBatch<float>& batch, int repetitions) {
  std::array<Peer, 2> result;
  const TemporaryDirectory directory;
  if (python_with_torch().empty() || directory.path().empty()) return result;
  write(directory / "logits", batch.logits);
  write(directory / "targets", batch.targets);
  write(directory / "target_lengths", batch.target_lengths);
  std::ostringstream command;
  command << python_with_torch() << " " << ASSAY_BENCH_DIRECTORY << "/gpu_ctc_torch.py " << directory.path() << " "
          << batch.size.T << " " << batch.size.B << " " << batch.size.C << " " << repetitions;
  if (std::system(command.str().c_str()) != 0) return result;
  std::vector<double> us(2);
  if (!read(directory / "us", us)) return result;
  for (std::size_t n = 0; n < result.size(); ++n) {
    result[n].gradient.resize(batch.logits.size());
    const bool is_there = read(directory / (n == 0 ? "gradient_cudnn" : "gradient_native"), result[n].gradient);
    if (is_there) result[n].us = us[n];
  }
  return result;
}

constexpr int repetitions = 30;

void run_row(benchmark::State& state, const CtcSize& size, const std::shared_ptr<TimedDevice>& device) {
  const CtcBatch<float> batch(size);
  Run run(device, batch);
  constexpr const char* kernels[] = {"emissions", "recursion", "gradient"};
  std::vector<std::vector<double>> times(5);
  const auto measure = [&] {
    for (std::size_t n = 0; n < 3; ++n) times[n].push_back(run.microseconds(n, 1));
    const auto start = std::chrono::steady_clock::now();
    times[3].push_back(run.microseconds(0, run.dispatch_count()));
    times[4].push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  };
  measure();
  for (auto& of_part : times) of_part.clear();
  for (auto _ : state) {
    measure();
    state.SetIterationTime(1e-6 * times[3].back());
  }
  for (std::size_t n = 0; n < 3; ++n) state.counters[kernels[n]] = median(times[n]);
  state.counters["all"] = median(times[3]);
  state.counters["wall"] = median(times[4]);
  const CtcTruth exact = truth(batch);
  state.counters["error"] = largest_error(batch, exact.gradient, run.read_result().gradient);
  const auto others = peers(batch, repetitions);
  for (std::size_t n = 0; n < 2; ++n) {
    if (std::isnan(others[n].us)) continue;
    const std::string name = n == 0 ? "cuDNN" : "native";
    state.counters[name] = others[n].us;
    state.counters[name + " error"] = largest_error(batch, exact.gradient, others[n].gradient);
  }
  const double faster = std::fmin(others[0].us, others[1].us);  // of a NaN and a number the number
  if (!std::isnan(faster)) state.counters["ratio"] = faster / median(times[3]);
}

}  // namespace

std::vector<Column> add_gpu_ctc(const std::shared_ptr<TimedDevice>& device) {
  const CtcSize sizes[] = {{150, 1, 28},   {150, 16, 28},   {150, 64, 28},    {150, 256, 28},
                           {150, 1, 5000}, {150, 64, 5000}, {150, 256, 5000}, {.T = 2000, .B = 1, .C = 64, .S = 400}};
  for (const CtcSize& size : sizes)
    benchmark::RegisterBenchmark((name_of(size)).c_str(),
                                 [size, device](benchmark::State& state) { run_row(state, size, device); })
        ->Iterations(repetitions)
        ->UseManualTime();
  return {{"emissions", "%.1f"}, {"recursion", "%.1f"},   {"gradient", "%.1f"},    {"all", "%.1f"},
          {"wall", "%.0f"},      {"cuDNN", "%.0f"},       {"native", "%.0f"},      {"ratio", "%.1f"},
          {"error", "%.1e"},     {"cuDNN error", "%.0e"}, {"native error", "%.0e"}};
}

}  // namespace assay::bench
