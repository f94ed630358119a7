// Errors that name the step that failed, before the text of the device, which names the cause.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>

#include "metal/device/result.h"

namespace assay::metal::host {

/// The error, with `what`, the step that failed, before its text.
inline tl::unexpected<Error> failure(const std::string& what, const Error& cause) {
  return error(cause.kind, fmt::format("{}: {}", what, cause.text));
}

/// Errors: limit, for a value above `max`.
inline Result<void> check_extent(const std::string& name, std::uint64_t value, std::uint64_t max) {
  if (value <= max) return {};
  return error(Error::Kind::limit, fmt::format("{} = {}: expected at most {} on a device", name, value, max));
}

/// The object, or the failure to make it. Metal may return nil instead of an error.
template <class T>
Result<std::shared_ptr<T>> made(Result<std::shared_ptr<T>> result, const std::string& what) {
  if (!result) return failure(what, result.error());
  if (!*result) return error(Error::Kind::execution, what + ": the device gave nothing, and no reason");
  return result;
}

}  // namespace assay::metal::host
