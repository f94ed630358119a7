#include "metal/emulator/numerics/ir_module.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "metal/emulator/numerics/known_functions.h"

namespace assay::metal::emulator::ir {

namespace {

/// The value of "name: value" in the text of a metadata node; empty if it has none.
std::string_view field(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (at == 0 || (text[at - 1] != ' ' && text[at - 1] != '(')) continue;
    std::string_view rest = text.substr(at + name.size());
    if (rest.starts_with('"')) return rest.substr(1, rest.find('"', 1) - 1);
    return rest.substr(0, rest.find_first_of(",)"));
  }
  return {};
}

/// A text of the intermediate representation, in which a backslash is doubled or followed by two hexadecimal digits.
std::string unescaped(std::string_view text) {
  std::string all;
  for (std::size_t n = 0; n < text.size(); ++n) {
    unsigned code = 0;
    const char* const digits = text.data() + n + 1;
    if (text[n] == '\\' && n + 2 < text.size() && std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2) {
      all += static_cast<char>(static_cast<unsigned char>(code));
      n += 2;
    } else {
      all += text[n];
      if (text.substr(n).starts_with("\\\\")) ++n;
    }
  }
  return all;
}

std::uint32_t number(std::string_view text) {
  std::uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// Functions that the emulator's headers define for the instrumentation itself, and what these call. They may run between
/// a call and what its callee does first, which takes what the call has left for it.
bool is_hook(std::string_view name) {
  static constexpr std::array prefixes = {"@__tsan_",
                                          "@__sanitizer_",
                                          "@__ubsan_",
                                          "@assay_numerics_",
                                          "@assay_math_",
                                          "@__truncsfbf2",
                                          "@assay_shader",
                                          "@_ZN17assay_shader_side10arithmetic",
                                          "@_ZN17assay_shader_side6access",
                                          "@_ZN17assay_shader_side13report_blocks"};
  return std::ranges::any_of(prefixes, [&](const char* prefix) { return name.starts_with(prefix); });
}

/// Whether the line is the first of an invoke's two.
bool is_invoke(std::string_view line) {
  return line.starts_with("  invoke ") ||
         (line.starts_with("  %") && line.find(" = invoke ") != std::string_view::npos);
}

}  // namespace

Module::Module(std::string_view text, const std::function<bool(const std::string& file)>& is_own, bool is_part)
    : is_part_(is_part) {
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    if (is_invoke(text.substr(0, end))) end = text.find('\n', end + 1);
    lines_.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  read_metadata();
  read_functions(is_own);
}

void Module::read_metadata() {
  for (const std::string_view line : lines_)
    if (const std::size_t equals = line.find(" = "); line.starts_with('!') && equals != std::string_view::npos)
      metadata_[line.substr(0, equals)] = line.substr(equals + 3);
}

void Module::read_functions(const std::function<bool(const std::string& file)>& is_own) {
  for (const std::string_view line : lines_) {
    if (!line.starts_with("define ")) continue;
    const auto signature = call(line);
    if (!signature) continue;
    const std::size_t debug = line.find(" !dbg ");
    DefinedFunction read{*signature, true, is_hook(signature->callee)};
    if (debug != std::string_view::npos) {
      const std::string_view scope = line.substr(debug + 6, line.find(' ', debug + 6) - debug - 6);
      read.is_own = is_own(file_of(scope));
    }
    functions_.emplace(signature->callee, read);
  }
}

const DefinedFunction* Module::function(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

bool Module::may_be_instrumented(std::string_view name) const {
  if (const DefinedFunction* const known = function(name)) return !known->is_skipped;
  return is_part_ && !name.starts_with("@llvm.") && !is_hook(name) && !known_function(name);
}

std::string Module::file_of(std::string_view scope) const {
  const auto found = metadata_.find(scope);
  if (found == metadata_.end()) return {};
  const auto file = metadata_.find(field(found->second, "file: "));
  if (file == metadata_.end()) return {};
  std::string name = unescaped(field(file->second, "filename: "));
  const std::string folder = unescaped(field(file->second, "directory: "));
  if (folder.empty() || folder == "." || name.starts_with('/')) return name;
  return (std::filesystem::path(folder) / name).lexically_normal().string();
}

SourceLine Module::source_of(std::string_view debug) const {
  const auto found = metadata_.find(debug);
  if (found == metadata_.end()) return {};
  const std::string_view text = found->second;
  return {file_of(field(text, "scope: ")), number(field(text, "line: ")), number(field(text, "column: "))};
}

}  // namespace assay::metal::emulator::ir
