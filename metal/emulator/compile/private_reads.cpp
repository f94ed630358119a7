#include "metal/emulator/compile/private_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "metal/emulator/compile/message.h"

namespace assay::metal::emulator {

namespace {

/// Without the name of the warning at its end; nothing if it is none of these.
std::optional<PrivateRead> read_in(const CompilerMessage& message) {
  const std::size_t name = message.text.rfind(" [");
  if (message.kind != "warning" || name == std::string_view::npos) return std::nullopt;
  const std::string_view option = message.text.substr(name + 2);
  const bool is_warning = option.starts_with("-Wuninitialized");
  if (!is_warning && !option.starts_with("-Wsometimes-uninitialized") && !option.starts_with("core."))
    return std::nullopt;
  return PrivateRead{message.position, std::string(message.text.substr(0, name)), is_warning};
}

/// A note on the way to a read: it may name the variable, or the call in the shader in which the read is.
void add_note(const CompilerMessage& note, std::string_view headers, PrivateRead& read, bool is_in_headers) {
  constexpr std::string_view declared = " declared without an initial value";
  if (note.text.ends_with(declared))
    read.what =
        fmt::format("variable {} has no value when used here", note.text.substr(0, note.text.size() - declared.size()));
  if (is_in_headers && !note.position.file.starts_with(headers)) read.position = note.position;
}

}  // namespace

std::vector<PrivateRead> private_reads(std::string_view messages, std::string_view headers) {
  std::vector<PrivateRead> reads;
  bool is_in_headers = false, has_read = false;
  for (std::size_t begin = 0; begin < messages.size();) {
    const std::size_t end = std::min(messages.find('\n', begin), messages.size());
    const auto message = message_in(messages.substr(begin, end - begin));
    begin = end + 1;
    if (!message) continue;
    if (message->kind == "warning") {
      const auto read = read_in(*message);
      has_read = read.has_value();
      if (has_read) reads.push_back(*read);
      is_in_headers = message->position.file.starts_with(headers);
    } else if (has_read && message->kind == "note") {
      add_note(*message, headers, reads.back(), is_in_headers);
    }
  }
  std::ranges::stable_sort(reads, std::ranges::greater(), &PrivateRead::is_certain);
  std::vector<PrivateRead> first_of_line;
  for (PrivateRead& read : reads) {
    const auto is_of_line = [&](const PrivateRead& other) {
      return other.position.file == read.position.file && other.position.line == read.position.line;
    };
    if (std::ranges::none_of(first_of_line, is_of_line)) first_of_line.push_back(std::move(read));
  }
  return first_of_line;
}

std::string to_lines(const std::vector<PrivateRead>& reads) {
  std::string text;
  for (const PrivateRead& read : reads) text += fmt::format("{}: warning: {}\n", to_string(read.position), read.what);
  return text;
}

}  // namespace assay::metal::emulator
