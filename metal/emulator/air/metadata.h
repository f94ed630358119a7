// What a kernel's module says about it: the arguments, the function constants, how it was compiled. Read from the text
// of the module, in which LLVM writes metadata as "!7 = !{i32 0, !"air.buffer", !8}".
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/air/library_file.h"

namespace assay::metal::emulator::air {

struct Field {
  std::uint64_t offset = 0, bytes = 0;
  std::uint64_t count = 0;  ///< of the elements of an array; 0 if it is none
  std::string type, name;
};

struct KernelArgument {
  std::string name, type;  ///< the element's type, without address space
  abi::ArgumentKind kind = abi::ArgumentKind::buffer;
  abi::AddressSpace space = abi::AddressSpace::none;
  std::uint32_t index = 0;
  bool is_written = false, is_reference = false;
  std::uint64_t bytes = 1, alignment = 1;  ///< of an element
  std::string attribute;                   ///< the position that it is, "thread_position_in_grid"
  std::string condition;                   ///< the function constant without which there is no such argument; or empty
  std::string predicate;                   ///< the module's variable with that constant's value
  std::vector<Field> fields;               ///< of a struct
};

struct KernelConstant {
  std::string variable;  ///< "@x", which is given the value
  std::string type, name;
  std::uint32_t index = 0;
};

struct KernelMetadata {
  std::string function;  ///< "@f"
  std::vector<KernelArgument> arguments;
  std::vector<KernelConstant> constants;
  std::uint32_t max_threads = 0;  ///< 0: as many as the device permits
  std::vector<std::string> compile_options;
};

/// Reads a module with one kernel. Errors: compile, if it has none, or takes what the emulator lacks, which is named.
Result<KernelMetadata> read_metadata(std::string_view module);

}  // namespace assay::metal::emulator::air
