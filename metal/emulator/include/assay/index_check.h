// Checks an index of a vector, a matrix or a metal::array, whose operator[] returns a reference: clang's own check of
// array bounds lets the length itself pass there, and reports the operator's line.
#pragma once

#include <assay/scalar.h>
#include <assay/site.h>

#if ASSAY_CHECKED
extern "C" __attribute__((used, noinline, cold, noreturn, visibility("hidden"), no_sanitize("thread", "coverage"))) void
assay_index_outside(long index, long count, const char* parts) {
  using namespace assay_shader_side;
  const Site site{"", 0, 0};
  if (services != nullptr)
    services->index_out_of_bounds(&site, static_cast<unsigned long>(index), parts, static_cast<unsigned long>(count),
                                  __builtin_return_address(0));
  __builtin_trap();
}
#endif

namespace assay_shader_side {

/// `n`, which has to be below `count`. `parts` is what a report calls them.
ASSAY_IN_PLACE constexpr long index_below([[maybe_unused]] long count, long n, [[maybe_unused]] const char* parts) {
#if ASSAY_CHECKED
  if (!__builtin_is_constant_evaluated() && static_cast<unsigned long>(n) >= static_cast<unsigned long>(count))
    assay_index_outside(n, count, parts);
#endif
  return n;
}

}  // namespace assay_shader_side
