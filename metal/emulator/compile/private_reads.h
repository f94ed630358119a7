// Reads of private variables that nothing has written, as clang finds them on its way through a function: by its
// warnings, which hold on every way to the read, and by its static analyzer, which follows arrays, vectors and members
// on some way to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/check/report.h"

namespace assay::metal::emulator {

struct PrivateRead {
  SourcePosition position;
  std::string what;         ///< "variable 'sum' is uninitialized when used here"
  bool is_certain = false;  ///< on every way to it, not only on some
};

/// From clang's messages, one for each line. A read within a file of the folder `headers` gets the place of the call in
/// the shader.
std::vector<PrivateRead> private_reads(std::string_view messages, std::string_view headers);

/// "file:line:column: warning: ..." for each, with a newline behind it.
std::string to_lines(const std::vector<PrivateRead>& reads);

}  // namespace assay::metal::emulator
