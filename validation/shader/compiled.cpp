#include "validation/shader/compiled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "validation/shader/or_refuse.h"

namespace assay::validation {

namespace emulator = metal::emulator;

namespace {

/// The names, of which a library may have thousands.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 60;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), most));
  const std::string rest = names.size() > most ? fmt::format(" and {} more", names.size() - most) : "";
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "), rest);
}

std::string chosen_kernel(const ShaderScript& script, const ShaderPass& pass, const std::vector<std::string>& names) {
  if (pass.function.empty() && names.size() == 1) return names.front();
  if (std::ranges::find(names, pass.function) != names.end()) return pass.function;
  if (names.empty())
    throw std::invalid_argument(
        fmt::format("{}: expected a function that is declared `kernel`, got none", script.source.string()));
  const std::string option = script.is_command_line ? "--kernel"
                             : pass.where.empty()   ? "function"
                                                    : pass.where + ".function";
  const std::string given = pass.function.empty() ? "" : fmt::format(" = \"{}\"", pass.function);
  throw std::invalid_argument(fmt::format("{}{}: {} has {} kernels, expected one of {}", option, given,
                                          script.source.string(), names.size(), listed(names)));
}

}  // namespace

emulator::CompileOptions compile_options(const ShaderScript& script) {
  emulator::CompileOptions options;
  options.language = script.language;
  return options;
}

emulator::EmulatorOptions emulator_options(const ShaderScript& script) {
  emulator::EmulatorOptions options;
  options.language = script.language;
  options.seed = script.seed;
  return options;
}

metal::Result<std::vector<std::string>> kernel_names(const ShaderScript& script,
                                                     const emulator::CompileOptions& options) {
  const auto listing = emulator::list_file(script.source, options);
  if (!listing) return tl::unexpected(listing.error());
  std::vector<std::string> names;
  for (const auto& kernel : listing->kernels) names.push_back(kernel.name);
  return names;
}

ShaderScript with_kernels(ShaderScript script, const std::vector<std::string>& names) {
  for (ShaderPass& pass : script.passes) pass.function = chosen_kernel(script, pass, names);
  return script;
}

emulator::KernelNames kernels_of(const ShaderScript& script) {
  emulator::KernelNames names;
  for (const ShaderPass& pass : script.passes) names.insert(pass.function);
  return names.contains("") ? emulator::KernelNames{} : names;
}

metal::Result<std::shared_ptr<const emulator::CompiledShader>> compile_kernels(const ShaderScript& script,
                                                                               emulator::CompileOptions options) {
  options.kernels = kernels_of(script);
  return emulator::compile_file(script.source, options);
}

std::shared_ptr<const emulator::CompiledShader> compile_script(const ShaderScript& script) {
  return or_refuse(compile_kernels(script, compile_options(script)));
}

}  // namespace assay::validation
