#include "validation/shader/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "metal/device/encoder_rules.h"
#include "metal/emulator/compile/library_path.h"
#include "metal/emulator/emulator_buffer.h"
#include "metal/emulator/emulator_device.h"
#include "metal/host/commands.h"
#include "validation/shader/allow.h"
#include "validation/shader/compiled.h"
#include "validation/shader/or_refuse.h"
#include "validation/shader/run_watch.h"

namespace assay::validation {

namespace {

/// The threads of a pass, which for an indirect dispatch an earlier pass may have written.
metal::Size grid_of(const ShaderPass& pass, const ShaderBuffers& buffers) {
  if (!pass.threadgroups) return pass.grid;
  std::array<std::uint32_t, 3> groups{};
  std::memcpy(groups.data(), buffers.at(pass.threadgroups->array)->contents() + pass.threadgroups->offset,
              sizeof(groups));
  return {groups[0] * pass.group.width, groups[1] * pass.group.height, groups[2] * pass.group.depth};
}

metal::Result<void> check_threads(const ShaderScript& script, metal::Size grid) {
  const metal::Size all = metal::threads_of(metal::threads_of({grid.width}, {grid.height}), {grid.depth});
  if (!script.most_threads || all.width <= *script.most_threads) return {};
  return metal::error(metal::Error::Kind::limit,
                      fmt::format("{} x {} x {} threads: expected at most {}, the limit of steps", grid.width,
                                  grid.height, grid.depth, *script.most_threads));
}

class PassRunner {
 public:
  PassRunner(metal::Device& device, const ShaderScript& script, const ShaderFunctions& functions,
             const ShaderBuffers& buffers, ShaderOutcome& outcome)
      : device_(device),
        script_(script),
        functions_(functions),
        buffers_(buffers),
        outcome_(outcome),
        queue_(device.new_command_queue()) {
    for (std::size_t n = 0; n < functions.size(); ++n)
      outcome.dispatches.push_back({functions[n]->name(), script.passes[n].grid});
  }

  /// Whether the pass has run to its end.
  bool run(std::size_t n) {
    ShaderDispatch& dispatch = outcome_.dispatches[n];
    dispatch.grid = grid_of(script_.passes[n], buffers_);
    dispatch.has_begun = true;
    if (dispatch.grid.is_empty()) return true;  // as Metal does for an indirect dispatch of no threadgroups
    const auto commands = commit(n);
    if (!commands) throw std::invalid_argument(in_words(n, commands.error()));
    std::optional<RunWatch> watch;
    if (script_.shows_progress) watch.emplace(device_, dispatch.function);
    if (const auto ended = metal::host::wait(**commands); !ended) {
      outcome_.error = ended.error();
      outcome_.error->text = in_words(n, ended.error());
      return false;
    }
    if (const auto seconds = (*commands)->gpu_seconds()) dispatch.gpu_seconds = *seconds;
    return true;
  }

 private:
  std::string in_words(std::size_t n, const metal::Error& error) const {
    const std::string& where = script_.passes[n].where;
    return where.empty() ? error.text : fmt::format("{} ({}): {}", where, functions_[n]->name(), error.text);
  }

  metal::Result<std::shared_ptr<metal::CommandBuffer>> commit(std::size_t n) {
    if (const auto few = check_threads(script_, outcome_.dispatches[n].grid); !few) return tl::unexpected(few.error());
    auto& pipeline = pipelines_[functions_[n].get()];
    if (!pipeline) {
      const auto made = device_.new_pipeline(functions_[n]);
      if (!made) return tl::unexpected(made.error());
      pipeline = *made;
    }
    return metal::host::commit(*queue_, [&](metal::ComputeCommandEncoder& encoder) {
      encoder.set_pipeline(pipeline);
      encode(n, encoder);
      return metal::Result<void>();
    });
  }

  void encode(std::size_t n, metal::ComputeCommandEncoder& encoder) const {
    const ShaderPass& pass = script_.passes[n];
    for (const auto& [index, binding] : pass.buffers) {
      if (!binding.values.empty()) encoder.set_bytes(bytes_of_values(binding.values), index);
      if (const auto buffer = buffers_.find(binding.array); buffer != buffers_.end())
        encoder.set_buffer(buffer->second, binding.offset, index);
    }
    use_resources(pass, buffers_, outcome_.arrays, encoder);
    bind_textures(pass, *functions_[n], buffers_, outcome_.arrays, encoder);
    for (const auto& [index, bytes] : pass.threadgroup) encoder.set_threadgroup_memory_length(bytes, index);
    encoder.dispatch_threads(outcome_.dispatches[n].grid, pass.group);
  }

