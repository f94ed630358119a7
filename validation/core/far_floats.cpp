#include "validation/core/far_floats.h"

#include <algorithm>
#include <limits>
#include <system_error>

#include "validation/core/support.h"

namespace assay::validation {
namespace {

constexpr std::size_t element = sizeof(float);

}  // namespace

FarFloats::FarFloats(std::size_t count, const FarParts& own) try
    : count_(count),
      own_(own),
      pages_({count * element, {own.first * element, own.size * element, own.stride * element, own.count}}) {
  for (std::size_t i = 0; i < own.count; ++i) std::ranges::fill(part(i), std::numeric_limits<float>::quiet_NaN());
} catch (const std::system_error& error) {
  throw Unsupported(error.what());
}

}  // namespace assay::validation
