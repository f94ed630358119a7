// Ctrl-C and kill, as a wish that a long run asks after, and not as its end.
#pragma once

#include <csignal>

namespace assay::validation {

/// While one is alive, the first SIGINT or SIGTERM is remembered; a second one ends the program.
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
