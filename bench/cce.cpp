// Linear cross-entropy and its gradients on CPUs: the kernel of metal/cpu against the products alone (cce_sgemm.h) and
// PyTorch where Python has it (cce_torch.h), in one run, as a table. Medians of calls in turns, each turn the second of
// two calls in a row, as PyTorch's calls follow each other: of processor time on one thread, else of time on the clock.
//
//   fused, separate   seconds of cce_loss; of cce_forward and cce_backward
//   GFLOP/s           of a product of matrices 4096 x 4096 by OpenBLAS
//   % of 6NHV         that rate's time for 6 N H V operations / fused. Goal, of float32: at least 92
//   % of 8NHV         likewise for 8 N H V / separate. Goal: at least 85
//   products          seconds of the three products of this size, nothing between them
//   x products        fused / products
//   torch, tuned      seconds of PyTorch as it comes, and with a malloc that keeps its memory
//   x torch           fused / the faster of the two. Goal: at most 1
//   MiB, torch MiB    the most memory beyond inputs and gradients, in a process of its own. Goal: at most 64 on up to
//                     16 threads
//
//   ./assay bench cce [--benchmark_filter=REGEX]
//
// bench/README.md shows what it printed.
#include <benchmark/benchmark.h>
#include <cblas.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/cce_sgemm.h"
#include "bench/cce_torch.h"
#include "bench/table.h"
#include "bench/timing.h"
#include "metal/cpu/cce/loss.h"

namespace assay::bench {
namespace {

using metal::BFloat16;
using metal::Half;

/// Inputs and outputs, all of them written to.
template <class Real>
class CceBatch {
 public:
  explicit CceBatch(CceSize size) : size_(size), random_(1) {
    fill(hidden_, size_.N * size_.H, 1.0);
    fill(weight_, size_.V * size_.H, 1.0 / std::sqrt(static_cast<double>(size_.H)));
    std::uniform_int_distribution<std::int64_t> entry(0, size_.V - 1);
    for (std::int64_t n = 0; n < size_.N; ++n) targets_.push_back(entry(random_));
    loss_.resize(targets_.size());
    log_sum_exp_.resize(targets_.size());
    dhidden_ = hidden_;
    dweight_ = weight_;
  }

  reference::CceProblem<Real> problem() const {
    reference::CceProblem<Real> problem;
    problem.N = size_.N;
    problem.H = size_.H;
    problem.V = size_.V;
    problem.hidden = hidden_;
    problem.weight = weight_;
    problem.targets = targets_;
    return problem;
  }

  void fused(int threads) { metal::cce_loss<Real>(problem(), {loss_, {dhidden_, dweight_, {}}}, {threads}); }

  void separate(int threads) {
    metal::cce_forward<Real>(problem(), loss_, log_sum_exp_, {threads});
    metal::cce_backward<Real>(problem(), log_sum_exp_, {dhidden_, dweight_, {}}, {threads});
  }

 private:
  /// Normal numbers, drawn from a pool: 10^8 of them take long.
  void fill(std::vector<Real>& array, std::int64_t count, double scale) {
    std::normal_distribution<double> normal;
    std::vector<Real> pool;
    for (int i = 0; i < 65537; ++i) pool.push_back(static_cast<Real>(static_cast<float>(scale * normal(random_))));
    array.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < array.size(); ++i) array[i] = pool[i % pool.size()];
  }

