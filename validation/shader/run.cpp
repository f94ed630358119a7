#include "validation/shader/run.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <stdexcept>

#include "metal/emulator/emulator_device.h"
#include "metal/emulator/emulator_encoder.h"
#include "metal/emulator/emulator_library.h"
#include "metal/host/commands.h"
#include "validation/shader/allow.h"
#include "validation/shader/bind.h"
#include "validation/shader/compiled.h"
#include "validation/shader/texture.h"

namespace assay::validation {

namespace {

using metal::Buffer;
using metal::Error;
using Buffers = std::map<std::string, std::shared_ptr<Buffer>>;

/// The value. Throws std::invalid_argument with the error's text.
template <class T>
T expect(metal::Result<T> result) {
  if (!result) throw std::invalid_argument(result.error().text);
  return std::move(*result);
}

/// Memory that nobody has written holds the same on every device: NaN in every floating-point type.
constexpr int unset_byte = 0xFF;

std::shared_ptr<Buffer> make_buffer(metal::Device& device, const std::string& name, const ShaderArray& array) {
  if (array.bytes) return expect(device.new_buffer(*array.bytes, name));
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorDevice*>(&device);
  if (emulated != nullptr && array.length() > large_array)
    return expect(emulated->new_sparse_buffer(array.length(), array.is_large_zero, name));
  auto buffer = expect(device.new_buffer(array.length(), name));
  if (emulated != nullptr && emulated->options().is_checked) return buffer;  // which has made it so
  std::memset(buffer->contents(), array.is_large_zero ? 0 : unset_byte, array.length());
  if (array.is_large_zero) (void)buffer->did_modify(0, array.length());
  return buffer;
}

/// Makes an argument buffer of the buffer `name`, if it is one.
void write_addresses(metal::Device& device, const ShaderArray& array, const Buffers& buffers, const std::string& name) {
  if (array.addresses_of.empty()) return;
  if (dynamic_cast<metal::emulator::EmulatorDevice*>(&device) == nullptr)
    throw std::invalid_argument(
        fmt::format("array {}=buffers:...: argument buffers with buffers inside run on the emulator, and not on {}",
                    name, device.name()));
  std::byte* to = buffers.at(name)->contents();
  for (const std::string& resource : array.addresses_of) {
    const auto address = reinterpret_cast<std::uintptr_t>(buffers.at(resource)->contents());
    std::memcpy(to, &address, sizeof(address));
    to += sizeof(address);
  }
}

Buffers make_buffers(metal::Device& device, const std::map<std::string, ShaderArray>& arrays) {
  Buffers buffers;
  for (const auto& [name, array] : arrays) buffers[name] = make_buffer(device, name, array);
  for (const auto& [name, array] : arrays) write_addresses(device, array, buffers, name);
  return buffers;
}

/// Fills the tables of visible functions that the passes take.
void write_functions(const metal::Device& device, const ShaderScript& script, const ShaderFunctions& functions,
                     const std::map<std::string, ShaderArray>& arrays, const Buffers& buffers) {
  for (std::size_t n = 0; n < functions.size(); ++n)
    for (const auto& [index, binding] : script.passes[n].buffers) {
      const std::vector<std::string>& names = arrays.at(binding.array).functions;
      const auto* const emulated = dynamic_cast<const metal::emulator::EmulatorFunction*>(functions[n].get());
      if (names.empty()) continue;
      if (emulated == nullptr)
        throw std::invalid_argument(
            fmt::format("array {}=functions:...: tables of visible functions are on the emulator, "
                        "and not on {}",
                        binding.array, device.name()));
      std::byte* to = buffers.at(binding.array)->contents();
      for (const std::string& name : names) {
        const void* const address = expect(emulated->visible_function(name, index));
        std::memcpy(to, static_cast<const void*>(&address), sizeof(address));
        to += sizeof(address);
      }
    }
}

/// Lets the kernel access what the argument buffers of the pass point to.
void use_resources(const ShaderPass& pass, const Buffers& buffers, const std::map<std::string, ShaderArray>& arrays,
                   metal::ComputeCommandEncoder& encoder) {
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorEncoder*>(&encoder);
  for (const auto& [index, binding] : pass.buffers)
    if (const auto array = arrays.find(binding.array); array != arrays.end() && emulated != nullptr)
      for (const std::string& resource : array->second.addresses_of) emulated->use_resource(buffers.at(resource));
}

/// Makes textures of the arrays, and binds them and the samplers.
void bind_textures(const ShaderPass& pass, const metal::Function& function, const Buffers& buffers,
                   const std::map<std::string, ShaderArray>& arrays, metal::ComputeCommandEncoder& encoder) {
  if (pass.textures.empty() && pass.samplers.empty()) return;
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorEncoder*>(&encoder);
  if (emulated == nullptr)
    throw std::invalid_argument(
        fmt::format("{}: kernels with textures or samplers run on the emulator alone", function.name()));
  for (const metal::Argument& argument : function.arguments()) {
    if (argument.kind != metal::Argument::Kind::texture) continue;
    const std::string& name = pass.textures.at(argument.index);
    emulated->set_texture(buffers.at(name), texture_of(argument, name, arrays.at(name)), argument.index);
  }
  for (const auto& [index, words] : pass.samplers)
    emulated->set_sampler(sampler_of(fmt::format("sampler {}", index), words), index);
}

void encode(const ShaderPass& pass, const metal::Function& function,
            std::shared_ptr<const metal::ComputePipeline> pipeline, const Buffers& buffers,
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
metal::Size grid_of(const ShaderPass& pass, const Buffers& buffers) {
  if (!pass.threadgroups) return pass.grid;
  std::array<std::uint32_t, 3> groups{};
  std::memcpy(groups.data(), buffers.at(pass.threadgroups->array)->contents() + pass.threadgroups->offset,
              sizeof(groups));
  return {groups[0] * pass.group.width, groups[1] * pass.group.height, groups[2] * pass.group.depth};
}

/// Runs the passes in their order, up to the first that fails.
void run_passes(metal::Device& device, const ShaderScript& script, const ShaderFunctions& functions,
                const Buffers& buffers, ShaderOutcome& outcome) {
  const auto queue = device.new_command_queue();
  for (std::size_t n = 0; n < functions.size(); ++n) {
    const metal::Size grid = outcome.dispatches[n].grid = grid_of(script.passes[n], buffers);
    if (grid.count() == 0) continue;  // as Metal does for an indirect dispatch of no threadgroups
    const auto pipeline = expect(device.new_pipeline(functions[n]));
    const auto commands = expect(metal::host::commit(*queue, [&](metal::ComputeCommandEncoder& encoder) {
      encode(script.passes[n], *functions[n], pipeline, buffers, outcome.arrays, grid, encoder);
      return metal::Result<void>();
    }));
    if (const auto ended = metal::host::wait(*commands); !ended) {
      outcome.error = ended.error();
      return;
    }
    if (const auto seconds = commands->gpu_seconds()) outcome.dispatches[n].gpu_seconds = *seconds;
  }
}

void take_arrays(const ShaderScript& script, const ShaderFunctions& functions, const Buffers& buffers,
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

/// A library with the kernels of the script, whose passes get their names.
struct Loaded {
  ShaderScript script;
  std::shared_ptr<metal::Library> library;
  std::vector<metal::emulator::PrivateRead> private_reads = {};
};

/// Only the kernels that run are compiled.
metal::Result<Loaded> load_on(metal::emulator::EmulatorDevice& device, const ShaderScript& script) {
  const auto options = compile_options(device.options());
  const auto names = kernel_names(script, options);
  if (!names) return tl::unexpected(names.error());
  ShaderScript named = with_kernels(script, *names);
  const auto compiled = compile_kernels(named, options);
  if (!compiled) return tl::unexpected(compiled.error());
  return Loaded{std::move(named), device.new_library(*compiled), (*compiled)->private_reads()};
}

metal::Result<Loaded> load_on(metal::Device& device, const ShaderScript& script) {
  const auto library = device.new_library_from_file(script.source);
  if (!library) return tl::unexpected(library.error());
  return Loaded{with_kernels(script, (*library)->function_names()), *library};
}

/// What the compiler found in the source: reads of private variables that nothing has written.
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

/// Moves what comments in the source or suppressions allow from `reports` to `allowed`.
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
  const ShaderFunctions functions = functions_of(script, *loaded.library);
  outcome.arrays = arrays_of(script, functions);
  for (const auto& function : functions)
    outcome.dispatches.push_back({function->name(), script.passes[outcome.dispatches.size()].grid});
  const Buffers buffers = make_buffers(device, outcome.arrays);
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
  if (loaded.error().kind != Error::Kind::compile) throw std::invalid_argument(loaded.error().text);
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
