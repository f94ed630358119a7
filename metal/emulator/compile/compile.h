// From the text of a .metal file to a loaded shader: preprocess, translate, compile, cache, load.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "metal/device/result.h"
#include "metal/device/shader_language.h"
#include "metal/emulator/abi/shader_abi.h"
#include "metal/emulator/compile/math_mode.h"
#include "metal/emulator/compile/private_reads.h"
#include "metal/emulator/translate/translate.h"

namespace assay::metal::emulator {

struct CompileOptions {
  bool is_checked = true;               ///< report every access of memory to the Services
  bool with_numerics = false;           ///< report every floating-point operation too: numerics/instrument.h
  MathMode math_mode = MathMode::ieee;  ///< another one in checked shaders only
  std::uint64_t seed = 1;               ///< of what the mode leaves open
  ShaderLanguage language;
  KernelNames kernels;                                 ///< the only ones to compile
  std::filesystem::path cache;                         ///< empty: $XDG_CACHE_HOME/assay, else ~/.cache/assay
  std::uint64_t cache_limit = std::uint64_t{1} << 30;  ///< in bytes; beyond it what was not used for longest goes
};

/// A loaded shader, with its own function constants. The destructor unloads it.
class CompiledShader {
 public:
  CompiledShader(const std::filesystem::path& object, const std::filesystem::path& copy, std::string analysis);
  ~CompiledShader();
  CompiledShader(const CompiledShader&) = delete;
  CompiledShader& operator=(const CompiledShader&) = delete;

  const abi::Shader& shader() const { return *shader_; }

  /// The shared object in the cache, with line tables of the .metal. An address `pc` of this process has the offset
  /// `pc - load_address()` in it.
  const std::filesystem::path& object() const { return object_; }
  const void* load_address() const { return load_address_; }

  /// Its private variables that are read before they are written; none if it is not compiled for checking.
  std::vector<PrivateRead> private_reads() const;

 private:
  std::filesystem::path object_;
  void* handle_ = nullptr;
  const void* load_address_ = nullptr;
  const abi::Shader* shader_ = nullptr;
  std::string analysis_;  ///< clang's messages
};

/// `name` is the file's name in messages, and its folder is searched for includes.
/// Errors: environment, if clang or the headers are missing; compile, with clang's messages.
Result<std::shared_ptr<const CompiledShader>> compile_source(std::string_view source, const std::filesystem::path& name,
                                                             const CompileOptions& options = {});

/// Compiles the one kernel that the options name, from a library of Apple's (air/library_file.h).
Result<std::shared_ptr<const CompiledShader>> compile_file(const std::filesystem::path& file,
                                                           const CompileOptions& options = {});

/// The file's text with its #includes and macros in place, and markers of the lines that they come from.
/// Errors: as above.
Result<std::string> preprocess_file(const std::filesystem::path& file, const CompileOptions& options = {});

/// Compiles such a text, or one that has been changed since. `module` is LLVM's text of functions that it calls: air/.
Result<std::shared_ptr<const CompiledShader>> compile_preprocessed(std::string_view text,
                                                                   const CompileOptions& options = {},
                                                                   std::string_view module = {});

/// The file's kernels and their arguments. Nothing is compiled. Of a library, which may have thousands, the one kernel that
/// the options name, or all without their arguments. Errors: as above.
Result<ShaderListing> list_file(const std::filesystem::path& file, const CompileOptions& options = {});

}  // namespace assay::metal::emulator
