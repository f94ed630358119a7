#include "metal/apple/apple_failure.h"

#include <fmt/format.h>

namespace assay::metal::apple {

namespace {

const char* name_of(MTL::CommandEncoderErrorState state) {
  switch (state) {
    case MTL::CommandEncoderErrorStateCompleted:
      return "completed";
    case MTL::CommandEncoderErrorStateAffected:
      return "affected by the fault of another";
    case MTL::CommandEncoderErrorStatePending:
      return "did not begin";
    case MTL::CommandEncoderErrorStateFaulted:
      return "faulted";
    default:
      return "unknown";
  }
}

/// AppleEncoder::set_pipeline leaves a signpost with the name of each kernel.
std::string kernels_of(const MTL::CommandBufferEncoderInfo& info) {
  std::string names;
  const NS::Array* const signposts = info.debugSignposts();
  for (NS::UInteger i = 0; signposts && i < signposts->count(); ++i)
    names += (names.empty() ? "" : ", ") + text(signposts->object<NS::String>(i));
  return names.empty() ? "no kernel" : names;
}

}  // namespace

std::string text_of_failure(const NS::Error* error) {
  std::string result = text(error);
  if (!error) return result;
  result += fmt::format(" ({} {})", text(error->domain()), error->code());
  const NS::Dictionary* const facts = error->userInfo();
  const auto* const encoders = facts ? facts->object<NS::Array>(MTL::CommandBufferEncoderInfoErrorKey) : nullptr;
  for (NS::UInteger i = 0; encoders && i < encoders->count(); ++i) {
    const auto& info = *encoders->object<MTL::CommandBufferEncoderInfo>(i);
    if (info.errorState() == MTL::CommandEncoderErrorStateCompleted) continue;
    result += fmt::format("; encoder {} {}: {}", i, name_of(info.errorState()), kernels_of(info));
  }
  return result;
}

}  // namespace assay::metal::apple
