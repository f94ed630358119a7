// Loss and full gradient of CTC from logits, one sequence, one thread: the reference against plain C programs of the
// same recursion on MPFR and on Arb (bench/peers/), whose storage is made beforehand.
//
//   ours_ms, peer_ms   medians of the processor time of the two, measured in turns
//   ratio              ours_ms / peer_ms. Goal: at most 0.7 on MPFR, at most 1.3 on Arb
//   radius_digits      balls only: -log10 of the largest radius in our gradient. Goal: at least the digits asked for
//
// ./assay bench reference_ctc, on 2 shared x86-64 cores of 2.6 GHz, GCC 12, MPFR 4.2.0, Arb 2.23:
//
//   digits, T, C, S       MPFR: peer   ours   ratio      Arb: peer   ours   ratio   radius_digits
//     50   150  28   75          8.2    3.4    0.41            4.7    5.5    1.16            56.3
//    100   150  28   75         12.9    7.2    0.56            6.3    7.2    1.14           106.3
//   1000   150  28   75          241    123    0.51            119    123    1.03          1006.1
//     50  2000  64  200          310    173    0.56            243    311    1.28            54.9
//     50  2000  64  400          404    240    0.59            385    462    1.20            54.9
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <random>
#include <vector>

#include "bench/peers/ctc_arb.h"
#include "bench/peers/ctc_mpfr.h"
#include "reference/ctc/batch.h"
#include "reference/number/ball.h"
#include "reference/number/big_float.h"

namespace assay::reference {
namespace {

struct Sequence {
  std::int64_t T, C, S;
  std::vector<double> logits;         // [T, C], standard normal
  std::vector<std::int64_t> targets;  // [S], uniform over the labels
  std::vector<std::int64_t> input_lengths, target_lengths;

  /// A benchmark's arguments after the first: T, C, S.
  explicit Sequence(const benchmark::State& state)
      : T(state.range(1)), C(state.range(2)), S(state.range(3)), input_lengths{T}, target_lengths{S} {
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < T * C; ++i) logits.push_back(normal(random));
    for (std::int64_t s = 0; s < S; ++s)
      targets.push_back(1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(C - 1)));
  }

  CtcProblem<double> problem() const {
    CtcProblem<double> view;
    view.T = T, view.B = 1, view.C = C, view.S = S;
    view.activations = logits, view.targets = targets;
    view.input_lengths = input_lengths, view.target_lengths = target_lengths;
    return view;
  }
};

/// Processor time, which other programs on the machine disturb less than they do the clock on the wall.
double seconds(auto&& work) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + std::ssize(x) / 2, x.end());
  return x[x.size() / 2];
}

/// Runs `peer` and `ours` in turns and reports both.
void measure(benchmark::State& state, auto&& peer, auto&& ours) {
  std::vector<double> peer_times, our_times;
  peer(), ours();  // caches warm, constants computed
  for (auto _ : state) {
    peer_times.push_back(seconds(peer));
    our_times.push_back(seconds(ours));
    state.SetIterationTime(our_times.back());
  }
  state.counters["ours_ms"] = 1e3 * median(our_times);
  state.counters["peer_ms"] = 1e3 * median(peer_times);
  state.counters["ratio"] = median(our_times) / median(peer_times);
}

void BigFloatAgainstPlainMpfr(benchmark::State& state) {
  const PrecisionScope scope(static_cast<int>(state.range(0)));
  const Sequence sequence(state);
  CtcOutcome<BigFloat> outcome;
  ctc_mpfr peer;
  ctc_mpfr_init(&peer, sequence.T, sequence.C, sequence.S, precision_bits());
  measure(
      state, [&] { ctc_mpfr_run(&peer, sequence.logits.data(), sequence.targets.data()); },
      [&] { outcome = ctc_outcome<BigFloat>(sequence.problem()); });
  if (mpfr_equal_p(peer.loss, outcome.loss[0].data()) == 0) state.SkipWithError("the two losses differ");
  for (std::size_t i = 0; i < outcome.gradient.size(); ++i)
    if (mpfr_equal_p(peer.gradient[i], outcome.gradient[i].data()) == 0) state.SkipWithError("the gradients differ");
  ctc_mpfr_clear(&peer);
}

void BallAgainstPlainArb(benchmark::State& state) {
  const PrecisionScope scope(static_cast<int>(state.range(0)));
  const Sequence sequence(state);
  CtcOutcome<Ball> outcome;
  ctc_arb peer;
  ctc_arb_init(&peer, sequence.T, sequence.C, sequence.S, precision_bits() + guard_bits);
  measure(
      state, [&] { ctc_arb_run(&peer, sequence.logits.data(), sequence.targets.data()); },
      [&] { outcome = ctc_outcome<Ball>(sequence.problem()); });
  if (arb_overlaps(peer.loss, outcome.loss[0].data()) == 0) state.SkipWithError("the two losses differ");
  BigFloat radius(0);
  for (std::size_t i = 0; i < outcome.gradient.size(); ++i) {
    if (arb_overlaps(peer.gradient[i], outcome.gradient[i].data()) == 0) state.SkipWithError("the gradients differ");
    radius = std::max(radius, outcome.gradient[i].radius());
  }
  state.counters["radius_digits"] = static_cast<double>(-log(radius) / log(BigFloat(10)));
  ctc_arb_clear(&peer);
}

// Digits, T, C, S.
BENCHMARK(BigFloatAgainstPlainMpfr)
    ->Args({50, 150, 28, 75})
    ->Args({100, 150, 28, 75})
    ->Iterations(101)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BigFloatAgainstPlainMpfr)
    ->Args({1000, 150, 28, 75})
    ->Iterations(11)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BigFloatAgainstPlainMpfr)
    ->Args({50, 2000, 64, 200})
    ->Args({50, 2000, 64, 400})
    ->Iterations(7)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BallAgainstPlainArb)
    ->Args({50, 150, 28, 75})
    ->Args({100, 150, 28, 75})
    ->Iterations(101)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BallAgainstPlainArb)
    ->Args({1000, 150, 28, 75})
    ->Iterations(11)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BallAgainstPlainArb)
    ->Args({50, 2000, 64, 200})
    ->Args({50, 2000, 64, 400})
    ->Iterations(7)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay::reference

BENCHMARK_MAIN();
