// Sequences of cases: a failure that no case alone shows is led to again by the cases before it, on a fresh kernel.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "validation/core/gate_subject.h"

namespace assay::validation {

using Sequence = std::vector<AnyCase>;

struct FailingSequence {
  Sequence cases;
  Finding finding;  ///< of the case that fails
  int shrinks = 0;
};

/// Judges the cases in turn, up to the first that fails, or until it is stopped; the finding of the last one.
Finding judge_in_turn(const GateSubject& subject, std::size_t property, const Sequence& cases, const Stop& stop = {});

/// The shortest sequence found, with at most `budget` verdicts, that fails on a fresh kernel as `cases` do; none if
/// those pass, or if there is no fresh kernel.
std::optional<FailingSequence> shortest_failing(const GateSubject& subject, std::size_t property, const Sequence& cases,
                                                int budget, const Stop& stop);

}  // namespace assay::validation
