// The arrays of a call, in memory shared with the worker. Each array is on separate pages, at their end, so
// that the element past the last is on an inaccessible page. The rest of the first page holds sentinels. Where an array
// would begin at a multiple of 16 bytes, it is moved down by less than that for half of the sizes; and to such a multiple for half
// of the others.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "validation/core/file.h"
#include "validation/core/typed_array.h"
#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {

/// As assay_array numbers the types of elements.
template <class Value>
constexpr std::int32_t number_of_dtype() {
  return std::is_same_v<Value, std::int64_t> ? std::int32_t{ASSAY_INT64} : static_cast<std::int32_t>(dtype_of<Value>());
}

/// An array of the caller: an input, or an output, which is copied to the worker and back.
struct Array {
  const char* name;
  const std::byte* input;
  std::byte* output;  ///< null for an input, and maybe for an output of no elements
  bool is_output;
  std::size_t bytes;
  std::size_t element;
  std::int32_t dtype = 0;  ///< as in assay_array
  std::vector<std::int64_t> shape = {};
  std::vector<std::int64_t> strides = {};  ///< in elements; empty: row-major and contiguous
  std::size_t first = 0;                   ///< the byte at which the element at index 0 begins
  FarArray far = {};                       ///< if it lies in far pages
  std::array<std::byte, 8> option{};
  bool is_option = false;

  /// An array of one axis.
  template <class Value>
  static Array of(const char* name, std::span<Value> values) {
    const auto bytes = std::as_bytes(values);
    Array array{.name = name,
                .input = bytes.data(),
                .output = nullptr,
                .is_output = !std::is_const_v<Value>,
                .bytes = bytes.size(),
                .element = sizeof(Value),
                .dtype = number_of_dtype<std::remove_const_t<Value>>(),
                .shape = {static_cast<std::int64_t>(values.size())}};
    if constexpr (!std::is_const_v<Value>) array.output = std::as_writable_bytes(values).data();
    array.far = far_array_at(bytes.data()).value_or(FarArray());
    return array;
  }

  /// A number, as int64 or float64.
  template <class Value>
  static Array of_option(const char* name, Value value) {
    using Stored = std::conditional_t<std::is_floating_point_v<Value>, double, std::int64_t>;
    Array array = of(name, std::span<const Stored>());
    array.shape.clear();
    array.option = std::bit_cast<std::array<std::byte, 8>>(static_cast<Stored>(value));
    array.is_option = true;
    return array;
  }
};

class SharedArrays {
 public:
  SharedArrays() : file_(anonymous_file()) {}
  SharedArrays(const SharedArrays&) = delete;
  SharedArrays& operator=(const SharedArrays&) = delete;
  ~SharedArrays();

  int file() const { return file_.number(); }

  /// Copies the arrays to shared memory and enters their slots in `request`. Throws std::system_error without memory.
  void put(std::span<const Array> arrays, std::size_t alignment, Request& request);

  /// Describes an out-of-bounds write beside the arrays; empty if there was none.
  std::string out_of_bounds_write() const;

  /// Describes a change of an input, whose pages a kernel has made writable: "changed its input targets[3]"; empty if there
  /// was none.
  std::string changed_input() const;

  /// Describes the access that caused a fault: "wrote gradient[384], past its 384 elements".
  std::string describe(const Answer& fault) const;

  /// Copies the outputs back.
  void get() const;

 private:
  void lay_out(std::size_t alignment, Request& request);
  void resize(std::size_t size);

  metal::Descriptor file_;
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  std::vector<Array> arrays_;
  std::vector<Slot> slots_;
};

}  // namespace assay::validation::transport
