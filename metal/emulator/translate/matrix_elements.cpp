#include <string_view>

#include "metal/emulator/translate/passes.h"

namespace assay::metal::emulator {

bool sees_matrix_elements(const Source& source) {
  for (std::size_t n = 0; n < source.size(); ++n) {
    const std::string_view word = source[n].text;
    if (word == "thread_elements" || word == "assay_air" || word.starts_with("__metal_simdgroup_matrix")) return true;
  }
  return false;
}

}  // namespace assay::metal::emulator
