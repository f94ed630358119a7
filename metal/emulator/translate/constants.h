// Turns function constants into variables that are written before a kernel runs.
//
//   constant int n [[function_constant(3)]];          ->  storage, a flag whether it is set, and a const reference `n`
//   constant int m = is_function_constant_defined(n) ? n : 4;  ->  the same, computed after the constants are written
#pragma once

#include <string>
#include <vector>

#include "metal/emulator/translate/declarations.h"
#include "metal/emulator/translate/edits.h"

namespace assay::metal::emulator {

struct ProgramConstant {
  std::string scope, name;  ///< "::a::" and "n"
  std::string type;
  bool is_computed = false;  ///< computed from function constants
};

std::vector<ProgramConstant> translate_constants(const Source& source, const std::vector<Declaration>& declarations,
                                                 Edits& edits);

}  // namespace assay::metal::emulator
