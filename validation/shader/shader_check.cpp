#include "validation/shader/shader_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <stdexcept>

#include "metal/emulator/compile/compile.h"
#include "validation/shader/contents.h"
#include "validation/shader/scalar.h"

namespace assay::validation {

namespace {

using metal::Argument;
using metal::Buffer;
using metal::Error;
using metal::FunctionConstants;

/// The value. Throws std::invalid_argument with the error's text.
template <class T>
T expect(metal::Result<T> result) {
  if (!result) throw std::invalid_argument(result.error().text);
  return std::move(*result);
}

template <class T>
void set_constant(FunctionConstants& constants, std::uint32_t index, const std::vector<std::byte>& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof(T));
  constants.set(index, value);
}

void set_constant(FunctionConstants& constants, std::uint32_t index, const std::vector<std::byte>& bytes) {
  if (bytes.size() == 1) return set_constant<std::uint8_t>(constants, index, bytes);
  if (bytes.size() == 2) return set_constant<std::uint16_t>(constants, index, bytes);
  if (bytes.size() == 4) return set_constant<std::uint32_t>(constants, index, bytes);
  set_constant<std::uint64_t>(constants, index, bytes);
}

FunctionConstants constants_of(const ShaderCheck& check, const metal::emulator::abi::Shader& shader) {
  FunctionConstants constants;
  const std::span all(shader.constants, shader.constant_count);
  for (const auto& [index, text] : check.constants) {
    const auto found = std::ranges::find(all, index, &metal::emulator::abi::Constant::index);
    if (found == all.end())
      throw std::invalid_argument(
          fmt::format("--constant {}={}: the shader has no such function constant", index, text));
    set_constant(constants, index, scalar_bytes(found->type, text));
  }
  return constants;
}

/// The name of the kernel to run. Throws if there is none of the name given, or several and no name.
std::string chosen_function(const ShaderCheck& check, const metal::emulator::ShaderListing& listing) {
  std::vector<std::string> names;
  for (const auto& kernel : listing.kernels) names.push_back(kernel.name);
  if (check.function.empty() && names.size() == 1) return names.front();
  if (std::ranges::find(names, check.function) != names.end()) return check.function;
  const std::string wanted = check.function.empty() ? "" : fmt::format(" {}", check.function);
  throw std::invalid_argument(fmt::format("--function{}: {} has {} kernels, expected one of {}", wanted,
                                          check.file.string(), names.size(), fmt::join(names, ", ")));
}

/// What the compiler found in the source: reads of private variables that nothing has written.
void add_private_reads(const std::vector<metal::emulator::PrivateRead>& reads, ShaderOutcome& outcome) {
  for (const auto& read : reads) {
    metal::emulator::Report report;
    report.check = metal::emulator::Check::initcheck;
    report.kernel = outcome.function;
    report.message = "a private variable is read before it is written: " + read.what;
    report.event.action = "read";
    report.event.position = read.position;
    report.is_warning = !read.is_certain;
    report.is_of_source = true;
    (read.is_certain ? outcome.reports : outcome.warnings).push_back(std::move(report));
  }
}

/// Throws if memory is given that the kernel does not take, or the kernel takes memory that is not given.
void expect_bindings(const ShaderCheck& check, const std::vector<Argument>& arguments) {
  std::set<std::uint32_t> buffers, threadgroup;
  for (const Argument& argument : arguments) {
    const bool is_buffer = argument.kind == Argument::Kind::buffer;
    if (argument.kind == Argument::Kind::position) continue;
    (is_buffer ? buffers : threadgroup).insert(argument.index);
    if (is_buffer ? check.buffers.contains(argument.index) : check.threadgroup.contains(argument.index)) continue;
    throw std::invalid_argument(fmt::format("{}({}) {} {}: expected {} {}=...", is_buffer ? "buffer" : "threadgroup",
                                            argument.index, argument.type, argument.name,
                                            is_buffer ? "--buffer" : "--threadgroup-memory", argument.index));
  }
  for (const auto& [index, words] : check.buffers)
    if (!buffers.contains(index)) throw std::invalid_argument(fmt::format("--buffer {}={}: not taken", index, words));
  for (const auto& [index, bytes] : check.threadgroup)
    if (!threadgroup.contains(index))
      throw std::invalid_argument(fmt::format("--threadgroup-memory {}={}: not taken", index, bytes));
}

std::map<std::uint32_t, std::shared_ptr<Buffer>> make_buffers(metal::Device& device, const ShaderCheck& check,
                                                              const std::vector<Argument>& arguments) {
  std::map<std::uint32_t, std::shared_ptr<Buffer>> buffers;
  for (const Argument& argument : arguments) {
    if (argument.kind != Argument::Kind::buffer) continue;
    const BufferContents contents = buffer_contents(argument, check.buffers.at(argument.index), check.seed);
    buffers[argument.index] = expect(contents.bytes ? device.new_buffer(*contents.bytes, argument.name)
                                                    : device.new_buffer(contents.length, argument.name));
  }
  return buffers;
}

/// Runs the pipeline once. Returns the error that stopped it, if any.
std::optional<Error> run(metal::Device& device, const ShaderCheck& check,
                         std::shared_ptr<const metal::ComputePipeline> pipeline,
                         const std::map<std::uint32_t, std::shared_ptr<Buffer>>& buffers) {
  const auto commands = device.new_command_queue()->command_buffer();
  const auto encoder = expect(commands->compute_encoder());
  encoder->set_pipeline(std::move(pipeline));
  for (const auto& [index, buffer] : buffers) encoder->set_buffer(buffer, 0, index);
  for (const auto& [index, bytes] : check.threadgroup) encoder->set_threadgroup_memory_length(bytes, index);
  encoder->dispatch_threads(check.grid, check.group);
  if (const auto ended = encoder->end_encoding(); !ended) throw std::invalid_argument(ended.error().text);
  if (const auto committed = commands->commit(); !committed) return committed.error();
  if (const auto waited = commands->wait_until_completed(); !waited) return waited.error();
  return commands->error();
}

}  // namespace

