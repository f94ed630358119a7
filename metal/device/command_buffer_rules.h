// The rules by which a command buffer refuses calls that are out of order, in Metal's words.
#pragma once

#include "metal/device/result.h"

namespace assay::metal {

inline Result<void> check_new_encoder(bool is_committed, bool has_open_encoder) {
  if (is_committed) return error(Error::Kind::order, "computeCommandEncoder: the command buffer has been committed");
  if (!has_open_encoder) return {};
  return error(Error::Kind::order, "A command encoder is already encoding to this command buffer");
}

inline Result<void> check_commit(bool is_committed, bool has_open_encoder) {
  if (is_committed) return error(Error::Kind::order, "commit an already committed command buffer");
  if (!has_open_encoder) return {};
  return error(Error::Kind::order, "commit command buffer with uncommitted encoder");
}

inline Result<void> check_wait(bool is_committed) {
  if (is_committed) return {};
  return error(Error::Kind::order, "waitUntilCompleted: the command buffer has not been committed");
}

}  // namespace assay::metal
