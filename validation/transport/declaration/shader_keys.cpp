#include "validation/transport/declaration/shader_keys.h"

#include <algorithm>
#include <system_error>

#include "metal/emulator/compile/library_path.h"

namespace assay::validation::transport {

bool is_macro(std::string_view name, std::string_view value) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  const bool is_identifier = !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, is_part);
  return is_identifier && value.find_first_of("\r\n") == std::string_view::npos && !value.ends_with('\\');
}

namespace {

/// The file that the node names. A pipe would wait for its writer, and a device may have no end.
std::filesystem::path file_at(const BindingNode& node, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / node.text();
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(path, ignored) ||
                       metal::emulator::is_library_file(path);  // "x.dylib#2" is one of a file's libraries
  if (!is_file) node.refuse("a file, no pipe or device, relative to the folder of this one");
  return path;
}

}  // namespace

std::filesystem::path read_source(const BindingNode& node, const std::filesystem::path& folder) {
  return file_at(node.at("source"), folder);
}

metal::ShaderLanguage read_language(const BindingNode& node, const std::filesystem::path& folder) {
  metal::ShaderLanguage language;
  if (const auto version = node.find("metal_version"))
    language.metal_version = static_cast<int>(version->integer(100, 999));
  if (const auto folders = node.find("include_folders"))
    for (const BindingNode& one : folders->list()) language.folders.push_back(folder / one.text());
  if (const auto files = node.find("linked_files"))
    for (const BindingNode& one : files->list())
      language.linked.push_back(std::filesystem::absolute(file_at(one, folder)));
  const auto macros = node.find("macros");
  if (!macros) return language;
  for (const auto& [name, value] : macros->members()) {
    if (!is_macro(name, value.word())) value.refuse(what_a_macro_is);
    language.macros[name] = value.word();
  }
  return language;
}

}  // namespace assay::validation::transport
