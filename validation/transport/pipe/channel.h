// Two pipes to another process that runs a kernel: one for calls, one for answers.
//
//   message   the length of the header (8 bytes, little endian), the header (JSON), the elements of each array in turn
//   header    {..., "arrays": [{"name", "dtype", "shape", "bytes"}, ...]}; arrays are row-major
//   call      "call": "declare", answered by the declaration of the kernel (kernel.h)
//             "call": "run", with a problem's arrays and options, and "strides", the layout (core/layouts.h) in which
//             the kernel is given the arrays, answered by results
//   answer    "outcome": "done", with arrays and, in seconds, the "processor_time" that the kernel has used,
//             or "refused" (a bad argument), "unsupported" or "failed", with "text"
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "metal/cpu/any_array.h"

namespace assay::validation::transport {

struct PipeArray {
  std::string name;
  std::string dtype;  ///< NumPy's name, or "bfloat16"
  std::vector<std::int64_t> shape;
  std::string bytes;

  std::string summary() const;  ///< "float32 [3, 2]"
};

struct PipeMessage {
  nlohmann::json header;
  std::vector<PipeArray> arrays;

  /// The array called `name`. Throws std::runtime_error if there is none.
  const PipeArray& array(const std::string& name) const;
};

template <class Element>
PipeArray pipe_array(std::string name, std::vector<std::int64_t> shape, std::span<const Element> elements) {
  PipeArray array{std::move(name), "int64", std::move(shape), std::string(elements.size_bytes(), '\0')};
  if constexpr (!std::is_same_v<Element, std::int64_t>) array.dtype = metal::dtype_name<Element>();
  if (!elements.empty()) std::memcpy(array.bytes.data(), elements.data(), elements.size_bytes());
  return array;
}

/// Copies the array's elements. Throws std::runtime_error, saying what came and what was expected, unless the elements
/// are of type Stored and the shape is `shape`, or [] for [1].
template <class Stored, class Real>
void take_elements(const PipeArray& array, const std::vector<std::int64_t>& shape, std::span<Real> elements);

class Channel {
 public:
  /// Reads answers from one file descriptor and writes calls to the other. The caller keeps ownership of both.
  Channel(int answers, int calls) : answers_(answers), calls_(calls) {}

  /// Parses "pipe:3,4": answers from descriptor 3, calls to 4. Throws std::invalid_argument for another text.
  static Channel of(const std::string& name);

  /// Returns the answer if its outcome is "done". Throws std::invalid_argument for "refused", Unsupported for
  /// "unsupported", and std::runtime_error for "failed" or if the other process has ended.
  PipeMessage call(const PipeMessage& message) const;

 private:
  int answers_;
  int calls_;
};

namespace detail {

/// Throws std::runtime_error unless the array has that type and shape, and the number of bytes that follows.
void require_array(const PipeArray& array, const std::string& dtype, const std::vector<std::int64_t>& shape,
                   std::size_t bytes);

}  // namespace detail

template <class Stored, class Real>
void take_elements(const PipeArray& array, const std::vector<std::int64_t>& shape, std::span<Real> elements) {
  detail::require_array(array, metal::dtype_name<Stored>(), shape, elements.size() * sizeof(Stored));
  for (std::size_t i = 0; i < elements.size(); ++i) {
    Stored element;
    std::memcpy(&element, array.bytes.data() + i * sizeof(Stored), sizeof(Stored));
    elements[i] = static_cast<Real>(element);
  }
}

}  // namespace assay::validation::transport
