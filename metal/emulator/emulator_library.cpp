#include "metal/emulator/emulator_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <system_error>

#include "metal/emulator/dispatch/lone_call.h"
#include "metal/emulator/dispatch/services.h"

namespace assay::metal::emulator {

namespace {

std::string text(const char* words) {
  return words ? words : "";
}

Argument reflected(const abi::Argument& argument) {
  Argument result;
  result.name = text(argument.name);
  result.type = text(argument.type);
  switch (argument.kind) {
    case abi::ArgumentKind::buffer:
      result.kind = Argument::Kind::buffer;
      break;
    case abi::ArgumentKind::threadgroup:
      result.kind = Argument::Kind::threadgroup_memory;
      break;
    case abi::ArgumentKind::position:
      result.kind = Argument::Kind::position;
      break;
    case abi::ArgumentKind::texture:
      result.kind = Argument::Kind::texture;
      break;
    case abi::ArgumentKind::sampler:
      result.kind = Argument::Kind::sampler;
      break;
  }
  result.index = argument.index;
  result.is_written = argument.is_written != 0;
  result.is_reference = argument.is_reference != 0;
  result.element_size = argument.element_size;
  result.element_alignment = argument.element_align;
  result.element_type = text(argument.element_type);
  result.attribute = text(argument.attribute);
  return result;
}

std::span<const abi::Constant> constants_of(const abi::Shader& shader) {
  return {shader.constants, shader.constant_count};
}

const abi::Constant* find_constant(const abi::Shader& shader, std::uint32_t index) {
  for (const abi::Constant& constant : constants_of(shader))
    if (constant.index == index) return &constant;
  return nullptr;
}

Result<void> check_constants(const abi::Shader& shader, const FunctionConstants& constants) {
  for (const auto& [index, value] : constants.values()) {
    const abi::Constant* const constant = find_constant(shader, index);
    if (!constant)
      return error(Error::Kind::not_found,
                   fmt::format("function constant {}: the library has none of this index", index));
    if (constant->size != value.size)
      return error(Error::Kind::argument,
                   fmt::format("function constant {} `{}`: its value has {} bytes, expected {} of {}", index,
                               constant->name, value.size, constant->size, constant->type));
  }
  return {};
}

/// Metal makes no function while a function constant that it uses has no value.
Result<void> check_needed_constants(const abi::Shader& shader, const abi::Function& function,
                                    const FunctionConstants& constants) {
  for (const assay_u32 index : std::span(function.needed_constants, function.needed_constant_count)) {
    if (constants.values().contains(index)) continue;
    const abi::Constant* const constant = find_constant(shader, index);
    return error(Error::Kind::argument, fmt::format("function constant {} `{}`: kernel {} uses it, and it has no value",
                                                    index, constant ? constant->name : "?", function.name));
  }
  return {};
}

std::filesystem::file_time_type write_time(const std::filesystem::path& path) {
  std::error_code problem;
  return std::filesystem::last_write_time(path, problem);
}

}  // namespace

EmulatorFunction::EmulatorFunction(LoadedShader shader, const abi::Function& function, FunctionConstants constants)
    : shader_(std::move(shader)), function_(&function), constants_(std::move(constants)), name_(text(function.name)) {}

Result<std::shared_ptr<const Function>> EmulatorFunction::create(LoadedShader shader, const abi::Function& function,
                                                                 FunctionConstants constants) {
  std::shared_ptr<EmulatorFunction> made(new EmulatorFunction(std::move(shader), function, std::move(constants)));
  const std::lock_guard constants_in_use(*made->shader_.constants);
  if (const Result<void> written = made->write_constants(); !written) return tl::unexpected(written.error());
  made->reflect_arguments();
  return made;
}

/// The arguments that the values of the function constants leave.
void EmulatorFunction::reflect_arguments() {
  for (const abi::Argument& argument : std::span(function_->arguments, function_->argument_count)) {
    const bool is_present = !argument.is_present || *argument.is_present;
    if (is_present)
      arguments_.push_back(reflected(argument));
    else if (argument.kind == abi::ArgumentKind::buffer)
      absent_buffers_.push_back(reflected(argument));
  }
  std::erase_if(absent_buffers_, [&](const Argument& absent) {
    return std::ranges::any_of(arguments_, [&](const Argument& other) {
      return other.kind == Argument::Kind::buffer && other.index == absent.index;
    });
  });
}

Result<const void*> EmulatorFunction::visible_function(const std::string& name, std::uint32_t table) const {
  std::string known;
  const std::span arguments(function_->arguments, function_->argument_count);
  const auto argument = std::ranges::find_if(
      arguments, [&](const abi::Argument& one) { return one.function_type && one.index == table; });
  for (const auto& one : std::span(shader_.shader->visible_functions, shader_.shader->visible_function_count)) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", one.name);
    if (one.name != name || argument == arguments.end()) continue;
    if (one.type == argument->function_type) return one.address;
    return error(Error::Kind::argument,
                 fmt::format("function {}: it has another type than those of buffer({}) `{}`, {}", name, table,
                             argument->name, argument->type));
  }
  return error(Error::Kind::not_found, fmt::format("function {}: expected one of the visible functions{}{}", name,
                                                   known.empty() ? ", of which there are none" : ": ", known));
}

