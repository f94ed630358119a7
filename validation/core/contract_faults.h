// Faults of the error contract that need no mathematics. `Plain` is the plain kernel of an operation, whose step
// `check` throws std::invalid_argument for a bad argument.
#pragma once

#include <stdexcept>
#include <string>

#include "validation/core/fault.h"

namespace assay::validation {

/// Ignores refusals whose message contains `about`.
template <class Plain>
class Lenient : public Plain {
 public:
  explicit Lenient(const char* about) : about_(about) {}

 protected:
  void check(const typename Plain::Problem& problem, const typename Plain::Output& out) const override {
    try {
      Plain::check(problem, out);
    } catch (const std::invalid_argument& refusal) {
      if (std::string(refusal.what()).find(about_) == std::string::npos) throw;
    }
  }

 private:
  const char* about_;
};

template <class Plain>
struct AnonymousRefusal final : Plain {
  static constexpr FaultNote note{"anonymous-refusal", "invalid argument", "refusals"};
  void check(const typename Plain::Problem& problem, const typename Plain::Output& out) const override {
    try {
      Plain::check(problem, out);
    } catch (const std::invalid_argument&) {
      throw std::invalid_argument("invalid argument");
    }
  }
};

}  // namespace assay::validation
