// Functions that differ in address spaces only. Without address spaces they are one function, so that those that do the
// same are merged, and others get names of their own: clang, which tells the address spaces of lint's text apart, says
// which of them each call means.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "metal/emulator/translate/declarations.h"
#include "metal/emulator/translate/edits.h"
#include "metal/emulator/translate/translate.h"

namespace assay::metal::emulator {

/// The overloads of a shader by address space.
class Overloads {
 public:
  /// Refuses constructors, operators and specializations of classes that differ so and do different things.
  Overloads(const Source& source, const std::vector<Declaration>& declarations);

  /// Whether there are any that do different things.
  bool have_names() const { return !numbers_.empty(); }
  /// Why calls must be resolved: at the first of the overloads.
  [[noreturn]] void fail() const;

  /// Removes those that do the same as an earlier one.
  void merge(Edits& edits) const;
  /// Gives those that do different things their names, where they are declared and where they are called.
  void rename(const OverloadChoices& choices, Edits& edits) const;

  /// For the text of lint: has clang say of each call which overload it means.
  void mark(Edits& edits) const;
  /// The address spaces behind the parameters of methods that are told apart by these.
  const std::set<std::size_t>& qualifiers() const { return qualifiers_; }

 private:
  void add(const std::vector<std::size_t>& group);
  void expect_no_error(const OverloadChoices& choices, const Declaration& caller, std::size_t call) const;
  [[noreturn]] void fail_at(std::size_t token, std::string_view what) const;
  bool is_call(std::size_t token) const;

  const Source& source_;
  const std::vector<Declaration>& declarations_;
  std::vector<std::size_t> merged_;
  std::map<std::size_t, unsigned> numbers_;  ///< of a declaration among its overloads
  std::set<std::string_view> names_;
  std::set<std::size_t> qualifiers_;
};

}  // namespace assay::metal::emulator
