// A line of clang's messages: "file:line:column: kind: text". Other steps write theirs in the same form.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "metal/emulator/check/report.h"

namespace assay::metal::emulator {

struct CompilerMessage {
  SourcePosition position;
  std::string_view kind;  ///< "error", "fatal error", "warning" or "note"
  std::string_view text;
};

/// Nothing if the line, of any length, has another form.
std::optional<CompilerMessage> message_in(std::string_view line);

/// Messages with 'float[8]' in place of "'assay_type_0' (aka 'float[8]')", whose first name is the translator's.
std::string without_own_types(std::string text);

}  // namespace assay::metal::emulator
