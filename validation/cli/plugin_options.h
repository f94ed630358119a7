// The options of the command line for plug-ins.
#pragma once

#include <CLI/CLI.hpp>

#include "validation/transport/library/plugin.h"

namespace assay::validation {

/// --time-limit, for transport::set_time_limit.
inline void add_time_limit(CLI::App& command, double& seconds) {
  command
      .add_option("--time-limit", seconds,
                  "Seconds of processor time that a call of a plug-in may take; six times as many by the clock")
      ->check(CLI::Range(0.001, 1e6))
      ->capture_default_str();
}

}  // namespace assay::validation
