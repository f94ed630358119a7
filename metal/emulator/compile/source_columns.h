// The columns of the source, for preprocessed text. After a macro or a comment, the preprocessor writes the rest of a
// line further to the left or right than it is in the source.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace assay::metal::emulator {

/// The preprocessed text with each token of the source at its own column, after blanks, or on a line of its own behind
/// a line marker. What a macro expands to begins at the column of the macro's name. `source` is the text of the file
/// `name`; other files are read. Lines that are continued by a backslash stay as they are.
std::string with_columns_of_source(std::string_view preprocessed, const std::filesystem::path& name,
                                   std::string_view source);

}  // namespace assay::metal::emulator
