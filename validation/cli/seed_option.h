// Whole numbers of the command line: CLI11 takes one that is too large as the largest.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "validation/core/parse.h"

namespace assay::validation {

/// For CLI::Option::check: what is wrong with a text that is no whole number of 64 bits, in decimal digits.
inline std::string refuse_no_whole_number(const std::string& text) {
  return parse_number<std::uint64_t>(text) ? "" : text + ": expected a whole number from 0 to 2^64 - 1";
}

/// --seed
inline void add_seed(CLI::App& command, std::uint64_t& seed, const std::string& help = "Seed of the generated cases") {
  command.add_option("--seed", seed, help)->check(refuse_no_whole_number)->capture_default_str();
}

}  // namespace assay::validation
