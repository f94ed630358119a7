// What is to run: the kernels of one .metal file, one after the other, on arrays that they share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "metal/device/limits.h"
#include "metal/device/shader_language.h"

namespace assay::validation {

/// On the command line, --texture 0 makes an array of the name texture0.
inline const std::string texture_prefix = "texture";

/// What [[buffer(n)]] of a kernel is: an array, from a byte on.
struct ShaderBinding {
  std::string array;
  std::uint64_t offset = 0;
};

/// One dispatch.
struct ShaderPass {
  std::string function = {};                                ///< empty: the only one
  std::map<std::uint32_t, ShaderBinding> buffers = {};      ///< by index
  std::map<std::uint32_t, std::string> textures = {};       ///< arrays by index: texture.h
  std::map<std::uint32_t, std::string> samplers = {};       ///< their words by index
  std::map<std::uint32_t, std::uint64_t> threadgroup = {};  ///< bytes by index
  std::map<std::uint32_t, std::string> constants = {};      ///< values of function constants by index
  metal::Size grid = {}, group = {};                        ///< in threads
  /// Instead of `grid`: where the three uint32 are that say how many threadgroups run, read when the pass begins.
  std::optional<ShaderBinding> threadgroups = {};
};

struct ShaderScript {
  std::filesystem::path source;
  metal::ShaderLanguage language;
  std::map<std::string, std::string> arrays;  ///< contents by name (contents.h)
  bool is_command_line = false;               ///< messages name options and not the keys of a JSON
  std::vector<ShaderPass> passes;
  std::map<std::string, std::filesystem::path> outputs;  ///< the .npy file that an array is written to, by name
  std::uint64_t seed = 1;                                ///< of random contents
  std::filesystem::path suppressions = {};               ///< what is allowed (suppressions.h); empty: nothing
  bool keeps_contents = true;                            ///< false: nobody asks what arrays hold afterwards
};

}  // namespace assay::validation
