// The arrays of a call, in memory that the worker shares: each on pages of its own, against their end, so that the
// element past its last is in a page that may not be touched. What is left of its first page holds sentinels.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "validation/plugin/file.h"
#include "validation/plugin/protocol.h"

namespace assay::validation::plugin {

/// An array of the caller's: an input, or an output that is given as it is and comes back.
struct Array {
  const char* name;
  const std::byte* input;
  std::byte* output;  ///< null for an input
  std::size_t bytes;
  std::size_t element;

  template <class Value>
  static Array of(const char* name, std::span<Value> values) {
    const auto bytes = std::as_bytes(values);
    if constexpr (std::is_const_v<Value>) {
      return {name, bytes.data(), nullptr, bytes.size(), sizeof(Value)};
    } else {
      return {name, bytes.data(), std::as_writable_bytes(values).data(), bytes.size(), sizeof(Value)};
    }
  }
};

class SharedArrays {
 public:
  SharedArrays() : file_(anonymous_file()) {}
  SharedArrays(const SharedArrays&) = delete;
  SharedArrays& operator=(const SharedArrays&) = delete;
  ~SharedArrays();

  int file() const { return file_.number(); }

  /// Copies the arrays in and says in `request` where they lie. Throws std::system_error where there is no memory.
  void put(std::span<const Array> arrays, std::size_t alignment, Request& request);

  /// What was written beside the arrays, in words; empty where nothing was.
  std::string trespass() const;

  /// "wrote gradient[384], past its 384 elements": what an access to the address of a fault was.
  std::string describe(const Answer& fault) const;

  /// Copies the outputs back.
  void get() const;

 private:
  void lay_out(std::size_t alignment, Request& request);
  void resize(std::size_t size);

  File file_;
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
  std::vector<Array> arrays_;
  std::vector<Slot> slots_;
};

}  // namespace assay::validation::plugin
