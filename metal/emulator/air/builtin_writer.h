// Writes the definition of one function `air.*`: builtins.h.
#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/air/builtin_forms.h"
#include "metal/emulator/air/builtins.h"

namespace assay::metal::emulator::air {

/// "air.convert" of "air.convert.f.f32", split at the dots.
std::vector<std::string_view> split_name(std::string_view name);

class Writer {
 public:
  explicit Writer(const ir::Call& declaration) : declaration_(declaration) {
    std::string_view name = declaration.callee.substr(1);
    if (name.starts_with('"')) name = name.substr(1, name.size() - 2);
    name_ = name;
    parts_ = split_name(name);
  }
  Result<Builtin> write();

 private:
  Result<Builtin> unknown() const;
  /// "define internal i32 @air.f(i32 %0, i32 %1) alwaysinline {", with the site as a last parameter.
  std::string head(bool has_site) const;
  Result<Builtin> constant_result(const std::string& value) const;
  Result<Builtin> normalized() const;
  /// Joins the elements of a vector, or the products of two of them, the first ones first.
  Result<Builtin> folded(std::string_view product, std::string_view join) const;
  struct Parameter {
    std::string_view type;  ///< LLVM's
    std::string metal, value;
  };
  /// The definition of the Metal function, which returns `result` [Metal's type].
  Builtin function(const std::string& name, const std::string& result, const std::vector<Parameter>& parameters,
                   std::string_view body, std::string_view operation, abi::Needs needs) const;
  static std::string call(const Builtin& made, std::string_view type, const std::vector<Parameter>& parameters);
  /// A name that no other function with other types has.
  std::string scalar_name(bool is_unsigned, std::span<const Parameter> parameters) const;
  /// A function of scalars that is called as it is.
  Result<Builtin> scalar(std::string_view body, const std::vector<Parameter>& parameters, bool has_site,
                         abi::Needs needs = abi::Needs::active_lanes, std::string_view operation = {}) const;
  /// A function of each element.
  Result<Builtin> by_element(const Form& form) const;
  /// The calls for each element, and the vector of their results.
  std::string elements(const Builtin& made, const Shape& shape, const std::vector<Parameter>& parameters,
                       unsigned is_vector) const;
  /// "air.convert.f.v2f32.s.v2i32": to float from int.
  Result<Builtin> converted() const;
  Result<Builtin> barrier(std::string_view name) const;
  /// Returns the sine and writes the cosine.
  Result<Builtin> sincos() const;
  /// "air.atomic.global.add.u.i32", "air.atomic.local.cmpxchg.weak.i32", "air.atomic.fence".
  Result<Builtin> atomic() const;
  /// The two elements of a lane, of an argument or a result that has the 64 of a matrix.
  static std::string taken_apart(std::string_view type, unsigned argument);
  /// Joins the bits that a function returns to the 64 elements, of which the calling lane has the first two.
  std::string joined(const std::string& call, const Shape& shape) const;
  static std::string_view bits_of(std::string_view element) { return element == "float" ? "i64" : "i32"; }
  static std::string metal_bits_of(std::string_view element) { return element == "float" ? "ulong" : "uint"; }
  Result<Builtin> matrix(std::string_view action) const;
  Result<Builtin> filled() const;
  Result<Builtin> diagonal() const;
  Result<Builtin> product() const;
  /// The address of the first element and the distances of columns and rows, from the two forms of the arguments: AIR
  /// 2.6 has elements per row, origin and whether it is transposed; AIR 2.8 extents, distances and origin.
  std::string place(std::string_view element, unsigned first) const;
  Result<Builtin> moved(bool is_load) const;
  const ir::Call& declaration_;
  std::string_view name_;
  std::vector<std::string_view> parts_;
};

}  // namespace assay::metal::emulator::air
