// What an operation's reference computes over Followed: its results by name, for the property `algebra`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/formula/followed.h"

namespace assay::validation {

/// The largest distance of two exponents of which both exponentials are followed: kernels may round smaller ones to 0.
inline constexpr double largest_followed_distance = 80;

using FollowedResults = std::map<std::string, std::vector<reference::Followed>>;

}  // namespace assay::validation
