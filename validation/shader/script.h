// A script: the kernels of one .metal file that run one after the other, on arrays that they share.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "metal/device/limits.h"
#include "metal/device/shader_language.h"
#include "validation/shader/array.h"

namespace assay::validation {

/// On the command line, --texture 0 makes an array of the name texture0.
inline const std::string texture_prefix = "texture";

/// A number or a truth as text, and its type. Without one, it has the type that the shader gives it.
struct ShaderValue {
  std::string text;
  std::string type = {};

  auto operator<=>(const ShaderValue&) const = default;
};

/// What is at [[buffer(n)]] of a kernel: an array, from a byte on, or values, as the members of a struct.
struct ShaderBinding {
  std::string array = {};
  std::uint64_t offset = 0;
  std::vector<ShaderValue> values = {};
};

/// One dispatch.
struct ShaderPass {
  std::string function = {};                                ///< empty: the only one
  std::map<std::uint32_t, ShaderBinding> buffers = {};      ///< by index
  std::map<std::uint32_t, std::string> textures = {};       ///< arrays by index: texture.h
  std::map<std::uint32_t, std::string> samplers = {};       ///< their words by index
  std::map<std::uint32_t, std::uint64_t> threadgroup = {};  ///< bytes by index
  std::map<std::uint32_t, ShaderValue> constants = {};      ///< of functions, by index
  metal::Size grid = {}, group = {};                        ///< in threads
  /// Instead of `grid`: the place of three uint32, the numbers of threadgroups, which are read when the pass begins.
  std::optional<ShaderBinding> threadgroups = {};
  std::string where = {};  ///< its place in a file, for messages: "mine.json: passes[0]"
};

struct ShaderScript {
  std::filesystem::path source;
  metal::ShaderLanguage language;
  std::map<std::string, std::string> arrays;  ///< contents by name (contents.h)
  std::map<std::string, ShaderArray> given;   ///< arrays that no words describe
  bool is_command_line = false;               ///< messages name options and not the keys of a JSON
  std::vector<ShaderPass> passes;
  std::map<std::string, std::filesystem::path> outputs;  ///< the .npy file that an array is written to, by name
  std::uint64_t seed = 1;                                ///< of random contents
  std::filesystem::path suppressions = {};               ///< a file of allowed findings (suppressions.h); empty: none
  std::optional<std::uint64_t> step_limit = {};          ///< EmulatorOptions::step_limit
  std::optional<std::uint64_t> most_threads = {};        ///< of a dispatch
  bool shows_progress = true;                            ///< to somebody who waits at a terminal
  bool keeps_contents = true;                            ///< whether the outcome has the arrays after the run
};

}  // namespace assay::validation
