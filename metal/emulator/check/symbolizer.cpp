#include "metal/emulator/check/symbolizer.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

namespace assay::metal::emulator {

namespace {

std::string shell_word(std::string_view word) {
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return text + "'";
}

/// The output of a command; empty if it cannot be run.
std::string output_of(const std::string& command) {
  const auto close = [](std::FILE* file) { pclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
  std::string text;
  std::array<char, 512> piece{};
  while (pipe && std::fgets(piece.data(), piece.size(), pipe.get())) text += piece.data();
  return text;
}

/// Removes ":number" from the end of `text` and returns the number. Returns 0 if there is none.
std::uint32_t take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  std::uint32_t number = 0;
  if (colon == std::string_view::npos) return 0;
  const auto [end, problem] = std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return 0;
  text = text.substr(0, colon);
  return number;
}

/// Parses "file:line:column" of llvm-symbolizer, or "file:line" of addr2line, which may append " (discriminator 1)".
SourcePosition parsed(std::string_view line, bool has_column) {
  line = line.substr(0, line.find('\n'));
  line = line.substr(0, line.find(" (discriminator"));
  SourcePosition position;
  if (has_column) position.column = take_number(line);
  position.line = take_number(line);
  if (line != "??") position.file = std::filesystem::path(line).lexically_normal();
  return position;
}

}  // namespace

CodePlace code_place(const void* pc) {
  Dl_info info{};
  if (!pc || dladdr(pc, &info) == 0 || !info.dli_fname) return {};
  const auto distance = static_cast<const char*>(pc) - static_cast<const char*>(info.dli_fbase);
  return {info.dli_fname, info.dli_fbase, static_cast<std::uint64_t>(distance)};
}

SourcePosition position_of(const std::string& object, std::uint64_t offset) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::uint64_t>, SourcePosition> known;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace({object, offset});
  if (!is_new) return entry->second;
  const std::string_view program = ASSAY_SYMBOLIZER;
  const bool has_column = program.find("llvm-symbolizer") != std::string_view::npos;
  const std::string options = has_column ? "--functions=none --obj=" : "-e ";
  entry->second = parsed(
      output_of(fmt::format("{} {}{} {:#x} 2>/dev/null", shell_word(program), options, shell_word(object), offset - 1)),
      has_column);
  return entry->second;
}

}  // namespace assay::metal::emulator
