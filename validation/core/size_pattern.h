// Which sizes of an extent a faulty kernel fails at: "passes at multiples of 64; fails elsewhere".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "validation/core/gate_subject.h"

namespace assay::validation {

/// The pattern in words, of sizes that fail (true) or pass; empty where all do the same.
std::string pattern_of(const std::map<std::int64_t, bool>& fails);

/// A line for each extent of which some sizes from 9 to 130 fail and others pass, the other extents being small, each
/// with a newline before it. Takes about a second; an extent that would take longer has no line.
std::string size_patterns(const GateSubject& subject, std::size_t property, std::uint64_t seed, const Stop& stop);

}  // namespace assay::validation
