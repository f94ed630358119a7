#include "validation/shader/run.h"

#include <array>
#include <cstring>
#include <stdexcept>

#include "metal/emulator/air/library_file.h"
#include "metal/emulator/emulator_device.h"
#include "metal/host/commands.h"
#include "validation/shader/allow.h"
#include "validation/shader/bind.h"
#include "validation/shader/buffers.h"
#include "validation/shader/compiled.h"
#include "validation/shader/or_refuse.h"
#include "validation/shader/run_watch.h"

namespace assay::validation {

namespace {

void encode(const ShaderPass& pass, const metal::Function& function,
            std::shared_ptr<const metal::ComputePipeline> pipeline, const ShaderBuffers& buffers,
            const std::map<std::string, ShaderArray>& arrays, metal::Size grid, metal::ComputeCommandEncoder& encoder) {
  encoder.set_pipeline(std::move(pipeline));
  for (const auto& [index, binding] : pass.buffers)
    encoder.set_buffer(buffers.at(binding.array), binding.offset, index);
  use_resources(pass, buffers, arrays, encoder);
  bind_textures(pass, function, buffers, arrays, encoder);
  for (const auto& [index, bytes] : pass.threadgroup) encoder.set_threadgroup_memory_length(bytes, index);
  encoder.dispatch_threads(grid, pass.group);
}

/// The threads of a pass, which for an indirect dispatch an earlier pass may have written.
metal::Size grid_of(const ShaderPass& pass, const ShaderBuffers& buffers) {
  if (!pass.threadgroups) return pass.grid;
  std::array<std::uint32_t, 3> groups{};
  std::memcpy(groups.data(), buffers.at(pass.threadgroups->array)->contents() + pass.threadgroups->offset,
              sizeof(groups));
  return {groups[0] * pass.group.width, groups[1] * pass.group.height, groups[2] * pass.group.depth};
}

/// Runs the passes in their order, up to the first that fails.
void run_passes(metal::Device& device, const ShaderScript& script, const ShaderFunctions& functions,
                const ShaderBuffers& buffers, ShaderOutcome& outcome) {
  const auto queue = device.new_command_queue();
  for (std::size_t n = 0; n < functions.size(); ++n) {
    const metal::Size grid = outcome.dispatches[n].grid = grid_of(script.passes[n], buffers);
    outcome.dispatches[n].has_begun = true;
    if (grid.is_empty()) continue;  // as Metal does for an indirect dispatch of no threadgroups
    const auto pipeline = or_refuse(device.new_pipeline(functions[n]));
    const auto commands = or_refuse(metal::host::commit(*queue, [&](metal::ComputeCommandEncoder& encoder) {
      encode(script.passes[n], *functions[n], pipeline, buffers, outcome.arrays, grid, encoder);
      return metal::Result<void>();
    }));
    const RunWatch watch(device, functions[n]->name());
    if (const auto ended = metal::host::wait(*commands); !ended) {
      outcome.error = ended.error();
      return;
    }
    if (const auto seconds = commands->gpu_seconds()) outcome.dispatches[n].gpu_seconds = *seconds;
  }
}

void take_arrays(const ShaderScript& script, const ShaderFunctions& functions, const ShaderBuffers& buffers,
                 std::map<std::string, ShaderArray>& arrays) {
  const auto written = written_arrays(script, functions, arrays);
  std::erase_if(arrays,
                [&](const auto& one) { return !written.contains(one.first) && !script.outputs.contains(one.first); });
  if (!script.keeps_contents) return;
  for (auto& [name, array] : arrays) {
    const std::byte* const contents = buffers.at(name)->contents();
    array.bytes.emplace(contents, contents + buffers.at(name)->length());
  }
}

/// The library with the kernels of a script, each of whose passes names its kernel.
struct Loaded {
  ShaderScript script;
  std::shared_ptr<metal::Library> library;
  std::vector<metal::emulator::PrivateRead> private_reads = {};
};

metal::Result<Loaded> load_on(metal::Device& device, const ShaderScript& script) {
  const auto library = device.new_library_from_file(script.source);
  if (!library) return tl::unexpected(library.error());
  return Loaded{with_kernels(script, (*library)->function_names()), *library};
}

/// Compiles the kernels that the script runs, and no others.
metal::Result<Loaded> load_on(metal::emulator::EmulatorDevice& device, const ShaderScript& script) {
  if (metal::emulator::air::is_library_file(script.source)) return load_on(static_cast<metal::Device&>(device), script);
  const auto options = compile_options(device.options());
  const auto names = kernel_names(script, options);
  if (!names) return tl::unexpected(names.error());
  ShaderScript named = with_kernels(script, *names);
  const auto compiled = compile_kernels(named, options);
  if (!compiled) return tl::unexpected(compiled.error());
  return Loaded{std::move(named), device.new_library(*compiled), (*compiled)->private_reads()};
}

/// The compiler's findings in the source: reads of private variables before they are written.
void add_private_reads(const std::vector<metal::emulator::PrivateRead>& reads, ShaderOutcome& outcome) {
  for (const auto& read : reads) {
    metal::emulator::Report report;
    report.check = metal::emulator::Check::initcheck;
    report.kernel = outcome.dispatches.front().function;
    report.message = "a private variable is read before it is written: " + read.what;
    report.event.action = "read";
    report.event.position = read.position;
    report.is_warning = !read.is_certain;
    report.is_of_source = true;
    report.advice = "give the variable a value where it is declared";
    (read.is_certain ? outcome.reports : outcome.warnings).push_back(std::move(report));
  }
}

/// Moves the findings that a comment or a suppression allows from `reports` to `allowed`.
void take_allowed(std::vector<metal::emulator::Report>& reports, Allowances& allowances,
                  std::vector<AllowedReport>& allowed) {
  std::erase_if(reports, [&](metal::emulator::Report& report) {
    std::vector<metal::emulator::SourcePosition> places = {report.event.position};
    if (report.other) places.push_back(report.other->position);
    const auto allowance = allowances.find(to_string(report.check), places);
    if (allowance) allowed.push_back({std::move(report), allowance->reason, allowance->is_in_source});
    return allowance.has_value();
  });
}

void take_reports(const metal::emulator::EmulatorDevice& device,
                  const std::vector<metal::emulator::PrivateRead>& private_reads,
                  const std::filesystem::path& suppressions, ShaderOutcome& outcome) {
  outcome.reports = device.reports();
  outcome.warnings = device.warnings();
  outcome.losses = device.losses();
  outcome.messages = device.messages();
  outcome.messages_dropped = device.messages_dropped();
  add_private_reads(private_reads, outcome);
  if (!outcome.reports.empty()) outcome.error.reset();  // the reports say more
  apply_allowances(suppressions, outcome);
}

ShaderOutcome run_loaded(metal::Device& device, const Loaded& loaded) {
  ShaderOutcome outcome;
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorDevice*>(&device);
  outcome.device = device.name();
  outcome.is_checked = emulated != nullptr;
  const ShaderScript& script = loaded.script;
  if (emulated != nullptr && script.step_limit) emulated->set_step_limit(*script.step_limit);
  const ShaderFunctions functions = functions_of(script, *loaded.library);
  outcome.arrays = arrays_of(script, functions);
  for (const auto& function : functions)
    outcome.dispatches.push_back({function->name(), script.passes[outcome.dispatches.size()].grid});
  const ShaderBuffers buffers = make_buffers(device, outcome.arrays);
  write_functions(device, script, functions, outcome.arrays, buffers);
  run_passes(device, script, functions, buffers, outcome);
  if (outcome.error && !outcome.is_checked)
    outcome.arrays.clear();  // memory of a GPU that has faulted cannot be read
  else
    take_arrays(script, functions, buffers, outcome.arrays);
  if (emulated != nullptr) take_reports(*emulated, loaded.private_reads, script.suppressions, outcome);
  return outcome;
}

}  // namespace

void apply_allowances(const std::filesystem::path& suppressions, ShaderOutcome& outcome) {
  Allowances allowances(suppressions);
  take_allowed(outcome.reports, allowances, outcome.allowed);
  take_allowed(outcome.warnings, allowances, outcome.allowed);
}

ShaderOutcome run_shader(metal::Device& device, const ShaderScript& script) {
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorDevice*>(&device);
  const auto loaded = emulated != nullptr ? load_on(*emulated, script) : load_on(device, script);
  if (loaded) return run_loaded(device, *loaded);
  if (loaded.error().kind != metal::Error::Kind::compile) throw std::invalid_argument(loaded.error().text);
  ShaderOutcome outcome;
  outcome.device = device.name();
  outcome.is_checked = emulated != nullptr;
  outcome.error = loaded.error();
  return outcome;
}

ShaderOutcome run_compiled(metal::emulator::EmulatorDevice& device, const ShaderScript& script,
                           const std::shared_ptr<const metal::emulator::CompiledShader>& shader) {
  return run_loaded(device, {script, device.new_library(shader), shader->private_reads()});
}

}  // namespace assay::validation
