#include "metal/emulator/compile/overloads.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "metal/device/line_marker.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/compile/flags.h"
#include "metal/emulator/compile/message.h"
#include "metal/emulator/compile/preprocess.h"

namespace assay::metal::emulator {

namespace {

namespace fs = std::filesystem;

/// A preprocessed text, taken apart: what the emulator's headers are not, and which of these it includes.
struct Parts {
  std::string own;
  std::set<std::string> headers;
};

Parts parts_of(std::string_view preprocessed, const fs::path& headers) {
  Parts parts;
  bool is_own = true;
  for (std::size_t begin = 0; begin < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', begin), preprocessed.size() - 1) + 1;
    const std::string_view line = preprocessed.substr(begin, end - begin);
    begin = end;
    if (const auto marker = line_marker(line)) {
      is_own = !marker->is_of_system_header();
      const fs::path name = fs::path(marker->file()).lexically_relative(headers);
      if (!is_own && !name.empty() && *name.begin() != ".." && *name.begin() != "assay")
        parts.headers.insert(name.string());
    }
    if (is_own) parts.own += line;
  }
  return parts;
}

/// The number at the end of a message: "... overload 2 [-Wuser-defined-warnings]".
std::optional<unsigned> overload_in(std::string_view text) {
  if (!text.starts_with(overload_message)) return std::nullopt;
  unsigned number = 0;
  const char* const first = text.data() + overload_message.size() + 1;
  return std::from_chars(first, text.data() + text.size(), number).ec == std::errc() ? std::optional(number)
                                                                                     : std::nullopt;
}

OverloadChoices choices_in(std::string_view messages) {
  OverloadChoices choices;
  for (std::size_t begin = 0; begin < messages.size();) {
    const std::size_t end = std::min(messages.find('\n', begin), messages.size());
    const auto message = message_in(messages.substr(begin, end - begin));
    begin = end + 1;
    if (!message) continue;
    const auto& [file, line, column] = message->position;
    if (message->kind == "error" || message->kind == "fatal error") choices.errors.emplace_back(file, line);
    const auto number = message->kind == "warning" ? overload_in(message->text) : std::nullopt;
    if (number && file == overload_file) choices.calls[line - 1].insert(*number);
  }
  return choices;
}

/// Nothing if the shader has no overloads that need it.
Result<std::optional<OverloadChoices>> overload_choices(const Clang& clang, std::string_view preprocessed,
                                                        const CompileOptions& options, const fs::path& work) {
  const auto headers = find_shader_headers();
  if (!headers) return tl::make_unexpected(headers.error());
  const Parts parts = parts_of(preprocessed, *headers);
  const auto probe = overload_probe(parts.own, options.kernels);
  if (!probe) return tl::make_unexpected(probe.error());
  if (!*probe) return std::nullopt;
  std::string includes;
  for (const std::string& header : parts.headers) includes += fmt::format("#include <{}>\n", header);
  CompileOptions plain = options;
  plain.language.macros.clear();
  const auto library = preprocess(clang, includes, "library.metal", plain, Purpose::overloads, work);
  if (!library) return tl::make_unexpected(library.error());
  const fs::path input = work / "overloads";
  if (const auto written = write_file(input, *library + **probe); !written) return tl::make_unexpected(written.error());
  const auto run = run_clang(clang, overload_flags(), input, work / "output");
  if (!run) return tl::make_unexpected(run.error());
  return choices_in(run->messages);
}

}  // namespace

Result<std::string> translate_resolved(const Clang& clang, std::string_view preprocessed, const CompileOptions& options,
                                       const fs::path& work) {
  auto text = translate(preprocessed, options.kernels);
  if (text) return text;
  const auto choices = overload_choices(clang, preprocessed, options, work);
  if (!choices) return tl::make_unexpected(choices.error());
  return *choices ? translate(preprocessed, options.kernels, &**choices) : text;
}

}  // namespace assay::metal::emulator
