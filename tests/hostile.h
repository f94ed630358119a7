// Text that no report and no terminal may pass on as it is.
#pragma once

#include <string>

#include "validation/core/printable.h"

namespace assay::validation {

/// Colours, a cursor that goes up, a bell, a NUL, half of a character, a surrogate, C1, reversed writing, a
/// noncharacter, markup, and a command for GitHub's runner.
inline const std::string hostile_text =
    std::string("\033[31mred\033[2A\a\0", 14) +
    "\xC3(\xED\xA0\x80\x80 \xC2\x9B \xE2\x80\xAE \xEF\xBF\xBE </script><b>&\"' %0A\n::error::x\r\n##[group]\xFF";

/// Whether a terminal, an XML parser and a reader of UTF-8 may have it.
inline bool is_clean(const std::string& text) {
  return printable(text) == text;
}

}  // namespace assay::validation
