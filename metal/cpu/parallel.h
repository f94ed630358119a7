// The rows of a batch spread over threads: each thread takes the next row that nobody has taken.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>

namespace assay::metal::cpu {

/// The threads used for B rows when `threads` are asked for, 0 meaning all that the machine has. Many more than it has
/// would cost memory and win nothing.
inline std::size_t worker_count(int threads, std::size_t B) {
  const std::size_t processors = std::thread::hardware_concurrency();
  const std::size_t wanted = threads == 0 ? processors : static_cast<std::size_t>(threads);
  return std::max<std::size_t>(1, std::min({wanted, B, std::max<std::size_t>(processors, 64)}));
}

/// Calls run(worker) in at most `workers` threads, among them the calling one, with numbers from 0 on. The others stay
/// for the next call: making them anew can take longer than the work. `run` may not throw.
void on_threads(std::size_t workers, const std::function<void(std::size_t)>& run);

/// Returns when `counter` is `value`. What is waited for takes microseconds and being woken takes many: looking first.
inline void wait_for(std::atomic<std::size_t>& counter, std::size_t value) {
  for (int looks = 0; looks < 10'000; ++looks)
    if (counter == value) return;
  for (std::size_t now = counter; now != value; now = counter) counter.wait(now);
}

/// Calls acceptable(row) once for each row below `rows` and then, where all were true, work(worker, i) once for each i
/// below `rows`, in rising order, with worker < `workers`. No work begins before every row has been found acceptable.
/// Neither may throw.
template <class Acceptable, class Work>
bool for_each_row(std::size_t rows, std::size_t workers, const Acceptable& acceptable, const Work& work) {
  std::atomic<std::size_t> next_to_check = 0, checked = 0, next_to_work = 0;
  std::atomic<bool> all_acceptable = true;
  on_threads(workers, [&](std::size_t worker) {
    for (std::size_t row = next_to_check++; row < rows; row = next_to_check++) {
      if (!acceptable(row)) all_acceptable = false;
      if (++checked == rows) checked.notify_all();
    }
    wait_for(checked, rows);
    if (!all_acceptable) return;
    for (std::size_t i = next_to_work++; i < rows; i = next_to_work++) work(worker, i);
  });
  return all_acceptable;
}

}  // namespace assay::metal::cpu
