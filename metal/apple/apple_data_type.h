// Names and sizes of Metal's scalars and vectors: Metal Shading Language Specification, 2.1 and 2.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "metal/apple/apple_objects.h"

namespace assay::metal::apple {

struct DataType {
  std::string name;        ///< as in a shader, for example "float4"
  std::uint64_t size = 0;  ///< in bytes; a vector of 3 has the size of a vector of 4
};

/// Empty for structs, matrices, textures and the like.
std::optional<DataType> describe(MTL::DataType type);

}  // namespace assay::metal::apple
