// The steps of a derivation as tables for a terminal, of at most 100 columns: frames across, states or classes down.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace assay::validation {

/// A response of ctc_steps. `exact` is the response with 50 digits, or null; marks a zero that is not 0 in `exact`.
std::string lattice_table(const nlohmann::json& response, const nlohmann::json& exact,
                          const std::vector<std::string>& classes, bool logarithms);

/// A response of alignment_steps, the most probable alignment first.
std::string alignments_table(const nlohmann::json& response, const std::vector<std::string>& classes);

}  // namespace assay::validation
