// What a declaration uses, directly or through what it names. A name stands for everything at program scope that is
// called so, so that too much may be found, and nothing is missed.
#pragma once

#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "metal/emulator/translate/declarations.h"

namespace assay::metal::emulator {

/// The declarations at program scope and in namespaces, by their names. The members of a class belong to the class: also
/// those that are defined outside of it.
class Reachable {
 public:
  Reachable(const Source& source, const std::vector<Declaration>& declarations);

  struct Found {
    std::set<std::string_view> names;
    std::set<std::size_t> declarations;  ///< with those that it began with
  };
  Found from(std::vector<std::size_t> begin) const;

  bool declares(std::string_view name) const { return by_name_.contains(name); }

 private:
  void add(std::size_t declaration);
  bool is_declared_at(std::size_t token) const;

  const Source& source_;
  const std::vector<Declaration>& declarations_;
  std::multimap<std::string_view, std::size_t> by_name_;
};

}  // namespace assay::metal::emulator
