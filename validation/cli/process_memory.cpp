#include "validation/cli/process_memory.h"

#include <cstddef>

#include "metal/system/system.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace assay::validation {

void save_memory() {
  metal::system::refuse_huge_pages();
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
  mallopt(M_TRIM_THRESHOLD, 1 << 26);
#endif
}

void return_free_memory() {
#if defined(__GLIBC__)
  constexpr std::size_t much = std::size_t{1} << 26;
  if (mallinfo2().fordblks > much) malloc_trim(0);
#endif
}

}  // namespace assay::validation
