// Follows the floating-point operations of a call of a plug-in that `assay instrument` compiled.
#pragma once

#include <string>

#include "validation/transport/library/findings.h"
#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {

/// The library's variables to which its instrumentation turns; null if it has none.
struct Hooks {
  void* followed_by = nullptr;
  void* unknown = nullptr;
};
Hooks hooks_of(void* library);

/// While it lives, operations of the library are followed, in any number of threads. There is at most one.
class FollowedCall {
 public:
  /// `hooks` are not null. `kernel` is a name for it; the request's arrays are at `memory`.
  FollowedCall(const Hooks& hooks, std::string kernel, const Request& request, const std::byte* memory);
  FollowedCall(const FollowedCall&) = delete;
  FollowedCall& operator=(const FollowedCall&) = delete;
  ~FollowedCall();

  /// What the request wants: findings on the outputs (findings.h), or their residues.
  std::string found() const;

 private:
  NumericFindings findings() const;

  Hooks hooks_;
  std::string kernel_;
  const Request& request_;
  const std::byte* memory_;
};

}  // namespace assay::validation::transport
