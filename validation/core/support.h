// What kernels claim to do: cases beyond it are skipped, and counted with the reason.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace assay::validation {

/// A kernel was asked for what it does not claim to do; the text is the reason.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// Collects the first reason why a kernel need not do a case.
class WhyNot {
 public:
  /// "the kernel does not do ..." unless it `does` or a reason is there already.
  WhyNot& unless(bool does, const std::string& what) {
    if (!does && reason_.empty()) reason_ = "the kernel does not do " + what;
    return *this;
  }

  /// A size beyond the largest that the kernel claims.
  WhyNot& at_most(std::int64_t largest, const char* name, std::int64_t size) {
    return unless(size <= largest, fmt::format("{} > {}", name, largest));
  }

  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

}  // namespace assay::validation
