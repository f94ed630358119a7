// Function constants become variables that are written before a kernel runs.
//
//   constant int n [[function_constant(3)]];          ->  storage, whether it is set, and a constant reference `n`
//   constant int m = is_function_constant_defined(n) ? n : 4;  ->  the same, computed when the constants are written
#pragma once

#include <string>
#include <vector>

#include "metal/emulator/translate/declarations.h"
#include "metal/emulator/translate/edits.h"

namespace assay::metal::emulator {

struct ProgramConstant {
  std::string scope, name;  ///< "::a::" and "n"
  std::string type;
  bool is_computed = false;  ///< from function constants, not one itself
};

std::vector<ProgramConstant> translate_constants(const Source& source, const std::vector<Declaration>& declarations,
                                                 Edits& edits);

}  // namespace assay::metal::emulator
