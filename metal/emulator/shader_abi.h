// What a compiled shader and the emulator know of each other.
//
// A .metal file becomes a shared object with one symbol, `assay_shader`, that returns its Shader: the kernels with
// their arguments, the function constants, and `bind`, through which the emulator hands the Services over. This header
// is compiled on both sides, by the project's compiler and by clang for shaders (freestanding: no standard library).
#pragma once

#ifdef ASSAY_SHADER
using assay_u32 = unsigned int;
using assay_u64 = unsigned long;
#else
#include <cstdint>
using assay_u32 = std::uint32_t;
using assay_u64 = std::uint64_t;
#endif

namespace assay::metal::emulator {
struct Context;
}

namespace assay::metal::emulator::abi {

inline constexpr assay_u32 version = 3;
inline constexpr assay_u32 lanes_per_simdgroup = 32;
inline constexpr assay_u32 lanes_per_quadgroup = 4;

/// Which memory a barrier orders: the bits of Metal's mem_flags.
enum MemoryFlags : assay_u32 { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };

/// atomic_modify both reads and writes: exchange, fetch_add, compare_exchange.
enum class Access : assay_u32 { read, write, atomic_read, atomic_write, atomic_modify };

/// Whose lanes meet.
enum class Scope : assay_u32 { threadgroup, simdgroup, quadgroup };

/// Where in the .metal a meeting is written. The compiler merges equal calls; their sites stay apart.
struct Site {
  const char* file;
  assay_u32 line, column;
};

/// What a thread may ask of its place in the grid: Metal Shading Language Specification, section 5.2.3.6.
struct Position {
  assay_u32 thread_position_in_grid[3];
  assay_u32 thread_position_in_threadgroup[3];
  assay_u32 threadgroup_position_in_grid[3];
  assay_u32 threads_per_grid[3];
  assay_u32 threadgroups_per_grid[3];
  assay_u32 threads_per_threadgroup[3];           ///< of this group: fewer at the edge of a partial grid
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

/// One thread's call of a kernel. Memory is by index, null where nothing is bound.
struct Invocation {
  void* const* buffers;      ///< [31] device and constant memory
  void* const* threadgroup;  ///< [31] threadgroup memory given by argument
  const Position* position;
};

enum class ArgumentKind : assay_u32 { buffer, threadgroup, position };
enum class AddressSpace : assay_u32 { none, device, constant, threadgroup };

struct Argument {
  const char* name;
  const char* type;  ///< as written, for example "device const float*"
  ArgumentKind kind;
  AddressSpace space;
  assay_u32 index;         ///< of the buffer or the threadgroup memory, given or implicit
  assay_u32 is_reference;  ///< T& : one element, bound by set_bytes or a buffer
  assay_u32 is_written;    ///< not const
  assay_u64 element_size;  ///< sizeof(T) of T* and T&
  assay_u64 element_align;
  const char* element_type;  ///< Metal's name of T where it is a scalar or vector, else as written
  const char* attribute;     ///< of a position, for example "thread_position_in_grid"
};

struct Function {
  const char* name;  ///< the host_name, else the function's own
  const char* file;
  assay_u32 line, column;
  const Argument* arguments;
  assay_u32 argument_count;
  assay_u32 max_total_threads_per_threadgroup;  ///< the attribute, or 0
  void (*entry)(const Invocation*);
};

struct Constant {
  const char* name;
  const char* type;  ///< Metal's name: bool, int, uint, float, half, ...
  assay_u32 index;
  assay_u64 size;
  void* storage;  ///< written before a pipeline runs
  bool* is_set;   ///< what is_function_constant_defined answers
};

/// What came of a meeting, for one of its lanes.
struct Meeting {
  assay_u64 active;  ///< a bit for each lane that is there
  assay_u32 lane;    ///< the asking one
};

/// A thread among those that run next.
struct Turn {
  Context* context;  ///< where it waits; null where it takes the Services to go on with it
  assay_u32 thread;
};

/// What a thread needs to wait at a threadgroup barrier without asking the Services: nearly all do. One that comes to
/// this barrier with these flags may move `turn` to the next, if that has a context, and switch to it.
struct Round {
  const Turn* turn;  ///< of the thread that runs; those that run next follow, then one without a context
  const char* file;  ///< null: no barrier
  assay_u64 place;   ///< line_and_column()
  assay_u32 flags;
};

/// Of the place in its file: one comparison instead of two.
constexpr assay_u64 line_and_column(const Site& site) {
  return assay_u64{site.line} << 32 | site.column;
}

/// What the emulator does for the thread that asks, which it knows.
struct Services {
  /// Before an access; only in shaders compiled for checking. `pc` is the return address in the shader. The thread's
  /// own stack comes too where its address was passed on; the shader's own constants do not. Does not return where the
  /// access must not be performed: the thread ends here.
  void (*access)(const void* address, assay_u64 bytes, Access access, const void* pc);

  /// Memory of the group for one `threadgroup` variable: the same for all its threads, uninitialised at the start of a
  /// group. `key` is an address of its own for each variable and template instantiation.
  void* (*threadgroup_variable)(const void* key, assay_u64 bytes, assay_u64 align, const char* name);

  /// Returns when the lanes of `scope` that have not ended have come to the same `site`.
  void (*barrier)(Scope scope, assay_u32 memory_flags, const Site* site);

  /// The lanes of the simdgroup or quadgroup that are active at `site` meet there: each gives `mine` [bytes], all get
  /// everybody's in `all` [lanes][bytes], zeros for lanes that are not there.
  Meeting (*exchange)(Scope scope, const void* mine, assay_u64 bytes, void* all, const Site* site);

  /// An index is outside of an array of known length, whatever memory holds it: a thread's own, a `threadgroup`
  /// variable, a member of a struct. Only in shaders compiled for checking. The thread ends here: its access is not
  /// performed.
  void (*private_overrun)(const char* file, assay_u32 line, assay_u32 column, assay_u64 index, const char* type);

  /// So many basic blocks have run since the last call, the last of them at `pc`: loops that access nothing end too.
  /// Only in shaders compiled for checking.
  void (*blocks)(assay_u64 count, const void* pc);

  /// Where each OS thread has the address of its Round, from its thread pointer on; not used but on x86-64.
  assay_u64 round_offset;
};

struct Shader {
  assay_u32 version;
  const Function* functions;
  assay_u32 function_count;
  const Constant* constants;
  assay_u32 constant_count;
  assay_u32 is_checked;  ///< compiled for checking
  void (*bind)(const Services*);
  /// To be called when the function constants are written, before a kernel runs: computes the program-scope constants
  /// that depend on them.
  void (*constants_written)();
};

using GetShader = const Shader* (*)();  ///< the symbol assay_shader

}  // namespace assay::metal::emulator::abi