ShaderOutcome check_shader(const ShaderCheck& check) {
  metal::emulator::CompileOptions options = compile_options(check.emulator);
  const auto listing = metal::emulator::list_file(check.file, options);
  ShaderOutcome outcome;
  outcome.function = check.function;
  const auto failed = [&](const Error& error) {
    if (error.kind != Error::Kind::compile) throw std::invalid_argument(error.text);
    outcome.error = error;
    return outcome;
  };
  if (!listing) return failed(listing.error());
  options.kernel = outcome.function = chosen_function(check, *listing);
  const auto compiled = metal::emulator::compile_file(check.file, options);
  if (!compiled) return failed(compiled.error());
  metal::emulator::EmulatorDevice device(check.emulator);
  const auto library = device.new_library(*compiled);
  const auto function = expect(library->new_function(outcome.function, constants_of(check, (*compiled)->shader())));
  expect_bindings(check, function->arguments());
  const auto buffers = make_buffers(device, check, function->arguments());
  outcome.error = run(device, check, expect(device.new_pipeline(function)), buffers);
  outcome.reports = device.reports();
  outcome.warnings = device.warnings();
  add_private_reads((*compiled)->private_reads(), outcome);
  if (!outcome.reports.empty()) outcome.error.reset();  // the reports say more
  return outcome;
}

std::optional<Error> compile_shader(const ShaderCheck& check) {
  metal::emulator::CompileOptions options = compile_options(check.emulator);
  const auto listing = metal::emulator::list_file(check.file, options);
  if (listing) options.kernel = chosen_function(check, *listing);
  const auto compiled = listing ? metal::emulator::compile_file(check.file, options) : tl::unexpected(listing.error());
  if (compiled) return std::nullopt;
  if (compiled.error().kind != Error::Kind::compile) throw std::invalid_argument(compiled.error().text);
  return compiled.error();
}

std::string list_shader(const std::filesystem::path& file, const metal::emulator::EmulatorOptions& options) {
  const auto listing = expect(metal::emulator::list_file(file, compile_options(options)));
  std::string text;
  for (const auto& kernel : listing.kernels) {
    const bool is_named_apart = !kernel.instantiation.empty() && kernel.instantiation != kernel.name;
    text += fmt::format("kernel {}{}{}\n", kernel.name, is_named_apart ? " = " : "",
                        is_named_apart ? kernel.instantiation : "");
    for (const auto& argument : kernel.arguments)
      text += fmt::format("  {:<32} {:<16} {}{}\n", argument.place, argument.name, argument.type,
                          argument.condition.empty() ? "" : ", if " + argument.condition);
  }
  for (const auto& constant : listing.constants)
    text += fmt::format("function_constant({}) {} {}\n", constant.index, constant.type, constant.name);
  return text;
}

}  // namespace assay::validation
