// A whole file, a text that a person wrote, or its lines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "metal/device/result.h"

namespace assay::metal {

/// Errors: environment, with the file's name and the reason. A device or pipe may give 256 MiB.
Result<std::string> read_file(const std::filesystem::path& file);

/// A text that a person wrote, such as a shader: without the byte-order mark that some editors put in front. Errors: as
/// above, for more than `most_text_bytes`, so that a device without end is refused, and for a mark of UTF-16.
Result<std::string> read_text(const std::filesystem::path& file);
inline constexpr std::size_t most_text_bytes = std::size_t{64} << 20;

/// The same of a regular file alone, for a name that is itself out of a text, as that of an #include: a pipe would wait
/// for its writer.
Result<std::string> read_named_text(const std::filesystem::path& file);

/// The lines of such a text, without their ends. Errors: as above.
Result<std::vector<std::string>> read_named_lines(const std::filesystem::path& file);

/// The text without a byte-order mark at its begin.
std::string_view without_byte_order_mark(std::string_view text);

}  // namespace assay::metal
