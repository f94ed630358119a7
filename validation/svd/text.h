// A batch of matrices as one line of text, and back: the line that reproduces a failure.
//
//   B=1 M=2 N=2 dtype=float32 A=1,0,0,0.5
#pragma once

#include <string>

#include "validation/core/words.h"
#include "validation/svd/case.h"

namespace assay::validation {

/// One line; each number is the shortest decimal that reads back to the same one.
std::string to_text(const SvdCase& c);

/// The problem that `words` describe, valid or not; throws std::invalid_argument naming the key that is missing,
/// unknown to such a problem or unreadable, and an element that its dtype has not.
SvdCase svd_from_words(const Words& words);

}  // namespace assay::validation
