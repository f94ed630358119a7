// What a program does around its work: the standard streams, and errors that reach the top.
#pragma once

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>

#include "validation/core/printable.h"
#include "validation/core/terminal.h"

namespace assay::validation {

inline constexpr int bad_usage = 2;

/// The exit status of the program: what `run` returns, or bad_usage where it throws.
template <class Run>
int run_program(const Run& run) {
  std::signal(SIGXFSZ, SIG_IGN);  // writing beyond a limit is then an error of the write, which is reported
  reserve_standard_streams();
  try {
    const int status = run();
    flush(stdout);
    flush(stderr);
    return status;
  } catch (const std::exception& error) {
    std::fputs(fmt::format("assay: {}\n", printable(error.what())).c_str(), stderr);
    return bad_usage;
  }
}

}  // namespace assay::validation
