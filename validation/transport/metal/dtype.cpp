#include "validation/transport/metal/dtype.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace assay::validation::transport {
namespace {

constexpr std::array<std::pair<Dtype, const char*>, 3> dtypes = {
    {{Dtype::float32, "float"}, {Dtype::float16, "half"}, {Dtype::bfloat16, "bfloat"}}};

}  // namespace

Dtype declared_dtype(const BindingNode& binding) {
  const auto node = binding.find("dtype");
  if (!node) return Dtype::float32;
  for (const auto& [dtype, type] : dtypes)
    if (node->text() == name_of(dtype)) return dtype;
  node->refuse("float32, float16 or bfloat16");
}

std::string metal_type_of(Dtype dtype) {
  return std::ranges::find(dtypes, dtype, &std::pair<Dtype, const char*>::first)->second;
}

Dtype dtype_of_metal(const std::string& type) {
  for (const auto& [dtype, name] : dtypes)
    if (type == name) return dtype;
  throw std::logic_error(type + " is no type of numbers with fractions");
}

}  // namespace assay::validation::transport
