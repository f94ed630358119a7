// Buffers of XLA as the spans that the kernels take, and refusals as errors of XLA. The buffers are row-major.
#pragma once

#include <xla/ffi/api/ffi.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "metal/cpu/any_array.h"
#include "metal/cpu/half.h"
#include "reference/refuse.h"
#include "validation/python/kernels/call.h"

namespace assay::python {

using Buffer = ::xla::ffi::AnyBuffer;
using Output = ::xla::ffi::Result<Buffer>;

template <class Element>
constexpr ::xla::ffi::DataType data_type() {
  if constexpr (std::is_same_v<Element, double>) return ::xla::ffi::DataType::F64;
  if constexpr (std::is_same_v<Element, metal::Half>) return ::xla::ffi::DataType::F16;
  if constexpr (std::is_same_v<Element, metal::BFloat16>) return ::xla::ffi::DataType::BF16;
  return ::xla::ffi::DataType::F32;
}

/// The elements of `buffer` in the type that it has. Throws std::invalid_argument for a type that Any does not have.
template <class Any>
Any typed_elements(const char* name, const Buffer& buffer) {
  Any any;
  const auto take = [&]<class Element>(std::span<Element>) {
    if (buffer.element_type() != data_type<std::remove_const_t<Element>>()) return false;
    any = std::span<Element>(static_cast<Element*>(buffer.untyped_data()), buffer.element_count());
    return true;
  };
  const auto take_one = [&]<class... Spans>(std::variant<Spans...>*) { return (take(Spans()) || ...); };
  if (!take_one(static_cast<Any*>(nullptr)))
    reference::detail::refuse(name, " has XLA's type ", static_cast<int>(buffer.element_type()),
                              ": no kernel has this type");
  return any;
}

/// The elements of `buffer`. Throws std::invalid_argument unless it has this type.
template <class Element>
std::span<Element> elements(const char* name, const Buffer& buffer) {
  return std::get<0>(typed_elements<std::variant<std::span<Element>>>(name, buffer));
}

/// The elements of a result, for which pages of 2 MiB are asked, as NumPy does for its arrays. XLA gives a large result
/// fresh memory, and to write it the first time takes longer than a loss does to compute, by pages of 4 KiB.
template <class Any>
Any result_elements(const char* name, Output result) {
#ifdef __linux__
  constexpr std::uintptr_t page = 4096, least = std::uintptr_t{4} << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(result->untyped_data());
  const std::uintptr_t gap = (page - address % page) % page, size = result->size_bytes();
  if (size >= least) madvise(static_cast<std::byte*>(result->untyped_data()) + gap, size - gap, MADV_HUGEPAGE);
#endif
  return typed_elements<Any>(name, *result);
}

/// Integers of any type as those of the kernels. JAX has 32 bits unless told otherwise.
inline std::vector<std::int64_t> integers(const char* name, const Buffer& buffer) {
  using ::xla::ffi::DataType;
  std::vector<std::int64_t> copy;
  const auto take = [&]<class Integer>(DataType type, Integer) {
    const auto* const data = static_cast<const Integer*>(buffer.untyped_data());
    if (buffer.element_type() == type) copy.assign(data, data + buffer.element_count());
    return buffer.element_type() == type;
  };
  if (!take(DataType::S8, std::int8_t{}) && !take(DataType::S16, std::int16_t{}) &&
      !take(DataType::S32, std::int32_t{}) && !take(DataType::S64, std::int64_t{}) &&
      !take(DataType::U8, std::uint8_t{}) && !take(DataType::U16, std::uint16_t{}) &&
      !take(DataType::U32, std::uint32_t{}) && !take(DataType::U64, std::uint64_t{}))
    reference::detail::refuse(name, " has XLA's type ", static_cast<int>(buffer.element_type()), ": expected integers");
  return copy;
}

/// Reads an attribute by its name and type. Throws std::invalid_argument where there is none of both.
inline auto reader_of(const ::xla::ffi::Dictionary& attributes) {
  return [&attributes]<class Value>(const char* name) {
    const auto value = attributes.get<Value>(name);
    if (value.has_error()) reference::detail::refuse(name, ": ", value.error().message());
    return value.value();
  };
}

/// Calls compute() and turns what it throws into an error of XLA: INVALID_ARGUMENT for std::invalid_argument.
template <class Compute>
::xla::ffi::Error computed(Compute&& compute) {
  try {
    const DefaultArithmetic arithmetic;
    std::forward<Compute>(compute)();
    return ::xla::ffi::Error::Success();
  } catch (const std::invalid_argument& refusal) {
    return {::xla::ffi::ErrorCode::kInvalidArgument, refusal.what()};
  } catch (const std::exception& failure) {
    return {::xla::ffi::ErrorCode::kInternal, failure.what()};
  }
}

}  // namespace assay::python
