// Text from elsewhere (a kernel's name, what it says of an error, the name of a file) made fit for every report.
#pragma once

#include <string>
#include <string_view>

namespace assay::validation {

/// `text` in UTF-8, of characters that XML allows and a terminal does not obey: '?' replaces each byte that is not part
/// of a character in UTF-8, and each control character but '\n' and '\t'. Marks that reverse the direction of writing,
/// and ends of lines that only Unicode knows, count as control characters. A space within keeps a runner of CI, such as
/// GitHub's, from taking a part of the text for a command ("::error::").
std::string printable(std::string_view text);

/// As printable, on one line: '?' replaces '\n' and '\t' too.
std::string printable_line(std::string_view text);

}  // namespace assay::validation
