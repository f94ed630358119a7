// The value of an integer constant in the text: 3, N, first + 1, Index::input. Headers that are shared with the host
// define the indices of buffers so.
#pragma once

#include <optional>

#include "metal/emulator/translate/source.h"

namespace assay::metal::emulator {

/// The value of the tokens [first, last); nothing if it cannot be told from the text.
std::optional<long> constant_value(const Source& source, std::size_t first, std::size_t last);

}  // namespace assay::metal::emulator
