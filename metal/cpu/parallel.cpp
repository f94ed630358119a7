#include "metal/cpu/parallel.h"

#include <atomic>

namespace assay::metal::cpu {

void on_threads(std::size_t workers, const std::function<void(std::size_t)>& run) {
  if (workers == 1) return run(0);  // a parallel region of one thread would dismiss the others
  std::atomic<std::size_t> next = 0;
#pragma omp parallel num_threads(static_cast<int>(workers))
  run(next++);
}

}  // namespace assay::metal::cpu
