// The parts of Metal that are translated token by token: address spaces, attributes, literals.
//
//   device, thread, kernel, [[...]]  ->  nothing           1.5h, 2bf   ->  casts
//   static_cast                      ->  a cast that also converts half to bfloat
//   constant                         ->  const             is_function_constant_defined(n)  ->  assay_is_set_n
#pragma once

#include "metal/emulator/translate/edits.h"
#include "metal/emulator/translate/source.h"

namespace assay::metal::emulator {

void translate_tokens(const Source& source, Edits& edits);

}  // namespace assay::metal::emulator
