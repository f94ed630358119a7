// In what language a shader is written: what decides the meaning of its text beside the text.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace assay::metal {

struct ShaderLanguage {
  int metal_version = 320;                         ///< __METAL_VERSION__; bfloat needs 310
  std::map<std::string, std::string> macros = {};  ///< name and value, as MTLCompileOptions.preprocessorMacros
  /// Searched by #include after the file's own folder and before the folders that hold that one.
  std::vector<std::filesystem::path> folders = {};
  std::vector<std::filesystem::path> linked =
      {};  ///< further .metal files of the library, absolute: read behind the source
};

}  // namespace assay::metal
