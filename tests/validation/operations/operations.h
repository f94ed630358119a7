// The operations as types, and tests made of each.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/validation/cce/kernels.h"
#include "tests/validation/ctc/kernels.h"
#include "tests/validation/svd/kernels.h"
#include "validation/registry.h"

namespace assay::validation {

template <class... All>
testing::Types<All...> types_of(OperationList<All...>);
using Operations = decltype(types_of(AllOperations()));

struct OperationName {
  template <class O>
  static std::string GetName(int /*index*/) {
    return O::name;
  }
};

/// A test of one property, or of one fault, of one operation.
struct Check {
  std::string name;
  std::function<void()> run;
};

inline void PrintTo(const Check& check, std::ostream* out) {
  *out << check.name;
}

/// What checks_of(Operation()) gives for each operation.
template <class ChecksOf>
std::vector<Check> checks_of_all(const ChecksOf& checks_of) {
  return []<class... All>(const ChecksOf& each, OperationList<All...>) {
    std::vector<Check> all;
    for (auto& checks : {each(All())...})
      for (const Check& check : checks) all.push_back(check);
    return all;
  }(checks_of, AllOperations());
}

inline std::string check_name(const testing::TestParamInfo<Check>& check) {
  return test_name(check.param.name);
}

}  // namespace assay::validation
