// The interface between a compiled shader and the emulator.
//
// A .metal file becomes a shared object with one symbol, `assay_shader`, a function that returns its Shader: the
// kernels with their arguments, the function constants, and `bind`, through which the emulator hands over the Services.
// This header is compiled on both sides: by the project's compiler, and for shaders by clang without a standard
// library.
#pragma once

#ifdef ASSAY_SHADER
using assay_u8 = unsigned char;
using assay_u32 = unsigned int;
using assay_u64 = unsigned long;
#else
#include <cstdint>

#include "metal/emulator/abi/log.h"
#include "metal/emulator/abi/texture.h"

using assay_u8 = std::uint8_t;
using assay_u32 = std::uint32_t;
using assay_u64 = std::uint64_t;
#endif

namespace assay::metal::emulator {
struct Context;
}

namespace assay::metal::emulator::abi {

inline constexpr assay_u32 version = 17;
inline constexpr assay_u32 lanes_per_simdgroup = 32;
inline constexpr assay_u32 lanes_per_quadgroup = 4;
inline constexpr assay_u32 max_arguments = 31;  ///< buffers of a kernel, and as many threadgroup arguments
inline constexpr assay_u32 max_textures = 128, max_samplers = 16;

/// The memory that a barrier orders: the bits of Metal's mem_flags.
enum MemoryFlags : assay_u32 { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };

/// atomic_modify both reads and writes: fetch_add, compare_exchange. To initcheck an exchange is a write alone.
enum class Access : assay_u32 { read, write, atomic_read, atomic_write, atomic_modify, atomic_exchange };
constexpr bool is_atomic(Access kind) {
  return kind != Access::read && kind != Access::write;
}

/// The numbers of Metal's memory_order and thread_scope; 3 is the system.
enum class MemoryOrder : assay_u32 { relaxed = 0, acquire = 2, release = 3, acq_rel = 4, seq_cst = 5 };
enum class FenceScope : assay_u32 { thread = 0, threadgroup = 1, device = 2, system = 3, simdgroup = 4 };

/// The threads that a barrier or a collective is for.
enum class Scope : assay_u32 { threadgroup, simdgroup, quadgroup };

/// The lanes that a collective needs for a result that Metal defines: Metal Shading Language Specification, 2.4
/// and 6.9.2.
enum class Needs : assay_u32 {
  active_lanes,  ///< those that execute it, however many: reductions, prefixes, votes
  read_lanes,    ///< those from which it reads: shuffles, broadcasts
  all_lanes,     ///< all lanes of the simdgroup: simdgroup matrices
  no_lanes       ///< none: it asks which lanes are active
};

/// A barrier or collective in the .metal, and its place. Calls that the compiler merges keep their own sites.
struct Site {
  const char* file;
  assay_u32 line, column;
  const char* operation = "";  ///< for example "simd_sum"
  Needs needs = Needs::active_lanes;
};

/// The integer operations whose result may be undefined: division is that of / and of %.
enum class IntegerOperation : assay_u32 { division, shift };

/// An operand of an integer operation, in the lowest `bits` of `value`.
struct IntegerOperand {
  assay_u64 value;
  assay_u32 bits;
  assay_u32 is_signed;
};

/// A thread's position in the grid, in all the forms that a kernel may take it: Metal Shading Language Specification,
/// section 5.2.3.6.
struct Position {
  assay_u32 thread_position_in_grid[3];
  assay_u32 thread_position_in_threadgroup[3];
  assay_u32 threadgroup_position_in_grid[3];
  assay_u32 threads_per_grid[3];
  assay_u32 threadgroups_per_grid[3];
  assay_u32 threads_per_threadgroup[3];           ///< of this group, which is smaller at the grid's edge
  assay_u32 dispatch_threads_per_threadgroup[3];  ///< as dispatched
  assay_u32 grid_origin[3];
  assay_u32 thread_index_in_threadgroup;
  assay_u32 thread_index_in_simdgroup;
  assay_u32 simdgroup_index_in_threadgroup;
  assay_u32 simdgroups_per_threadgroup;
  assay_u32 dispatch_simdgroups_per_threadgroup;
  assay_u32 threads_per_simdgroup;
  assay_u32 thread_index_in_quadgroup;
  assay_u32 quadgroup_index_in_threadgroup;
  assay_u32 quadgroups_per_threadgroup;
};

/// One thread's call of a kernel. Memory is given by index; null where nothing is bound.
struct Invocation {
  void* const* buffers;      ///< [max_arguments] device and constant memory
  void* const* threadgroup;  ///< [max_arguments] threadgroup memory
  const Texture* textures;   ///< as many as the kernel has indices
  const Sampler* samplers;
  const Position* position;
};

enum class ArgumentKind : assay_u32 { buffer, threadgroup, position, texture, sampler };
enum class AddressSpace : assay_u32 { none, device, constant, threadgroup };

struct Argument {
  const char* name;
  const char* type;  ///< as written, for example "device const float*"
  ArgumentKind kind;
  AddressSpace space;
  assay_u32 index;         ///< [[buffer(index)]], [[texture(index)]], ..., explicit or implicit
  assay_u32 is_reference;  ///< T&: one element
  assay_u32 is_written;    ///< not const; of a texture, access::write or read_write
  assay_u64 element_size;  ///< sizeof(T) of T*, T& and texture2d<T>
  assay_u64 element_align;
  const char* element_type;             ///< Metal's name of T where it is a scalar or vector, else as written
  const char* attribute;                ///< the position that it is, "thread_position_in_grid"; or "texture2d"
  const bool* is_present = nullptr;     ///< the function constant without which there is no such argument; or null
  const void* function_type = nullptr;  ///< of the functions in a visible_function_table
};

struct Function {
  const char* name;  ///< the host_name, else the function's own name
  const char* file;
  assay_u32 line, column;
  const Argument* arguments;
  assay_u32 argument_count;
  assay_u32 max_total_threads_per_threadgroup;  ///< the attribute, or 0
  void (*entry)(const Invocation*);
  const assay_u32* needed_constants = nullptr;  ///< indices of function constants without which it cannot be made
  assay_u32 needed_constant_count = 0;
};

/// A [[visible]] function, which the host may put into a table.
struct VisibleFunction {
  const char* name;
  const void* address;
  const void* type;  ///< as Argument::function_type
};

struct Constant {
  const char* name;
  const char* type;  ///< Metal's name: bool, int, uint, float, half, ...
  assay_u32 index;
  assay_u64 size;
  void* storage;  ///< written before a pipeline runs
  bool* is_set;   ///< the result of is_function_constant_defined
};

/// The lanes that took part in a collective.
struct ActiveLanes {
  assay_u64 active;  ///< a bit for each lane
  assay_u32 lane;    ///< the calling lane
};

/// An entry in the queue of threads that run next.
struct ReadyThread {
  Context* context;  ///< where the thread waits; null if only the Services can run it
  assay_u32 thread;
};

/// The threadgroup barrier at which threads may wait without calling the Services, as nearly all do. A thread that
/// arrives at this barrier with these flags may advance `running` to the next entry, if that has a context, and switch
/// to it.
struct FastBarrier {
  const ReadyThread* running;  ///< followed by the ready threads in their order, then by an entry without a context
  const char* file;            ///< null: there is no such barrier now
  assay_u64 position;          ///< line_and_column()
  assay_u32 flags;
};

/// A site's position in its file as one number, to compare at once.
constexpr assay_u64 line_and_column(const Site& site) {
  return assay_u64{site.line} << 32 | site.column;
}

/// A change to the barriers at one place of the source, which takes effect when they are reached: barrier_sweep.h.
struct BarrierChange {
  const char* file = "";   ///< as in Site; empty: any file
  assay_u64 position = 0;  ///< line_and_column(); 0: nothing is changed
  assay_u32 is_deleted = 0;
  assay_u32 memory_flags = 0;  ///< if it is not deleted: the memory that the barrier orders instead
};

/// The functions that a shader compiled with CompileOptions::with_numerics calls after its floating-point operations.
/// `entry` is the number of the tape's entry that tells how a value was computed; 0: the value is exact.
struct NumericsServices {
  /// `code` is code_of() an Operation of `operands` [count] whose entries are `entries` [count].
  assay_u32 (*operation)(const Site* site, assay_u32 code, assay_u32 count, const double* operands, double result,
                         const assay_u32* entries);
  assay_u32 (*load)(const void* address, double value);
  void (*store)(const void* address, assay_u32 entry, assay_u32 bytes);
  void (*move)(const void* to, const void* from, assay_u64 bytes);
  /// `predicate` is LLVM's number of a comparison: 1 equal, 2 greater, 3 greater or equal, ...
  void (*compare)(const Site* site, assay_u32 predicate, double left, double right, assay_u32 left_entry,
                  assay_u32 right_entry);
};

/// The emulator's functions for the calling thread. The emulator knows which thread calls.
struct Services {
  /// Called before each access, in shaders compiled for checking. `pc` is the return address in the shader. Accesses of
  /// a local variable are announced too if its address has escaped; those of the shader's own constants are not. Does
  /// not return if the access must not be performed: the thread then ends.
  void (*access)(const void* address, assay_u64 bytes, Access access, const void* pc);

