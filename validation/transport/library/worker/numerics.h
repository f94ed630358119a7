// Follows the floating-point operations of a call of a plug-in that `assay instrument` compiled.
#pragma once

#include "validation/transport/library/findings.h"
#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {

/// The library's variable to which its instrumentation turns; null if it has none.
void* followed_by(void* library);

/// While it lives, operations of the library are followed, in any number of threads. There is at most one.
class FollowedCall {
 public:
  /// `followed_by` is that of the library, not null.
  explicit FollowedCall(void* followed_by);
  FollowedCall(const FollowedCall&) = delete;
  FollowedCall& operator=(const FollowedCall&) = delete;
  ~FollowedCall();

  /// What is found of the outputs of a request, which are at `memory`. `kernel` is a name for it.
  NumericFindings findings(const std::string& kernel, const Request& request, const std::byte* memory) const;

 private:
  void* followed_by_;
};

}  // namespace assay::validation::transport
