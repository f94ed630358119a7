// What the functions `air.*` do, in terms of Metal's, and the types that they take.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "metal/emulator/abi/shader_abi.h"

namespace assay::metal::emulator::air {

/// A scalar, or a vector of `count` of them.
struct Shape {
  std::string_view element;
  unsigned count = 0;  ///< 0: a scalar
};

/// "<4 x float>" is 4 of float.
Shape shape_of(std::string_view type);

/// Metal's name of LLVM's scalar type; empty if it is none of Metal's.
std::string metal_type(std::string_view type, bool is_unsigned);

/// What is done in Metal with arguments a, b, ... of one element.
struct Form {
  std::string expression;     ///< over a, b, c, d; `site` for one that has a site
  unsigned arguments = 1;     ///< how many it takes; the declaration may have more, which are left out
  unsigned by_element = ~0U;  ///< a bit for each argument that is a vector where the result is one
  bool has_site = false;
  abi::Needs needs = abi::Needs::active_lanes;
};

/// The name of a mathematical function or a collective one of simdgroups and quadgroups: "exp", "simd_sum"; else none.
std::optional<Form> form_of(std::string_view family);

}  // namespace assay::metal::emulator::air
