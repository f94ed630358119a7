// One thread in place of the emulator: enough to run a shader and to see what it asks for.
#pragma once

#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/compile.h"

namespace assay::metal::emulator::test {

/// What a thread asked the Services for, in its order.
struct Asked {
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
  struct Overrun {
    std::string file;
    std::uint32_t line;
    std::uint64_t index;
  };
  std::vector<Access> accesses;
  std::vector<Barrier> barriers;
  std::vector<Overrun> overruns;
  std::map<const void*, std::vector<char>> threadgroup_memory;
  std::vector<std::string> threadgroup_names;

  bool has_access(const void* address, abi::Access kind, std::uint64_t bytes) const;
};

/// What a thread asked for since the last `run`.
Asked& asked();

/// As compile_source, with a cache that goes away when the program ends.
CompileOptions options(bool is_checked = true);
std::shared_ptr<const CompiledShader> compile(std::string_view source, const CompileOptions& with = options());
/// The error of a source that must not compile; empty where it does.
std::string refusal(std::string_view source, const CompileOptions& with = options());
std::string shader_file(std::string_view name);

const abi::Function& function(const CompiledShader& shader, std::string_view name);

/// Calls the kernel as lane `lane` of a simdgroup that is alone in the grid.
void run(const CompiledShader& shader, std::string_view name, const std::vector<void*>& buffers,
         std::uint32_t lane = 0);

/// Calls the kernel as all 32 lanes of a simdgroup, which meet; of a shader that is not compiled for checking.
void run_simdgroup(const CompiledShader& shader, std::string_view name, const std::vector<void*>& buffers);

}  // namespace assay::metal::emulator::test
