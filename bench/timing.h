// The clocks of the benchmarks.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iterator>
#include <thread>
#include <vector>

namespace assay::bench {

/// Processor time of the whole process on one thread, which other programs disturb less; else the clock on the wall.
inline double now_ms(int threads) {
  if (threads != 1)
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// Waits until the threads of an earlier call sleep: those of OpenMP keep the processors for milliseconds after their
/// work, those of OpenBLAS for 30, and metal/cpu does without other threads for a while after a call that they slowed.
inline void wait_for_idle_processors(int threads, std::chrono::milliseconds time = std::chrono::milliseconds(10)) {
  if (threads != 1) std::this_thread::sleep_for(time);
}

/// Milliseconds of the second of two calls in a row: what the work touches has been touched just before.
template <class Work>
double time_second_call(int threads, const Work& work) {
  wait_for_idle_processors(threads);
  work();
  const double start = now_ms(threads);
  work();
  return now_ms(threads) - start;
}

inline double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + std::ssize(x) / 2, x.end());
  return x[x.size() / 2];
}

}  // namespace assay::bench
