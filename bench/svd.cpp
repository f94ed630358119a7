// The singular value decomposition on CPUs: the kernel of metal/cpu against LAPACK's four ways over OpenBLAS, Eigen's
// two and PyTorch (svd_peers.h), in one run, as a table. Thin factors of float32 Gaussian matrices; medians of calls in
// turns, of processor time on one thread, else of time on the clock, where peers have a matrix a thread. The same of
// float64 in a second table.
//
//   ours, gesdd, ...   microseconds a matrix
//   x fastest          the fastest of the others / ours. Goal: 10 for 8 columns, 5 for 16, 3 for 32, 1.3 for 64
//   x gesvj            LAPACK's one-sided Jacobi / ours. Goal: 2 for 128 and 256
//
// Then accuracy (svd_accuracy.h): departures of Gaussian matrices in units of 4 sqrt(n) 2^-24, of which 1 is the goal,
// and relative errors of the singular values of graded ones in units of 2^-24, of which 30 is.
//
//   ./assay bench svd [--benchmark_filter=REGEX]
//
// bench/README.md shows what it printed.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/svd_accuracy.h"
#include "bench/svd_peers.h"
#include "bench/table.h"
#include "bench/timing.h"
#include "metal/cpu/parallel.h"
#include "metal/cpu/svd/svd.h"

namespace assay::bench {
namespace {

template <class Real>
constexpr const char* type_of = sizeof(Real) == 4 ? "float32" : "float64";

template <class Real>
class SvdBatch {
 public:
  SvdBatch(std::int64_t batch, std::int64_t n)
      : batch_(batch), n_(n), A_(static_cast<std::size_t>(batch * n * n)), S_(static_cast<std::size_t>(batch * n)) {
    std::mt19937 random(1);
    std::normal_distribution<Real> normal;
    for (Real& element : A_) element = normal(random);
    U_ = Vh_ = A_;
  }

  void ours(int threads) { metal::svd<Real>({batch_, n_, n_, A_}, {U_, S_, Vh_}, {.threads = threads}); }

  /// A matrix a thread, or, of fewer matrices than threads, all threads in the BLAS.
  void theirs(const SvdPeer<Real>& peer, int threads) {
    const bool by_matrix = batch_ >= threads;
    openblas_set_num_threads(by_matrix ? 1 : threads);
    metal::cpu::for_each_piece(static_cast<std::size_t>(batch_), static_cast<std::size_t>(by_matrix ? threads : 1),
                               [&](std::size_t, std::size_t b) { decompose(peer, static_cast<std::int64_t>(b)); });
  }

  void decompose(const SvdPeer<Real>& peer, std::int64_t b) {
    peer.decompose(n_, A_.data() + b * n_ * n_, U_.data() + b * n_ * n_, S_.data() + b * n_, Vh_.data() + b * n_ * n_);
  }

  double us(double ms) const { return 1e3 * ms / static_cast<double>(batch_); }

 private:
  std::int64_t batch_, n_;
  std::vector<Real> A_, S_, U_, Vh_;
};

template <class Work>
double milliseconds(int threads, const Work& work) {
  wait_for_idle_processors(threads);
  const double start = now_ms(threads);
  work();
  return now_ms(threads) - start;
}

template <class Real>
void run_row(benchmark::State& state, std::int64_t batch_size, std::int64_t n, int threads) {
  SvdBatch<Real> batch(batch_size, n);
  std::vector<double> ours;
  std::map<std::string, std::vector<double>> theirs;
  batch.ours(threads);
  for (auto _ : state) {
    ours.push_back(milliseconds(threads, [&] { batch.ours(threads); }));
    for (const SvdPeer<Real>& peer : svd_peers<Real>())
      if (n <= peer.max_columns)
        theirs[peer.name].push_back(milliseconds(threads, [&] { batch.theirs(peer, threads); }));
    state.SetIterationTime(1e-3 * ours.back());
  }
  double fastest = std::numeric_limits<double>::infinity();
  for (const auto& [name, times] : theirs) {
    state.counters[name] = batch.us(median(times));
    fastest = std::min(fastest, batch.us(median(times)));
  }
  if (const auto torch = torch_svd_seconds(type_of<Real>, batch_size, n, threads, 5)) {
    state.counters["torch"] = batch.us(1e3 * *torch);
    fastest = std::min(fastest, batch.us(1e3 * *torch));
  }
  state.counters["ours"] = batch.us(median(ours));
  state.counters["x fastest"] = fastest / batch.us(median(ours));
  if (theirs.contains("gesvj")) state.counters["x gesvj"] = median(theirs["gesvj"]) / median(ours);
}

template <class Real>
void add_rows() {
  struct Size {
    std::int64_t batch, n;
    int iterations;
  };
  std::vector<int> threads = {1};
  if (std::thread::hardware_concurrency() > 1) threads.push_back(static_cast<int>(std::thread::hardware_concurrency()));
  for (const int count : threads)
    for (const Size& size : {Size{4096, 8, 9}, Size{1024, 16, 9}, Size{512, 32, 9}, Size{64, 64, 9}, Size{16, 128, 5},
                             Size{8, 256, 5}, Size{2, 512, 3}, Size{1, 1024, 3}}) {
      std::ostringstream name;
      name << type_of<Real> << " " << size.batch << " x " << size.n << " threads=" << count;
      benchmark::RegisterBenchmark(
          name.str().c_str(),
          [size, count](benchmark::State& state) { run_row<Real>(state, size.batch, size.n, count); })
          ->Iterations(size.iterations)
          ->UseManualTime();
    }
}

template <class Real>
void print_times() {
  benchmark::ClearRegisteredBenchmarks();
  add_rows<Real>();
  std::vector<Column> columns = {{"ours", "%.4g"}};
  for (const SvdPeer<Real>& peer : svd_peers<Real>()) columns.push_back({peer.name, "%.4g"});
  for (const Column column : {Column{"torch", "%.4g"}, Column{"x fastest", "%.2f"}, Column{"x gesvj", "%.2f"}})
    columns.push_back(column);
  Table table(std::string(openblas_get_config()) + ", core type " + openblas_get_corename() + "; microseconds a matrix",
              columns);
  benchmark::RunSpecifiedBenchmarks(&table);
}

}  // namespace
}  // namespace assay::bench

int main(int argc, char** argv) {
  using namespace assay::bench;
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  print_times<float>();
  print_times<double>();
  print_accuracy(svd_peers<float>());
}
