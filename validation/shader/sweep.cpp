#include "validation/shader/sweep.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "metal/emulator/compile/compiled_kernel.h"
#include "metal/emulator/compile/library_path.h"
#include "metal/emulator/translate/translate.h"
#include "validation/core/json_text.h"
#include "validation/shader/compiled.h"
#include "validation/shader/or_refuse.h"
#include "validation/shader/run.h"

namespace assay::validation {

namespace {

using metal::emulator::BarrierChange;
using metal::emulator::BarrierMutant;
using metal::emulator::BarrierSweep;
using nlohmann::ordered_json;

metal::Result<std::vector<metal::emulator::Report>> run(
    const ShaderScript& script, const std::shared_ptr<const metal::emulator::CompiledShader>& shader,
    const BarrierChange& change) {
  metal::emulator::EmulatorOptions options = emulator_options(script);
  options.barrier_change = change;
  metal::emulator::EmulatorDevice device(std::move(options));
  const ShaderOutcome outcome = run_compiled(device, script, shader);
  if (outcome.error) return tl::unexpected(*outcome.error);
  return outcome.reports;
}

/// The kernel of a compiled library, each of which is a module of its own.
metal::emulator::CompiledKernel compiled_kernel(const ShaderScript& script, const metal::emulator::KernelNames& names) {
  if (names.size() != 1)
    throw std::invalid_argument(script.source.string() +
                                ": expected passes of one kernel, for a sweep of a compiled library");
  return or_refuse(metal::emulator::read_kernel(script.source, names));
}

ordered_json of(const BarrierMutant& mutant) {
  const metal::emulator::Report* const found = mutant.reports.empty() ? nullptr : &mutant.reports.front();
  return {{"file", mutant.barrier.file},
          {"line", mutant.barrier.line},
          {"column", mutant.barrier.column},
          {"change", mutant.change},
          {"check", found != nullptr ? ordered_json(to_string(found->check)) : ordered_json()},
          {"at", found != nullptr ? ordered_json(to_string(found->event.position)) : ordered_json()}};
}

}  // namespace

metal::Result<BarrierSweep> sweep_shader(const ShaderScript& given) {
  auto options = compile_options(given);
  const auto names = kernel_names(given, options);
  if (!names) {
    if (names.error().kind != metal::Error::Kind::compile) throw std::invalid_argument(names.error().text);
    return tl::unexpected(names.error());
  }
  ShaderScript script = with_kernels(given, *names);
  script.keeps_contents = false;
  options.kernels = kernels_of(script);
  const auto sweep = [&](std::vector<BarrierMutant> mutants, const auto& shader) {
    return metal::emulator::sweep_barriers(std::move(mutants),
                                           [&](const BarrierChange& change) { return run(script, shader, change); });
  };
  if (metal::emulator::is_library_file(script.source)) {
    const auto kernel = compiled_kernel(script, options.kernels);
    const auto shader = compile_kernels(script, options);
    if (!shader) return tl::unexpected(shader.error());
    return sweep(metal::emulator::barrier_mutants(kernel.barriers), *shader);
  }
  const auto text = metal::emulator::preprocess_file(script.source, options);
  if (!text) return tl::unexpected(text.error());
  const auto shader = metal::emulator::compile_preprocessed(*text, options);
  if (!shader) return tl::unexpected(shader.error());
  const auto own = metal::emulator::text_of_kernels(*text, options.kernels);
  if (!own) return tl::unexpected(own.error());
  return sweep(metal::emulator::barrier_mutants(*own), *shader);
}

std::string to_json(const BarrierSweep& sweep) {
  ordered_json changes = ordered_json::array();
  for (const auto* mutants : {&sweep.reported, &sweep.survivors})
    for (const BarrierMutant& mutant : *mutants) changes.push_back(of(mutant));
  return json_text({{"changes", changes}}, 2) + "\n";
}

}  // namespace assay::validation
