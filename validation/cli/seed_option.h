// Whole numbers of the command line: CLI11 takes one that is too large as the largest.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <random>
#include <string>

#include "validation/core/parse.h"

namespace assay::validation {

/// For CLI::Option::check: what is wrong with a text that is no whole number of 64 bits, in decimal digits.
inline std::string refuse_no_whole_number(const std::string& text) {
  return parse_number<std::uint64_t>(text) ? "" : text + ": expected a whole number from 0 to 2^64 - 1";
}

/// --seed
inline CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed,
                             const std::string& help = "Seed of the generated cases") {
  return command.add_option("--seed", seed, help)->check(refuse_no_whole_number)->capture_default_str();
}

/// For CLI::Option::transform: of "fresh" a seed that nobody can foresee, so that no kernel has the answers beforehand.
inline std::string fresh_seed(const std::string& text) {
  if (text != "fresh") return text;
  std::random_device random;
  return std::to_string(std::uint64_t{random()} << 32 | random());
}

}  // namespace assay::validation