  /// The same for a read and for a write of four bytes, which most accesses are.
  void (*read_word)(const void* address, const void* pc);
  void (*write_word)(const void* address, const void* pc);

  /// The group's memory for one `threadgroup` variable, uninitialised when the group starts. `key` is a distinct
  /// address for each variable and template instantiation.
  void* (*threadgroup_variable)(const void* key, assay_u64 bytes, assay_u64 align, const char* name);

  /// atomic_thread_fence, or what an ordered atomic function does besides: orders what the thread did before it and
  /// does after it, by the atomics around it.
  void (*fence)(assay_u32 memory_flags, MemoryOrder order, FenceScope scope);

  /// The position of the thread that calls.
  const Position* (*position)();

  /// Returns when all unfinished threads of `scope` have arrived at the same `site`.
  void (*barrier)(Scope scope, assay_u32 memory_flags, const Site* site);

  /// The all-gather of which all collectives are made, among the lanes of the simdgroup or quadgroup that are active at
  /// `site`: each brings `mine` [bytes] and gets `all` [lanes][bytes], in which inactive lanes are zero.
  ActiveLanes (*all_gather)(Scope scope, const void* mine, assay_u64 bytes, void* all, const Site* site);

  /// Called when a collective takes the value of a lane that is not active, or that does not exist: its value is
  /// undefined. `lane` is counted in `scope`.
  void (*undefined_lane)(Scope scope, assay_u32 lane, const Site* site);

