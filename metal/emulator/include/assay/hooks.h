// The functions that the compiler's instrumentation calls in a shader compiled for checking. They report every access
// to the Services.
//
// -fsanitize=thread puts a call in front of each access of memory that may be shared. The functions called are these,
// not ThreadSanitizer's. -fsanitize=array-bounds calls one when an index is out of the bounds of an array of known
// length.
#pragma once

#include <assay/bfloat.h>
#include <assay/integer_hooks.h>
#include <assay/site.h>

#if ASSAY_CHECKED

namespace assay_shader_side {

extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start[];
extern "C" __attribute__((visibility("hidden"))) const char _end[];

/// Whether the address is in the shader object, among its constants. These need no check: nothing writes them while a
/// kernel runs.
ASSAY_UNCHECKED bool is_own_constant(const void* address) {
  return address >= __ehdr_start && address < _end;
}

__attribute__((no_sanitize("thread", "coverage"), always_inline)) inline void access(const void* address,
                                                                                     unsigned long bytes,
                                                                                     abi::Access kind, const void* pc) {
  if (services == nullptr || is_own_constant(address)) return;
  if (bytes == 4 && kind == abi::Access::read) return services->read_word(address, pc);
  if (bytes == 4 && kind == abi::Access::write) return services->write_word(address, pc);
  services->access(address, bytes, kind, pc);
}

}  // namespace assay_shader_side

#define ASSAY_HOOK extern "C" __attribute__((used, noinline, no_sanitize("thread", "coverage"), visibility("hidden")))
#define ASSAY_ACCESS(address, bytes, kind) \
  assay_shader_side::access(address, bytes, assay_shader_side::abi::Access::kind, __builtin_return_address(0))

#define ASSAY_ACCESS_HOOKS(bytes)                                \
  ASSAY_HOOK void __tsan_read##bytes(void* address) {            \
    ASSAY_ACCESS(address, bytes, read);                          \
  }                                                              \
  ASSAY_HOOK void __tsan_write##bytes(void* address) {           \
    ASSAY_ACCESS(address, bytes, write);                         \
  }                                                              \
  ASSAY_HOOK void __tsan_unaligned_read##bytes(void* address) {  \
    ASSAY_ACCESS(address, bytes, read);                          \
  }                                                              \
  ASSAY_HOOK void __tsan_unaligned_write##bytes(void* address) { \
    ASSAY_ACCESS(address, bytes, write);                         \
  }
ASSAY_ACCESS_HOOKS(1)
ASSAY_ACCESS_HOOKS(2)
ASSAY_ACCESS_HOOKS(4)
ASSAY_ACCESS_HOOKS(8)
ASSAY_ACCESS_HOOKS(16)

ASSAY_HOOK void __tsan_read_range(void* address, unsigned long bytes) {
  ASSAY_ACCESS(address, bytes, read);
}
ASSAY_HOOK void __tsan_write_range(void* address, unsigned long bytes) {
  ASSAY_ACCESS(address, bytes, write);
}
ASSAY_HOOK void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
  ASSAY_ACCESS(from, bytes, read);
  ASSAY_ACCESS(to, bytes, write);
  return __builtin_memcpy(to, from, bytes);
}
ASSAY_HOOK void* __tsan_memmove(void* to, const void* from, unsigned long bytes) {
  ASSAY_ACCESS(from, bytes, read);
  ASSAY_ACCESS(to, bytes, write);
  return __builtin_memmove(to, from, bytes);
}
ASSAY_HOOK void* __tsan_memset(void* to, int value, unsigned long bytes) {
  ASSAY_ACCESS(to, bytes, write);
  return __builtin_memset(to, value, bytes);
}
namespace assay_shader_side {

#if defined(__x86_64__)
using BlocksLeft = int __attribute__((address_space(257)))*;  // relative to fs: each OS thread has its own
#else
inline int blocks_left_of_all = abi::blocks_per_call;  // OS threads that count at the same time lose a few
using BlocksLeft = int*;
#endif

/// Null until the shader is bound.
__attribute__((always_inline, nodebug, no_sanitize("thread", "coverage"))) inline BlocksLeft blocks_left() {
#if defined(__x86_64__)
  return reinterpret_cast<BlocksLeft>(blocks_left_offset);
#else
  return &blocks_left_of_all;
#endif
}

__attribute__((noinline, cold, no_sanitize("thread", "coverage"))) inline void report_blocks(const void* pc) {
  *blocks_left() = abi::blocks_per_call;
  if (services != nullptr) services->blocks(abi::blocks_per_call, pc);
}

}  // namespace assay_shader_side

/// -fsanitize-coverage=trace-pc calls it in each basic block. There are many, so it reports them by the thousand. It is
/// not inlined: its branches in each block took the optimiser more time than all else that is in a large kernel.
ASSAY_HOOK void __sanitizer_cov_trace_pc() {
  const assay_shader_side::BlocksLeft left = assay_shader_side::blocks_left();
  if (left && --*left <= 0) assay_shader_side::report_blocks(__builtin_return_address(0));
}
ASSAY_HOOK void __tsan_init() {}
ASSAY_HOOK void __tsan_vptr_update(void**, void*) {}
ASSAY_HOOK void __tsan_vptr_read(void**) {}

namespace assay_shader_side {

/// The layout of what clang passes to the handler below.
struct OutOfBounds {
  SourceLocation where;
  const TypeDescriptor *array, *index;
};

}  // namespace assay_shader_side

ASSAY_HOOK void __ubsan_handle_out_of_bounds(assay_shader_side::OutOfBounds* data, unsigned long index) {
  using namespace assay_shader_side;
  const unsigned unused = 64 - bits_of(data->index);
  if (is_signed(data->index)) index = static_cast<unsigned long>(static_cast<long>(index << unused) >> unused);
  const Site site{data->where.file, data->where.line, data->where.column};
  if (services != nullptr) services->index_out_of_bounds(&site, index, data->array->name, 0, nullptr);
}

#undef ASSAY_ACCESS_HOOKS
#endif
