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

/// Reports an index `n` that is not below `count`. `parts` is what a report calls them. A macro, because the static
/// analyzer, which looks for variables without a value, follows no index through one more function.
#define ASSAY_EXPECT_INDEX(count, n, parts) \
  if (static_cast<unsigned long>(n) >= static_cast<unsigned long>(count)) assay_index_outside(long(n), count, parts)
#else
#define ASSAY_EXPECT_INDEX(count, n, parts) static_cast<void>(0)
#endif
