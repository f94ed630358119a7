#include "validation/shader/library_listing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "metal/emulator/air/declarations.h"
#include "metal/emulator/compile/compiled_kernel.h"
#include "metal/emulator/compile/library_path.h"
#include "metal/emulator/translate/kernels.h"
#include "validation/core/json_text.h"
#include "validation/shader/or_refuse.h"

namespace assay::validation {

namespace {

using nlohmann::ordered_json;
namespace air = metal::emulator::air;

std::string place_of(const air::KernelArgument& argument) {
  if (argument.kind == metal::emulator::abi::ArgumentKind::position) return argument.attribute;
  return fmt::format("{}({})", metal::emulator::kind_name(argument.kind), argument.index);
}

std::string version_text(const air::Version& version) {
  return fmt::format("{}.{}", version.major, version.minor);
}

std::string argument_text(const air::KernelArgument& argument) {
  std::string text =
      fmt::format("  {:<32} {:<16} {}{}\n", place_of(argument), argument.name, air::written_type(argument),
                  argument.condition.empty() ? "" : ", if " + argument.condition);
  for (const air::Field& field : argument.fields)
    text += fmt::format("    at {:<6} {} {}{}\n", field.offset, field.type, field.name,
                        field.count == 0 ? "" : fmt::format("[{}]", field.count));
  return text;
}

std::string kernel_text(const air::LibraryKernel& kernel, const air::KernelMetadata& metadata) {
  std::string text = fmt::format("kernel {}\n", kernel.name);
  for (const air::KernelArgument& argument : metadata.arguments) text += argument_text(argument);
  for (const air::KernelConstant& constant : metadata.constants)
    text += fmt::format("  function_constant({}) {} {}\n", constant.index, constant.type, constant.name);
  if (metadata.max_threads > 0) text += fmt::format("  at most {} threads of a threadgroup\n", metadata.max_threads);
  return text + fmt::format("  AIR {}, Metal {}, {}\n", version_text(kernel.air), version_text(kernel.language),
                            fmt::join(metadata.compile_options, ", "));
}

ordered_json fields_json(const std::vector<air::Field>& fields) {
  ordered_json all = ordered_json::array();
  for (const air::Field& one : fields)
    all.push_back(
        {{"name", one.name}, {"type", one.type}, {"offset", one.offset}, {"size", one.bytes}, {"count", one.count}});
  return all;
}

ordered_json argument_json(const air::KernelArgument& argument, std::size_t n) {
  return {{"name", argument.name},
          {"type", air::written_type(argument)},
          {"kind", metal::emulator::kind_name(argument.kind)},
          {"index", argument.index},
          {"element_type", air::element_name(argument, n)},
          {"element_size", argument.bytes},
          {"is_written", argument.is_written},
          {"is_reference", argument.is_reference},
          {"attribute", argument.attribute},
          {"condition", argument.condition},
          {"fields", fields_json(argument.fields)}};
}

ordered_json kernel_json(const air::LibraryKernel& kernel, const air::KernelMetadata& metadata) {
  ordered_json said = {{"name", kernel.name}, {"arguments", ordered_json::array()}};
  for (std::size_t n = 0; n < metadata.arguments.size(); ++n)
    said["arguments"].push_back(argument_json(metadata.arguments[n], n));
  said["max_total_threads_per_threadgroup"] = metadata.max_threads;
  said["air_version"] = version_text(kernel.air);
  said["metal_version"] = version_text(kernel.language);
  said["compile_options"] = metadata.compile_options;
  return said;
}

void add_constants(const std::vector<air::KernelConstant>& constants, ordered_json& all) {
  for (const air::KernelConstant& one : constants) {
    ordered_json said = {{"index", one.index}, {"name", one.name}, {"type", one.type}};
    if (std::find(all.begin(), all.end(), said) == all.end()) all.push_back(std::move(said));
  }
}

/// What a path has besides kernels, where that has to be told: the libraries of an archive, or several in one file.
std::string libraries_text(const std::vector<metal::emulator::NamedLibrary>& libraries) {
  std::string text;
  if (libraries.size() == 1 && libraries.front().member.empty()) return text;
  for (const metal::emulator::NamedLibrary& one : libraries) text += fmt::format("library {}\n", to_string(one));
  return text;
}

ordered_json libraries_json(const std::vector<metal::emulator::NamedLibrary>& libraries) {
  ordered_json all = ordered_json::array();
  for (const metal::emulator::NamedLibrary& one : libraries)
    all.push_back({{"path", one.path},
                   {"member", one.member},
                   {"system", one.library.system},
                   {"kernels", one.library.kernels.size()}});
  return all;
}

LibraryListing with_json(std::string text, const std::vector<metal::emulator::NamedLibrary>& libraries,
                         const ordered_json& kernels, const ordered_json& constants) {
  const ordered_json json = {
      {"libraries", libraries_json(libraries)}, {"kernels", kernels}, {"function_constants", constants}};
  return {std::move(text), json_text(json, 2) + "\n"};
}

}  // namespace

LibraryListing list_library(const std::filesystem::path& file) {
  const auto libraries = or_refuse(metal::emulator::libraries_in(file));
  std::string text = libraries_text(libraries);
  ordered_json kernels = ordered_json::array();
  for (const metal::emulator::NamedLibrary& one : libraries)
    for (const air::LibraryKernel& kernel : one.library.kernels) {
      text += fmt::format("kernel {}\n", kernel.name);
      kernels.push_back({{"name", kernel.name}});
    }
  return with_json(std::move(text), libraries, kernels, ordered_json::array());
}

LibraryListing list_library(const std::filesystem::path& file, const std::function<bool(const std::string&)>& wanted) {
  const auto libraries = or_refuse(metal::emulator::libraries_in(file));
  std::string text = libraries_text(libraries);
  ordered_json kernels = ordered_json::array(), constants = ordered_json::array();
  for (const metal::emulator::NamedLibrary& one : libraries)
    for (const air::LibraryKernel& kernel : one.library.kernels) {
      if (!wanted(kernel.name)) continue;
      const air::KernelMetadata metadata =
          or_refuse(metal::emulator::module_text(file, kernel).and_then([](const std::string& module) {
            return air::read_metadata(module);
          }));
      text += kernel_text(kernel, metadata);
      kernels.push_back(kernel_json(kernel, metadata));
      add_constants(metadata.constants, constants);
    }
  if (kernels.empty()) throw std::invalid_argument(fmt::format("{}: it has no kernel of this name", file.string()));
  return with_json(std::move(text), libraries, kernels, constants);
}

}  // namespace assay::validation
