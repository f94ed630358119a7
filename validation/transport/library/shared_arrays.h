// The arrays of a call, in memory shared with the worker. Each array is on separate pages, at their end, so
// that the element past the last is on an inaccessible page. The rest of the first page holds sentinels. Where an array
// would begin at a multiple of 16 bytes, it is moved down by less than that for half of the sizes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "validation/core/file.h"
#include "validation/transport/library/protocol.h"

namespace assay::validation::transport {

/// An array of the caller: an input, or an output, which is copied to the worker and back.
struct Array {
  const char* name;
  const std::byte* input;
  std::byte* output;  ///< null for an input, and maybe for an output of no elements
  bool is_output;
  std::size_t bytes;
  std::size_t element;
  std::uint32_t pointer_at = 0, size_at = 0;  ///< as in Slot
  FarArray far = {};                          ///< if it lies in far pages
  std::int32_t dtype = 0;                     ///< of an array of a formula, as its shape
  std::vector<std::int64_t> shape = {};

  template <class Value>
  static Array of(const char* name, std::span<Value> values, std::uint32_t pointer_at = 0, std::uint32_t size_at = 0) {
    const auto bytes = std::as_bytes(values);
    Array array{.name = name,
                .input = bytes.data(),
                .output = nullptr,
                .is_output = !std::is_const_v<Value>,
                .bytes = bytes.size(),
                .element = sizeof(Value),
                .pointer_at = pointer_at,
                .size_at = size_at};
    if constexpr (!std::is_const_v<Value>) array.output = std::as_writable_bytes(values).data();
    array.far = far_array_at(bytes.data()).value_or(FarArray());
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
