// The option of the command line for files of the user's own.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "validation/core/memory_limit.h"

namespace assay::validation {

/// --max-memory, for set_memory_limit.
inline void add_memory_limit(CLI::App& command) {
  command
      .add_option_function<double>("--max-memory", set_memory_limit,
                                   "GiB that the arrays of an .npz file may take when they are unpacked")
      ->check(CLI::Range(1e-6, 1e6))
      ->default_str(fmt::format("{:g}", default_memory_limit));
}

}  // namespace assay::validation