  /// Called before each `return;`. A thread whose last one is above a collective has returned early; any other thread
  /// that has ended without it took a way around it.
  void (*leave)(const Site* site);

  /// Called, in shaders compiled for checking, when an index is out of the bounds of an array of known length: a local
  /// array, a `threadgroup` variable, a member of a struct; then `type` is the array's type and `count` 0. Of a vector, a
  /// matrix or a metal::array, `type` names its `count` parts. Ends the thread before its access. The place is `site`, or
  /// the return address `pc` if `site` has no line.
  void (*index_out_of_bounds)(const Site* site, assay_u64 index, const char* type, assay_u64 count, const void* pc);

  /// Called, in every shader, before an integer operation whose result is undefined: a division by zero, a shift by a
  /// negative amount or by the width or more. Ends the thread before the operation.
  void (*undefined_integer)(IntegerOperation operation, const IntegerOperand* left, const IntegerOperand* right,
                            const Site* site, const void* pc);

  /// Called before an access of a texel that the texture does not have, which must not be performed. Ends the thread.
  void (*texture_out_of_bounds)(const Texture* texture, const TexelPlace* place, const Site* site);

  /// A message of os_log: its format, as in C with v2 to v4 for vectors, and `count` values.
  void (*log)(const char* format, const LogValue* values, assay_u32 count, const Site* site);

  /// Called, in shaders compiled for checking, after every `count` basic blocks, the last of them at `pc`. So even a
  /// loop that accesses no memory reaches the step limit.
  void (*blocks)(assay_u64 count, const void* pc);

  /// The offset from an OS thread's thread pointer to the address of its FastBarrier. Used on x86-64 only.
  assay_u64 fast_barrier_offset;

  const NumericsServices* numerics;

  /// The offset from an OS thread's thread pointer to its number of basic blocks until the next call of `blocks`. Used
  /// on x86-64 only.
  assay_u64 blocks_left_offset;
};

/// After how many basic blocks a shader calls Services::blocks.
inline constexpr int blocks_per_call = 4096;

struct Shader {
  assay_u32 version;
  const Function* functions;
  assay_u32 function_count;
  const Constant* constants;
  assay_u32 constant_count;
  assay_u32 is_checked;  ///< compiled for checking
  void (*bind)(const Services*);
  /// Computes the program-scope constants that depend on function constants. Must be called after the function
  /// constants are written and before a kernel runs.
  void (*constants_written)();
  const VisibleFunction* visible_functions = nullptr;
  assay_u32 visible_function_count = 0;
  BarrierChange* barrier_change = nullptr;  ///< written while no kernel runs; null: its barriers cannot be changed
};

using GetShader = const Shader* (*)();  ///< the symbol assay_shader

/// The argument of a kernel on an NVIDIA GPU at each launch: memory, and the grid of Metal's dispatch.
///
/// A threadgroup is a block along x alone, whose thread n is the group's n-th thread: blocks have at most 64 threads
/// along z, groups 1024. A grid that has more groups along an axis than CUDA launches at once is launched in parts.
struct GpuCall {
  void* buffers[max_arguments];
  assay_u32 threadgroup[max_arguments];  ///< offsets of [[threadgroup(n)]] in the dynamic shared memory
  assay_u32 threads[3];                  ///< of the grid
  assay_u32 group[3];                    ///< threads of a group that is not at the grid's edge
  assay_u32 groups[3];                   ///< of the grid
  assay_u32 origin[3];                   ///< the first group of this launch
};

/// The value of a function constant, for the kernel assay_set_constants.
struct GpuConstant {
  assay_u8 bytes[16];
  assay_u32 is_set;
  assay_u32 unused[3];
};

}  // namespace assay::metal::emulator::abi
