#include "validation/cce/fields.h"

#include <algorithm>
#include <cmath>

#include "metal/host/cce/outputs.h"
#include "reference/cce/validate.h"
#include "validation/core/operation_of.h"

namespace assay::validation {

std::int64_t CceFields::valid_tokens(const Statement& s) {
  return s.N - std::count(s.targets.begin(), s.targets.end(), s.ignore_index);
}

void CceFields::validate(const Problem& problem, const Output& out) {
  metal::with_types(problem, out, [](const auto& typed, const auto& output) {
    reference::validate(typed);
    metal::host::validate_loss(typed, output.loss);
    metal::host::validate_gradients(typed, output.gradients);
    reference::validate_values(typed);
  });
}

ValueShrinks<float> CceFields::shrinks() {
  return {{[](float) { return 0.0F; }, [](float a) { return std::isfinite(a) ? a : 0.0F; },
           [](float a) { return std::isfinite(a) ? std::round(a) : a; },
           [](float a) { return std::isfinite(a) ? std::round(a * 4) / 4 : a; }},
          {[](float) { return 0.0F; }, [](float a) { return std::trunc(a / 2) + 0.0F; }}};
}

template struct OperationOf<CceFields>;

}  // namespace assay::validation
