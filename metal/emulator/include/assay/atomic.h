// Atomic types and functions: Metal Shading Language Specification, sections 2.6 and 6.15. All are performed in the
// order of the text, one after the other; racecheck is told what another order than memory_order_relaxed promises.
#pragma once

#include <assay/hooks.h>
#include <assay/scopes.h>

#if ASSAY_CHECKED
#define ASSAY_ATOMIC(object, kind) \
  ASSAY_ACCESS(const_cast<const void*>(static_cast<const volatile void*>(object)), sizeof(T), kind)
#else
#define ASSAY_ATOMIC(object, kind)
#endif

namespace metal {

template <class T>
struct atomic {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || is_same_v<T, bool>, "Metal has no atomic of this type");
  T value;
};
template <class T>
using _atomic = atomic<T>;
using atomic_int = atomic<int>;
using atomic_uint = atomic<uint>;
using atomic_bool = atomic<bool>;
using atomic_float = atomic<float>;
using atomic_ulong = atomic<ulong>;

namespace assay_detail {
template <class T>
using Same = typename type_identity<T>::type;

template <class T>
__attribute__((no_sanitize("thread"), always_inline, nodebug)) inline T atomic_load_of(const volatile T* p) {
  T value;
  __atomic_load(p, &value, __ATOMIC_RELAXED);
  return value;
}
/// An ordered atomic function is a relaxed one with fences around it: one that releases in front of it, one that
/// acquires behind it.
#if ASSAY_LINT
inline void before_atomic(memory_order) {}
inline void after_atomic(memory_order) {}
inline void tell_fence(mem_flags, memory_order, thread_scope) {}
#else
#if ASSAY_NVPTX
/// clang 19 has no code for __atomic_thread_fence on these GPUs.
ASSAY_OWN void tell_fence(mem_flags, memory_order order, thread_scope scope) {
  if (order == memory_order_relaxed || scope == thread_scope_thread) return;
  if (scope == thread_scope_device)
    __nvvm_membar_gl();
  else if (scope == thread_scope_threadgroup || scope == thread_scope_simdgroup)
    __nvvm_membar_cta();
  else
    __nvvm_membar_sys();
}
#else
ASSAY_OWN void tell_fence(mem_flags flags, memory_order order, thread_scope scope) {
  using namespace assay_shader_side;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (order != memory_order_relaxed) services->fence(uint(flags), abi::MemoryOrder(order), abi::FenceScope(scope));
}
#endif
inline constexpr mem_flags all_memory = mem_flags::mem_device | mem_flags::mem_threadgroup;
ASSAY_OWN void before_atomic(memory_order order) {
  if (order != memory_order_relaxed && order != memory_order_acquire)
    tell_fence(all_memory, memory_order_release, thread_scope_device);
}
ASSAY_OWN void after_atomic(memory_order order) {
  if (order != memory_order_relaxed && order != memory_order_release)
    tell_fence(all_memory, memory_order_acquire, thread_scope_device);
}
#endif

/// Replaces a value by change(value); returns the old value.
template <class T, class Change>
ASSAY_UNCHECKED T atomic_change(volatile T* p, Change change) {
  T old = atomic_load_of(p), next = change(old);
  while (!__atomic_compare_exchange(p, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) next = change(old);
  return old;
}
}  // namespace assay_detail

template <class T>
ASSAY_OWN T atomic_load_explicit(const volatile atomic<T>* object, memory_order order) {
  ASSAY_ATOMIC(object, atomic_read);
  const T value = assay_detail::atomic_load_of(&object->value);
  assay_detail::after_atomic(order);
  return value;
}
template <class T>
ASSAY_OWN void atomic_store_explicit(volatile atomic<T>* object, assay_detail::Same<T> desired, memory_order order) {
  assay_detail::before_atomic(order);
  ASSAY_ATOMIC(object, atomic_write);
  __atomic_store(&object->value, &desired, __ATOMIC_RELAXED);
}
template <class T>
ASSAY_OWN T atomic_exchange_explicit(volatile atomic<T>* object, assay_detail::Same<T> desired, memory_order order) {
  assay_detail::before_atomic(order);
  ASSAY_ATOMIC(object, atomic_exchange);
  T old;
  __atomic_exchange(&object->value, &desired, &old, __ATOMIC_RELAXED);
  assay_detail::after_atomic(order);
  return old;
}
/// If the value differs from `expected`, writes it to `expected`.
template <class T>
ASSAY_OWN bool atomic_compare_exchange_weak_explicit(volatile atomic<T>* object, T* expected,
                                                     assay_detail::Same<T> desired, memory_order success,
                                                     memory_order failure) {
  assay_detail::before_atomic(success);
  ASSAY_ATOMIC(object, atomic_modify);
  const bool is_equal =
      __atomic_compare_exchange(&object->value, expected, &desired, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  assay_detail::after_atomic(is_equal ? success : failure);
  return is_equal;
}

#define ASSAY_ATOMIC_FETCH(name, expression)                                                                     \
  template <class T>                                                                                             \
  ASSAY_OWN T atomic_fetch_##name##_explicit(volatile atomic<T>* object, assay_detail::Same<T> operand,          \
                                             memory_order order) {                                               \
    assay_detail::before_atomic(order);                                                                          \
    ASSAY_ATOMIC(object, atomic_modify);                                                                         \
    const T was =                                                                                                \
        assay_detail::atomic_change(&object->value, [operand](T old) ASSAY_UNCHECKED { return T(expression); }); \
    assay_detail::after_atomic(order);                                                                           \
    return was;                                                                                                  \
  }
ASSAY_ATOMIC_FETCH(add, old + operand)
ASSAY_ATOMIC_FETCH(sub, old - operand)
ASSAY_ATOMIC_FETCH(min, operand < old ? operand : old)
ASSAY_ATOMIC_FETCH(max, old < operand ? operand : old)
ASSAY_ATOMIC_FETCH(and, old& operand)
ASSAY_ATOMIC_FETCH(or, old | operand)
ASSAY_ATOMIC_FETCH(xor, old ^ operand)
#undef ASSAY_ATOMIC_FETCH
/// The 64-bit forms, which do not return the old value.
#define ASSAY_ATOMIC_CHANGE(name)                                                                         \
  template <class T>                                                                                      \
  ASSAY_IN_PLACE void atomic_##name##_explicit(volatile atomic<T>* object, assay_detail::Same<T> operand, \
                                               memory_order order) {                                      \
    atomic_fetch_##name##_explicit(object, operand, order);                                               \
  }
ASSAY_ATOMIC_CHANGE(min)
ASSAY_ATOMIC_CHANGE(max)
#undef ASSAY_ATOMIC_CHANGE

/// The threads of a group run one at a time here, so that there is nothing to wait for.
ASSAY_OWN void atomic_thread_fence(mem_flags flags, memory_order order = memory_order_seq_cst,
                                   thread_scope scope = thread_scope_device) {
  assay_detail::tell_fence(flags, order, scope);
}

}  // namespace metal
