#include "metal/cpu/parallel.h"

#include <omp.h>

namespace assay::metal::cpu {

void on_threads(std::size_t workers, const std::function<void(std::size_t)>& run) {
  if (workers == 1) return run(0);  // a parallel region of one thread would dismiss the others
#pragma omp parallel num_threads(static_cast<int>(workers))
  run(static_cast<std::size_t>(omp_get_thread_num()));
}

}  // namespace assay::metal::cpu