  metal::Device& device_;
  const ShaderScript& script_;
  const ShaderFunctions& functions_;
  const ShaderBuffers& buffers_;
  ShaderOutcome& outcome_;
  std::shared_ptr<metal::CommandQueue> queue_;
  std::map<const metal::Function*, std::shared_ptr<const metal::ComputePipeline>> pipelines_;
};

void take_arrays(const ShaderScript& script, const ShaderFunctions& functions, const ShaderBuffers& buffers,
                 std::map<std::string, ShaderArray>& arrays) {
  const auto written = written_arrays(script, functions, arrays);
  std::erase_if(arrays,
                [&](const auto& one) { return !written.contains(one.first) && !script.outputs.contains(one.first); });
  if (!script.keeps_contents) return;
  for (auto& [name, array] : arrays) {
    if (!buffers.contains(name)) continue;
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
  if (metal::emulator::is_library_file(script.source)) return load_on(static_cast<metal::Device&>(device), script);
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
  std::ranges::move(device.warnings(), std::back_inserter(outcome.warnings));
  outcome.losses = device.losses();
  outcome.messages = device.messages();
  outcome.messages_dropped = device.messages_dropped();
  add_private_reads(private_reads, outcome);
  if (!outcome.reports.empty()) outcome.error.reset();  // the reports say more
  apply_allowances(suppressions, outcome);
}

/// Whether the device runs all threadgroups, and knows what they write.
bool is_whole(const metal::emulator::EmulatorOptions& options) {
  return options.is_checked && options.only_groups.empty() && !options.schedule;
}

/// The argument that takes the array.
const metal::Argument* argument_of(const ShaderScript& script, const ShaderFunctions& functions,
                                   const std::string& array) {
  for (std::size_t n = 0; n < script.passes.size(); ++n)
    for (const auto& [index, binding] : script.passes[n].buffers)
      for (const metal::Argument& argument : functions[n]->arguments())
        if (binding.array == array && argument.kind == metal::Argument::Kind::buffer && argument.index == index)
          return &argument;
  return nullptr;
}

/// Warns of outputs of which a kernel has written a part only. That none of it is written may be meant: a kernel may have
/// outputs for special cases.
void add_unwritten(const ShaderScript& script, const ShaderFunctions& functions, const ShaderBuffers& buffers,
                   ShaderOutcome& outcome) {
  for (const std::string& name : written_arrays(script, functions, outcome.arrays)) {
    const auto array = outcome.arrays.find(name);
    const auto buffer = buffers.find(name);
    if (array == outcome.arrays.end() || array->second.is_written() || buffer == buffers.end()) continue;
    const auto* const emulated = dynamic_cast<const metal::emulator::EmulatorBuffer*>(buffer->second.get());
    if (emulated == nullptr || emulated->is_sparse()) continue;
    const metal::Argument* const argument = argument_of(script, functions, name);
    if (argument == nullptr || argument->element_size == 0) continue;
    const std::uint64_t bytes = argument->element_size, all = emulated->length() / bytes;
    const auto unwritten = emulated->unwritten(bytes);
    if (unwritten.count == 0 || unwritten.count == all) continue;
    metal::emulator::Report report;
    report.check = metal::emulator::Check::initcheck;
    report.kernel = outcome.dispatches.back().function;
    report.message =
        fmt::format("{} of {} elements of `{}` were never written, the first is {}: is the grid too small?",
                    unwritten.count, all, argument->name, unwritten.first);
    report.event.action = "run";
    report.event.position.file = script.source.string();
    report.is_warning = report.is_of_source = true;
    report.advice = "run as many threads as there are elements, or give the array a value before";
    outcome.warnings.push_back(std::move(report));
  }
}

ShaderOutcome run_loaded(metal::Device& device, Loaded loaded) {
  ShaderOutcome outcome;
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorDevice*>(&device);
  outcome.device = device.name();
  outcome.is_checked = emulated != nullptr;
  ShaderScript& script = loaded.script;
  const ShaderFunctions functions = functions_of(script, *loaded.library);
  outcome.arrays = arrays_of(script, functions);
  const ShaderBuffers buffers = make_buffers(device, outcome.arrays);
  run_passes(device, script, functions, buffers, outcome);
  if (emulated != nullptr && !outcome.error && emulated->reports().empty() && is_whole(emulated->options()))
    add_unwritten(script, functions, buffers, outcome);
  if (outcome.error && !outcome.is_checked)
    outcome.arrays.clear();  // memory of a GPU that has faulted cannot be read
  else
    take_arrays(script, functions, buffers, outcome.arrays);
  if (emulated != nullptr) take_reports(*emulated, loaded.private_reads, script.suppressions, outcome);
  return outcome;
}

}  // namespace

void run_passes(metal::Device& device, const ShaderScript& script, const ShaderFunctions& functions,
                const ShaderBuffers& buffers, ShaderOutcome& outcome) {
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorDevice*>(&device);
  if (emulated != nullptr && script.step_limit) emulated->set_step_limit(*script.step_limit);
  write_functions(device, script, functions, outcome.arrays, buffers);
  PassRunner runner(device, script, functions, buffers, outcome);
  for (std::size_t n = 0; n < functions.size(); ++n)
    if (!runner.run(n)) return;
}

void apply_allowances(const std::filesystem::path& suppressions, ShaderOutcome& outcome) {
  Allowances allowances(suppressions);
  take_allowed(outcome.reports, allowances, outcome.allowed);
  take_allowed(outcome.warnings, allowances, outcome.allowed);
}

ShaderOutcome run_shader(metal::Device& device, const ShaderScript& script) {
  auto* const emulated = dynamic_cast<metal::emulator::EmulatorDevice*>(&device);
  auto loaded = emulated != nullptr ? load_on(*emulated, script) : load_on(device, script);
  if (loaded) return run_loaded(device, std::move(*loaded));
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
