#include "metal/apple/apple_data_type.h"

#include <array>

namespace assay::metal::apple {

namespace {

/// A scalar. In MTLDataType its vectors of 2, 3 and 4 follow it.
struct Scalar {
  MTL::DataType type;
  const char* name;
  std::uint64_t size;
};

constexpr std::array scalars{
    Scalar{MTL::DataTypeFloat, "float", 4}, Scalar{MTL::DataTypeHalf, "half", 2},
    Scalar{MTL::DataTypeInt, "int", 4},     Scalar{MTL::DataTypeUInt, "uint", 4},
    Scalar{MTL::DataTypeShort, "short", 2}, Scalar{MTL::DataTypeUShort, "ushort", 2},
    Scalar{MTL::DataTypeChar, "char", 1},   Scalar{MTL::DataTypeUChar, "uchar", 1},
    Scalar{MTL::DataTypeBool, "bool", 1},   Scalar{MTL::DataTypeLong, "long", 8},
    Scalar{MTL::DataTypeULong, "ulong", 8}, Scalar{MTL::DataTypeBFloat, "bfloat", 2},
};

static_assert(MTL::DataTypeFloat4 == MTL::DataTypeFloat + 3 && MTL::DataTypeBool4 == MTL::DataTypeBool + 3 &&
              MTL::DataTypeULong4 == MTL::DataTypeULong + 3 && MTL::DataTypeBFloat4 == MTL::DataTypeBFloat + 3);

}  // namespace

std::optional<DataType> describe(MTL::DataType type) {
  for (const Scalar& scalar : scalars) {
    if (type < scalar.type || type > scalar.type + 3) continue;
    const std::uint64_t length = static_cast<std::uint64_t>(type - scalar.type) + 1;
    if (length == 1) return DataType{scalar.name, scalar.size};
    return DataType{scalar.name + std::to_string(length), scalar.size * (length == 3 ? 4 : length)};
  }
  return std::nullopt;
}

}  // namespace assay::metal::apple
