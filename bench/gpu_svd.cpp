// The SVD of batches of small matrices on a GPU: gpu.cpp.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "bench/exchange.h"
#include "bench/gpu.h"
#include "bench/python.h"
#include "bench/timing.h"
#include "metal/cpu/svd/svd.h"
#include "metal/host/svd/svd.h"

namespace assay::bench {
namespace {

constexpr int repetitions = 5;

struct Matrices {
  std::int64_t B, n;
  std::vector<float> A;
  std::vector<double> values;  ///< of the first matrices, in float64

  Matrices(std::int64_t batch, std::int64_t size) : B(batch), n(size) {
    std::mt19937_64 bits(1);
    std::normal_distribution<float> normal;
    A.resize(static_cast<std::size_t>(B * n * n));
    for (float& a : A) a = normal(bits);
    const std::vector<double> first(A.begin(), A.begin() + 16 * n * n);
    values.resize(static_cast<std::size_t>(16 * n));
    metal::svd(reference::SvdProblem<double>{.B = 16, .M = n, .N = n, .A = first}, {{}, values, {}});
  }

  /// The largest error of the first singular values, each relative to itself.
  double error(const std::vector<float>& S) const {
    double worst = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double error = std::fabs(double{S[i]} / values[i] - 1);
      if (!(error <= worst)) worst = error;
    }
    return worst;
  }
};

struct Peer {
  double ms = NAN;
  std::vector<float> S;
};

/// gesvdj and gesvda, as bench/gpu_svd_torch.py measures them.
std::array<Peer, 2> peers(const Matrices& matrices) {
  std::array<Peer, 2> result;
  const TemporaryDirectory directory;
  if (python_with_torch().empty() || directory.path().empty()) return result;
  write(directory / "matrices", matrices.A);
  std::ostringstream command;
  command << python_with_torch() << " " << ASSAY_BENCH_DIRECTORY << "/gpu_svd_torch.py " << directory.path() << " "
          << matrices.B << " " << matrices.n << " " << repetitions;
  if (std::system(command.str().c_str()) != 0) return result;
  std::vector<double> ms(2);
  if (!read(directory / "ms", ms)) return result;
  for (std::size_t n = 0; n < 2; ++n) {
    result[n].S.resize(static_cast<std::size_t>(matrices.B * matrices.n));
    if (read(directory / (n == 0 ? "S_gesvdj" : "S_gesvda"), result[n].S)) result[n].ms = ms[n];
  }
  return result;
}

void run_row(benchmark::State& state, std::int64_t B, std::int64_t n, const std::shared_ptr<TimedDevice>& device) {
  const Matrices matrices(B, n);
  const auto svd = metal::or_throw(metal::Svd::create(device));
  std::vector<float> U(matrices.A.size()), S(static_cast<std::size_t>(B * n)), Vh(matrices.A.size());
  std::vector<double> times;
  const auto measure = [&] {
    device->take();
    metal::or_throw(svd(reference::SvdProblem<float>{.B = B, .M = n, .N = n, .A = matrices.A}, {U, S, Vh}));
    times.push_back(1e3 * device->take().seconds);
  };
  measure();
  times.clear();
  for (auto _ : state) {
    measure();
    state.SetIterationTime(1e-3 * times.back());
  }
  state.counters["ms"] = median(times);
  state.counters["error"] = matrices.error(S);
  const auto others = peers(matrices);
  for (std::size_t p = 0; p < 2; ++p) {
    if (std::isnan(others[p].ms)) continue;
    const std::string name = p == 0 ? "gesvdj" : "gesvda";
    state.counters[name] = others[p].ms;
    state.counters[name + " error"] = matrices.error(others[p].S);
  }
  const double faster = std::fmin(others[0].ms, others[1].ms);
  if (!std::isnan(faster)) state.counters["ratio"] = faster / median(times);
}

}  // namespace

std::vector<Column> add_gpu_svd(const std::shared_ptr<TimedDevice>& device) {
  for (const auto& [B, n] : {std::pair{4096, 8}, std::pair{4096, 32}, std::pair{1024, 64}}) {
    const std::string name = "SVD " + std::to_string(B) + "x" + std::to_string(n) + "x" + std::to_string(n);
    benchmark::RegisterBenchmark(name.c_str(),
                                 [B, n, device](benchmark::State& state) { run_row(state, B, n, device); })
        ->Iterations(repetitions)
        ->UseManualTime();
  }
  return {{"ms", "%.3g"},    {"gesvdj", "%.3g"},       {"gesvda", "%.3g"},      {"ratio", "%.2f"},
          {"error", "%.1e"}, {"gesvdj error", "%.1e"}, {"gesvda error", "%.1e"}};
}

}  // namespace assay::bench
