// An access, a division or another instruction of a shader that the processor refuses becomes a report and ends the
// shader's thread, not the process.
#pragma once

#include <memory>

namespace assay::metal::emulator {

/// While it lives, faults of shader threads on this OS thread are caught. Other faults go to the handler installed
/// before.
class FaultGuard {
 public:
  FaultGuard();
  ~FaultGuard();
  FaultGuard(const FaultGuard&) = delete;
  FaultGuard& operator=(const FaultGuard&) = delete;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay::metal::emulator
