// Tables of [[visible]] functions: Metal Shading Language Specification, section 2.16.
#pragma once

#include <assay/scalar.h>

namespace metal {

namespace assay_detail {
/// Its address tells the types of functions apart.
template <class Function>
inline constexpr char function_type = 0;
}  // namespace assay_detail

/// Pointers to functions that the host has put into a buffer. An index beyond its end is an access out of bounds.
template <class Function>
class visible_function_table {
 public:
  using assay_function = Function;

  visible_function_table() = default;
  ASSAY_OWN explicit visible_function_table(const void* given) : functions_(static_cast<Function* const*>(given)) {}

  ASSAY_IN_PLACE Function* operator[](uint n) const { return functions_[n]; }
  ASSAY_OWN friend bool is_null_visible_function_table(visible_function_table table) {
    return table.functions_ == nullptr;
  }

 private:
  Function* const* functions_ = nullptr;
};

}  // namespace metal
