// Linear cross-entropy on a GPU: gpu.cpp.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "bench/gpu.h"
#include "bench/python.h"
#include "bench/timing.h"
#include "metal/cpu/half.h"
#include "metal/host/cce/cce.h"

namespace assay::bench {
namespace {

using metal::BFloat16;

constexpr int repetitions = 3;
constexpr std::int64_t N = 4096, H = 2048, V = 32000;

/// Inputs and outputs.
template <class Real>
struct Batch {
  std::vector<Real> hidden, weight, dhidden, dweight;
  std::vector<std::int64_t> targets;
  std::vector<float> loss = std::vector<float>(1);

  Batch() {
    std::mt19937_64 bits(1);
    fill(hidden, N * H, 1.0, bits);
    fill(weight, V * H, 1.0 / std::sqrt(double{H}), bits);
    for (std::int64_t n = 0; n < N; ++n) targets.push_back(static_cast<std::int64_t>(bits() % std::uint64_t{V}));
    dhidden = hidden;
    dweight = weight;
  }

  static void fill(std::vector<Real>& values, std::int64_t count, double scale, std::mt19937_64& bits) {
    std::normal_distribution<double> normal(0.0, scale);
    for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<Real>(normal(bits)));
  }

  reference::CceProblem<Real> problem() const {
    reference::CceProblem<Real> problem;
    problem.N = N, problem.H = H, problem.V = V;
    problem.hidden = hidden, problem.weight = weight, problem.targets = targets;
    problem.reduction = reference::Reduction::mean;
    return problem;
  }

  std::uint64_t bytes() const { return 2 * (hidden.size() + weight.size()) * sizeof(Real); }
};

/// Sets the time and the memory of PyTorch, as bench/gpu_cce_torch.py measures them.
void add_peer(benchmark::State& state, const char* dtype) {
  if (python_with_torch().empty()) return;
  std::ostringstream command;
  command << python_with_torch() << " " << ASSAY_BENCH_DIRECTORY << "/gpu_cce_torch.py " << N << " " << H << " " << V
          << " " << dtype << " " << repetitions;
  const Answer answer = answer_of(command.str());
  double ms = 0, mebibytes = 0;
  if (!answer || std::fscanf(answer.get(), "%lf %lf", &ms, &mebibytes) != 2) return;
  state.counters["torch"] = ms;
  state.counters["torch MiB"] = mebibytes;
  state.counters["ratio"] = ms / state.counters["ms"].value;
}

template <class Real>
void run_row(benchmark::State& state, const char* dtype, const std::shared_ptr<TimedDevice>& device) {
  Batch<Real> batch;
  const auto loss = metal::or_throw(metal::LinearCrossEntropy::create(device));
  std::vector<double> times;
  DeviceUse use;
  for (auto _ : state) {
    device->take();
    metal::or_throw(loss(batch.problem(), {batch.loss, {batch.dhidden, batch.dweight, {}}}));
    use = device->take();
    times.push_back(1e3 * use.seconds);
    state.SetIterationTime(use.seconds);
  }
  state.counters["ms"] = median(times);
  state.counters["MiB"] = (static_cast<double>(use.peak_bytes) - static_cast<double>(batch.bytes())) / 0x1p20;
  add_peer(state, dtype);
}

}  // namespace

std::vector<Column> add_gpu_cce(const std::shared_ptr<TimedDevice>& device) {
  const auto add = [&](const char* dtype, auto run) {
    const std::string name = "N=4096 H=2048 V=32000 " + std::string(dtype);
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) { run(state, dtype, device); })
        ->Iterations(repetitions)
        ->UseManualTime();
  };
  add("float32", run_row<float>);
  add("bfloat16", run_row<BFloat16>);
  return {{"ms", "%.1f"}, {"torch", "%.1f"}, {"ratio", "%.2f"}, {"MiB", "%.0f"}, {"torch MiB", "%.0f"}};
}

}  // namespace assay::bench
