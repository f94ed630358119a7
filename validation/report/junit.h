// Reports as JUnit XML, for test runners: a testsuite for each kernel, a testcase for each property.
#pragma once

#include <string>

#include "validation/report/record.h"

namespace assay::validation {

/// fail and mistrusted become <failure>, error <error>, skipped <skipped>; a failing testcase has the line that
/// reproduces it in its text and as its property "reproducer".
std::string to_junit(const Report& report);

}  // namespace assay::validation
