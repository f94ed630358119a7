// A case of any operation, whose type the operation alone knows.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace assay::validation {

/// Shared and unchanging; empty by default.
class AnyCase {
 public:
  AnyCase() = default;
  template <class Case>
    requires(!std::same_as<std::remove_cvref_t<Case>, AnyCase>)
  AnyCase(Case&& c) : data_(std::make_shared<const std::remove_cvref_t<Case>>(std::forward<Case>(c))) {}

  /// Undefined unless it was made of a Case.
  template <class Case>
  const Case& as() const {
    return *static_cast<const Case*>(data_.get());
  }
  template <class Case>
  std::shared_ptr<const Case> share() const {
    return {data_, &as<Case>()};
  }
  explicit operator bool() const { return data_ != nullptr; }

  /// Whether both are one and the same, not merely equal.
  bool operator==(const AnyCase&) const = default;

 private:
  std::shared_ptr<const void> data_;
};

/// Steps to simpler cases, the boldest first; a step that does not apply gives an empty case.
using AnyShrinks = std::vector<std::function<AnyCase()>>;

/// A case with a name: real input, or a size that generated cases do not reach.
struct GivenCase {
  std::string name;
  AnyCase problem;
  /// Too large for all properties but those that compare with the reference.
  bool reference_only = false;
};

/// The same of one operation.
template <class Operation>
struct NamedCase {
  std::string name;
  typename Operation::Case problem;
};

}  // namespace assay::validation
