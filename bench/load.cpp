// The cost of threads beside other programs: the CPU kernels with one thread and with one for each processor, in turns,
// while as many busy processes run as there are processors. Neither a priority nor an idle machine helps.
//
//   one, more           medians in ms on the clock, with one thread and with several
//   ratio               more / one. Goal: at most 1.2
//   mean ratio          the same of the means, which calls count in that waited for a processor
//
//   ./assay bench load [--benchmark_filter=REGEX]
//
// bench/log.md has what it printed.
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/ctc_batch.h"
#include "bench/table.h"
#include "bench/timing.h"
#include "metal/cpu/cce/loss.h"
#include "metal/cpu/ctc/loss.h"
#include "metal/cpu/svd/svd.h"

namespace assay::bench {
namespace {

/// Processes that do nothing but compute, until this ends.
class BusyProcesses {
 public:
  explicit BusyProcesses(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child == 0) compute_until_the_parent_ends();
      if (child > 0) children_.push_back(child);
    }
  }
  ~BusyProcesses() {
    for (const pid_t child : children_) kill(child, SIGKILL);
    for (const pid_t child : children_) waitpid(child, nullptr, 0);
  }
  BusyProcesses(const BusyProcesses&) = delete;
  BusyProcesses& operator=(const BusyProcesses&) = delete;

 private:
  [[noreturn]] static void compute_until_the_parent_ends() {
    const pid_t parent = getppid();
    volatile double x = 1.0;
    while (getppid() == parent)
      for (int i = 0; i < 1'000'000; ++i) x = x * 0.5 + 1.0;
    _exit(0);
  }

  std::vector<pid_t> children_;
};

using Call = std::function<void(int threads)>;

double mean(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}

double time(const Call& call, int threads) {
  const double start = now_ms(0);
  call(threads);
  return now_ms(0) - start;
}

void compare(benchmark::State& state, const Call& call) {
  const unsigned processors = std::thread::hardware_concurrency();
  const BusyProcesses others(processors);
  call(1), call(static_cast<int>(processors));
  std::vector<double> one, more;
  for (auto _ : state) {
    one.push_back(time(call, 1));
    more.push_back(time(call, static_cast<int>(processors)));
    state.SetIterationTime(1e-3 * (one.back() + more.back()));
  }
  state.counters["one"] = median(one);
  state.counters["more"] = median(more);
  state.counters["ratio"] = median(more) / median(one);
  state.counters["mean ratio"] = mean(more) / mean(one);
}

void add_row(const std::string& name, int calls, const std::function<Call()>& prepare) {
  benchmark::RegisterBenchmark(name.c_str(), [prepare](benchmark::State& state) { compare(state, prepare()); })
      ->Iterations(calls)
      ->UseManualTime();
}

void add_ctc(const CtcSize& size, int calls) {
  add_row("ctc " + name_of(size), calls, [size]() -> Call {
    const auto batch = std::make_shared<CtcBatch<float>>(size);
    const auto result = std::make_shared<CtcResult<float>>(*batch);
    return [=](int threads) { metal::ctc_loss(batch->problem(), result->output(), {.threads = threads}); };
  });
}

std::vector<float> normal_values(std::int64_t count) {
  std::mt19937_64 bits(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = normal(bits);
  return values;
}

void add_cce(std::int64_t N, std::int64_t H, std::int64_t V, int calls) {
  const std::string name = "cce N=" + std::to_string(N) + " H=" + std::to_string(H) + " V=" + std::to_string(V);
  add_row(name, calls, [=]() -> Call {
    const auto hidden = std::make_shared<std::vector<float>>(normal_values(N * H)),
               dhidden = std::make_shared<std::vector<float>>(*hidden);
    const auto weight = std::make_shared<std::vector<float>>(normal_values(V * H)),
               dweight = std::make_shared<std::vector<float>>(*weight);
    const auto targets = std::make_shared<std::vector<std::int64_t>>(static_cast<std::size_t>(N), 1);
    const auto loss = std::make_shared<std::vector<float>>(static_cast<std::size_t>(N));
    return [=](int threads) {
      reference::CceProblem<float> problem;
      problem.N = N, problem.H = H, problem.V = V;
      problem.hidden = *hidden, problem.weight = *weight, problem.targets = *targets;
      metal::cce_loss<float>(problem, {*loss, {*dhidden, *dweight, {}}}, {.threads = threads});
    };
  });
}

void add_svd(std::int64_t batch, std::int64_t n, int calls) {
  const std::string name = "svd " + std::to_string(batch) + " x " + std::to_string(n) + " x " + std::to_string(n);
  add_row(name, calls, [=]() -> Call {
    const auto A = std::make_shared<std::vector<float>>(normal_values(batch * n * n));
    const auto U = std::make_shared<std::vector<float>>(*A), Vh = std::make_shared<std::vector<float>>(*A);
    const auto S = std::make_shared<std::vector<float>>(static_cast<std::size_t>(batch * n));
    return [=](int threads) { metal::svd<float>({batch, n, n, *A}, {*U, *S, *Vh}, {.threads = threads}); };
  });
}

void add_rows() {
  for (const std::int64_t B : {1, 8, 64, 256}) add_ctc({.T = 150, .B = B, .C = 28}, 301);
  for (const std::int64_t B : {1, 8}) add_ctc({.T = 150, .B = B, .C = 5000}, 101);
  add_ctc({.T = 2, .B = 131073, .C = 3}, 51);
  for (const std::int64_t N : {1, 64}) add_cce(N, 512, 8000, 101);
  add_svd(64, 32, 101);
  add_svd(8, 128, 51);
  add_svd(1, 1024, 15);
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  assay::bench::add_rows();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  assay::bench::Table table("", {{"one", "%.3g"}, {"more", "%.3g"}, {"ratio", "%.2f"}, {"mean ratio", "%.2f"}});
  benchmark::RunSpecifiedBenchmarks(&table);
}
