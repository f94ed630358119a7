// A CTC problem as one line of text, and back: the line that reproduces a failure.
//
//   T=2 B=1 C=3 S=1 blank=0 input=logits variable=logits layout=padded reduction=none zero_infinity=0
//   input_lengths=2 target_lengths=1 targets=1 upstream= activations=0,0.5,-inf,1,nan,0
#pragma once

#include <string>

#include "validation/core/words.h"
#include "validation/ctc/case.h"

namespace assay::validation {

/// One line; each activation is the shortest decimal that reads back to the same float32.
std::string to_text(const CtcCase& c);

/// The problem that `words` describe, valid or not; throws std::invalid_argument naming the key that is missing,
/// unknown to a CTC problem or unreadable.
CtcCase ctc_from_words(const Words& words);

}  // namespace assay::validation