Result<void> EmulatorFunction::write_constants() const {
  for (const abi::Constant& constant : constants_of(*shader_.shader)) {
    const auto value = constants_.values().find(constant.index);
    *constant.is_set = value != constants_.values().end();
    if (*constant.is_set) std::memcpy(constant.storage, value->second.bytes.data(), constant.size);
  }
  return shader_.shader->constants_written ? call_alone(shader_.shader->constants_written) : Result<void>();
}

EmulatorLibrary::EmulatorLibrary(LoadedShader shader) : shader_(std::move(shader)) {
  bind();
}

void EmulatorLibrary::bind() const {
  shader_.shader->bind(&services());
  if (shader_.shader->barrier_change == nullptr) return;
  static const BarrierChange none;
  const BarrierChange& change = shader_.barrier_change ? *shader_.barrier_change : none;
  const abi::Site site{change.file.c_str(), change.line, change.column};
  *shader_.shader->barrier_change = {site.file, line_and_column(site), change.is_deleted ? 1U : 0U,
                                     change.memory_flags};
}

Result<std::shared_ptr<Library>> EmulatorLibrary::of_file(std::filesystem::path path, Compile compile) {
  const std::filesystem::file_time_type written = write_time(path);
  Result<LoadedShader> shader = compile();
  if (!shader) return tl::unexpected(shader.error());
  auto library = std::make_shared<EmulatorLibrary>(std::move(*shader));
  library->path_ = std::move(path);
  library->written_ = written;
  library->compile_ = std::move(compile);
  return library;
}

std::vector<std::string> EmulatorLibrary::function_names() const {
  std::vector<std::string> names;
  for (const abi::Function& function : std::span(shader_.shader->functions, shader_.shader->function_count))
    names.emplace_back(function.name);
  return names;
}

Result<std::shared_ptr<const Function>> EmulatorLibrary::new_function(const std::string& name,
                                                                      const FunctionConstants& constants) {
  for (const abi::Function& function : std::span(shader_.shader->functions, shader_.shader->function_count)) {
    if (name != function.name) continue;
    if (const Result<void> fit = check_constants(*shader_.shader, constants); !fit) return tl::unexpected(fit.error());
    if (const Result<void> complete = check_needed_constants(*shader_.shader, function, constants); !complete)
      return tl::unexpected(complete.error());
    return EmulatorFunction::create(shader_, function, constants);
  }
  return error(Error::Kind::not_found, fmt::format("Function {} was not found in the library", name));
}

/// Reads the file's time before its text, so that a change in between is noticed at the next call.
Result<bool> EmulatorLibrary::reload_if_changed() {
  if (path_.empty()) return false;
  const std::filesystem::file_time_type now = write_time(path_);
  if (now == written_) return false;
  Result<LoadedShader> shader = compile_();
  if (!shader) return tl::unexpected(shader.error());
  shader_ = std::move(*shader);
  bind();
  written_ = now;
  return true;
}

}  // namespace assay::metal::emulator
