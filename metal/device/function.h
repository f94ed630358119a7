// A kernel of a library, what it takes, and the values of its function constants.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace assay::metal {

/// One argument of a kernel, as the compiler sees it; MTLBinding.
struct Argument {
  enum class Kind { buffer, threadgroup_memory, position, texture, sampler };

  std::string name;
  std::string type;  ///< as written, for example "device const float*"
  Kind kind = Kind::buffer;
  std::uint32_t index = 0;  ///< of [[buffer(index)]], [[texture(index)]], ..., explicit or implicit
  bool is_written = false;
  bool is_reference = false;  ///< T& and not T*: one element
  std::uint64_t element_size = 0, element_alignment = 0;
  std::string element_type;  ///< Metal's name of a scalar or vector, for example "float4"
  std::string attribute;     ///< "thread_position_in_grid" of a position, "texture2d" of a texture; empty for memory
};

/// The attribute that gives an argument of this kind its index.
constexpr const char* attribute_of(Argument::Kind kind) {
  switch (kind) {
    case Argument::Kind::buffer:
      return "buffer";
    case Argument::Kind::threadgroup_memory:
      return "threadgroup";
    case Argument::Kind::texture:
      return "texture";
    case Argument::Kind::sampler:
      return "sampler";
    case Argument::Kind::position:
      break;
  }
  return "position";
}

/// Values of [[function_constant(index)]]; MTLFunctionConstantValues. Metal Shading Language Specification, 5.9.
class FunctionConstants {
 public:
  struct Value {
    std::array<unsigned char, 16> bytes{};
    std::uint64_t size = 0;
  };

  /// T must have the size of the constant's type: bool, std::int32_t for int, float, ...
  template <class T>
  FunctionConstants& set(std::uint32_t index, T value) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(Value::bytes));
    Value& entry = values_[index];
    std::memcpy(entry.bytes.data(), &value, sizeof(T));
    entry.size = sizeof(T);
    return *this;
  }
  const std::map<std::uint32_t, Value>& values() const { return values_; }

 private:
  std::map<std::uint32_t, Value> values_;
};

/// MTLFunction, specialised by its constants.
class Function {
 public:
  virtual ~Function() = default;

  virtual const std::string& name() const = 0;
  virtual const std::vector<Argument>& arguments() const = 0;
};

}  // namespace assay::metal
