// A dispatch's description, by which reports name its threads, its memory and its source.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metal/emulator/check/symbolizer.h"
#include "metal/emulator/memory/arena.h"
#include "metal/emulator/simt/grid.h"

namespace assay::metal::emulator {

/// Memory that a kernel may access: a buffer from its offset on, a resource that an argument buffer points to, a
/// texture, or threadgroup memory. Or an output of a plug-in.
struct BoundMemory {
  enum class Kind { buffer, absent_buffer, resource, texture, threadgroup_argument, threadgroup_variable, output };
  Allocation* allocation = nullptr;
  std::uint64_t offset = 0;
  Kind kind = Kind::buffer;
  std::uint32_t index = 0;  ///< of a buffer, a texture or a threadgroup argument
  std::string name;
  abi::Texture texture = {};
  bool is_written = true;           ///< the kernel may write it
  std::uint32_t element_bytes = 1;  ///< of an output
};

/// Whether it holds results, whose errors are measured.
inline bool holds_results(const BoundMemory& memory) {
  return memory.kind == BoundMemory::Kind::buffer || memory.kind == BoundMemory::Kind::output;
}

struct DispatchInfo {
  std::string kernel;
  SourcePosition position;  ///< of the kernel
  Grid grid;
  std::string object;                  ///< the file with the kernel's line table; empty: the loaded file itself
  const void* load_address = nullptr;  ///< of `object`
  std::vector<BoundMemory> memory;
  std::vector<std::string> threadgroup_names;  ///< of the threadgroup arguments, by index
  std::vector<std::string> unbound;  ///< the kernel's arguments that have no memory, for example "buffer(2) `grad`"
};

/// For example "buffer(2) `grad` + 128". For an address outside of all memory: the nearest memory, and the distance.
std::string name_of(const DispatchInfo& dispatch, const void* address);

/// For example "texture(0) `in` at (8, 0): its size is 8 x 8".
std::string name_of(const DispatchInfo& dispatch, const abi::Texture& texture, const abi::TexelPlace& place);

/// For example "atomic read and write of 4 bytes".
std::string in_words(abi::Access kind, std::uint64_t bytes);

/// The place of an instruction of the dispatch.
CodePlace place_in(const DispatchInfo& dispatch, const void* pc);

}  // namespace assay::metal::emulator
