#include "metal/cpu/parallel.h"

#include <array>
#include <atomic>

namespace assay::metal::cpu {

namespace {

constexpr std::size_t max_stages = 4;

struct Progress {
  std::atomic<std::size_t> next = 0, done = 0;
};

/// Returns when `counter` is `value`. Spins before it sleeps: the others take microseconds, waking up takes many.
void wait_for(std::atomic<std::size_t>& counter, std::size_t value) {
  for (int looks = 0; looks < 10'000; ++looks)
    if (counter == value) return;
  for (std::size_t now = counter; now != value; now = counter) counter.wait(now);
}

}  // namespace

void on_threads(std::size_t workers, const std::function<void(std::size_t)>& run) {
  if (workers == 1) return run(0);  // a parallel region of one thread would end the other threads
  std::atomic<std::size_t> next = 0;
#pragma omp parallel num_threads(static_cast<int>(workers))
  run(next++);
}

bool in_stages(std::size_t workers, std::span<const Stage> stages) {
  std::array<Progress, max_stages> progress;
  std::atomic<bool> all_true = true;
  on_threads(workers, [&](std::size_t worker) {
    for (std::size_t s = 0; s < stages.size() && all_true; ++s) {
      const Stage& stage = stages[s];
      auto& [next, done] = progress[s];
      for (std::size_t i = next++; i < stage.count; i = next++) {
        if (!stage.run(worker, i)) all_true = false;
        if (++done == stage.count) done.notify_all();
      }
      if (s + 1 < stages.size()) wait_for(done, stage.count);
    }
  });
  return all_true;
}

}  // namespace assay::metal::cpu
