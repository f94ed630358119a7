// From the text of a .metal file to a loaded shader: preprocess, translate, compile, cache, load.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/shader_abi.h"

namespace assay::metal::emulator {

struct CompileOptions {
  bool is_checked = true;                      ///< report every memory access to Services
  int metal_version = 320;                     ///< __METAL_VERSION__; bfloat is there from 310 on
  std::map<std::string, std::string> macros;   ///< name and value, as MTLCompileOptions.preprocessorMacros
  std::vector<std::filesystem::path> folders;  ///< where #include looks, after the file's own folder
  std::filesystem::path cache;                 ///< empty: $XDG_CACHE_HOME/assay, else ~/.cache/assay
};

/// A shader in memory, unloaded with its last owner. Each has function constants of its own.
class CompiledShader {
 public:
  CompiledShader(const std::filesystem::path& object, const std::filesystem::path& copy);
  ~CompiledShader();
  CompiledShader(const CompiledShader&) = delete;
  CompiledShader& operator=(const CompiledShader&) = delete;

  const abi::Shader& shader() const { return *shader_; }

  /// The shared object in the cache, with line tables of the .metal: address `pc` of the process is
  /// `pc - load_address()` of the object.
  const std::filesystem::path& object() const { return object_; }
  const void* load_address() const { return load_address_; }

 private:
  std::filesystem::path object_;
  void* handle_ = nullptr;
  const void* load_address_ = nullptr;
  const abi::Shader* shader_ = nullptr;
};

/// `name` stands for the file in messages and finds the files that it includes.
/// Errors: environment where clang or its headers are not there, compile with clang's text otherwise.
Result<std::shared_ptr<const CompiledShader>> compile_source(std::string_view source, const std::filesystem::path& name,
                                                             const CompileOptions& options = {});

Result<std::shared_ptr<const CompiledShader>> compile_file(const std::filesystem::path& file,
                                                           const CompileOptions& options = {});

}  // namespace assay::metal::emulator
