// A linear cross-entropy problem as one line of text, and back: the line that reproduces a failure.
//
//   N=1 H=1 V=2 dtype=float32 ignore_index=-100 logit_softcap=0 label_smoothing=0 z_loss=0 reduction=none
//   targets=1 upstream= hidden=1 weight=0,0.5 bias=
#pragma once

#include <string>

#include "validation/cce/case.h"
#include "validation/core/words.h"

namespace assay::validation {

/// One line; each number is the shortest decimal that reads back to the same one.
std::string to_text(const CceCase& c);

/// The problem that `words` describe, valid or not; throws std::invalid_argument naming the key that is missing,
/// unknown to such a problem or unreadable, and the array with an element that its dtype has not.
CceCase cce_from_words(const Words& words);

}  // namespace assay::validation
