// Atomic types and functions: Metal Shading Language Specification, sections 2.6 and 6.15. The order is always relaxed.
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
/// Replaces a value by change(value); returns the old value.
template <class T, class Change>
ASSAY_UNCHECKED T atomic_change(volatile T* p, Change change) {
  T old = atomic_load_of(p), next = change(old);
  while (!__atomic_compare_exchange(p, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) next = change(old);
  return old;
}
}  // namespace assay_detail

template <class T>
ASSAY_OWN T atomic_load_explicit(const volatile atomic<T>* object, memory_order) {
  ASSAY_ATOMIC(object, atomic_read);
  return assay_detail::atomic_load_of(&object->value);
}
template <class T>
ASSAY_OWN void atomic_store_explicit(volatile atomic<T>* object, assay_detail::Same<T> desired, memory_order) {
  ASSAY_ATOMIC(object, atomic_write);
  __atomic_store(&object->value, &desired, __ATOMIC_RELAXED);
}
template <class T>
ASSAY_OWN T atomic_exchange_explicit(volatile atomic<T>* object, assay_detail::Same<T> desired, memory_order) {
  ASSAY_ATOMIC(object, atomic_write);
  T old;
  __atomic_exchange(&object->value, &desired, &old, __ATOMIC_RELAXED);
  return old;
}
/// If the value differs from `expected`, writes it to `expected`.
template <class T>
ASSAY_OWN bool atomic_compare_exchange_weak_explicit(volatile atomic<T>* object, T* expected,
                                                     assay_detail::Same<T> desired, memory_order, memory_order) {
  ASSAY_ATOMIC(object, atomic_modify);
  return __atomic_compare_exchange(&object->value, expected, &desired, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#define ASSAY_ATOMIC_FETCH(name, expression)                                                                        \
  template <class T>                                                                                                \
  ASSAY_OWN T atomic_fetch_##name##_explicit(volatile atomic<T>* object, assay_detail::Same<T> operand,             \
                                             memory_order) {                                                        \
    ASSAY_ATOMIC(object, atomic_modify);                                                                            \
    return assay_detail::atomic_change(&object->value, [operand](T old) ASSAY_UNCHECKED { return T(expression); }); \
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
                                   thread_scope = thread_scope_device) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#if !ASSAY_LINT && !ASSAY_NVPTX
  if (order != memory_order_relaxed) assay_shader_side::services->fence(uint(flags));
#endif
}

}  // namespace metal
