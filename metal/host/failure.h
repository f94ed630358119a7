// Errors that name the step that failed, before the text of the device, which names the cause.
#pragma once

#include <fmt/format.h>

#include <memory>
#include <string>

#include "metal/device/result.h"

namespace assay::metal::host {

/// The error, with `what`, the step that failed, before its text.
inline tl::unexpected<Error> failure(const std::string& what, const Error& cause) {
  return error(cause.kind, fmt::format("{}: {}", what, cause.text));
}

/// The object, or the failure to make it. Metal may return nil instead of an error.
template <class T>
Result<std::shared_ptr<T>> made(Result<std::shared_ptr<T>> result, const std::string& what) {
  if (!result) return failure(what, result.error());
  if (!*result) return error(Error::Kind::execution, what + ": the device gave nothing, and no reason");
  return result;
}

}  // namespace assay::metal::host
