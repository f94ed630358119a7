// Conversions between metal-cpp's objects and C++: pools, strings and errors.
#pragma once

#include <Foundation/Foundation.hpp>
#include <Metal/Metal.hpp>
#include <string>

#include "metal/device/result.h"

namespace assay::metal::apple {

/// To be held in a scope: releases the objects that Metal autoreleases there. C++ threads have no pool by themselves.
inline NS::SharedPtr<NS::AutoreleasePool> autorelease_pool() {
  return NS::TransferPtr(NS::AutoreleasePool::alloc()->init());
}

/// Null if the text is not UTF-8 or has a NUL character, at which Metal would cut it.
inline NS::SharedPtr<NS::String> ns_string(const std::string& text) {
  if (text.find('\0') != std::string::npos) return {};
  return NS::TransferPtr(NS::String::alloc()->init(text.c_str(), NS::UTF8StringEncoding));
}

/// Empty for null.
inline std::string text(const NS::String* string) {
  const char* const bytes = string ? string->utf8String() : nullptr;
  return bytes ? bytes : "";
}

/// Metal's own text.
inline std::string text(const NS::Error* error) {
  const std::string words = error ? text(error->localizedDescription()) : "";
  return words.empty() ? "Metal gave no reason" : words;
}

}  // namespace assay::metal::apple
