// The state that all objects of one Apple device share.
#pragma once

#include <string>

#include "metal/apple/apple_objects.h"
#include "metal/device/encoder_epoch.h"
#include "metal/device/limits.h"
#include "metal/device/shader_language.h"

namespace assay::metal::apple {

struct AppleState {
  NS::SharedPtr<MTL::Device> device;
  std::string name;
  Limits limits;
  ShaderLanguage language;  ///< its version is Metal's newest here
  EncoderEpoch epoch;
};

}  // namespace assay::metal::apple
