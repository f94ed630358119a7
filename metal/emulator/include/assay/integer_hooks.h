// The functions that clang calls, for -fsanitize=integer-divide-by-zero,shift-exponent, in front of an integer
// operation whose result is undefined: a division by zero, a shift by a negative amount or by the width or more. They
// report it to the Services, which end the thread: an optimiser may have assumed that nothing comes after it.
#pragma once

#include <assay/scalar.h>
#include <assay/site.h>

#if !ASSAY_LINT && !ASSAY_NVPTX

#define ASSAY_INTEGER_HOOK \
  extern "C" __attribute__((used, noinline, cold, noreturn, visibility("hidden"), no_sanitize("thread", "coverage")))

namespace assay_shader_side {

// The layouts of what clang passes.
struct TypeDescriptor {
  unsigned short kind, info;
  char name[1];
};
struct SourceLocation {
  const char* file;
  unsigned line, column;
};
struct DivisionData {
  SourceLocation where;
  const TypeDescriptor* type;
};
struct ShiftData {
  SourceLocation where;
  const TypeDescriptor *left, *right;
};

ASSAY_OWN unsigned bits_of(const TypeDescriptor* type) {
  return 1u << (type->info >> 1);
}
ASSAY_OWN bool is_signed(const TypeDescriptor* type) {
  return (type->info & 1) != 0;
}

/// A value of the type, which clang passes without its sign.
ASSAY_OWN abi::IntegerOperand operand(const TypeDescriptor* type, unsigned long value) {
  return {value, bits_of(type), is_signed(type)};
}

[[noreturn]] ASSAY_OWN void report_undefined(abi::IntegerOperation operation, const abi::IntegerOperand& left,
                                             const abi::IntegerOperand& right, const SourceLocation& where,
                                             const void* pc) {
  const Site site{where.file, where.line, where.column};
  if (services != nullptr) services->undefined_integer(operation, &left, &right, &site, pc);
  __builtin_trap();
}

}  // namespace assay_shader_side

ASSAY_INTEGER_HOOK void __ubsan_handle_divrem_overflow_abort(assay_shader_side::DivisionData* data, unsigned long left,
                                                             unsigned long right) {
  using namespace assay_shader_side;
  report_undefined(abi::IntegerOperation::division, operand(data->type, left), operand(data->type, right), data->where,
                   __builtin_return_address(0));
}

ASSAY_INTEGER_HOOK void __ubsan_handle_shift_out_of_bounds_abort(assay_shader_side::ShiftData* data, unsigned long left,
                                                                 unsigned long right) {
  using namespace assay_shader_side;
  report_undefined(abi::IntegerOperation::shift, operand(data->left, left), operand(data->right, right), data->where,
                   __builtin_return_address(0));
}

/// The same for an element of a vector that has fewer bits than the int that clang shifts.
ASSAY_INTEGER_HOOK void assay_undefined_shift(unsigned long left, unsigned long right, unsigned bits, bool is_signed) {
  using namespace assay_shader_side;
  report_undefined(abi::IntegerOperation::shift, {left, bits, is_signed}, {right, bits, is_signed}, {"", 0, 0},
                   __builtin_return_address(0));
}
#undef ASSAY_INTEGER_HOOK
#endif

namespace assay_shader_side {

/// The amount by which an element of a vector is shifted.
template <class T>
__attribute__((always_inline, nodebug)) constexpr T shift_amount([[maybe_unused]] T left, T amount) {
#if !ASSAY_LINT && !ASSAY_NVPTX
  constexpr unsigned bits = 8 * sizeof(T);
  if constexpr (bits < 32)
    if (static_cast<unsigned>(amount) >= bits)
      assay_undefined_shift(static_cast<unsigned long>(left), static_cast<unsigned long>(amount), bits, T(-1) < T(0));
#endif
  return amount;
}

}  // namespace assay_shader_side
