// What is thrown where the process may not map the addresses that something needs.
#pragma once

#include <new>

namespace assay::metal {

class NoAddresses final : public std::bad_alloc {
 public:
  /// `text` says what needs them and what to do; it outlives the exception.
  explicit NoAddresses(const char* text) : text_(text) {}

  const char* what() const noexcept override { return text_; }

 private:
  const char* text_;
};

}  // namespace assay::metal
