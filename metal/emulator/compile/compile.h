// From the text of a .metal file to a loaded shader: preprocess, translate, compile, cache, load.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/abi/shader_abi.h"

namespace assay::metal::emulator {

struct CompileOptions {
  bool is_checked = true;                      ///< report every access of memory to the Services
  int metal_version = 320;                     ///< __METAL_VERSION__; bfloat needs 310
  std::map<std::string, std::string> macros;   ///< name and value, as MTLCompileOptions.preprocessorMacros
  std::vector<std::filesystem::path> folders;  ///< searched by #include after the file's own folder
  std::filesystem::path cache;                 ///< empty: $XDG_CACHE_HOME/assay, else ~/.cache/assay
};

/// A loaded shader, with its own function constants. The destructor unloads it.
class CompiledShader {
 public:
  CompiledShader(const std::filesystem::path& object, const std::filesystem::path& copy);
  ~CompiledShader();
  CompiledShader(const CompiledShader&) = delete;
  CompiledShader& operator=(const CompiledShader&) = delete;

  const abi::Shader& shader() const { return *shader_; }

  /// The shared object in the cache, with line tables of the .metal. An address `pc` of this process has the offset
  /// `pc - load_address()` in it.
  const std::filesystem::path& object() const { return object_; }
  const void* load_address() const { return load_address_; }

 private:
  std::filesystem::path object_;
  void* handle_ = nullptr;
  const void* load_address_ = nullptr;
  const abi::Shader* shader_ = nullptr;
};

/// `name` is the file's name in messages, and its folder is searched for includes.
/// Errors: environment, if clang or the headers are missing; compile, with clang's messages.
Result<std::shared_ptr<const CompiledShader>> compile_source(std::string_view source, const std::filesystem::path& name,
                                                             const CompileOptions& options = {});

Result<std::shared_ptr<const CompiledShader>> compile_file(const std::filesystem::path& file,
                                                           const CompileOptions& options = {});

}  // namespace assay::metal::emulator
