// Turns Ctrl-C and kill into a flag that a long run polls between verdicts, so that the run can end in good order.
#pragma once

#include <csignal>

namespace assay::validation {

/// The exit status of an interrupted run, as a shell gives for SIGINT.
inline constexpr int interrupted_status = 130;

/// While an Interrupt is alive, the first SIGINT or SIGTERM sets the flag; a second one ends the program. So does the
/// first, after 20 s, if the program then still runs: a library may hang.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  static bool came();

 private:
  struct sigaction former_int_{};
  struct sigaction former_term_{};
};

}  // namespace assay::validation
