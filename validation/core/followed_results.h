// What an operation's reference computes over Followed: its results by name, for the property `algebra`. A kernel's results
// are told to the run that follows it (followed_run.h), if there is one.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "metal/cpu/half.h"

namespace assay::reference {
struct Followed;  // reference/formula/followed.h
}

namespace assay::validation {

/// The largest distance of two exponents of which both exponentials are followed: kernels may round smaller ones to 0.
inline constexpr double largest_followed_distance = 80;

using FollowedResults = std::map<std::string, std::vector<reference::Followed>>;

/// A kernel has written this result.
void follow_result(const char* name, std::span<const float> result);
void follow_result(const char* name, std::span<const double> result);
void follow_result(const char* name, std::span<const metal::Half> result);
void follow_result(const char* name, std::span<const metal::BFloat16> result);

/// The number at `from` was copied.
void follow_copy(const void* to, const void* from);

}  // namespace assay::validation
