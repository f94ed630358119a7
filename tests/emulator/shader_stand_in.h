// Stands in for the emulator: runs a shader on one thread and records the calls of its Services.
#pragma once

#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/compile/compile.h"

namespace assay::metal::emulator::test {

/// The recorded calls of the Services, in their order.
struct Calls {
  struct Access {
    const void* address;
    std::uint64_t bytes;
    abi::Access kind;
  };
  struct Barrier {
    abi::Scope scope;
    std::uint32_t flags, line, column;
    std::string file;
  };
  struct IndexOutOfBounds {
    std::string file;
    std::uint32_t line;
    std::uint64_t index;
  };
  std::vector<Access> accesses;
  std::vector<Barrier> barriers;
  std::vector<IndexOutOfBounds> out_of_bounds;
  std::map<const void*, std::vector<char>> threadgroup_memory;
  std::vector<std::string> threadgroup_names;

  bool has_access(const void* address, abi::Access kind, std::uint64_t bytes) const;
};

/// The calls since the last `run`.
Calls& calls();

/// Options with a cache that is removed when the program ends.
CompileOptions options(bool is_checked = true);
std::shared_ptr<const CompiledShader> compile(std::string_view source, const CompileOptions& with = options());
/// The error of a source that must not compile; empty where it does.
std::string refusal(std::string_view source, const CompileOptions& with = options());
std::string shader_file(std::string_view name);

const abi::Function& function(const CompiledShader& shader, std::string_view name);

/// Calls the kernel as lane `lane` of the grid's only simdgroup.
void run(const CompiledShader& shader, std::string_view name, const std::vector<void*>& buffers,
         std::uint32_t lane = 0);

/// Calls the kernel as all 32 lanes of a simdgroup, which wait for each other at barriers and collectives. The shader
/// must not be compiled for checking.
void run_simdgroup(const CompiledShader& shader, std::string_view name, const std::vector<void*>& buffers);

}  // namespace assay::metal::emulator::test
