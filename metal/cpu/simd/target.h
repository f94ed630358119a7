// The macros by which an operation's simd/instantiate.h compiles its inner loops for one instruction set: avx2.cpp,
// avx512.cpp and baseline.cpp define ASSAY_SIMD and ASSAY_SIMD_BYTES, and include it.
//
//   #include "metal/cpu/simd/target.h"      and all headers that other machines compile too
//   ASSAY_BEGIN_TARGET
//   #include ...                            the inner loops
//   ASSAY_DEFINE_TABLE(Table, value)        for each table: see metal/cpu/instruction_set.h
//   ASSAY_END_TARGET
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "metal/cpu/instruction_set.h"

#if ASSAY_SIMD_BYTES == 16
#define ASSAY_BEGIN_TARGET
#define ASSAY_END_TARGET
#else
#include <immintrin.h>
#define ASSAY_PRAGMA(...) _Pragma(#__VA_ARGS__)
#ifdef __clang__  // which ignores GCC's pragmas of the target
#define ASSAY_PUSH_TARGET(features) \
  ASSAY_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define ASSAY_PREFER_WIDE
#define ASSAY_END_TARGET ASSAY_PRAGMA(clang attribute pop)
#else
#define ASSAY_PUSH_TARGET(features) ASSAY_PRAGMA(GCC push_options) ASSAY_PRAGMA(GCC target(features))
#define ASSAY_PREFER_WIDE ASSAY_PRAGMA(GCC target("prefer-vector-width=512"))
#define ASSAY_END_TARGET ASSAY_PRAGMA(GCC pop_options)
#endif
#if ASSAY_SIMD_BYTES == 64
#define ASSAY_BEGIN_TARGET ASSAY_PUSH_TARGET("fma,avx512f,avx512bw,avx512dq,avx512vl") ASSAY_PREFER_WIDE
#elif defined(ASSAY_SIMD_FMA)
#define ASSAY_BEGIN_TARGET ASSAY_PUSH_TARGET("avx2,fma")
#else
#define ASSAY_BEGIN_TARGET ASSAY_PUSH_TARGET("avx2")
#endif
#endif

namespace assay::metal::cpu::ASSAY_SIMD {

inline constexpr InstructionSet own_set = ASSAY_SIMD_BYTES == 64   ? InstructionSet::avx512
                                          : ASSAY_SIMD_BYTES == 32 ? InstructionSet::avx2
                                                                   : InstructionSet::baseline;

}  // namespace assay::metal::cpu::ASSAY_SIMD

#define ASSAY_DEFINE_TABLE(Table, value)                \
  template <>                                           \
  const Table& table_of<Table, ASSAY_SIMD::own_set>() { \
    return value;                                       \
  }
