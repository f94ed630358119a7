// The shader of a script, compiled for this machine: what it has, whatever device it is to run on.
#pragma once

#include <memory>
#include <stdexcept>

#include "metal/emulator/compile/compile.h"
#include "validation/shader/script.h"

namespace assay::validation {

/// Throws std::invalid_argument if the file cannot be read or does not compile.
inline std::shared_ptr<const metal::emulator::CompiledShader> compile_script(const ShaderScript& script) {
  metal::emulator::CompileOptions options;
  options.metal_version = script.metal_version;
  options.macros = script.macros;
  auto shader = metal::emulator::compile_file(script.source, options);
  if (!shader) throw std::invalid_argument(shader.error().text);
  return *shader;
}

}  // namespace assay::validation