  CceSize size_;
  std::mt19937 random_;
  std::vector<Real> hidden_, weight_, dhidden_, dweight_;
  std::vector<std::int64_t> targets_;
  std::vector<float> loss_;
  std::vector<double> log_sum_exp_;
};

template <class Real>
constexpr const char* name_of_type = "float32";
template <>
constexpr const char* name_of_type<Half> = "float16";
template <>
constexpr const char* name_of_type<BFloat16> = "bfloat16";

/// In KiB, a line of Linux's /proc/self/status.
double status(const char* name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return std::atof(line.c_str() + std::strlen(name));
  return 0.0;
}

/// The most memory that a first call takes beyond its arrays, both ways, in this process.
template <class Real>
double extra_mib(CceSize size, int threads) {
  CceBatch<Real> batch(size);
  const double before = status("VmRSS:");
  batch.fused(threads);
  batch.separate(threads);
  return (status("VmHWM:") - before) / 1024.0;
}

/// extra_mib in a process of its own, which runs this program again.
template <class Real>
double extra_mib_elsewhere(CceSize size, int threads) {
  std::ostringstream command;
  command << "/proc/" << getpid() << "/exe --memory " << name_of_type<Real> << " " << size.N << " " << size.H << " "
          << size.V << " " << threads;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> answer(popen(command.str().c_str(), "r"), pclose);
  double MiB = 0.0;
  return answer != nullptr && std::fscanf(answer.get(), "%lf", &MiB) == 1 ? MiB : 0.0;
}

int answer_memory(char** argument) {
  const std::string type = argument[0];
  const CceSize size = {std::atoll(argument[1]), std::atoll(argument[2]), std::atoll(argument[3])};
  const int threads = std::atoi(argument[4]);
  const double MiB = type == "float32"   ? extra_mib<float>(size, threads)
                     : type == "float16" ? extra_mib<Half>(size, threads)
                                         : extra_mib<BFloat16>(size, threads);
  std::printf("%f\n", MiB);
  return 0;
}

template <class Real>
void add_torch(benchmark::State& state, CceSize size, int threads, double fused) {
  const auto as_it_comes = run_cce_torch(size, name_of_type<Real>, threads, 5, false);
  const auto tuned = run_cce_torch(size, name_of_type<Real>, threads, 5, true);
  if (!as_it_comes || !tuned) return;
  state.counters["torch"] = as_it_comes->seconds;
  state.counters["tuned"] = tuned->seconds;
  state.counters["x torch"] = fused / std::min(as_it_comes->seconds, tuned->seconds);
  state.counters["torch MiB"] = as_it_comes->MiB;
}

constexpr std::chrono::milliseconds after_openblas(150);

template <class Real>
void run_row(benchmark::State& state, CceSize size, int threads) {
  std::vector<double> fused, separate, rates, products;
  {
    CceBatch<Real> batch(size);
    Sgemm sgemm(size);
    batch.fused(threads);
    sgemm.square(threads);
    for (auto _ : state) {
      rates.push_back(sgemm.square(threads));
      wait_for_idle_processors(threads, after_openblas);
      fused.push_back(1e-3 * time_second_call(threads, [&] { batch.fused(threads); }));
      products.push_back(sgemm.three_products(threads));
      wait_for_idle_processors(threads, after_openblas);
      separate.push_back(1e-3 * time_second_call(threads, [&] { batch.separate(threads); }));
      state.SetIterationTime(fused.back());
    }
  }
  state.counters["fused"] = median(fused);
  state.counters["separate"] = median(separate);
  state.counters["GFLOP/s"] = median(rates);
  state.counters["% of 6NHV"] = 100.0 * size.gflop(3) / median(rates) / median(fused);
  state.counters["% of 8NHV"] = 100.0 * size.gflop(4) / median(rates) / median(separate);
  state.counters["products"] = median(products);
  state.counters["x products"] = median(fused) / median(products);
  state.counters["MiB"] = extra_mib_elsewhere<Real>(size, threads);
  add_torch<Real>(state, size, threads, median(fused));
}

template <class Real>
void add_row(CceSize size, int threads) {
  std::ostringstream name;
  name << "N=" << size.N << " H=" << size.H << " V=" << size.V << " " << name_of_type<Real> << " threads=" << threads;
  benchmark::RegisterBenchmark(name.str().c_str(),
                               [size, threads](benchmark::State& state) { run_row<Real>(state, size, threads); })
      ->Iterations(5)
      ->UseManualTime();
}

void add_rows() {
  std::vector<int> threads = {1};
  if (std::thread::hardware_concurrency() > 1) threads.push_back(static_cast<int>(std::thread::hardware_concurrency()));
  for (const int count : threads) {
    for (const CceSize size : {CceSize{1024, 512, 32000}, CceSize{2048, 1024, 32000}, CceSize{512, 2048, 128000}})
      add_row<float>(size, count);
    for (const CceSize size : {CceSize{1024, 512, 32000}, CceSize{2048, 1024, 32000}}) {
      add_row<BFloat16>(size, count);
      add_row<Half>(size, count);
    }
    for (const std::int64_t N : {1, 8, 64}) {  // the last step of a generation
      add_row<float>({N, 1024, 32000}, count);
      add_row<BFloat16>({N, 1024, 32000}, count);
      add_row<Half>({N, 1024, 32000}, count);
    }
  }
}

/// OpenBLAS reads its environment before main: what chooses slower kernels there must be gone before that.
void without_openblas_settings(char** argv) {
  bool found = false;
  for (const char* name : {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_NUM_THREADS"}) {
    found |= std::getenv(name) != nullptr;
    unsetenv(name);
  }
  if (found) execv("/proc/self/exe", argv);
}

}  // namespace

}  // namespace assay::bench

int main(int argc, char** argv) {
  using namespace assay::bench;
  without_openblas_settings(argv);
  if (argc == 7 && std::string(argv[1]) == "--memory") return answer_memory(argv + 2);
  add_rows();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const std::string title = std::string(openblas_get_config()) + ", core type " + openblas_get_corename();
  Table table(title, {{"fused", "%.3g"},
                      {"separate", "%.3g"},
                      {"GFLOP/s", "%.0f"},
                      {"% of 6NHV", "%.1f"},
                      {"% of 8NHV", "%.1f"},
                      {"products", "%.3g"},
                      {"x products", "%.2f"},
                      {"torch", "%.3g"},
                      {"tuned", "%.3g"},
                      {"x torch", "%.2f"},
                      {"MiB", "%.0f"},
                      {"torch MiB", "%.0f"}});
  benchmark::RunSpecifiedBenchmarks(&table);
}
