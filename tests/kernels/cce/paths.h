// The two paths, as parameters of tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "metal/host/cce/cce.h"

namespace assay::metal::test {

inline auto both_paths() {
  return testing::Values(CcePath::plain, CcePath::production);
}

inline std::string name_of_path(const testing::TestParamInfo<CcePath>& info) {
  return info.param == CcePath::plain ? "plain" : "production";
}

}  // namespace assay::metal::test
